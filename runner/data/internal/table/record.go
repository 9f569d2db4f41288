package table

import (
	"fmt"
	"strings"
)

// noteRepeated notes a line that repeats the header, as in a file that was joined from several.
func (f *Frame) noteRepeated(record []string, line int) {
	for i, cell := range record {
		if !strings.HasPrefix(f.header[i], trimmed(cell)) { // names made unique have a suffix
			return
		}
	}
	if f.repeats = len(record) > 1; f.repeats {
		f.notes = append(f.notes, fmt.Sprintf("line %d repeats the header: take it out", line))
	}
}

// inOrder returns a record in the order of the header. Cells of columns that the file lacks are
// empty.
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

// placeOf returns the place of a column of the header in the current file; −1: the file lacks it.
func (f *Frame) placeOf(column int) int {
	if f.order == nil {
		return column
	}
	return f.order[column]
}

// labelOf returns the label in a cell, without the characters of label_trim at its end.
func (f *Frame) labelOf(cell string) string {
	return trimmed(strings.TrimRight(trimmed(cell), f.trim))
}
