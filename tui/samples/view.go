package samples

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// errCancelled is shown in place of the samples after Esc.
var errCancelled = errors.New("not evaluated: r evaluates it")

// layout holds the areas of the parts of the page. A part without room has an empty area.
type layout struct{ main, one kit.Rect }

// lay divides w by h cells. The sample under the cursor stands beside the list of samples, in a
// panel as wide as its picture needs.
func (p *Page) lay(w, h int) (l layout) {
	const least, narrow, wide = 72, 34, 68 // pictures of 32 and 64 pixels, and the box
	switch {
	case p.zoomed:
		l.one = kit.Area(0, 0, w, h)
	case w < least:
		l.main = kit.Area(0, 0, w, h)
	default:
		side := max(narrow, min(wide, w*3/8))
		l.main, l.one = kit.Area(0, 0, w-side, h), kit.Area(w-side, 0, side, h)
	}
	return l
}

// main returns the area of the main panel, and the cells within it.
func (p *Page) main() (r kit.Rect, w, h int) {
	r = p.lay(p.Body.W, p.Body.H).main
	w, h = kit.Inside(kit.Boxed(p.Body.H), r.W, r.H)
	return r, w, h
}

// View implements the interface's page.
func (p *Page) View(w, h int) []string {
	if p.pick == nil {
		return p.empty(w, h)
	}
	t, l, box := p.Theme, p.lay(w, h), kit.Boxed(h)
	one := "Sample"
	if s := p.current(); s != nil {
		one = fmt.Sprintf("Row %d", s.Row)
	}
	const leastName = 8 // cells of the run's name
	note := p.note(l.main.W - len("-- > ") - leastName - len("  ") - len(" --"))
	which, _, _ := strings.Cut(note, " · ") // this is said, whatever the run's name
	room := l.main.W - len("-- > ") - len("  ") - cell.Width(t.Greek(which)) - len(" --")
	name := nameWithMethod(&p.run.Meta, max(room, leastName))
	return kit.Compose(w, h, []kit.Block{
		t.Place(l.main, name, note, true, box, p.viewMain),
		t.Place(l.one, one, p.weight(), p.zoomed, box, p.viewOne),
	})
}

// nameWithMethod returns the name of a run in so many cells. Where the name does not say the method
// or that part is cut, the method stands before it, or alone.
func nameWithMethod(m *runner.Meta, cells int) string {
	name, method := cell.Middle(m.ID, cells), string(m.Spec.Algorithm())
	if strings.Contains(name, "-"+method+"-") {
		return name
	}
	const least = 6 // cells that say anything of the rest
	if rest := cells - cell.Width(method+" "); rest >= least {
		return method + " " + cell.Middle(m.ID, rest)
	}
	return cell.Cut(method, cells)
}

// empty says why there is nothing to see, or how far the evaluation is.
func (p *Page) empty(w, h int) []string {
	t := p.Theme
	iw, _ := kit.Inside(kit.Boxed(h), w, h)
	say := func(st kit.Style, text string) []string {
		return st.PaintAll(kit.Wrap(t.Greek(text), iw-4))
	}
	var lines []string
	switch {
	case p.run == nil:
		lines = say(t.Dim, "The samples that the adversary weighs most at a run's checkpoint.")
		lines = append(lines, "")
		lines = append(lines, say(t.Dim, "P on a run of Watch (2) or Runs (3) opens them here.")...)
	case p.job == nil && errors.Is(p.err, errCancelled):
		lines = say(t.Dim, p.err.Error())
	case p.job == nil:
		lines = say(t.Alarm, cell.Warning+" "+cell.OneLine(p.err.Error()))
	default:
		doing := fmt.Sprintf("Evaluating the %s split: %d %%", p.split, p.percent)
		if p.percent == 0 {
			doing = "Reading the checkpoint and the data"
		}
		lines = append(say(t.Text, doing), "",
			t.Progress(float64(p.percent)/100, max(4, min(40, iw-4)), t.Accent), "")
		lines = append(lines, say(t.Dim, "Esc cancels. The other pages keep working.")...)
	}
	title := "Samples"
	if p.run != nil {
		title += " of " + p.run.Meta.ID
	}
	return t.Empty(title, lines, w, h)
}

