package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/sweep"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// layout holds the areas of the parts of the page. A part without room has an empty area.
type layout struct{ plane, cell, below kit.Rect }

// lay divides w by h cells. One part stands below the map. On a wide screen, the setting under the
// cursor stands beside the other part.
func (p *Page) lay(w, h int) (l layout) {
	const least, wide, side = 20, 110, 46
	rows := max(8, h/3)
	switch {
	case h < least && p.part == cellPart:
		l.plane = kit.Area(0, 0, w, h)
	case h < least:
		l.below = kit.Area(0, 0, w, h)
	case w >= wide:
		l.plane = kit.Area(0, 0, w, h-rows)
		l.cell, l.below = kit.Area(0, h-rows, side, rows), kit.Area(side, h-rows, w-side, rows)
	case p.part == cellPart:
		l.plane, l.cell = kit.Area(0, 0, w, h-rows), kit.Area(0, h-rows, w, rows)
	default:
		l.plane, l.below = kit.Area(0, 0, w, h-rows), kit.Area(0, h-rows, w, rows)
	}
	return l
}

// View implements the interface's page.
func (p *Page) View(w, h int) []string {
	if p.current() == nil {
		return p.empty(w, h)
	}
	t, l, box := p.Theme, p.lay(w, h), kit.Boxed(h)
	title := p.seen.list.Name
	if len(p.dirs) > 1 {
		title += fmt.Sprintf(" (%d of %d)", p.sweep+1, len(p.dirs))
	}
	below := "Chosen by " + p.seen.list.Select
	if p.part == troublePart {
		below = "What failed, was lost or requeued"
	}
	return kit.Compose(w, h, []kit.Block{
		t.Place(l.plane, title, p.counts(), true, box, p.viewPlane),
		t.Place(l.cell, p.current().Label, p.mean(), false, box, func(w, h int) []string {
			return p.scrolledLines(p.cellLines(w), h, p.part == cellPart)
		}),
		t.Place(l.below, below, p.trouble(), false, box, func(w, h int) []string {
			return p.scrolledLines(p.belowLines(w), h, p.part != cellPart)
		}),
	})
}

// empty says why there is nothing to see.
func (p *Page) empty(w, h int) []string {
	lines := []string{"No sweep in " + p.Config.RunsDir + " yet.", "",
		"Write the methods and the settings to vary into a file, then start it:", "",
		"  " + p.Config.Place.Command("drolab sweep start sweep.yaml"), "",
		"drolab help sweep start shows an example."}
	switch {
	case p.err != nil:
		lines = []string{cell.Warning + " " + cell.OneLine(p.err.Error())}
	case !p.found || !p.Absent():
		lines = []string{"Reading the sweep"}
	}
	return p.Theme.EmptyText("Sweep", p.Theme.Dim, lines, w, h)
}

// scrolledLines returns the lines of a part from its scroll position on.
func (p *Page) scrolledLines(lines []string, h int, focused bool) []string {
	if focused {
		lines = lines[max(0, min(p.scroll, len(lines)-h)):]
	}
	if h > 0 && len(lines) > h {
		more := fmt.Sprintf("%s %d more", cell.More, len(lines)-h+1)
		lines = append(slices.Clone(lines[:h-1]), " "+p.Theme.Dim.Paint(more))
	}
	return lines
}

// hiddenLines returns the number of lines by which the part below the map can be scrolled.
func (p *Page) hiddenLines() int {
	l := p.lay(p.Body.W, p.Body.H)
	r, lines := l.below, p.belowLines
	if p.part == cellPart {
		r, lines = l.cell, p.cellLines
	}
	w, h := kit.Inside(kit.Boxed(p.Body.H), r.W, r.H)
	return max(0, len(lines(w))-h)
}

// mean returns the mean value of the setting under the cursor, as text.
func (p *Page) mean() string {
	if v := p.current().Value; v.Applies() {
		return "mean " + lab.Write(p.seen.all.By, v)
	}
	return ""
}

// counts returns the numbers of runs in each state, in the order of a run's life.
func (p *Page) counts() string {
	return strings.Join(lab.Counts(p.seen.all.Counts, runner.Failed, runner.Done, runner.Running,
		runner.Queued, sweep.Waiting, runner.Paused, runner.Stopped, runner.Interrupted,
		sweep.Dropped), " · ")
}

// trouble says how many runs are in the list of what went wrong.
func (p *Page) trouble() string {
	if n := len(p.seen.all.Troubles); n > 0 {
		return fmt.Sprintf("%d in trouble", n)
	}
	return ""
}

// state returns the glyph and the style of a status, including those that only a sweep's runs have.
func (p *Page) state(s runner.Status) (string, kit.Style) {
	switch s {
	case sweep.Missing:
		return cell.Missing, p.Theme.Dim
	case sweep.Waiting:
		return cell.Queued, p.Theme.Dim
	case sweep.Dropped:
		return cell.Dropped, p.Theme.Dim
	}
	return lab.State(p.Theme, s)
}

// cellLines returns the runs of the setting under the cursor, with the causes of their states.
func (p *Page) cellLines(w int) (lines []string) {
	t := p.Theme
	for _, s := range p.current().Seeds {
		glyph, st := p.state(s.Status)
		line := fmt.Sprintf(" seed %-3d %6s  %3.0f of %.0f epochs  ", s.Seed,
			lab.Write(p.seen.all.By, s.Value), math.Floor(s.Epochs), s.Whole)
		lines = append(lines, " "+st.Paint(glyph)+t.Greek(line)+st.Paint(lab.StateWord(s.Status)))
		if s.Cause != "" {
			lines = append(lines, t.Hang("    ", t.Warn, cell.OneLine(s.Cause), w)...)
		}
	}
	return lines
}

// belowLines returns the lines of the failures if the page is turned to them, else of the choice.
func (p *Page) belowLines(w int) []string {
	if p.part == troublePart {
		return p.troubleLines(w)
	}
	return p.chosenLines(w)
}

// chosenLines returns the table of the chosen settings, with as many columns as there is room for,
// and the notes that a reader has to know.
func (p *Page) chosenLines(w int) (lines []string) {
	t := p.Theme
	const gap = 2
	grid := t.Grid(p.seen.table.Cells(), w, gap)
	lines = []string{t.Dim.Paint(grid.Head(nil)[1:])} // with one blank before the first column
	for row := range grid.Rows {
		lines = append(lines, grid.Line(row, nil)[1:])
	}
	if n := grid.Hidden(); n > 0 {
		more := fmt.Sprintf("%s %s without room", cell.More, kit.Plural(n, "column"))
		lines = append(lines, " "+t.Dim.Paint(more))
	}
	lines = append(lines, "")
	for _, n := range p.seen.table.Notes {
		lines = append(lines, t.Hang(" ", t.Dim, n, w)...)
	}
	return lines
}

// troubleLines lists the runs that failed, were lost, or were put back into a queue.
func (p *Page) troubleLines(w int) (lines []string) {
	t := p.Theme
	if p.seen.note != "" {
		lines = t.Hang(" ", t.Warn, cell.OneLine(p.seen.note), w)
	}
	if len(p.seen.all.Troubles) == 0 {
		return append(lines, " "+t.Dim.Paint("nothing"))
	}
	for _, one := range p.seen.all.Troubles {
		glyph, st := p.state(one.Status)
		text := fmt.Sprintf("%d: %s, seed %d: %s", one.Run, one.Label, one.Seed,
			cell.OneLine(one.Cause))
		lines = append(lines, t.Hang(" "+st.Paint(glyph)+" ", t.Text, text, w)...)
	}
	return lines
}
