package data

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// maxCategories is the most values of a feature column: more is likely an identifier, and one-hot coding
// would blow up.
const maxCategories = 128

// column is one column of a table. Its words in the cells are places in dict for as long as there are few
// different texts, whether these are numbers or not, and then numbers. A cell without a value is NaN as a
// number and "" as a category.
type column struct {
	name    string
	limit   int  // most categories
	textual bool // no feature but a label, group or split: numbers are names

	in       *words
	at       int               // its word in a row
	dict     map[string]uint16 // nil once there are too many categories
	table    []float64         // of each category, while all are numbers
	numeric  bool              // until a cell is no number
	others   []float64         // numbers that are no decimals of a word
	missing  int
	lacking  int    // lines of a file that were left out, and have no value here
	notANum  string // the first cell that is no number
	notALine int    // and its line
	notAFile string // of this file

	// Of the rows that it was fitted to:
	mean, std float64
	flagged   bool     // a second feature tells where the number is missing
	values    []string // the categories, "" first
	places    []int    // among these, of each category; −1 is none
	unseen    int      // cells that none of them is
}

func newColumn(name string, textual bool) *column {
	c := &column{name: name, limit: maxCategories, textual: textual, numeric: !textual,
		dict: map[string]uint16{}}
	if textual {
		c.limit = maxClasses
	}
	return c
}

// missingValue says whether a cell is one of the customary marks of a missing value.
func missingValue(cell string) bool {
	if len(cell) > 4 || cell != "" && cell[0] >= '0' && cell[0] <= '9' {
		return false // most are so
	}
	switch strings.ToLower(cell) {
	case "", "?", "na", "n/a", "nan", "null", "none", "-":
		return true
	}
	return false
}

// add returns the word of the next cell, which is empty where it is missing.
func (c *column) add(cell string, line int) (word uint32, err error) {
	if cell == "" {
		c.missing++
	}
	if c.dict == nil {
		return c.addNumber(cell, line)
	}
	if code, ok := c.dict[cell]; ok {
		return uint32(code), nil
	}
	if len(c.dict) == c.limit {
		if err := c.leaveDict(line); err != nil {
			return 0, err
		}
		return c.addNumber(cell, line)
	}
	if c.numeric {
		v, err := c.parse(cell, line)
		if err != nil {
			return 0, err
		}
		c.table = append(c.table, v)
	}
	if err := named(cell); err != nil {
		return 0, fmt.Errorf("line %d, column %q: %w", line, c.name, err)
	}
	code := uint16(len(c.dict))
	c.dict[strings.Clone(cell)] = code
	return uint32(code), nil
}

// parse reads a cell as a number, and takes note of one that is none.
func (c *column) parse(cell string, line int) (float64, error) {
	if cell == "" {
		return math.NaN(), nil
	}
	v, ok := number(cell)
	switch {
	case !ok:
		c.numeric, c.notANum, c.notALine = false, strings.Clone(cell), line
	case math.IsInf(v, 0) || math.IsNaN(v):
		return 0, fmt.Errorf("line %d, column %q: %q is not finite", line, c.name, cell)
	}
	return v, nil
}

// addNumber is add of a column without a dict.
func (c *column) addNumber(cell string, line int) (uint32, error) {
	if w, ok := decimalWord(cell); ok || !c.numeric {
		return w, nil
	}
	v, err := c.parse(cell, line)
	if err != nil || !c.numeric {
		return 0, err
	}
	return c.listed(v)
}

// listed is the word of a number that is no decimal of a word.
func (c *column) listed(v float64) (uint32, error) {
	if math.IsNaN(v) {
		return noNumber, nil
	}
	if len(c.others) == digitsMask {
		return 0, fmt.Errorf("column %q: more than %d numbers of more than eight digits", c.name, digitsMask)
	}
	c.others = append(c.others, v)
	return inList<<digitsBits | uint32(len(c.others)-1), nil
}

// leaveDict turns the words of all rows before, of which there are too many texts, into numbers.
func (c *column) leaveDict(line int) (err error) {
	if c.textual {
		return fmt.Errorf(
			"line %d, column %q: more than %d different values: name another column with label= or group=",
			line, c.name, c.limit)
	}
	words := make([]uint32, len(c.dict))
	for text, code := range c.dict {
		w, ok := decimalWord(text)
		if !ok && c.numeric {
			if w, err = c.listed(c.table[code]); err != nil {
				return err
			}
		}
		words[code] = w
	}
	c.dict, c.table = nil, nil
	for i := range c.in.rows - 1 { // the last is under way
		w := &c.in.row(i)[c.at]
		*w = words[*w]
	}
	return nil
}

