package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/internal/memory"
	"drolab/runner/lists"
)

// Moments sets the mean and the (population) standard deviation of numeric columns over some rows,
// without the missing values. Values are scaled so that no square overflows; the deviation is 1 if
// it would be 0. If flag is set, a column that lacks a value gets a second feature that marks it.
// All columns take a row together, since its words lie together.
func Moments(list []*Column, rows []uint32, flag bool) {
	if len(list) == 0 {
		return
	}
	in := list[0].In
	scale, n := make([]float64, len(list)), make([]float64, len(list))
	each := func(do func(k int, v float64)) {
		for _, i := range rows {
			row := in.Row(int(i))
			for k, c := range list {
				if v := c.Value(row[c.place]); v == v {
					do(k, v)
				}
			}
		}
	}
	each(func(k int, v float64) {
		scale[k] = max(scale[k], math.Abs(v))
		n[k]++
	})
	for k, c := range list {
		c.Mean, c.Std = 0, 0
		c.Flagged = flag && int(n[k]) < len(rows)
		if scale[k] == 0 {
			scale[k] = 1 // zeros, or nothing
		}
	}
	each(func(k int, v float64) { list[k].Mean += v / scale[k] / n[k] })
	each(func(k int, v float64) {
		d := v/scale[k] - list[k].Mean
		list[k].Std += d * d / n[k]
	})
	for k, c := range list {
		c.Mean *= scale[k]
		c.Std = math.Sqrt(c.Std)
		if c.Std < 1e-14 {
			c.Std = 1
		} else {
			c.Std *= scale[k]
		}
	}
}

// tooWide returns an error if columns cannot be features: it names them all, and the option that
// leaves them out.
func (f *Frame) tooWide() error {
	for _, c := range f.features() {
		if c.plain && !c.Numeric {
			return &fileError{c.notAFile, fmt.Errorf("line %d, column %q: %q is not a number, as "+
				"numeric= says", c.NotALine, c.Name, c.NotANum)}
		}
	}
	wide := slices.DeleteFunc(f.features(), func(c *Column) bool { return !c.Wide() })
	if len(wide) == 0 {
		return nil
	}
	first, drop := wide[0], f.dropping(wide)
	why := fmt.Errorf("line %d, column %q: %q is not a number, and the column has more than %d "+
		"different values: categories=top:20 keeps the commonest, or %s", first.NotALine,
		first.Name, first.NotANum, MaxCategories, drop)
	plain, isNumber := data.PlainNumber(first.NotANum)
	switch {
	case first.NotANum == "": // by categorical=
		why = fmt.Errorf("column %q has more than %d different values: categories=top:20 keeps "+
			"the commonest, or %s", first.Name, MaxCategories, drop)
	case first.isCode(first.NotANum):
		why = fmt.Errorf("%w, or %s reads numbers", why, f.More("numeric", first.Name))
	case isNumber:
		why = fmt.Errorf("line %d, column %q: %q is not a number as programs read it: write %s",
			first.NotALine, first.Name, first.NotANum, plain)
	case first.late:
		why = fmt.Errorf("line %d, column %q: %q is not a number, as the values before it are: %s",
			first.NotALine, first.Name, first.NotANum, f.ofOneText(first))
	case first.alone:
		why = fmt.Errorf("line %d, column %q: %q is not a number, as the other values are: %s",
			first.NotALine, first.Name, first.NotANum, f.ofOneText(first))
	case f.top > 0:
		why = fmt.Errorf("line %d, column %q: %q is not a number, and the column has too many "+
			"different values to count: %s", first.NotALine, first.Name, first.NotANum, drop)
	}
	return &fileError{first.notAFile, why}
}

// ofOneText returns the remedies for a column with one text among numbers: a text with a digit may
// be a code, another one is a word for a missing value.
func (f *Frame) ofOneText(c *Column) string {
	const remedy = "mend that line, or take it out"
	if strings.ContainsAny(c.NotANum, "0123456789") {
		return fmt.Sprintf("%s, or add %s if the values are codes", remedy,
			f.More("categorical", c.Name))
	}
	if na, ok := data.AlsoMissing(f.Options, f.marks, c.NotANum); ok {
		return remedy + ", or give " + na + " if it is missing"
	}
	return remedy
}

// encode returns the features of all rows, fitted to the training rows, and notes the categories
// that these lack.
func (f *Frame) encode(d *data.Dataset, train []uint32) (*data.Rows[float32], error) {
	features, err := f.fit(train)
	if err != nil {
		return nil, err
	}
	width := 0
	for _, c := range features {
		c.ready()
		width += c.width()
		d.Encoder.Columns = append(d.Encoder.Columns, c.Column)
	}
	more := 4 * float64(f.Rows) * float64(width-f.words.Width) // the cells have memory already
	if err := memory.Ask(max(0, more), "the table as features"); err != nil {
		return nil, err
	}
	row := 0
	x, err := f.words.Features(width, func(dst []float32, cells []uint32) error {
		for _, c := range features {
			n := c.width()
			if err := c.encode(dst[:n], cells[c.place]); err != nil {
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
					"%d of the other samples", c.Name, c.unseen))
		}
	}
	return x, nil
}

// dropping returns the option that leaves out further columns.
func (f *Frame) dropping(list []*Column) string {
	name := func(c *Column) string { return c.Name }
	return f.More("drop", lists.Map(list, name)...)
}

// lacking counts the missing values that are kept, by column.
func (f *Frame) lacking() map[string]int {
	counts := map[string]int{}
	for _, c := range f.used() {
		if c.Missing > 0 {
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
		data.OnEveryCore(len(parts), func(i int) {
			Moments(parts[i], train, f.missing == missingCategory)
		})
		return list, nil
	}
	for _, as := range f.fitted.Columns {
		c := f.columns[f.feature(as.Name)] // setHeader has found it
		if err := c.adopt(&as); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}
