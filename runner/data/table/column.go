package table

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"drolab/runner/data"
)

// MaxCategories is the maximum number of values of a feature column: a column with more is likely
// an identifier, and its one-hot code would blow up.
const MaxCategories = 128

const (
	// mostTexts is the maximum number of values that are counted to keep the commonest, since codes
	// have 16 bits.
	mostTexts = math.MaxUint16
	// mostNumbers is the number of different numbers after which a column becomes one of numbers,
	// if its commonest values are to be kept. Texts behind them are no longer counted.
	mostNumbers = 4096
)

// Column is one column of a table. Its words in the cells are places in Dict as long as there are
// few different texts, whether these are numbers or not; after that, the words are numbers. A cell
// without a value is NaN as a number and "" as a category.
type Column struct {
	data.Column // with the result of the fit to some rows: the categories, "" first

	limit   int  // the maximum number of categories
	numbers int  // their maximum number while all are numbers
	textual bool // a label, group or split, not a feature: numbers are names
	plain   bool // it has numbers, whatever their form: 007 is 7

	declared string // the option that says what it is, categorical or numeric; "": none does

	In       *words
	place    int               // the place of its word in a row
	Dict     map[string]uint16 // nil once there are too many categories
	table    []float64         // the number of each category, while all are numbers
	Numeric  bool              // until a cell is not a number
	others   []float64         // numbers that do not fit into a word as a decimal
	Missing  int
	mark     string // the first word that counted as missing
	lacking  int    // the left-out lines of a file without a value here
	NotANum  string // the first cell that is not a number
	NotALine int    // its line
	late     bool   // there were too many different values before it
	alone    bool   // it was the only one when the different values became too many
	notAFile string // its file

	places []int // the place in Categories of each value in Dict; −1: none
	unseen int   // the number of cells whose value is not in Categories
}

func NewColumn(name string, textual bool) *Column {
	c := &Column{Column: data.Column{Name: name}, limit: MaxCategories, numbers: MaxCategories,
		textual: textual, Numeric: !textual, Dict: map[string]uint16{}}
	if textual {
		c.limit = data.MaxClasses
	}
	return c
}

// counted raises the limits of the column, so that its commonest categories can be found.
func (c *Column) counted() { c.limit, c.numbers = mostTexts, mostNumbers }

// Add adds the next cell, which is empty if it is missing, and returns its word.
func (c *Column) Add(cell string, line int) (word uint32, err error) {
	if cell == "" {
		c.Missing++
	}
	if c.Dict == nil {
		return c.addNumber(cell, line)
	}
	if code, ok := c.Dict[cell]; ok {
		return uint32(code), nil
	}
	if len(c.Dict) == c.limit || c.Numeric && len(c.Dict) == c.numbers {
		if err := c.leaveDict(line); err != nil {
			return 0, err
		}
		return c.addNumber(cell, line)
	}
	if c.Numeric {
		v, err := c.parse(cell, line)
		if err != nil {
			return 0, err
		}
		c.table = append(c.table, v)
	}
	if err := data.Named(cell); err != nil {
		return 0, fmt.Errorf("line %d, column %q: %w", line, c.Name, err)
	}
	code := uint16(len(c.Dict))
	c.Dict[strings.Clone(cell)] = code
	return uint32(code), nil
}

// parse reads a cell as a number. If the cell is not a number, the column is no longer numeric, and
// parse notes the cell.
func (c *Column) parse(cell string, line int) (float64, error) {
	if cell == "" {
		return math.NaN(), nil
	}
	v, ok := number(cell)
	switch {
	case !ok || c.isCode(cell):
		c.Numeric, c.NotANum, c.NotALine = false, strings.Clone(cell), line
	case math.IsInf(v, 0) || math.IsNaN(v):
		return 0, fmt.Errorf("line %d, column %q: %q is not finite", line, c.Name, cell)
	}
	return v, nil
}

// isCode reports whether a cell is a code and no quantity, since it begins with a zero, as 01234.
func (c *Column) isCode(cell string) bool {
	return !c.plain && len(cell) > 1 && cell[0] == '0' && '0' <= cell[1] && cell[1] <= '9'
}

// addNumber is Add for a column without Dict.
func (c *Column) addNumber(cell string, line int) (uint32, error) {
	w, ok := decimalWord(cell)
	if !c.Numeric || ok && !c.isCode(cell) {
		return w, nil
	}
	v, err := c.parse(cell, line)
	if err != nil || !c.Numeric {
		c.late = true
		return 0, err
	}
	return c.listed(v)
}

// listed returns the word of a number that does not fit into a word as a decimal: its new place in
// others, or noNumber for NaN.
func (c *Column) listed(v float64) (uint32, error) {
	if math.IsNaN(v) {
		return noNumber, nil
	}
	if len(c.others) == digitsMask {
		return 0, fmt.Errorf("column %q: more than %d numbers of more than eight digits", c.Name,
			digitsMask)
	}
	c.others = append(c.others, v)
	return inList<<digitsBits | uint32(len(c.others)-1), nil
}

