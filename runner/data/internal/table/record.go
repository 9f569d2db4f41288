package table

import (
	"fmt"
	"strings"
)

// noteRepeated notes a line that repeats the header, as files have that were put one behind the
// other.
func (f *Frame) noteRepeated(record []string, line int) {
	for i, cell := range record {
		if !strings.HasPrefix(f.header[i], trimmed(cell)) { // what was made different ends so
			return
		}
	}
	if f.repeats = len(record) > 1; f.repeats {
		f.notes = append(f.notes, fmt.Sprintf("line %d repeats the header: take it out", line))
	}
}

// inOrder gives a record the order of the header. The columns that it is not asked for are empty.
func (f *Frame) inOrder(record []string) []string {
	if f.order == nil {
		return record
	}
	f.ordered = f.ordered[:0]
	for i := range f.order {
		cell := ""
		if at := f.placeOf(i); at >= 0 {
			cell = record[at]
		}
		f.ordered = append(f.ordered, cell)
	}
	return f.ordered
}

// placeOf is where in the file that is read a column of the header is; −1 is nowhere.
func (f *Frame) placeOf(column int) int {
	if f.order == nil {
		return column
	}
	return f.order[column]
}

// labelOf is the label that a cell has.
func (f *Frame) labelOf(cell string) string {
	return trimmed(strings.TrimRight(trimmed(cell), f.trim))
}
