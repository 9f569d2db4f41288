package data

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"drolab/runner/internal/room"
)

// missing says what a table does with missing values.
type missing string

const (
	missingError    missing = "error"    // refuse them
	missingDrop     missing = "drop"     // leave such lines out
	missingMean     missing = "mean"     // the training split's, for numbers; a category of its own else
	missingCategory missing = "category" // likewise, and for numbers a feature that tells
)

// columnsAsked are the names that the options give, maybe empty.
type columnsAsked struct{ label, group, split, drop string }

// frame is the columns of one or two files of the same header.
type frame struct {
	asked   columnsAsked
	missing missing // empty: as missingError
	bare    bool    // no line names the columns
	cells   bool    // groups are label × group
	comma   rune    // 0: a comma

	header       []string
	columns      []*column // nil where one is left out
	words        *words    // of the columns
	label, split int       // split is −1 without one
	groups       []int
	rows         int
	dropped      int      // lines left out
	origin       []uint32 // of each row, counting those lines too; nil while there are none
	ends         []fileEnd
	opened       Options
	fitted       *Encoder // what features are made by; nil: they are fitted
	notes        []string
}

// read appends the lines of a file. Errors name line and column.
func (f *frame) read(r io.Reader) error {
	allowed := &allowance{Reader: newText(r), left: maxRecord}
	br := bufio.NewReaderSize(allowed, lineBuffer)
	if b, _ := br.Peek(3); string(b) == "\ufeff" { // a byte-order mark
		br.Discard(3)
	}
	in := newLines(br, f.comma)
	if !f.bare {
		if err := f.readHeader(in); err != nil {
			return err
		}
	}
	for {
		allowed.left = maxRecord
		record, line, err := in.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && line == 1 && len(record) == 1 && strings.HasPrefix(record[0], "|") {
			continue // a comment of C4.5, as the test file of UCI's Adult begins with
		}
		if err == nil && f.header == nil {
			if err = f.setHeader(numbered(len(record))); err == nil && f.namesColumns(record) {
				f.notes = append(f.notes, "the first line names the columns, and is no sample")
				continue
			}
		}
		if err == nil {
			err = f.add(record, line)
		}
		if err != nil {
			return err
		}
	}
}