// value is the number that a word of a numeric column is.
func (c *column) value(word uint32) float64 {
	switch {
	case c.dict != nil:
		return c.table[word]
	case word>>digitsBits&inList != inList:
		return decimalOf(word)
	case word == noNumber:
		return math.NaN()
	}
	return c.others[word&digitsMask]
}

// wide says whether the column can be no feature, for having too many values that are no numbers.
func (c *column) wide() bool { return !c.numeric && c.dict == nil }

func (c *column) factor() factor {
	codes := make([]uint16, c.in.rows)
	for i := range codes {
		codes[i] = uint16(c.in.row(i)[c.at])
	}
	return newFactor(c.name, c.dict, codes)
}

// fitCategories finds those that some rows have.
func (c *column) fitCategories(rows []uint32) {
	seen := make([]bool, len(c.dict))
	for _, i := range rows {
		seen[c.in.row(int(i))[c.at]] = true
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
	if !c.numeric {
		return Column{Name: c.name, Categories: c.values}
	}
	return Column{Name: c.name, Mean: c.mean, Std: c.std, Flagged: c.flagged}
}

// adopt takes, in place of fit, what was found of other rows.
func (c *column) adopt(as *Column) error {
	switch {
	case as.Categories == nil && !c.numeric:
		return &inFile{c.notAFile, fmt.Errorf("line %d, column %q: %q is not a number, as the network takes them",
			c.notALine, c.name, c.notANum)}
	case as.Categories != nil && c.dict == nil:
		return fmt.Errorf("column %q: more than %d different values, and the network knows %d",
			c.name, c.limit, len(as.Categories))
	}
	c.mean, c.std, c.flagged, c.values = as.Mean, as.Std, as.Flagged, as.Categories
	if as.Categories != nil {
		c.numeric = false
	}
	return nil
}

// width is the number of features the column gives, once it is fitted.
func (c *column) width() int {
	switch {
	case !c.numeric:
		return len(c.values)
	case c.flagged:
		return 2
	}
	return 1
}

// ready prepares encode: where each category stands among those that were fitted.
func (c *column) ready() {
	c.places = make([]int, len(c.dict))
	for name, code := range c.dict {
		c.places[code] = slices.Index(c.values, name)
	}
}

// encode writes what a word is into dst: a number as (v − mean)/std (0 where it is missing or the column
// constant), with 1 beside it where it is missing, if flagged; a category as one-hot 0 and 1, one that the
// fit did not see as zeros. It counts the last.
func (c *column) encode(dst []float32, word uint32) error {
	clear(dst)
	if !c.numeric {
		if at := c.places[word]; at >= 0 {
			dst[at] = 1
		} else {
			c.unseen++
		}
		return nil
	}
	v := c.value(word)
	if math.IsNaN(v) {
		if c.flagged {
			dst[1] = 1
		}
		return nil
	}
	x := float32((v - c.mean) / c.std)
	if math.IsInf(float64(x), 0) || x != x {
		return fmt.Errorf(
			"column %q: %v, standardised by mean %v and deviation %v, is beyond float32: rescale the column",
			c.name, v, c.mean, c.std)
	}
	dst[0] = x
	return nil
}

// moments gives the columns, all numeric, their mean and (population) standard deviation over some rows,
// without the missing values, scaled so that no square overflows; the deviation is 1 if it would be 0.
// Where flag is set and one is missing, a second feature will tell. All take a row together, since it lies
// together.
func moments(list []*column, rows []uint32, flag bool) {
	if len(list) == 0 {
		return
	}
	in := list[0].in
	scale, n := make([]float64, len(list)), make([]float64, len(list))
	each := func(do func(k int, v float64)) {
		for _, i := range rows {
			row := in.row(int(i))
			for k, c := range list {
				if v := c.value(row[c.at]); v == v {
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
		c.mean, c.std, c.flagged = 0, 0, flag && int(n[k]) < len(rows)
		if scale[k] == 0 {
			scale[k] = 1 // zeros, or nothing
		}
	}
	each(func(k int, v float64) { list[k].mean += v / scale[k] / n[k] })
	each(func(k int, v float64) {
		d := v/scale[k] - list[k].mean
		list[k].std += d * d / n[k]
	})
	for k, c := range list {
		c.mean *= scale[k]
		if c.std = math.Sqrt(c.std); c.std < 1e-14 {
			c.std = 1
		} else {
			c.std *= scale[k]
		}
	}
}
