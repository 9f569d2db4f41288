package table

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/room"
)

// This file fits columns to the training rows and makes features of all rows.

// tooWide returns an error if columns cannot be features: it names them all, and the option that
// leaves them out.
func (f *Frame) tooWide() error {
	var first *Column
	var names []string
	for _, c := range f.features() {
		if !c.Wide() {
			continue
		}
		if names = append(names, c.Name); first == nil {
			first = c
		}
	}
	if first == nil {
		return nil
	}
	if f.asked.drop != "" {
		names = append([]string{f.asked.drop}, names...)
	}
	drop := strings.Join(names, ",")
	why := fmt.Errorf("line %d, column %q: %q is not a number, and the column has more than %d "+
		"different values: categories=top:20 keeps the commonest, or drop=%s", first.NotALine,
		first.Name, first.NotANum, MaxCategories, drop)
	plain, isNumber := dataset.PlainNumber(first.NotANum)
	switch {
	case first.NotANum == first.Name:
		why = fmt.Errorf("line %d repeats the header: take it out", first.NotALine)
	case isNumber:
		why = fmt.Errorf("line %d, column %q: %q is not a number as programs read it: write %s",
			first.NotALine, first.Name, first.NotANum, plain)
	case f.top > 0:
		why = fmt.Errorf("line %d, column %q: %q is not a number, and the column has too many "+
			"different values to count: drop=%s", first.NotALine, first.Name, first.NotANum, drop)
	}
	return &inFile{first.notAFile, why}
}

// encode returns the features of all rows, fitted to the training rows, and notes the categories
// that these lack.
func (f *Frame) encode(d *dataset.Dataset, train []uint32) (*dataset.RowBlocks, error) {
	features, err := f.fit(train)
	if err != nil {
		return nil, err
	}
	width := 0
	for _, c := range features {
		c.ready()
		width += c.width()
		d.Encoder.Columns = append(d.Encoder.Columns, c.fitted())
	}
	more := 4 * float64(f.Rows) * float64(width-f.words.columns) // the cells have memory already
	if err := room.Ask(max(0, more), "the table as features"); err != nil {
		return nil, err
	}
	row := 0
	x, err := f.words.Features(width, func(dst []float32, cells []uint32) error {
		for _, c := range features {
			n := c.width()
			if err := c.encode(dst[:n], cells[c.at]); err != nil {
				return f.inFileOf(row, err)
			}
			dst = dst[n:]
		}
		row++
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range features {
		if c.unseen > 0 {
			d.Notes = append(d.Notes, fmt.Sprintf(
				"column %q: a category that the training split lacks counts as none: "+
					"%d of the other samples",
				c.Name, c.unseen))
		}
	}
	return x, nil
}

// lacking counts the missing values that are kept, by column.
func (f *Frame) lacking() map[string]int {
	counts := map[string]int{}
	for _, c := range f.columns {
		if c != nil && c.Missing > 0 {
			counts[c.Name] = c.Missing
		}
	}
	return counts
}

// fit returns the columns that are features. They are fitted to the training rows, or adopt the fit
// of an encoder.
func (f *Frame) fit(train []uint32) (list []*Column, err error) {
	if f.fitted == nil {
		list = f.features()
		var numeric []*Column
		for _, c := range list {
			if c.Numeric {
				numeric = append(numeric, c)
			} else {
				c.fitCategories(train, f.top)
			}
		}
		parts := slices.Collect(slices.Chunk(numeric, 8))
		dataset.OnEveryCore(len(parts), func(i int) {
			Moments(parts[i], train,
				f.missing == missingCategory)
		})
		return list, nil
	}
	for _, as := range f.fitted.Columns {
		c := f.columns[slices.Index(f.header, as.Name)] // setHeader has found it
		if err := c.adopt(&as); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}
