package table

import (
	"fmt"
	"slices"
	"strings"
)

// missingWords are the cells that count as missing besides the empty one: the words of pandas, and
// the marks of older collections.
var missingWords = append(strings.Fields("#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> "+
	"N/A NA NULL NaN None n/a nan null ? -"), "#N/A N/A")

// MissingValue reports whether a cell is one of the customary marks of a missing value.
func MissingValue(cell string) bool {
	if cell == "" {
		return true
	}
	// Most cells need no look at the list: no word is longer, or begins with another digit than 1.
	const longest = len("#N/A N/A")
	otherDigit := '0' <= cell[0] && cell[0] <= '9' && cell[0] != '1'
	if len(cell) > longest || otherDigit {
		return false
	}
	return slices.Contains(missingWords, cell)
}

// markMissing trims the cells of a line in the order of the header, and empties those that are
// missing. whole is false if the line is to be left out.
func (f *Frame) markMissing(record []string, line int) (whole bool, err error) {
	whole = true
	for i, cell := range record {
		cell = trimmed(cell)
		record[i] = cell
		c := f.columns[i]
		if c == nil && !f.isKey(i) || !f.isMissing(i, cell) {
			continue
		}
		if _, known := f.marks[cell]; !known {
			cell = strings.Clone(cell)
		}
		f.marks[cell]++
		if c != nil && c.mark == "" {
			c.mark = strings.Clone(cell)
		}
		record[i] = ""
		if f.missing == missingDrop {
			whole = false
			if c != nil {
				c.lacking++
			}
			continue
		}
		if err := f.refuse(i, cell); err != nil {
			return false, fmt.Errorf("line %d, column %q: missing value %q: %w",
				line, f.header[i], cell, err)
		}
	}
	return whole, nil
}

// isMissing reports whether a cell of a column has no value. The words that say so without na= may
// be values of the label.
func (f *Frame) isMissing(column int, cell string) bool {
	switch {
	case cell == "":
		return true
	case f.na != nil:
		return slices.Contains(f.na, cell)
	}
	return column != f.label && MissingValue(cell)
}

// missingGroups returns a note for each column of groups in which a word counts as missing without
// na=, since the word may be the name of a group.
func (f *Frame) missingGroups() (notes []string) {
	for _, at := range f.groups {
		c := f.columns[at]
		if c.mark != "" && c.Missing > 0 && f.na == nil {
			notes = append(notes, fmt.Sprintf("samples with %q in %q are in the group (missing): "+
				"add na= if it is a value", c.mark, c.Name))
		}
	}
	return notes
}
