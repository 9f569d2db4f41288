package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/lists"
)

// These words say what a table does with missing values.
const (
	missingError = "error" // refuse them
	missingDrop  = "drop"  // leave such lines out
	// missingMean takes the training split's mean for numbers, and else a category of its own.
	missingMean     = "mean"
	missingCategory = "category" // likewise, and a feature that marks missing numbers
)

// Frame is a table, whose columns may come from several files.
//
// Every column but label, group and split is a feature: numeric if all its values are numbers, else
// categorical and one-hot coded in the order of the sorted values. Scales, means and categories are
// fitted to the training split.
type Frame struct {
	data.OwnFiles
	missing string   // empty: as missingError
	na      []string // the cells without a value; nil: as MissingValue says
	bare    bool     // no line names the columns
	comma   rune     // 0: a comma

	encoding string // one of encodings
	top      int    // the number of commonest categories to keep; 0: too many are refused
	trim     string // characters that labels may end in

	header       []string
	written      []string        // the names of the columns in the current file
	names        map[string]bool // the same; nil: all are numbers
	nameless     map[int]bool    // columns without a name in the first file
	width        int             // the number of columns of the current file
	order        []int           // the place of each column in it; nil: as in header; −1: none
	ordered      []string        // a record in the order of header
	columns      []*Column       // nil for a column that is left out
	words        *words          // the cells of the columns
	label, split int             // split is −1 without one
	groups       []int
	members      []int       // the columns of groups that may overlap
	keys         *keyColumns // of split_by=; nil: it is not given
	ids          []*idColumn
	Rows         int
	marks        map[string]int // counts of missing values, by the cells that said so
	dropped      int            // the number of lines left out
	origin       []uint32       // each row's place among all lines; nil while none is left out
	ends         []fileEnd
	opened       data.Options
	fitted       *data.Encoder // the encoder that gives the features; nil: they are fitted
	notes        []string
	sampler      *data.Sampler // nil if nobody looks at a sample
}

