package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
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
		writeSweep, "", "  drolab sweep start sweep.yaml", "", exampleSweep}
	switch {
	case p.err != nil:
		lines = []string{"! " + cell.OneLine(p.err.Error())}
	case !p.found || !p.Absent():
		lines = []string{readingSweep}
	}
	return p.Theme.Empty("Sweep", p.Theme.Dim.PaintAll(lines), w, h)
}

// scrolled returns the lines of a part from its scroll position on.
func (p *Page) scrolled(lines []string, h int, focused bool) []string {
	if !focused {
		return lines[:min(len(lines), h)]
	}
	return lines[max(0, min(p.scroll, len(lines)-h)):]
}

// hidden returns the number of lines by which the part below the map can be scrolled.
func (p *Page) hidden() int {
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
		sweep.Dropped, sweep.Missing), " · ")
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
		return "·", p.Theme.Dim
	case sweep.Waiting:
		return "◌", p.Theme.Dim
	case sweep.Dropped:
		return "▾", p.Theme.Dim
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
		lines = append(lines, " "+st.Paint(glyph)+t.Greek(line)+st.Paint(string(s.Status)))
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

// grid says where each setting stands on the map. The values of one key run across. Each method,
// with each combination of what else varies, has a row.
type grid struct {
	columns []string // the values, ascending; "" comes last, for a method that does not read it
	rows    []gridRow
	places  [][2]int // row and column of each setting
}

type gridRow struct {
	label string
	cells []int // the setting in each column; −1 for an empty place
}

// layGrid places settings on a map with a key across. A key whose value the key across decides, as
// in settings that were drawn together, gets no rows of its own.
func layGrid(points []sweep.Point, keys []string, key string) *grid {
	g := &grid{columns: valuesOf(points, key), places: make([][2]int, len(points))}
	decided := decidedBy(points, keys, key)
	for i := range points {
		label := rowLabel(&points[i], keys, key, decided)
		at := slices.IndexFunc(g.rows, func(r gridRow) bool { return r.label == label })
		if at < 0 {
			at = len(g.rows)
			g.rows = append(g.rows, gridRow{label, slices.Repeat([]int{-1}, len(g.columns))})
		}
		column := slices.Index(g.columns, string(points[i].Values[key]))
		g.rows[at].cells[column] = i
		g.places[i] = [2]int{at, column}
	}
	return g
}

func rowLabel(p *sweep.Point, keys []string, key string, decided map[string]bool) string {
	words := []string{string(p.Algorithm)}
	_, across := p.Values[key]
	for _, k := range keys {
		if v, ok := p.Values[k]; ok && k != key && !(across && decided[k]) {
			words = append(words, k+"="+string(v))
		}
	}
	return strings.Join(words, " ")
}

// valuesOf returns a key's values: numbers ascending, other values in the order of the points. ""
// comes last if a setting has no value.
func valuesOf(points []sweep.Point, key string) (list []string) {
	numbers, without := true, false
	for i := range points {
		raw, ok := points[i].Values[key]
		v := string(raw)
		if !ok {
			without = true
			continue
		}
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			numbers = false
		}
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	if numbers {
		slices.SortStableFunc(list,
			func(a, b string) int { return cmp.Compare(numberOf(a), numberOf(b)) })
	}
	if without {
		list = append(list, "")
	}
	return list
}

func numberOf(v string) float64 {
	x, _ := strconv.ParseFloat(v, 64)
	return x
}

// decidedBy returns the keys that have only one value for each value of another key.
func decidedBy(points []sweep.Point, keys []string, key string) map[string]bool {
	decided := map[string]bool{}
	for _, k := range keys {
		of := map[string]json.RawMessage{}
		decided[k] = !slices.ContainsFunc(points, func(p sweep.Point) bool {
			across, ok := p.Values[key]
			v, also := p.Values[k]
			if !ok || !also {
				return false
			}
			before, known := of[string(across)]
			of[string(across)] = v
			return known && string(before) != string(v)
		})
	}
	return decided
}

// widest returns the key with the most values, which goes across at first.
func widest(points []sweep.Point, keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return slices.MaxFunc(keys, func(a, b string) int {
		return cmp.Compare(len(valuesOf(points, a)), len(valuesOf(points, b)))
	})
}

// step returns the setting this many columns or rows away from a setting, skipping empty places;
// the same setting if there is none.
func (g *grid) step(from, columns, rows int) int {
	row, column := g.places[from][0]+rows, g.places[from][1]+columns
	for row >= 0 && row < len(g.rows) && column >= 0 && column < len(g.columns) {
		if at := g.rows[row].cells[column]; at >= 0 {
			return at
		}
		if rows != 0 { // takes the nearest setting in the row
			return g.nearest(row, column)
		}
		column += columns
	}
	return from
}

// nearest returns the setting of a row that is nearest to a column.
func (g *grid) nearest(row, column int) int {
	best, at := len(g.columns)+1, 0
	for c, i := range g.rows[row].cells {
		if far := max(c-column, column-c); i >= 0 && far < best {
			best, at = far, i
		}
	}
	return at
}

// levels returns the level of each setting's value among all values, above 0 for the worst and 1
// for the best. The level depends on the rank, so that a setting that has diverged leaves the
// others their shades. A setting without a value has no level.
func levels(points []sweep.Point, higher bool) map[int]float64 {
	list := map[int]float64{}
	for i := range points {
		if v := points[i].Value; v.Applies() {
			list[i] = v.Float()
			if !higher {
				list[i] = -v.Float()
			}
		}
	}
	sorted := slices.Compact(slices.Sorted(maps.Values(list)))
	for i, v := range list {
		at, _ := slices.BinarySearch(sorted, v)
		list[i] = (float64(at) + 1) / float64(len(sorted))
	}
	return list
}
