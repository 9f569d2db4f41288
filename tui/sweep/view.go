package sweep

import (
	"fmt"
	"math"
	"strings"

	"drolab/runner"
	"drolab/runner/sweep"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// layout is where the parts of the page are; those without room have no size.
type layout struct{ plane, cell, below kit.Rect }

// lay divides w by h cells. Below the map there is one part; on a wide screen the
// setting under the cursor stands beside the others.
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
	title := p.seen.name
	if len(p.dirs) > 1 {
		title += fmt.Sprintf(" (%d of %d)", p.sweep+1, len(p.dirs))
	}
	below := "Chosen by " + p.seen.rule
	if p.part == troublePart {
		below = "What failed, was lost or requeued"
	}
	return kit.Compose(w, h, []kit.Placed{
		t.Place(l.plane, title, p.counts(), true, box, p.viewPlane),
		t.Place(l.cell, p.current().Label, p.mean(), false, box, func(w, h int) []string {
			return p.scrolled(p.cellLines(w), h, p.part == cellPart)
		}),
		t.Place(l.below, below, p.trouble(), false, box, func(w, h int) []string {
			return p.scrolled(p.belowLines(w), h, p.part != cellPart)
		}),
	})
}

// empty says why there is nothing to see.
func (p *Page) empty(w, h int) []string {
	lines := []string{"No sweep in " + p.Config.RunsDir + " yet.", "",
		writeSweep, "",
		"  drolab sweep start sweep.yaml", "",
		exampleSweep}
	switch {
	case p.err != nil:
		lines = []string{"! " + cell.OneLine(p.err.Error())}
	case !p.found || !p.Absent():
		lines = []string{readingSweep}
	}
	return p.Theme.Empty("Sweep", p.Theme.Dim.Each(lines), w, h)
}

// scrolled are the lines of a part from where it is scrolled to.
func (p *Page) scrolled(lines []string, h int, focused bool) []string {
	if !focused {
		return lines[:min(len(lines), h)]
	}
	return lines[max(0, min(p.scroll, len(lines)-h)):]
}

// hidden is how far the part that scrolls can be scrolled.
func (p *Page) hidden() int {
	l, box := p.lay(p.Body.W, p.Body.H), kit.Boxed(p.Body.H)
	if p.part == cellPart {
		w, h := kit.Inside(box, l.cell.W, l.cell.H)
		return max(0, len(p.cellLines(w))-h)
	}
	w, h := kit.Inside(box, l.below.W, l.below.H)
	return max(0, len(p.belowLines(w))-h)
}

// mean is the value of the setting under the cursor.
func (p *Page) mean() string {
	if v := p.current().Value; v.Applies() {
		return "mean " + lab.Write(p.seen.all.By, v)
	}
	return ""
}

func (p *Page) runs() (n int) {
	for _, c := range p.seen.all.Counts {
		n += c
	}
	return n
}

// counts are the runs in each state, in the order of a run's life.
func (p *Page) counts() string {
	return strings.Join(lab.Counts(p.seen.all.Counts, runner.Failed, runner.Done, runner.Running,
		runner.Queued, sweep.Waiting, runner.Paused, runner.Stopped, runner.Interrupted,
		sweep.Dropped, sweep.Missing), " · ")
}

// trouble counts what stands in the list of what went wrong.
func (p *Page) trouble() string {
	if n := len(p.seen.all.Troubles); n > 0 {
		return fmt.Sprintf("%d in trouble", n)
	}
	return ""
}

// state is a status as a glyph: those of runs, and those of sweeps' runs.
func (p *Page) state(s runner.Status) (string, kit.Style) {
	switch s {
	case sweep.Missing:
		return "·", p.Theme.Dim
	case sweep.Waiting:
		return "◌", p.Theme.Dim
	case sweep.Dropped:
		return "▾", p.Theme.Dim
	}
	return lab.State(p.Theme, s)
}

// cellLines are the runs of the setting under the cursor, and why they stand as they do.
func (p *Page) cellLines(w int) (lines []string) {
	t := p.Theme
	for _, s := range p.current().Seeds {
		glyph, st := p.state(s.Status)
		line := fmt.Sprintf(" seed %-3d %6s  %3.0f of %.0f epochs  ", s.Seed,
			lab.Write(p.seen.all.By, s.Value), math.Floor(s.Epochs), s.Whole)
		lines = append(lines, " "+st.Paint(glyph)+t.Greek(line)+st.Paint(string(s.Status)))
		if s.Cause == "" {
			continue
		}
		for _, part := range kit.Wrap(cell.OneLine(s.Cause), w-5) {
			lines = append(lines, "    "+t.Warn.Paint(t.Greek(part)))
		}
	}
	return lines
}

// belowLines are those of the part below that is not the setting's.
func (p *Page) belowLines(w int) []string {
	if p.part == troublePart {
		return p.troubleLines(w)
	}
	return p.chosenLines(w)
}

// chosenLines are the table of what is chosen, as many of its columns as there is room
// for, and what a reader has to know.
func (p *Page) chosenLines(w int) (lines []string) {
	t := p.Theme
	table := p.seen.table.Cells()
	rows, widths := append([][]string{table.Head}, table.Rows...), make([]int, len(table.Head))
	for _, row := range rows {
		for c, text := range row {
			widths[c] = max(widths[c], cell.Width(t.Greek(text)))
		}
	}
	for r, row := range rows {
		line, room := "", w-1
		for c, text := range row {
			if room -= widths[c] + 2; room < -1 {
				break
			}
			put := kit.Right
			if table.Left(c) {
				put = kit.Left
			}
			line += " " + put(t.Greek(text), widths[c]) + " "
		}
		if r == 0 {
			line = t.Dim.Paint(line)
		}
		lines = append(lines, line)
	}
	lines = append(lines, "")
	for _, n := range p.seen.table.Notes {
		for _, part := range kit.Wrap(n, w-2) {
			lines = append(lines, " "+t.Dim.Paint(t.Greek(part)))
		}
	}
	return lines
}

// troubleLines name what failed, was lost, or was put back into a queue.
func (p *Page) troubleLines(w int) (lines []string) {
	t := p.Theme
	if p.seen.note != "" {
		for _, part := range kit.Wrap(cell.OneLine(p.seen.note), w-2) {
			lines = append(lines, " "+t.Warn.Paint(t.Greek(part)))
		}
	}
	if len(p.seen.all.Troubles) == 0 {
		return append(lines, " "+t.Dim.Paint("nothing"))
	}
	for _, one := range p.seen.all.Troubles {
		glyph, st := p.state(one.Status)
		text := fmt.Sprintf("%d: %s, seed %d: %s", one.Run, one.Label, one.Seed,
			cell.OneLine(one.Cause))
		for i, part := range kit.Wrap(text, w-5) {
			if i > 0 {
				glyph = " "
			}
			lines = append(lines, " "+st.Paint(glyph)+" "+t.Greek(part))
		}
	}
	return lines
}