// Read appends the lines of a file. Errors name line and column.
func (f *Frame) Read(r io.Reader) error {
	r, err := decoded(r, f.encoding)
	if err != nil {
		return err
	}
	in := NewCSVLines(r, f.comma)
	if !f.bare {
		if err := f.readHeader(in); err != nil {
			return err
		}
	}
	named := 0 // cells before the columns in every line
	for first := true; ; first = false {
		record, line, err := f.next(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if first && !f.bare && len(record) == f.width+1 && trimmed(record[f.width]) != "" {
			named = 1 // as R writes tables
			f.notes = append(f.notes, fmt.Sprintf("line %d: the lines have one cell more than the "+
				"header: the first cell is taken for the name of the row and left out", line))
		}
		if named > 0 && len(record) > 1 {
			if len(record) != f.width+named {
				return fmt.Errorf("line %d: %d cells, the first line below the header has %d: "+
					"mend the line that begins %.40q", line, len(record), f.width+named, record[0])
			}
			record = record[named:]
		}
		if line == 1 && len(record) == 1 && strings.HasPrefix(record[0], "|") {
			continue // a comment of C4.5, as the test file of UCI's Adult begins with
		}
		if f.header == nil {
			if err := f.setHeader(numbered(len(record))); err != nil {
				return err
			}
			if f.namesColumns(record) {
				f.notes = append(f.notes, "the first line names the columns and is not a sample")
				continue
			}
		}
		if err := f.add(record, line); err != nil {
			return err
		}
	}
}

// next returns the next record and its line.
func (f *Frame) next(in CSVLines) (record []string, line int, err error) {
	if record, line, err = in.Next(); err == nil {
		err = f.checkCharacters(line, record)
	}
	return record, line, f.withEncoding(err)
}

// readHeader takes the line that names the columns, after comments.
func (f *Frame) readHeader(in CSVLines) error {
	if in.Comma != '#' {
		in.Comment = '#' // only before the header
	}
	header, line, err := f.next(in)
	in.Comment = 0
	if errors.Is(err, io.EOF) {
		return errors.New("is empty: the first line must name the columns")
	}
	if err != nil {
		return err
	}
	f.setWritten(header)
	names := f.unique(header)
	if f.fitted != nil && f.fitted.Options["header"] == "none" {
		names = numbered(len(header)) // as the network knows them
	}
	if err := f.setHeader(names); err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	return nil
}

// add appends a line, or leaves it out.
func (f *Frame) add(record []string, line int) error {
	if len(record) == 1 && strings.TrimSpace(record[0]) == "" {
		return nil // blanks alone
	}
	if len(record) != f.width {
		return fmt.Errorf(
			"line %d: %d columns, the first line has %d: mend the line that begins %.40q",
			line, len(record), f.width, record[0])
	}
	if f.names[trimmed(record[0])] {
		if err := f.refuseHeader(record, line); err != nil {
			return err
		}
	}
	record = f.inOrder(record)
	if f.trim != "" && f.label >= 0 {
		record[f.label] = f.labelOf(record[f.label])
	}
	whole, err := f.markMissing(record, line)
	if err != nil {
		return err
	}
	if !whole {
		if f.origin == nil {
			f.origin = data.Indices(0, f.Rows)
		}
		f.dropped++
		return nil
	}
	if f.opened.Raw && f.Rows == data.MostRaw {
		return fmt.Errorf("line %d: more than %d rows: use a part of them", line, data.MostRaw)
	}
	if f.words == nil {
		f.layOut()
	}
	row := f.words.Next()
	for i, cell := range record {
		c := f.columns[i]
		if c == nil {
			continue
		}
		if row[c.place], err = c.Add(cell, line); err != nil {
			return err
		}
	}
	f.addKeys(record)
	f.addIDs(record)
	if f.origin != nil {
		f.origin = append(f.origin, uint32(f.Rows+f.dropped))
	}
	if f.sampler.Wants(f.Rows) {
		f.sampler.Add(f.Rows, record, number)
	}
	f.Rows++
	return nil
}

// layOut gives every column its place in a row of words.
func (f *Frame) layOut() {
	used := f.used()
	f.words = NewWords(len(used))
	for i, c := range used {
		c.In, c.place = f.words, i
	}
	if f.fitted == nil && !f.opened.Raw {
		f.sampler = data.NewSampler(f.header)
	}
}

// setWritten notes the names of the columns in the current file.
func (f *Frame) setWritten(header []string) {
	f.written = lists.Map(header, strings.TrimSpace)
	isWord := func(name string) bool {
		_, isNumber := number(name)
		return name != "" && !isNumber
	}
	f.names = nil
	if len(f.written) > 1 && slices.ContainsFunc(f.written, isWord) {
		f.names = map[string]bool{}
		for _, name := range f.written {
			f.names[name] = true
		}
	}
}

// refuseHeader returns an error if a line is the header once more, as in a file that was joined
// from several, or has the same names in another order.
func (f *Frame) refuseHeader(record []string, line int) error {
	same, seen := true, map[string]bool{}
	for i, cell := range record {
		cell = trimmed(cell)
		if !f.names[cell] {
			return nil
		}
		same, seen[cell] = same && cell == f.written[i], true
	}
	switch {
	case same && f.Choice("header") == "yes":
		return fmt.Errorf("line %d repeats the header: take it out, or add header=none if the "+
			"first line is a sample", line)
	case same:
		return fmt.Errorf("line %d repeats the header: take it out", line)
	case len(seen) == len(f.written):
		return fmt.Errorf("line %d names the columns in another order: join the files with their "+
			"columns in one order", line)
	}
	return nil
}

// refuse returns an error with the remedy if a missing value of a column, said by a cell, cannot be
// taken.
func (f *Frame) refuse(column int, cell string) error {
	used := f.opened.Raw || column == f.label || column == f.split || f.isKey(column) ||
		slices.Contains(f.members, column)
	switch {
	case !used && (f.missing == missingMean || f.missing == missingCategory):
		return nil
	case f.fitted == nil && f.nameless[column]:
		return fmt.Errorf("the header has no name for it: leave it out with %s",
			f.More("drop", f.header[column]))
	case used:
		return errors.New("add missing=drop to leave such lines out")
	case cell != "" && f.na == nil && slices.Contains(f.groups, column):
		return fmt.Errorf("add missing=category for a group of its own, or if training samples "+
			"have no groups, missing=drop to leave such lines out, or na= if %q is a value", cell)
	case slices.Contains(f.groups, column):
		return errors.New("add missing=category for a group of its own, or if training samples " +
			"have no groups; missing=drop leaves such lines out")
	}
	return errors.New("add missing=drop to leave such lines out, missing=category for a category " +
		"of its own, or missing=mean")
}

// used gives the columns that are not left out.
func (f *Frame) used() []*Column {
	return slices.DeleteFunc(slices.Clone(f.columns), func(c *Column) bool { return c == nil })
}

// features gives the columns that are features.
func (f *Frame) features() []*Column {
	return slices.DeleteFunc(f.used(), func(c *Column) bool { return c.textual })
}

// Dataset splits the rows and encodes them. Rows from trainRows on are the test split. If there are
// none, a column says the split of each row, or a test split is drawn.
func (f *Frame) Dataset(trainRows int, draw data.Draw) (*data.Dataset, error) {
	if f.Rows == 0 {
		return nil, errors.New("has no samples")
	}
	if f.fitted == nil {
		if err := f.tooWide(); err != nil {
			return nil, err
		}
	}
	d, m, err := f.own().Dataset()
	if err != nil {
		return nil, err
	}
	s, err := f.splits(&m, d, trainRows, draw)
	if err != nil {
		return nil, err
	}
	d.Notes = slices.Concat(f.notes, d.Notes, f.missingGroups(), f.leftOut())
	fit := data.FittedTo(f.opened, &m, s.Train, d)
	d.Sample = f.sample(&s, &m)
	x, err := f.encode(d, fit)
	if err != nil {
		return nil, err
	}
	d.Unlabelled = f.label < 0
	d.Missing = f.lacking()
	d.Marks = f.marks
	if err := data.Divide(d, &data.Table{Marks: m, X: x, Origin: f.origin}, s); err != nil {
		return nil, f.ofTest(err, trainRows)
	}
	return d, nil
}

// own returns the columns that are not features.
func (f *Frame) own() data.Own {
	// A column that is only called group is no request for splits by group.
	o := data.Own{Cells: f.Cells(), ByGroup: f.Options["group"]+f.Options["groups"] != "",
		Fitted: f.fitted != nil || f.opened.Raw}
	if f.label >= 0 {
		o.Label = f.columns[f.label].Factor()
	} else {
		o.Label = &data.Factor{Values: f.fitted.Classes[:1], Codes: make([]uint16, f.Rows)}
	}
	if f.keys != nil {
		o.Keys = f.keys.Keys
	}
	factor := func(at int) *data.Factor { return f.columns[at].Factor() }
	o.Groups, o.Members = lists.Map(f.groups, factor), lists.Map(f.members, factor)
	return o
}

// leftOut returns a note of the lines that were left out, if there are any.
func (f *Frame) leftOut() []string {
	if f.dropped == 0 {
		return nil
	}
	return []string{fmt.Sprintf("lines left out for a missing value: %d", f.dropped)}
}

func (f *Frame) splits(m *data.Marks, d *data.Dataset, trainRows int,
	draw data.Draw) (data.Splits, error) {
	if f.split >= 0 {
		s, err := f.Splits(f.columns[f.split].Factor(), draw, m, d)
		if err != nil && f.dropped > 0 && len(f.groups) > 0 {
			err = fmt.Errorf("%w; missing=drop has left out %d lines: missing=category keeps "+
				"samples whose group is missing", err, f.dropped)
		}
		return s, err
	}
	if trainRows < f.Rows {
		return data.Splits{Train: data.Indices(0, trainRows), Test: data.Indices(trainRows,
			f.Rows)}, nil
	}
	s, err := draw.Splits(m, d)
	if err != nil {
		return s, fmt.Errorf("%w, or give the test samples with test=PATH", err)
	}
	return s, nil
}
