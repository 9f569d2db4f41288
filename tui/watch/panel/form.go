package panel

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// form is a way to draw a view: curves, bars, a map, ... A form has no state of its own: it is a
// value in the table of panels, which all boards share, and everything it draws is on the Board.
type form interface {
	// draw returns the lines of a view in iw by ih cells, with a warning for the panel's note; nil
	// where there is nothing to show yet.
	draw(w *Board, p int, v *View, iw, ih int) (lines []string, warning string)
	// note returns the text at the right of the panel's title.
	note(w *Board, v *View) string
}

// Draw draws a panel of the size of r, with room of the size of in within it. The places of both do
// not matter: the page places the lines.
func (w *Board) Draw(p int, r, in kit.Rect, box, focused bool) []string {
	v := w.Shows(p)
	note := v.form().note(w, v)
	var lines []string
	var warning string
	if !w.predicted() || w.inSummary(v) {
		lines, warning = v.form().draw(w, p, v, in.W, in.H)
	}
	switch {
	case lines == nil:
		lines = w.nothing(v, in.W, in.H)
	case warning != "":
		note = "! " + warning + " · " + note
	}
	return w.Theme.Panel(w.Heading(p, in.W, in.H), note, focused, box, lines, r.W, r.H)
}

// form returns the form that draws the view.
func (v *View) form() form {
	switch {
	case v.As != nil:
		return v.As
	case v.Phase:
		return portrait{}
	case v.Bars != "":
		return ofOne{}
	}
	return curves{}
}

// Whole reports whether the view shows all places of its measure whatever the room. Such a view has
// nothing to scroll: radii and bins are points across, not rows.
func (v *View) Whole() bool { return v.As == ByRadius{} || v.As == histogram{} }

// Films reports whether the view shows maps over the steps.
func (v *View) Films() bool { return v.As == film{} }

// Plots reports whether the view shows curves over the steps, which have a crosshair.
func (v *View) Plots() bool { return len(v.Curves) > 0 }

// drawing is a chart that can be drawn into a frame. A plot.Chart is none, because its DrawTo
// reports the values that the axis cannot show.
type drawing interface {
	DrawTo(f *plot.Frame, w, h int)
}

// painted draws d in iw by ih cells, and returns lines with the theme's colours.
func (w *Board) painted(d drawing, iw, ih int) []string {
	d.DrawTo(&w.frame, iw, ih)
	return w.Theme.Rows(&w.frame)
}

// ofOne is the form of bars of the run under the cursor, each with its change against the baseline.
type ofOne struct{}

func (ofOne) draw(w *Board, p int, v *View, iw, ih int) ([]string, string) {
	of := v.Of(w.Run().Meta)
	if len(w.Run().Places(of)) == 0 {
		return nil, ""
	}
	return w.drawBars(w.Bars(p, of, ih), iw, ih), ""
}

func (ofOne) note(w *Board, v *View) string {
	t := w.Run()
	note := t.Label
	if r := w.Compared(v.Of(t.Meta)); r != nil {
		note += " vs " + r.Label
	}
	return note + t.Evaluated()
}

// portrait is the form of the paths of (λ, η) of all runs. It is no chart over steps, so it has no
// crosshair and no zoom.
type portrait struct{}

// draw returns nothing while the run under the cursor has no path, even if others have one: the box
// and the best point are that run's.
func (portrait) draw(w *Board, p int, _ *View, iw, ih int) ([]string, string) {
	if w.Run().Path.Len() == 0 {
		return nil, ""
	}
	return w.painted(w.phase(), iw, ih), ""
}

func (portrait) note(w *Board, _ *View) string { return w.Run().Short + " · λ across, η up" }

// everyone is the form with a line for each class that has the marks of all runs. It is for
// comparing methods: a method that does worse for one class is seen without turning from run to
// run.
type everyone struct{}

func (everyone) draw(w *Board, p int, v *View, iw, ih int) ([]string, string) {
	s := w.Spread(p, v, ih)
	if s == nil {
		return nil, ""
	}
	return w.painted(s, iw, ih), ""
}

func (everyone) note(w *Board, v *View) string {
	// The note names the run that sorts, which need not be the one under the cursor.
	note := "by " + w.ranking().ShortName(12) + ", worst first"
	if v.Of(w.Run().Meta).Better == dro.Neither {
		note = "by " + w.ranking().ShortName(12)
	}
	return note + atEpoch(w.CommonEpoch())
}

