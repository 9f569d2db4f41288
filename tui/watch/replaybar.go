package watch

import (
	"slices"
	"strings"

	"drolab/tui/cell"
	"drolab/tui/kit"
)

// barRows returns the number of lines of the replay's bar.
func (w *Page) barRows() int {
	const leastHeight = 14
	if w.logs.clock == nil || w.Body.H < leastHeight {
		return 0
	}
	return 1
}

// markKind is a kind of place that the bar shows and keys jump to.
type markKind struct {
	kind           string // of the event
	name           string
	glyph          string // one cell
	next, previous string // the keys that jump
}

// markKinds returns the kinds from the least to the most important: of several in a cell the last
// is drawn.
func markKinds() []markKind {
	return []markKind{{"eval", "evaluation", cell.Evaluation, "u", "U"},
		{"checkpoint", "checkpoint", cell.Checkpoint, "y", "Y"},
		{"warning", "warning", cell.Warning, "J", "K"}}
}

// margin is the number of cells left blank on either side of the bar.
const margin = 1

// Bar draws the replay as a line of w cells: the part that was played, the part to come, and the
// marks on both. A legend of the marks stands behind it where there is room.
func (c *clock) Bar(t *kit.Theme, w int) string {
	cells := c.cells(t, w)
	if !c.Ready || cells <= 0 {
		return kit.Blanks(w)
	}
	on, kinds := c.places(cells), markKinds()
	at := c.cellOf(c.Now, cells)
	line := kit.Blanks(margin)
	for i, k := range on {
		glyph, style := "─", t.Dim
		if i < at {
			glyph, style = "━", t.Accent
		}
		if k >= 0 {
			glyph = kinds[k].glyph
		}
		switch {
		case i == at:
			glyph, style = cell.Place, t.Title
		case k == len(kinds)-1:
			style = t.Warn
		}
		line += style.Paint(t.Greek(glyph))
	}
	if legend := legend(t); cells < w-2*margin {
		line += "  " + t.Dim.Paint(legend)
	}
	return kit.Left(line, w)
}

// PlaceAt returns the place of the replay at column x of a bar of w cells.
func (c *clock) PlaceAt(t *kit.Theme, x, w int) float64 {
	return c.End.Seconds * max(0, min(1, float64(x-margin)/float64(max(1, c.cells(t, w)-1))))
}

// cells returns the number of cells of the bar itself in a line of w.
func (c *clock) cells(t *kit.Theme, w int) int {
	const wide = 100 // enough for the legend beside a bar
	if w < wide {
		return w - 2*margin
	}
	return w - 2*margin - 2 - cell.Width(legend(t))
}

// cellOf returns the cell of a place in a bar of so many cells.
func (c *clock) cellOf(at float64, cells int) int {
	return int(c.part(at)*float64(cells-1) + .5)
}

// places returns the kind of mark in each cell, as an index into marks; -1 for none. Evaluations
// that would fill more than half of the bar are left out, because they tell nothing then.
func (c *clock) places(cells int) []int {
	on := slices.Repeat([]int{-1}, cells)
	for k, of := range markKinds() {
		taken := map[int]bool{}
		for _, tape := range c.tapes {
			for _, m := range tape.Marks {
				if m.Kind == of.kind {
					taken[c.cellOf(c.place(m.Moment), cells)] = true
				}
			}
		}
		if k == 0 && 2*len(taken) > cells {
			continue
		}
		for i := range taken {
			on[i] = max(on[i], k)
		}
	}
	return on
}

// legend says what the marks are.
func legend(t *kit.Theme) string {
	var words []string
	for _, m := range slices.Backward(markKinds()) {
		words = append(words, t.Greek(m.glyph)+" "+m.name)
	}
	return strings.Join(words, "  ")
}
