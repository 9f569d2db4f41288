package watch

import (
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// The tiles are three large numbers for a talk: the worst class of the best method but the
// baseline, that of the baseline, and the difference, by the clock of the table. They stand below
// the headline once all runs have ended, or larger, and at any time, where a key asks for them.

// tiles says when the three large numbers are shown.
type tiles int

const (
	tilesAtEnd tiles = iota // once all runs have ended, where there is room
	largeTiles              // always, and larger
	noTiles
)

func tileNames() []string { return []string{"at the end", "large", "none"} }

// tile is a large number with words below it.
type tile struct {
	number string
	words  []string // from the longest
	style  kit.Style
}

// nextTiles shows the three large numbers in the next of their ways.
func (w *Page) nextTiles() { w.screen.tiles = (w.screen.tiles + 1) % tiles(len(tileNames())) }

// tileList returns the tiles; nil where no two rows can be compared yet.
func (w *Page) tileList() []tile {
	if w.Runs.Baseline < 0 {
		return nil
	}
	worst := lab.Named(w.onSplit("worst_class_accuracy"))
	figure := w.clockFigure(worst.Name)
	base := w.Runs.RowOf(w.Runs.Baseline)
	best := w.bestButBaseline(&worst)
	if best == nil {
		return nil
	}
	run, than := w.Runs.Tracks[best[0]], w.Runs.Tracks[base[0]]
	a, b := figure(w.Runs.InRow(best)), figure(w.Runs.InRow(base))
	if !a.Applies() || !b.Applies() {
		return nil
	}
	of := "worst " + run.Meta.Part()
	change := formatChange(worst, a.Float()-b.Float())
	style := w.Theme.Text
	if a.Float() > b.Float() {
		style = w.Theme.Better
	} else if a.Float() < b.Float() {
		style = w.Theme.Worse
	}
	return []tile{
		{formatValue(worst, a), []string{of + " with " + run.Short + ", in %", run.Short + ", %"},
			w.Theme.Series[int(run.Number)%kit.Colors]},
		{formatValue(worst, b), []string{of + " with " + than.Short + ", in %", than.Short + ", %"},
			w.Theme.Series[int(than.Number)%kit.Colors]},
		{change, []string{"points of difference", "points"}, style}}
}

// bestButBaseline returns the row with the best figure in a measure, of those that the story counts
// and that are not the baseline; nil without one.
func (w *Page) bestButBaseline(m *measure.Measure) []int {
	counts := func(t *panel.Track) bool { return w.Runs.Clock.Ranks(t.Meta) }
	rows := slices.DeleteFunc(slices.Clone(w.Runs.Rows()), func(row []int) bool {
		return slices.Contains(row, w.Runs.Baseline) ||
			!slices.ContainsFunc(w.Runs.InRow(row), counts)
	})
	var values []measure.Number
	for _, row := range rows {
		values = append(values, w.clockFigure(m.Name)(w.Runs.InRow(row)))
	}
	if at := measure.Worst(values, m.Better == dro.Higher); at >= 0 {
		return rows[at]
	}
	return nil
}

// tileScale returns the size of the numbers; 0 shows none. Panels keep most of the page.
func (w *Page) tileScale() int {
	// The least page with numbers at the end, in cells: 40 lines with header and footer. Higher
	// numbers need two lines more for each of theirs, one in each row of panels.
	const atEndW, atEndH, largest = 120, 38, 6
	live := func(t *panel.Track) bool { return !t.Status.Ended() }
	least := 1
	if w.Theme.ASCII { // it has no halves of cells
		least = 2
	}
	higher := kit.DigitLines(least) - kit.DigitLines(1)
	switch w.screen.tiles {
	case noTiles:
		return 0
	case tilesAtEnd:
		if w.screen.zoomed || w.Body.W < atEndW || w.Body.H < atEndH+2*higher ||
			slices.ContainsFunc(w.Runs.Tracks, live) {
			return 0
		}
		return least
	}
	scale := 0
	for next := least; next <= largest; next += least {
		fits := kit.DigitLines(next) <= w.Body.H/4
		for _, tile := range w.tileList() {
			fits = fits && kit.DigitCells(tile.number, next) < w.Body.W/3-1
		}
		if fits {
			scale = next
		}
	}
	return scale
}

// tileRows returns the number of lines of the tiles: their numbers and the words below.
func (w *Page) tileRows() int {
	scale := w.tileScale()
	if scale == 0 || w.tileList() == nil {
		return 0
	}
	return kit.DigitLines(scale) + 1
}

// tileLines draws the tiles beside each other.
func (w *Page) tileLines(cells int) []string {
	scale, list := w.tileScale(), w.tileList()
	level := w.tileLevel(list, cells/len(list)-2)
	var blocks []kit.Block
	for i, tile := range list {
		x := kit.Share(cells, i, len(list)) + 1
		room := kit.Area(x, 0, kit.Share(cells, i+1, len(list))-x, kit.DigitLines(scale)+1)
		lines := w.Theme.Digits(tile.number, scale, tile.style)
		words := w.Theme.Greek(cell.OneLine(tile.words[level]))
		lines = append(lines, w.Theme.Title.Paint(cell.Cut(words, room.W-1)))
		blocks = append(blocks, kit.Block{Rect: room, Lines: kit.Fill(lines, room.W, room.H)})
	}
	return kit.Compose(cells, w.tileRows(), blocks)
}

// tileLevel returns the first form of the words in which those of all tiles fit in so many cells,
// or else the last.
func (w *Page) tileLevel(list []tile, cells int) int {
	last := len(list[0].words) - 1
	for level := range last {
		wide := func(t tile) bool {
			return cell.Width(w.Theme.Greek(cell.OneLine(t.words[level]))) > cells
		}
		if !slices.ContainsFunc(list, wide) {
			return level
		}
	}
	return last
}