// leaveDict turns the words of all earlier rows into numbers, since there are too many different
// texts. It refuses a label, group or split with so many.
func (c *Column) leaveDict(line int) (err error) {
	texts := 0
	for text := range c.Dict {
		if _, ok := number(text); !ok && text != "" {
			texts++
		}
	}
	if c.textual && texts == 0 {
		return fmt.Errorf("line %d, column %q: more than %d different numbers: %s, "+
			"or name another column with label= or group=", line, c.Name, c.limit,
			data.NoRegression)
	}
	if c.textual {
		return fmt.Errorf(
			"line %d, column %q: more than %d different values: name another column with label= "+
				"or group=", line, c.Name, c.limit)
	}
	words := make([]uint32, len(c.Dict))
	for text, code := range c.Dict {
		w, ok := decimalWord(text)
		if !ok && c.Numeric {
			if w, err = c.listed(c.table[code]); err != nil {
				return err
			}
		}
		words[code] = w
	}
	c.Dict, c.table, c.alone = nil, nil, texts == 1
	for i := range c.In.rows - 1 { // the last row is being read
		w := &c.In.Row(i)[c.place]
		*w = words[*w]
	}
	return nil
}

// Value returns the number that a word of a numeric column stands for.
func (c *Column) Value(word uint32) float64 {
	switch {
	case c.Dict != nil:
		return c.table[word]
	case word>>digitsBits&inList != inList:
		return decimalOf(word)
	case word == noNumber:
		return math.NaN()
	}
	return c.others[word&digitsMask]
}

// Wide reports whether the column cannot be a feature, because it has too many values and some are
// not numbers.
func (c *Column) Wide() bool { return !c.Numeric && c.Dict == nil }

func (c *Column) Factor() *data.Factor {
	codes := make([]uint16, c.In.rows)
	for i := range codes {
		codes[i] = uint16(c.In.Row(i)[c.place])
	}
	return data.NewFactor(c.Name, c.Dict, codes)
}

// forms returns two values of a column of categories that are one number, or "" for both. Of a
// label or a group, 1 and 1.0 are one value already.
func (c *Column) forms() [2]string {
	if c.Numeric || c.Dict == nil {
		return [2]string{}
	}
	texts := map[float64]string{}
	for _, text := range slices.Sorted(maps.Keys(c.Dict)) {
		word, ok := decimalWord(text)
		if !ok {
			continue
		}
		first, known := texts[decimalOf(word)]
		if known && !(c.textual && data.PlaceAlike([]string{first}, text) == 0) {
			return [2]string{first, text}
		}
		texts[decimalOf(word)] = text
	}
	return [2]string{}
}

// fitCategories finds the categories that some rows have. If there are more than top, it keeps the
// top commonest; 0 keeps any number.
func (c *Column) fitCategories(rows []uint32, top int) {
	seen := make([]int, len(c.Dict))
	for _, i := range rows {
		seen[c.In.Row(int(i))[c.place]]++
	}
	for name, code := range c.Dict {
		if seen[code] > 0 {
			c.Categories = append(c.Categories, name)
		}
	}
	c.Rest = top > 0 && len(c.Categories) > top
	if c.Rest {
		slices.SortFunc(c.Categories, func(a, b string) int {
			return cmp.Or(seen[c.Dict[b]]-seen[c.Dict[a]], strings.Compare(a, b))
		})
		c.Categories = c.Categories[:top]
	}
	slices.Sort(c.Categories)
	data.SortNumeric(c.Categories)
	if c.Rest {
		c.Categories = append(c.Categories, data.OtherCategory)
	}
}

// adopt takes the result of a fit to other rows, instead of a fit to the rows of this table.
func (c *Column) adopt(as *data.Column) error {
	switch {
	case as.Categories == nil && !c.Numeric:
		return &fileError{c.notAFile,
			fmt.Errorf("line %d, column %q: %q is not a number, as the network takes them",
				c.NotALine, c.Name, c.NotANum)}
	case as.Categories != nil && c.Dict == nil:
		return fmt.Errorf("column %q: more than %d different values, and the network knows %d",
			c.Name, c.limit, len(as.Categories))
	}
	c.Column = *as
	c.Numeric = as.Categories == nil
	return nil
}

// width is the number of features the column gives, once it is fitted.
func (c *Column) width() int {
	switch {
	case !c.Numeric:
		return len(c.Categories)
	case c.Flagged:
		return 2
	}
	return 1
}

// ready prepares encode: it finds the place of each category among the fitted ones.
func (c *Column) ready() {
	c.places = make([]int, len(c.Dict))
	for name, code := range c.Dict {
		c.places[code] = slices.Index(c.Categories, name)
		if c.places[code] < 0 && c.Rest {
			c.places[code] = len(c.Categories) - 1
		}
	}
}

// encode writes the features of a word to dst. A number becomes (v − mean)/std, or 0 if it is
// missing or the column is constant; if flagged, a second feature is 1 where the number is missing.
// A category becomes one-hot 0 and 1. A category that the fit did not see becomes zeros and is
// counted.
func (c *Column) encode(dst []float32, word uint32) error {
	clear(dst)
	if !c.Numeric {
		if at := c.places[word]; at >= 0 {
			dst[at] = 1
		} else {
			c.unseen++
		}
		return nil
	}
	v := c.Value(word)
	if math.IsNaN(v) {
		if c.Flagged {
			dst[1] = 1
		}
		return nil
	}
	x := float32((v - c.Mean) / c.Std)
	if math.IsInf(float64(x), 0) || x != x {
		return fmt.Errorf(
			"column %q: %v, standardised by mean %v and deviation %v, is beyond float32: "+
				"rescale the column", c.Name, v, c.Mean, c.Std)
	}
	dst[0] = x
	return nil
}