// readHeader takes the line that names the columns, after comments.
func (f *frame) readHeader(in *lineReader) error {
	if in.csv.Comma != '#' {
		in.csv.Comment = '#' // before the header alone
	}
	header, line, err := in.quoted()
	in.csv.Comment = 0
	if errors.Is(err, io.EOF) {
		return errors.New("is empty: the first line must name the columns")
	}
	if err != nil {
		return err
	}
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
func (f *frame) add(record []string, line int) error {
	if len(record) == 1 && strings.TrimSpace(record[0]) == "" {
		return nil // blanks alone
	}
	if len(record) != len(f.header) {
		return fmt.Errorf("line %d: %d columns, the first line has %d: mend the line that begins %.40q",
			line, len(record), len(f.header), record[0])
	}
	whole := true
	for i, cell := range record {
		cell = trimmed(cell)
		record[i] = cell
		if f.columns[i] == nil || !missingValue(cell) {
			continue
		}
		record[i] = ""
		if f.missing == missingDrop {
			whole = false
			f.columns[i].lacking++
			continue
		}
		if err := f.refuse(i); err != nil {
			return fmt.Errorf("line %d, column %q: missing value %q: %w", line, f.header[i], cell, err)
		}
	}
	if !whole {
		f.leaveOut()
		return nil
	}
	if f.words == nil {
		f.layOut()
	}
	row := f.words.next()
	for i, cell := range record {
		c := f.columns[i]
		if c == nil {
			continue
		}
		var err error
		if row[c.at], err = c.add(cell, line); err != nil {
			return err
		}
	}
	if f.origin != nil {
		f.origin = append(f.origin, uint32(f.rows+f.dropped))
	}
	f.rows++
	return nil
}

// layOut gives every column its word.
func (f *frame) layOut() {
	n := 0
	for _, c := range f.columns {
		if c != nil {
			c.at = n
			n++
		}
	}
	f.words = newWords(n)
	for _, c := range f.columns {
		if c != nil {
			c.in = f.words
		}
	}
}

// leaveOut passes over a line.
func (f *frame) leaveOut() {
	if f.origin == nil {
		f.origin = indices(0, f.rows)
	}
	f.dropped++
}

// refuse says what can be done where a missing value of a column cannot be taken.
func (f *frame) refuse(column int) error {
	switch {
	case column == f.label || column == f.split:
		return errors.New("add missing=drop to leave such lines out")
	case f.missing == missingMean || f.missing == missingCategory:
		return nil
	}
	return errors.New("add missing=drop to leave such lines out, missing=category for a category of its own, " +
		"or missing=mean")
}

// features gives the columns that are features.
func (f *frame) features() (list []*column) {
	for _, c := range f.columns {
		if c != nil && !c.textual {
			list = append(list, c)
		}
	}
	return list
}

// dataset splits the rows and encodes them. Rows from trainRows on are the test split; without any, a part is
// drawn or a column tells.
func (f *frame) dataset(trainRows int, draw draw) (*Dataset, error) {
	if f.rows == 0 {
		return nil, errors.New("has no samples")
	}
	if f.fitted == nil {
		if err := f.tooWide(); err != nil {
			return nil, err
		}
	}
	// A group that is not asked for once was no stratum, and the numbers of csv:example stay.
	o := own{cells: f.cells, byGroup: f.asked.group != "", fitted: f.fitted != nil}
	if f.label >= 0 {
		o.label = f.columns[f.label].factor()
	} else {
		o.label = factor{values: f.fitted.Classes[:1], codes: make([]uint16, f.rows)}
	}
	for _, g := range f.groups {
		o.groups = append(o.groups, f.columns[g].factor())
	}
	d, m, err := o.dataset()
	if err != nil {
		return nil, err
	}
	s, err := f.splits(&m, d, trainRows, draw)
	if err != nil {
		return nil, err
	}
	if f.dropped > 0 {
		d.Notes = append(f.notes, fmt.Sprintf("lines left out for a missing value: %d", f.dropped))
	} else {
		d.Notes = f.notes
	}
	x, err := f.encode(d, f.opened.fitted(&m, s.train, d))
	if err != nil {
		return nil, err
	}
	d.Unlabelled, d.Missing = f.label < 0, f.lacking()
	if err := d.divide(&table{m, x, f.origin}, s); err != nil {
		return nil, f.ofTest(err, trainRows)
	}
	return d, nil
}

func (f *frame) splits(m *marks, d *Dataset, trainRows int, draw draw) (splits, error) {
	if f.split >= 0 {
		return splitBy(f.columns[f.split].factor())
	}
	if trainRows < f.rows {
		return splits{train: indices(0, trainRows), test: indices(trainRows, f.rows)}, nil
	}
	s, err := draw.splits(m, d)
	if err != nil {
		return s, fmt.Errorf("%w, or give the test samples with test=PATH", err)
	}
	return s, nil
}

// tooWide names every column that can be no feature, and the option that leaves them out.
func (f *frame) tooWide() error {
	var first *column
	var names []string
	for _, c := range f.features() {
		if !c.wide() {
			continue
		}
		if names = append(names, c.name); first == nil {
			first = c
		}
	}
	if first == nil {
		return nil
	}
	if f.asked.drop != "" {
		names = append([]string{f.asked.drop}, names...)
	}
	return &inFile{first.notAFile, fmt.Errorf("line %d, column %q: %q is not a number, and the column has "+
		"more than %d different values: make it numeric, or leave out what is so with drop=%s",
		first.notALine, first.name, first.notANum, first.limit, strings.Join(names, ","))}
}

// encode gives the features of all rows, fitted to the training rows, and notes what these lack.
func (f *frame) encode(d *Dataset, train []uint32) (*rowBlocks, error) {
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
	more := 4 * float64(f.rows) * float64(width-f.words.columns) // the cells' memory is taken
	if err := room.Ask(max(0, more), "the table as features"); err != nil {
		return nil, err
	}
	row := 0
	x, err := f.words.features(width, func(dst []float32, cells []uint32) error {
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
				"column %q: a category that the training split lacks counts as none: %d of the other samples",
				c.name, c.unseen))
		}
	}
	return x, nil
}

// lacking counts the missing values that are kept.
func (f *frame) lacking() map[string]int {
	counts := map[string]int{}
	for _, c := range f.columns {
		if c != nil && c.missing > 0 {
			counts[c.name] = c.missing
		}
	}
	return counts
}

// fit gives the columns that are features, fitted to the training rows or, as an encoder says, to others.
func (f *frame) fit(train []uint32) (list []*column, err error) {
	if f.fitted == nil {
		list = f.features()
		var numeric []*column
		for _, c := range list {
			if c.numeric {
				numeric = append(numeric, c)
			} else {
				c.fitCategories(train)
			}
		}
		parts := slices.Collect(slices.Chunk(numeric, 8))
		onEveryCore(len(parts), func(i int) { moments(parts[i], train, f.missing == missingCategory) })
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

// table is a Source of rows of float32.
type table struct {
	marks
	x      *rowBlocks
	origin []uint32 // see frame; nil: the place itself
}

func (t *table) Shape() Shape              { return Shape{t.x.width, 1, 1} }
func (t *table) Read(dst []float32, i int) { copy(dst, t.x.row(i)) }
