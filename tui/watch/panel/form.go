package panel

import (
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
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
	note(b *Board, v *View) string
}

// Draw draws a panel of the size of r, with room of the size of in within it. The places of both do
// not matter: the page places the lines.
func (b *Board) Draw(p int, r, in kit.Rect, box, focused bool) []string {
	v := b.CurrentView(p)
	form := b.formIn(v, in.W)
	note := form.note(b, v)
	var lines []string
	var warning string
	if !b.allPredicted() || b.inSummary(v) {
		lines, warning = form.draw(b, p, v, in.W, in.H)
	}
	switch {
	case lines == nil:
		lines = b.emptyLines(v, in.W, in.H)
	case warning != "":
		note = cell.Warning + " " + warning + " · " + note
	}
	return b.Theme.Panel(b.Heading(p, in.W, in.H), note, focused, box, lines, r.W, r.H)
}

// form returns the form that draws the view.
func (v *View) form() form {
	switch {
	case v.As != nil:
		return v.As
	case v.Phase:
		return portrait{}
	case v.Bars != "":
		return oneRun{}
	}
	return curves{}
}

// formIn returns the form that draws the view in so many cells.
func (b *Board) formIn(v *View, iw int) form {
	if v.As == (matrix{}) && !b.ShowsMatrix(v, iw) {
		return allRuns{}
	}
	return v.form()
}

// Alike reports whether two views show the same in iw by ih cells: of two curves there may be room
// for the first alone.
func (b *Board) Alike(v, o *View, iw, ih int) bool {
	if v.Plots() || o.Plots() {
		return slices.Equal(v.CurvesIn(iw, ih), o.CurvesIn(iw, ih))
	}
	return v.Bars != "" && v.Bars == o.Bars && v.Plain == o.Plain &&
		b.formIn(v, iw) == b.formIn(o, iw)
}

// Whole reports whether the view shows all places of its measure whatever the room. Such a view has
// nothing to scroll: radii and bins are points across, not rows.
func (v *View) Whole() bool { return v.As == RadiusCurves{} || v.As == histogram{} }

// Films reports whether the view shows maps over the steps.
func (v *View) Films() bool { return v.As == film{} }

// Plots reports whether the view shows curves over the steps, which have a crosshair.
func (v *View) Plots() bool { return len(v.Curves) > 0 }

// drawer is a chart that can be drawn into a frame. A plot.Chart is none, because its DrawTo
// reports the values that the axis cannot show.
type drawer interface {
	DrawTo(f *plot.Frame, w, h int)
}

// paint draws d in iw by ih cells, and returns lines with the theme's colours.
func (b *Board) paint(d drawer, iw, ih int) []string {
	d.DrawTo(&b.frame, iw, ih)
	return b.Theme.Rows(&b.frame)
}

// emptyLines says why a panel is empty. The cases go from states that pass by themselves to states
// that do not. A blank panel would look like an error of the program.
func (b *Board) emptyLines(v *View, iw, ih int) []string {
	t := b.Runs.Run()
	text := t.Label + " is not evaluated yet"
	switch {
	case t.Share < 1:
		text = "reading " + t.Label
	case b.allPredicted():
		text = "Imported predictions lack this"
	case t.Meta.Imported != nil:
		text = "The log of " + t.Label + " lacks this"
	case b.Val && !lab.Validates(t.Meta): // another run has one
		text = t.Label + " has no validation split"
	case (v.Bars != "" || v.ShowsSamples()) && t.Eval != nil:
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
	return append(lines, kit.Left(indent+b.Theme.Dim.Paint(b.Theme.Greek(text)), iw))
}

// Heading returns the title of a panel with the name of its view, in iw by ih cells; overlays have
// it as their title, too. It names only what is drawn: one curve of two where there is room for
// one, and bars by class or group as the run under the cursor has them.
func (b *Board) Heading(p, iw, ih int) string {
	v, title := b.CurrentView(p), b.Panels[p].Title
	// The table says "by class"; BarsMeasure gives groups where the run has them.
	t := b.Runs.Run()
	if v.Bars != "" && !v.Plain && t != nil && t.Meta.Main() == measure.PerGroup {
		title = strings.TrimSuffix(title, "class") + "group"
	}
	name := v.Name
	if drawn := v.CurvesIn(iw, ih); len(drawn) < len(v.Curves) {
		name = b.quantities[drawn[0]].Title
	}
	if name != "" {
		title += " · " + name
	}
	if b.hasSplit(p, v.CurvesIn(iw, ih)) {
		title = onSplit(title, b.Val)
	}
	return title
}

// hasSplit reports whether what is drawn exists on both splits, so that the heading must name one.
func (b *Board) hasSplit(p int, drawn []string) bool {
	v := b.chosenView(p)
	of := func(name string) bool { return lab.Validation(name) != name }
	return v.val != nil && (len(drawn) == 0 || slices.ContainsFunc(v.Curves[:len(drawn)], of))
}
