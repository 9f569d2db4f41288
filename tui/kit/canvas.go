package kit

import (
	"slices"

	"drolab/tui/plot"
)

// Canvas is a chart's frame with what was painted of it: rows that look the
// same the next time are not painted again. It only saves time. The zero
// Canvas is empty.
type Canvas struct {
	plot.Frame
	theme *Theme // of lines
	cells []plot.Cell
	lines []string
}

// Paint returns the frame as it is now, one string a row.
func (c *Canvas) Paint(t *Theme) []string {
	known := c.theme == t && len(c.lines) == c.H && len(c.cells) == len(c.Cells)
	if !known {
		c.theme, c.lines = t, make([]string, c.H)
	}
	for y := range c.lines {
		if row := c.Row(y); !known || !slices.Equal(row, c.cells[y*c.W:(y+1)*c.W]) {
			c.lines[y] = t.row(&c.Frame, y)
		}
	}
	c.cells = append(c.cells[:0], c.Cells...)
	return slices.Clone(c.lines)
}

// Memo keeps the lines that were drawn for a key; it only saves time.
type Memo struct {
	key   any
	lines []string
}

// Get returns the lines of a key, drawn by draw where they are not those of the
// last call.
func (m *Memo) Get(key any, draw func() []string) []string {
	if m.lines == nil || m.key != key {
		m.key, m.lines = key, draw()
	}
	return m.lines
}