// film is the form of two maps of the run under the cursor: how the classes do, and how the
// adversary weighs them. It is the only view by class that shows the past: bars show only the last
// evaluation.
type film struct{}

func (film) draw(w *Board, p int, v *View, iw, ih int) ([]string, string) {
	maps := w.maps(p, v, iw, ih)
	if maps == nil {
		return nil, ""
	}
	var blocks []kit.Placed
	x := 0 // a blank column stands between the maps
	for _, m := range maps {
		blocks = append(blocks, kit.Placed{Rect: kit.Area(x, 0, m.cells, ih),
			Lines: w.painted(m, m.cells, ih)})
		x += m.cells + 1
	}
	return kit.Compose(iw, ih, blocks), ""
}

func (film) note(w *Board, _ *View) string { return w.Run().Label + " · by " + w.Axis.String() }

// ByRadius is the form of R_ρ of all runs as a function of ρ. It is exported for the tests of the
// page, which make a view of it.
type ByRadius struct{}

func (ByRadius) draw(w *Board, p int, v *View, iw, ih int) ([]string, string) {
	c := w.Risks(v)
	if c == nil {
		return nil, ""
	}
	// The gutter is set here as Plots sets it for curves: the axis needs to know its labels.
	c.Charset = w.charset()
	c.Gutter = max(leastGutter, c.TickWidth(ih-axisRows))
	c.DrawTo(&w.frame, iw, ih)
	return w.Theme.Rows(&w.frame), ""
}

func (ByRadius) note(w *Board, _ *View) string {
	return w.Theme.Greek("by ρ" + atEpoch(w.CommonEpoch()))
}

// histogram is the form of the number of samples in each bin, for the run under the cursor.
type histogram struct{}

func (histogram) draw(w *Board, _ int, v *View, iw, ih int) ([]string, string) {
	t := w.Run()
	h := &plot.Histogram{Number: t.Number, Charset: w.Theme.Charset(false),
		Counts: kit.Map(t.Places(v.Of(t.Meta)), measure.Number.Float)}
	if len(h.Counts) == 0 {
		return nil, ""
	}
	// Edges are even in the logarithm, two to a factor of two. Powers of two and 0 are
	// labelled, as more labels than that would run into each other.
	for i, edge := range measure.RatioEdges() {
		text := ""
		switch {
		case edge == 1:
			h.At = i
			fallthrough
		case math.Abs(math.Log2(edge)-math.Round(math.Log2(edge))) < 1e-9 || edge == 0:
			text = strconv.FormatFloat(edge, 'g', 3, 64)
		}
		h.Ticks = append(h.Ticks, text)
	}
	return w.painted(h, iw, ih), ""
}

func (histogram) note(w *Board, _ *View) string { return w.Run().Label + w.Run().Evaluated() }

// nothing says why a panel is empty. The cases go from states that pass by themselves to states
// that do not. A blank panel would look like an error of the program.
func (w *Board) nothing(v *View, iw, ih int) []string {
	t := w.Run()
	text := t.Label + " is not evaluated yet"
	switch {
	case t.Share < 1:
		text = "reading " + t.Label
	case w.predicted():
		text = "Imported predictions lack this"
	case w.Val && !lab.Validates(t.Meta): // another run has one
		text = t.Label + " has no validation split"
	case (v.Bars != "" || v.Gazes()) && t.Eval != nil:
		text = t.Label + " was recorded by a version that lacks this"
	case v.Phase && !t.hasDual():
		text = t.Label + " has no λ and η"
	case v.Phase:
		text = t.Label + " has not moved yet"
	case t.Status == runner.Failed:
		text = t.Label + " failed before its first evaluation"
	}
	lines := make([]string, max(0, (ih-1)/2))
	indent := kit.Blanks((iw - cell.Width(text)) / 2)
	return append(lines, kit.Left(indent+w.Theme.Dim.Paint(w.Theme.Greek(text)), iw))
}

