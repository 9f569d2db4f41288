package data

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	maxCategories = 128  // of a feature column: more is likely an identifier, and one-hot coding would blow up
	maxClasses    = 1000 // of the label and group columns
)

// column is one column of a table, kept as numbers and as categories for as long as it can be each.
type column struct {
	name    string
	limit   int  // most categories
	textual bool // label and group columns: numbers are names

	numbers  []float64 // one a row; nil once a cell is no number
	codes    []uint16  // one a row; nil once there are too many categories
	dict     map[string]uint16
	notANum  string // the first cell that is no number
	notALine int    // and its line
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
		return fmt.Errorf("line %d, column %q: missing value %q: fill it or leave the line out", line, c.name, cell)
	}
	if err := c.addNumber(cell, line); err != nil {
		return err
	}
	if c.codes != nil {
		c.addCode(cell)
	}
	switch {
	case c.codes != nil || c.numbers != nil:
		return nil
	case c.textual:
		return fmt.Errorf(
			"line %d, column %q: more than %d different values: name another column with label= or group=",
			line, c.name, c.limit)
	}
	return fmt.Errorf(
		"line %d, column %q: %q is not a number, and the column has more than %d different values: "+
			"drop it or make it numeric",
		c.notALine, c.name, c.notANum, c.limit)
}

func (c *column) addNumber(cell string, line int) error {
	if c.numbers == nil {
		return nil
	}
	v, err := strconv.ParseFloat(cell, 64)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return fmt.Errorf("line %d, column %q: %q is not finite", line, c.name, cell)
	}
	if err != nil {
		c.numbers, c.notANum, c.notALine = nil, cell, line
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

// categories gives the different values, in numeric order if all are integers and else in byte order, and for
// every row the place of its value among them.
func (c *column) categories() (names []string, rows []uint16) {
	names = slices.Sorted(maps.Keys(c.dict))
	sortNumeric(names)
	place := make([]uint16, len(names))
	for i, name := range names {
		place[c.dict[name]] = uint16(i)
	}
	rows = make([]uint16, len(c.codes))
	for i, code := range c.codes {
		rows[i] = place[code]
	}
	return names, rows
}

// sortNumeric sorts names by their values if all are integers.
func sortNumeric(names []string) {
	value := make(map[string]int, len(names))
	for _, s := range names {
		v, err := strconv.Atoi(s)
		if err != nil {
			return
		}
		value[s] = v
	}
	slices.SortStableFunc(names, func(a, b string) int { return value[a] - value[b] })
}

// width is the number of features the column gives.
func (c *column) width() int {
	if c.numbers != nil {
		return 1
	}
	return len(c.dict)
}

// encodeTo writes the column into rows of stride values: a numeric column as (v − mean)/std, mean and
// (population) standard deviation being of the rows fit alone (a constant column gives 0); a categorical one
// as one-hot 0 and 1.
func (c *column) encodeTo(dst []float32, stride int, fit []uint32) error {
	if c.numbers == nil {
		_, rows := c.categories()
		for i, k := range rows {
			dst[i*stride+int(k)] = 1
		}
		return nil
	}
	mean, std := c.moments(fit)
	for i, v := range c.numbers {
		x := float32((v - mean) / std)
		if math.IsInf(float64(x), 0) || x != x {
			return fmt.Errorf(
				"column %q: %v, standardised by mean %v and deviation %v, is beyond float32: rescale the column",
				c.name, v, mean, std)
		}
		dst[i*stride] = x
	}
	return nil
}

// moments gives mean and standard deviation over some rows, scaled so that no square overflows; std is 1 if
// it would be 0.
func (c *column) moments(rows []uint32) (mean, std float64) {
	scale := 0.0
	for _, i := range rows {
		scale = max(scale, math.Abs(c.numbers[i]))
	}
	if scale == 0 {
		return 0, 1
	}
	n := float64(len(rows))
	for _, i := range rows {
		mean += c.numbers[i] / scale / n
	}
	for _, i := range rows {
		d := c.numbers[i]/scale - mean
		std += d * d / n
	}
	if std = math.Sqrt(std); std < 1e-14 {
		return mean * scale, 1
	}
	return mean * scale, std * scale
}