// note says which samples are listed, and how, in so many cells where it can.
func (p *Page) note(cells int) string {
	part := &p.pick.Parts[p.part]
	n, of := len(p.shown), ofPart(part)
	if n == part.Size {
		return fmt.Sprintf("all %d%s · %s", n, of, p.order)
	}
	text := fmt.Sprintf("the %d heaviest of %d%s", n, part.Size, of)
	if cell.Width(text) > cells {
		text = fmt.Sprintf("%d of %d%s", n, part.Size, of)
	}
	if p.order != byWeight {
		text += " · " + p.order.String()
	}
	return text
}

// ofPart says which of all samples are listed, behind their number.
func ofPart(part *certificate.Part) string {
	switch part.Kind {
	case certificate.All:
		return ""
	case certificate.Wrong:
		return " wrong"
	case certificate.Class:
		return " in class " + part.Name
	}
	return " in group " + part.Name
}

// headRows is the number of lines above the samples.
const headRows = 2

// viewMain draws what was evaluated, and the samples.
func (p *Page) viewMain(w, h int) []string {
	t := p.Theme
	var lines []string
	for _, parts := range [][]string{p.where(), p.figures()} {
		lines = append(lines, t.Dim.Paint(" "+joinParts(t, parts, w-2)))
	}
	if len(p.shown) == 0 {
		return append(lines, "", " "+t.Dim.Paint(noSample))
	}
	if s := p.layThumbs(w, h); s.size > 0 && !p.listed {
		return append(lines, p.viewThumbs(s)...)
	}
	return append(lines, p.viewList(w, h-headRows)...)
}

// joinParts joins as many parts as fit in w cells. The first part is cut if it is too long.
func joinParts(t *kit.Theme, parts []string, w int) string {
	line := cell.Cut(t.Greek(parts[0]), w)
	for _, part := range parts[1:] {
		longer := line + t.Greek(" · "+part)
		if cell.Width(longer) > w {
			break
		}
		line = longer
	}
	return line
}

// where returns the checkpoint, the split and the data, the most important first.
func (p *Page) where() []string {
	parts := []string{fmt.Sprintf("step %d", p.pick.Step),
		fmt.Sprintf("%s split, %d", p.split, p.pick.Size)}
	if n := len(p.steps); n > 0 && p.steps[n-1] == p.pick.Step {
		parts = append(parts, "newest checkpoint")
	}
	if s := p.run.Summary(); s != nil && s.Selected != nil && s.Selected.Step == p.pick.Step {
		parts = append(parts, "selected")
	}
	return append(parts, p.pick.Dataset)
}

// figures returns the uncertainty set, the radius, and the results over all samples.
func (p *Page) figures() []string {
	part := "class"
	if p.pick.Groups != nil {
		part = "group"
	}
	return []string{p.uncertainty(), "risk " + formatFigure(p.pick.Risks[p.rho]),
		"mean " + page.Percent().Text(p.pick.Accuracy),
		"worst " + part + " " + page.Percent().Text(p.pick.Worst),
		"loss " + formatFigure(p.pick.Loss.Float())}
}

// uncertainty describes the set that the adversary chooses from.
func (p *Page) uncertainty() string {
	text := p.pick.Set.Label()
	if p.pick.Set.HasRadius() {
		text += fmt.Sprintf(", ρ %g", p.pick.Radii[p.rho])
	}
	return text
}

// formatFigure writes a number with four significant digits.
func formatFigure(v float64) string { return fmt.Sprintf("%#.4g", v) }

// page returns the number of samples in a line, and the number of lines of samples.
func (p *Page) page() (across, down int) {
	_, w, h := p.main()
	if s := p.layThumbs(w, h); s.size > 0 && !p.listed {
		return s.across, s.down
	}
	return 1, h - headRows - 1 // the heads
}

// sampleAt returns the sample at a place of the page, as an index of shown.
func (p *Page) sampleAt(x, y int) (at int, ok bool) {
	r, w, h := p.main()
	x, y = x-(r.W-w)/2, y-1-headRows
	if x < 0 || x >= w || y < 0 || y >= h-headRows {
		return 0, false
	}
	if s := p.layThumbs(w, h); s.size > 0 && !p.listed {
		return s.sampleAt(x, y, len(p.shown), p.at)
	}
	at = p.first(h-headRows-1) + y - 1
	return at, y > 0 && at < len(p.shown)
}