// Heading returns the title of a panel with the name of its view, in iw by ih cells; overlays have
// it as their title, too. It names only what is drawn: one curve of two where there is room for
// one, and bars by class or group as the run under the cursor has them.
func (w *Board) Heading(p, iw, ih int) string {
	v, title := w.Shows(p), w.Panels[p].Title
	// The table says "by class"; Of gives groups where the run has them.
	if t := w.Run(); v.Bars != "" && !v.Plain && t != nil && t.Meta.Main() == measure.PerGroup {
		title = strings.TrimSuffix(title, "class") + "group"
	}
	name := v.Name
	if drawn := v.Drawn(iw, ih); len(drawn) < len(v.Curves) {
		name = w.quantities[drawn[0]].Title
	}
	if name != "" {
		title += " · " + name
	}
	if w.hasSplit(p, v.Drawn(iw, ih)) {
		title = onSplit(title, w.Val)
	}
	return title
}

// hasSplit reports whether what is drawn exists on both splits, so that the heading must name one.
func (w *Board) hasSplit(p int, drawn []string) bool {
	v := w.chosen(p)
	of := func(name string) bool { return lab.Validation(name) != name }
	return v.val != nil && (len(drawn) == 0 || slices.ContainsFunc(v.Curves[:len(drawn)], of))
}

// settings is the form of the settings of the run under the cursor, as it trains now. First come
// the settings in which the watched runs differ, with a mark, then those that are not at their
// default, then the others that its method reads.
//
// With machine it is the form of what the machine does.
type settings struct{ machine bool }

// Setting is a setting with its value, and whether the watched runs differ in it.
type Setting struct {
	Key, Value string
	Differs    bool
}

// Lists reports whether the view shows a list about the run under the cursor.
func (v *View) Lists() bool { return v.As == settings{} || v.As == settings{machine: true} }

// List returns that list, for so many cells.
func (w *Board) List(v *View, cells int) []Setting {
	if v.As == (settings{machine: true}) {
		return w.machineLines(cells)
	}
	return w.Settings()
}

func (f settings) draw(w *Board, _ int, v *View, iw, ih int) ([]string, string) {
	const least, gap = 27, 2 // cells of a column, and between two
	list, key := w.List(v, iw), 18
	if f.machine {
		key = 7
	}
	columns := max(1, min(iw/least, (len(list)+ih-1)/max(1, ih)))
	cells, rows := iw/columns-gap, min(ih, (len(list)+columns-1)/columns)
	lines := make([]string, rows)
	for i, s := range list[:min(len(list), rows*columns)] {
		line := kit.Left(w.settingLine(s, key, cells), cells)
		if i/rows > 0 {
			line = kit.Blanks(gap) + line
		}
		lines[i%rows] += line
	}
	warning := ""
	if hidden := len(list) - rows*columns; hidden > 0 {
		warning = kit.Plural(hidden, "more line")
	}
	return lines, warning
}

// settingLine writes a setting in so many cells, with those of its key. Where it does not fit, its
// value is cut.
func (w *Board) settingLine(s Setting, key, cells int) string {
	t, mark := w.Theme, "  "
	name, value := t.Dim, t.Text
	if s.Differs {
		mark, name, value = " "+t.Accent.Paint(t.Changed), t.Text, t.Title
	}
	text := kit.Left(s.Key, max(cell.Width(s.Key), min(key, cells/2))) + " "
	room := max(0, cells-2-1-cell.Width(text))
	return mark + " " + name.Paint(text) + value.Paint(cell.Cut(t.Greek(s.Value), room))
}

func (settings) note(w *Board, _ *View) string { return w.Run().Label }

// Settings returns the settings that the run under the cursor reads, in the order of draw.
func (w *Board) Settings() (list []Setting) {
	run, plain := w.Run(), spec.Defaults()
	var changed, alike []Setting
	for _, s := range spec.AllSettings() {
		if !s.ReadIn(&run.Spec) {
			continue
		}
		own := Setting{Key: s.Key, Value: run.Spec.Text(s.Key)}
		other := func(t *Track) bool { return t.Spec.Text(s.Key) != own.Value }
		own.Differs = slices.ContainsFunc(w.Tracks, other)
		switch {
		case own.Differs:
			list = append(list, own)
		case own.Value != plain.Text(s.Key):
			changed = append(changed, own)
		default:
			alike = append(alike, own)
		}
	}
	return slices.Concat(list, changed, alike)
}
