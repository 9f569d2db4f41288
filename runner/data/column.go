package data

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxCategories is the most values of a feature column: more is likely an identifier, and one-hot coding
// would blow up.
const maxCategories = 128

// column is one column of a table, kept as numbers and as categories for as long as it can be each. A cell
// without a value is NaN as a number and "" as a category.
type column struct {
	name    string
	limit   int  // most categories
	textual bool // no feature but a label, group or split: numbers are names

	numbers  []float64 // one a row; nil once a cell is no number
	codes    []uint16  // one a row; nil once there are too many categories
	dict     map[string]uint16
	missing  int
	notANum  string // the first cell that is no number
	notALine int    // and its line

	// Of the rows that it was fitted to:
	mean, std float64
	flagged   bool     // a second feature tells where the number is missing
	values    []string // the categories, "" first
}

func newColumn(name string, textual bool) *column {
	c := &column{name: name, limit: maxCategories, textual: textual, dict: map[string]uint16{},
		numbers: []float64{}, codes: []uint16{}}
	if textual {
		c.limit, c.numbers = maxClasses, nil
	}
	return c
}

// missingValue says whether a cell is one of the customary marks of a missing value.
func missingValue(cell string) bool {
	switch strings.ToLower(cell) {
	case "", "?", "na", "n/a", "nan", "null", "none", "-":
		return true
	}
	return false
}

// add appends a cell.
func (c *column) add(cell string, line int) error {
	if missingValue(cell) {
		cell = ""
		c.missing++
	}
	if err := c.addNumber(cell, line); err != nil {
		return err
	}
	if c.codes != nil {
		c.addCode(cell)
	}
	if c.textual && c.codes == nil {
		return fmt.Errorf(
			"line %d, column %q: more than %d different values: name another column with label= or group=",
			line, c.name, c.limit)
	}
	return nil
}

// wide says whether the column can be no feature, for having too many values that are no numbers.
func (c *column) wide() bool { return c.numbers == nil && c.codes == nil }

func (c *column) addNumber(cell string, line int) error {
	if c.numbers == nil {
		return nil
	}
	if cell == "" {
		c.numbers = append(c.numbers, math.NaN())
		return nil
	}
	v, err := strconv.ParseFloat(cell, 64)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return fmt.Errorf("line %d, column %q: %q is not finite", line, c.name, cell)
	}
	if err != nil {
		c.numbers, c.notANum, c.notALine = nil, strings.Clone(cell), line
		return nil
	}
	c.numbers = append(c.numbers, v)
	return nil
}

func (c *column) addCode(cell string) {
	code, ok := c.dict[cell]
	if !ok {
		if len(c.dict) == c.limit {
			c.codes, c.dict = nil, nil
			return
		}
		code = uint16(len(c.dict))
		c.dict[strings.Clone(cell)] = code
	}
	c.codes = append(c.codes, code)
}

func (c *column) factor() factor { return newFactor(c.name, c.dict, c.codes) }

// fit takes what encodeTo needs from some rows: mean and deviation of numbers, or the categories. Where flag
// is set and a number of theirs is missing, a second feature will tell.
func (c *column) fit(rows []uint32, flag bool) {
	if c.numbers != nil {
		c.mean, c.std = c.moments(rows)
		c.flagged = flag && slices.ContainsFunc(rows, func(i uint32) bool { return math.IsNaN(c.numbers[i]) })
		return
	}
	seen := map[uint16]bool{}
	for _, i := range rows {
		seen[c.codes[i]] = true
	}
	for name, code := range c.dict {
		if seen[code] {
			c.values = append(c.values, name)
		}
	}
	slices.Sort(c.values)
	sortNumeric(c.values)
}

// fitted is what fit found.
func (c *column) fitted() Column {
	if c.numbers == nil {
		return Column{Name: c.name, Categories: c.values}
	}
	return Column{Name: c.name, Mean: c.mean, Std: c.std, Flagged: c.flagged}
}

// adopt takes, in place of fit, what was found of other rows.
func (c *column) adopt(as *Column) error {
	switch {
	case as.Categories == nil && c.numbers == nil:
		return fmt.Errorf("line %d, column %q: %q is not a number, as the network takes them",
			c.notALine, c.name, c.notANum)
	case as.Categories != nil && c.codes == nil:
		return fmt.Errorf("column %q: more than %d different values, and the network knows %d",
			c.name, c.limit, len(as.Categories))
	}
	c.mean, c.std, c.flagged, c.values = as.Mean, as.Std, as.Flagged, as.Categories
	if as.Categories != nil {
		c.numbers = nil
	}
	return nil
}

// width is the number of features the column gives, once it is fitted.
func (c *column) width() int {
	switch {
	case c.numbers == nil:
		return len(c.values)
	case c.flagged:
		return 2
	}
	return 1
}

// encodeTo writes the column into rows of stride values: a number as (v − mean)/std (0 where it is missing
// or the column constant), with 1 beside it where it is missing, if flagged; a category as one-hot 0 and 1,
// one that the fit did not see as zeros. It counts the last.
func (c *column) encodeTo(dst []float32, stride int) (unseen int, err error) {
	if c.numbers == nil {
		return c.encodeCodes(dst, stride), nil
	}
	for i, v := range c.numbers {
		if math.IsNaN(v) {
			if c.flagged {
				dst[i*stride+1] = 1
			}
			continue
		}
		x := float32((v - c.mean) / c.std)
		if math.IsInf(float64(x), 0) || x != x {
			return 0, fmt.Errorf(
				"column %q: %v, standardised by mean %v and deviation %v, is beyond float32: rescale the column",
				c.name, v, c.mean, c.std)
		}
		dst[i*stride] = x
	}
	return 0, nil
}

func (c *column) encodeCodes(dst []float32, stride int) (unseen int) {
	place := make([]int, len(c.dict))
	for name, code := range c.dict {
		place[code] = slices.Index(c.values, name)
	}
	for i, code := range c.codes {
		if at := place[code]; at >= 0 {
			dst[i*stride+at] = 1
		} else {
			unseen++
		}
	}
	return unseen
}

// moments gives mean and (population) standard deviation over some rows, without the missing values, scaled
// so that no square overflows; std is 1 if it would be 0.
func (c *column) moments(rows []uint32) (mean, std float64) {
	scale, n := 0.0, 0.0
	for _, i := range rows {
		if v := c.numbers[i]; !math.IsNaN(v) {
			scale = max(scale, math.Abs(v))
			n++
		}
	}
	if scale == 0 {
		return 0, 1
	}
	for _, i := range rows {
		if v := c.numbers[i]; !math.IsNaN(v) {
			mean += v / scale / n
		}
	}
	for _, i := range rows {
		if v := c.numbers[i]; !math.IsNaN(v) {
			d := v/scale - mean
			std += d * d / n
		}
	}
	if std = math.Sqrt(std); std < 1e-14 {
		return mean * scale, 1
	}
	return mean * scale, std * scale
}