// weight returns the ratio of the sample under the cursor at the chosen radius, as text.
func (p *Page) weight() string {
	s := p.current()
	switch {
	case s == nil:
		return ""
	case !p.pick.Set.HasRadius():
		return "ratio " + formatFigure(s.Ratios[0])
	}
	return fmt.Sprintf("%s at ρ %g", formatFigure(s.Ratios[p.rho]), p.pick.Radii[p.rho])
}

// viewOne draws the sample under the cursor: its picture above what is known of it, or beside it
// where there are few lines.
func (p *Page) viewOne(w, h int) []string {
	s := p.current()
	if s == nil {
		return nil
	}
	const few, beside = 6, 18
	facts := p.facts(w)
	if s.Picture == nil {
		return append(facts[:min(len(facts), h)], p.values(w, max(0, h-len(facts)-1))...)
	}
	if h >= 2*few+2 {
		picture := p.picture(s, w, h-min(len(facts), max(few, h/4)))
		for i, line := range picture { // in the middle
			picture[i] = kit.Blanks((w-cell.Width(line))/2) + line
		}
		return append(picture, facts[:min(len(facts), h-len(picture))]...)
	}
	picture := p.picture(s, min(2*h, w-beside), h)
	wide := cell.Width(picture[0])
	facts = p.facts(w - wide - 1)
	return kit.Compose(w, h, []kit.Block{
		{Rect: kit.Area(0, 0, wide, h), Lines: picture},
		{Rect: kit.Area(wide+1, 0, w-wide-1, h), Lines: facts[:min(len(facts), h)]},
	})
}

// facts returns what is known of the sample under the cursor, one fact to a line, the most
// important first. The names of the facts have a column of their own where there is room for one.
func (p *Page) facts(w int) (lines []string) {
	s, t, pick := p.current(), p.Theme, p.pick
	const names, least = 11, 28
	say := func(name, text string, st kit.Style) {
		head := kit.Left(" "+name, names)
		if w < least {
			head = strings.TrimRight(" "+name, " ") + " "
		}
		text = cell.Cut(t.Greek(text), w-cell.Width(head)-1)
		lines = append(lines, kit.Left(t.Dim.Paint(head)+st.Paint(text), w))
	}
	say("label", pick.Classes[s.Label], t.Text)
	predicted, style := pick.Classes[s.Prediction], t.Text
	if s.Wrong() {
		predicted, style = cell.Becomes+" "+predicted, t.Title
	}
	say("predicted", predicted, style)
	loss := formatFigure(s.Loss)
	if p.lossText() == crossEntropy {
		loss += fmt.Sprintf(", p = %.2g", math.Exp(-s.Loss))
	}
	say("loss", loss, t.Text)
	if pick.Groups != nil {
		say("group", measure.JoinNames(pick.Groups, s.Groups), t.Text)
	}
	if !pick.Set.HasRadius() {
		say("ratio", formatFigure(s.Ratios[0])+", "+pick.Set.Label(), t.Text)
		return lines
	}
	for k, rho := range pick.Radii {
		name, mark, st := "", " ", t.Text
		if k == 0 && w >= least {
			name = "ratio"
		}
		if k == p.rho {
			mark, st = t.Cursor, t.Accent
		}
		say(name, fmt.Sprintf("%s%6s at ρ %g", mark, formatFigure(s.Ratios[k]), rho), st)
	}
	return lines
}

// values returns the sample's columns in h lines, side by side in several blocks where one block
// has no room for all.
func (p *Page) values(w, h int) []string {
	list := p.pick.Encoder.Values(p.current().Features)
	if len(list) == 0 || h < 1 {
		return nil
	}
	const wide, most = 30, 50
	across := max(1, min(w/wide, (len(list)+h-1)/h))
	cells := min(most, w/across)
	lines := make([]string, h)
	for i, v := range list[:min(len(list), across*h)] {
		lines[i%h] += p.value(v.Column, v.Text, cells)
	}
	if more := len(list) - across*h; more > 0 {
		lines[h-1] = p.Theme.Dim.Paint(fmt.Sprintf(" … and %d more columns: z", more+across))
	}
	return append([]string{""}, lines...)
}

// value draws one column in w cells.
func (p *Page) value(name, text string, w int) string {
	t := p.Theme
	if text == "" {
		text = "–"
	}
	head := max(4, w/2-1)
	return t.Dim.Paint(kit.Left(" "+cell.Cut(t.Greek(name), head-2), head)) +
		kit.Left(t.Greek(text), w-head)
}
