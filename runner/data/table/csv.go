package table

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"drolab/runner/data"
	"drolab/runner/internal/memory"
	"drolab/runner/numeral"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// example is the table "csv:example". Its head says how it was made.
//
//go:embed example.csv
var example []byte

// examplePath stands for the example in place of a path.
const examplePath = "example"

// csvOptions lists the options that may follow the path of a table:
//
//	label=COLUMN           what to predict; without it the column named label, else the last one
//	group=COLUMN,COLUMN    the groups, crossed; without it the column named group, else none
//	groups=COLUMN,COLUMN   groups that may overlap, a column each: 1 for a member, else 0
//	cells=yes              groups are label × group
//	test=PATH+PATH         the files of the test split; without it,
//	split=COLUMN           a column that says train, val or test of each sample; without both,
//	test_fraction=.2       this part of every class and group (of group=) is the test split,
//	data_seed=0            drawn by this seed
//	split_by=COLUMN,COLUMN rows with the same value in one of these stay in one split;
//	                       COLUMN+COLUMN for a combination
//	na=WORD,WORD           the cells without a value, besides the empty one; na= alone: no others
//	missing=error          what to do with missing values: also drop, mean and category
//	drop=COLUMN,COLUMN     columns to leave out
//	keep=COLUMN,COLUMN     columns of group=, groups= and split= that are features, too
//	categorical=COLUMN     columns whose numbers are codes
//	numeric=COLUMN         columns whose numbers are quantities, even with leading zeros
//	categories=top:N       of a column with more categories the N commonest, the rest as one
//	label_trim=.           characters that the labels end in and that are no part of them
//	header=none            the first line is a sample: the columns are c1, c2, ...
//	sep=,                  one character, or tab, semicolon, pipe, space; tab for .tsv
//	encoding=utf8          also latin1, cp1252 and utf16
func csvOptions() []string {
	return append([]string{"label", "group", "groups", "cells=no|yes", "test", "split",
		"split_by", "test_fraction", "data_seed", "na", "missing=error|drop|mean|category", "drop",
		"keep", "categorical", "numeric", "categories", "label_trim"}, ofText()...)
}

// ofText lists the options that say how a text file is read.
func ofText() []string {
	return []string{"header=yes|none", "sep", "encoding=utf8|latin1|cp1252|utf16"}
}

// tableFormat is how the files of a table are read.
type tableFormat struct {
	scheme  string
	options []string
	// load appends a file to the frame and its bytes to the hash.
	load func(f *Frame, path string, hash io.Writer) error
}

// inText is the format of tables in comma-separated form: a header, then one sample a line; lines
// before the header that start with # are comments. The ending of a path says how it is compressed.
func inText() tableFormat { return tableFormat{"csv:", csvOptions(), (*Frame).load} }

// newFrame returns a frame without rows for the table of a name.
func (t tableFormat) newFrame(name string, opened data.Options) (f *Frame, err error) {
	f = &Frame{opened: opened, fitted: opened.Encoder, marks: map[string]int{}}
	if f.OwnFiles, err = data.ParseOwn(name, t.scheme, t.options, f.fitted); err != nil {
		return nil, err
	}
	f.missing, f.na = f.Choice("missing"), f.List("na")
	if _, said := f.Options["na"]; said && f.na == nil {
		f.na = []string{} // the empty cell alone
	}
	f.trim = f.Options["label_trim"]
	f.bare, f.encoding = f.Choice("header") == "none", f.Choice("encoding")
	if f.top, err = commonest(f.Options["categories"]); err != nil {
		return nil, err
	}
	f.comma, err = separator(f.Options["sep"], f.Path)
	return f, err
}

// commonest reads the option categories, the number of categories to keep; 0: the option is not
// given.
func commonest(word string) (n int, err error) {
	if word == "" {
		return 0, nil
	}
	text, named := strings.CutPrefix(word, "top:")
	n, ok := numeral.Int(text)
	if !named || !ok || n < 1 || n > MaxCategories {
		return 0, fmt.Errorf("categories=%s: give top:N, as in top:20, with N from 1 to %d%s",
			word, MaxCategories, numeral.Remedy(text))
	}
	return n, nil
}

// separator reads the option sep.
func separator(word, path string) (rune, error) {
	if word == "" && strings.HasSuffix(withoutPacking(path), ".tsv") {
		word = "tab"
	}
	words := map[string]rune{"": ',', "comma": ',', "tab": '\t', "semicolon": ';', "pipe": '|',
		"space": ' '}
	if r, ok := words[word]; ok {
		return r, nil
	}
	r, size := utf8.DecodeRuneInString(word)
	if size != len(word) || r == '"' || r == '\r' || r == '\n' || r == utf8.RuneError {
		return 0, fmt.Errorf("sep=%s: give one character, or comma, tab, semicolon, pipe or space",
			word)
	}
	return r, nil
}

func CSVFiles() *data.Provider {
	return &data.Provider{
		Name: "csv:", Argument: "PATH", Endings: packedAs(".csv", ".tsv"),
		Table: true, Apart: true, Raw: true,
		Purpose: "a table of your own: csv:PATH?label=COLUMN&group=COLUMN,COLUMN&missing=drop&...",
		Open:    inText().open, Locate: inText().locate,
	}
}

func CSVExample() *data.Provider {
	return &data.Provider{Name: "csv:" + examplePath, Open: inText().open, Table: true,
		Purpose: "a small synthetic table with two classes and a minority group"}
}

func (t tableFormat) locate(name string, absolute func(string) string) string {
	within := func(path string) string {
		if path == examplePath {
			return path
		}
		return absolute(path)
	}
	return data.LocateOwn(name, t.scheme, within, func(key, value string) string {
		if key == "test" {
			there := func(path string) bool { return data.Exists(within(path)) }
			return strings.Join(data.Map(data.Names(value, "+", there), within), "+")
		}
		return value
	})
}

func (t tableFormat) open(name string, o data.Options) (*data.Dataset, error) {
	f, err := t.newFrame(name, o)
	if err != nil {
		return nil, err
	}
	draw, err := f.Draw(o)
	if err = cmp.Or(err, f.refuseUseless()); err != nil {
		return nil, err
	}
	sum := sha256.New()
	if err := t.load(f, f.Path, sum); err != nil {
		return nil, err
	}
	trainRows := f.Rows
	for _, path := range data.Names(f.Options["test"], "+", data.Exists) {
		if err := t.load(f, path, sum); err != nil {
			return nil, err
		}
	}
	var d *data.Dataset
	if o.Raw {
		d, err = f.raw()
	} else {
		d, err = f.Dataset(trainRows, draw)
	}
	if in := new(inFile); err != nil && !errors.As(err, &in) {
		err = &inFile{f.Path, err}
	}
	if err != nil {
		return nil, err
	}
	d.Checksum = data.ChecksumOf(sum)
	d.Encoder.Options = f.Keep()
	d.Encoder.Options["label"] = f.header[max(0, f.label)]
	return d, nil
}

// refuseUseless refuses options that say nothing beside another way to split the samples.
func (f *Frame) refuseUseless() error {
	switch {
	case f.opened.Raw:
		return cmp.Or(f.RefuseBeside("predictions", "groups"),
			f.RefuseBeside("predictions", "split_by"),
			f.RefuseBeside("a column of splits", "test", "test_fraction", "data_seed"))
	case f.Options["test"] != "":
		return f.RefuseBeside("test", "split", "test_fraction", "data_seed")
	}
	return nil
}

// foreign returns an error if a file with this beginning is neither text nor said to be compressed.
func foreign(path string, head []byte, encoding string) error {
	if withoutPacking(path) != path || encoding == "utf16" {
		return nil
	}
	if err := data.ForeignHead(path, head); err != nil {
		return fmt.Errorf("%s %w", path, err)
	}
	return nil
}

// headSize is the number of bytes at a file's beginning that tell its kind.
const headSize = 64

// load appends one file to the frame and its bytes to the hash.
func (f *Frame) load(path string, hash io.Writer) error {
	var r io.Reader = bytes.NewReader(example)
	if path != examplePath {
		file, err := data.OpenOwn(f.Name, path)
		if err != nil {
			return err
		}
		defer file.Close()
		head := make([]byte, headSize)
		n, _ := file.ReadAt(head, 0) // reading the text tells of an error
		if err := foreign(path, head[:n], f.encoding); err != nil {
			return err
		}
		r = file
	}
	r, done, err := unpacked(path, r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer done()
	return f.within(path, func() error { return f.Read(io.TeeReader(r, hash)) })
}

// decoded returns a reader that converts a text from its encoding to UTF-8.
func decoded(r io.Reader, encoding string) (io.Reader, error) {
	switch encoding {
	case "latin1":
		r = transform.NewReader(r, charmap.ISO8859_1.NewDecoder())
	case "cp1252":
		r = transform.NewReader(r, charmap.Windows1252.NewDecoder())
	case "utf16":
		in := bufio.NewReader(r)
		head, _ := in.Peek(2)
		if len(head) == 2 && !data.Utf16(head) {
			return nil, errors.New("line 1: is not UTF-16: leave encoding=utf16 out")
		}
		order := unicode.LittleEndian
		if len(head) == 2 && head[0] == 0 { // a letter of ASCII, without a mark
			order = unicode.BigEndian
		}
		r = transform.NewReader(in, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
	}
	return r, nil
}

// withEncoding makes an error of a text that is not UTF-8 offer the option that reads the text.
func (f *Frame) withEncoding(err error) error {
	if wrong := new(data.TextError); errors.As(err, &wrong) && wrong.Encoding != "" {
		wrong.Remedy = f.Set("encoding", wrong.Encoding)
	}
	return err
}

// checkCharacters refuses a cell with a character that its encoding lacks: all such characters are
// decoded to the same one, so that two names could become one.
func (f *Frame) checkCharacters(line int, record []string) error {
	if f.encoding == "" || f.encoding == "utf8" {
		return nil
	}
	for i, cell := range record {
		if strings.ContainsRune(cell, utf8.RuneError) {
			return fmt.Errorf("line %d, column %d: %.40q has a character that encoding=%s lacks: "+
				"give another encoding", line, i+1, cell, f.encoding)
		}
	}
	return nil
}

// Lines reads the records of a text file.
type Lines struct {
	*csv.Reader
	in      *bufio.Reader // which the csv.Reader reads, without a buffer of its own
	allowed *allowance
}

// mark is the byte-order mark of UTF-8.
const mark = "\ufeff"

const (
	// lineBuffer is the number of bytes that are read of a file at a time.
	lineBuffer = 1 << 18
	// maxRecord is the maximum length in bytes of one line of a table, or of a cell with many
	// lines, since the reader keeps it whole.
	maxRecord = 16 << 20
)

// allowance is a reader that returns an error after left more bytes, unless left is raised
// meanwhile.
type allowance struct {
	io.Reader
	left int
}

func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, fmt.Errorf("a line of more than %d bytes", maxRecord)
	}
	n, err := a.Reader.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// NewLines returns a reader of UTF-8 text. A byte-order mark is no part of it, neither at its start
// nor within it, where files were joined.
func NewLines(r io.Reader, comma rune) Lines {
	allowed := &allowance{data.NewText(r), maxRecord}
	in := bufio.NewReaderSize(allowed, lineBuffer)
	l := Lines{csv.NewReader(in), in, allowed}
	l.Comma = cmp.Or(comma, ',')
	l.TrimLeadingSpace = comma != '\t' && comma != ' '
	l.ReuseRecord, l.FieldsPerRecord = true, -1
	return l
}

// Next returns a record, which is valid until the next one, and its line.
func (l Lines) Next() (record []string, line int, err error) {
	l.allowed.left = maxRecord
	if b, _ := l.in.Peek(len(mark)); string(b) == mark {
		l.in.Discard(len(mark))
	}
	if record, err = l.Read(); err != nil {
		return nil, 0, withPlace(err)
	}
	record[0] = strings.TrimPrefix(record[0], mark) // it followed an empty line
	line, _ = l.FieldPos(0)
	return record, line, nil
}

// withPlace returns an error of encoding/csv with its line and character.
func withPlace(err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d, character %d: %w", p.Line, p.Column, p.Err)
	}
	return err
}

// trimmed is strings.TrimSpace, but faster for cells without spaces, as most are.
func trimmed(s string) string {
	visible := func(b byte) bool { return b > ' ' && b < utf8.RuneSelf }
	if s == "" || visible(s[0]) && visible(s[len(s)-1]) {
		return s
	}
	return strings.TrimSpace(s)
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

// A raw table has another program's predictions: label, groups and split as in other tables, and
// the columns that runner/data names. Other columns are left out, and all rows are the test split.

// setRaw finds the columns of a raw table.
func (f *Frame) setRaw() (err error) {
	if f.label, err = f.find(cmp.Or(f.Options["label"], data.RawLabel)); err != nil {
		return fmt.Errorf("%w: name the column of the true class with label=", err)
	}
	if f.groups, err = f.findAll(f.Options["group"], data.RawGroup); err != nil {
		return err
	}
	if f.split, err = f.find(f.Options["split"]); f.split < 0 {
		f.split = slices.Index(f.header, data.RawSplit)
	}
	f.columns = make([]*Column, len(f.header))
	for i, name := range f.header {
		textual := i == f.label || i == f.split || slices.Contains(f.groups, i) ||
			name == data.RawPrediction
		if textual || name == data.RawLoss || strings.HasPrefix(name, data.RawProbability) {
			f.columns[i] = NewColumn(name, textual)
		}
	}
	return err
}

// raw returns the dataset of a raw table, with the rows as the file has them.
func (f *Frame) raw() (*data.Dataset, error) {
	d, m, err := f.own().Dataset()
	if err != nil {
		return nil, err
	}
	var of []func(row int) float64
	add := func(name string, categories []string, value func(row int) float64) {
		column := data.Column{Name: name, Categories: categories}
		d.Encoder.Columns, of = append(d.Encoder.Columns, column), append(of, value)
	}
	add(data.RawRow, nil, func(row int) float64 {
		if f.origin != nil {
			row = int(f.origin[row])
		}
		return float64(row + 1)
	})
	add(data.RawLabel, d.Classes, func(row int) float64 { return float64(m.Label(row)) })
	if d.Groups != nil {
		add(data.RawGroup, d.Groups, func(row int) float64 { return float64(m.Group(row)) })
	}
	for i, c := range f.columns {
		switch {
		case c == nil || i == f.label || slices.Contains(f.groups, i):
		case c.textual:
			name, factor := c.Name, c.Factor()
			if i == f.split {
				name = data.RawSplit
			}
			add(name, factor.Values, func(row int) float64 { return float64(factor.Codes[row]) })
		case !c.Numeric:
			return nil, fmt.Errorf("line %d, column %q: %.40q is not a number: mend it",
				c.NotALine, c.Name, c.NotANum)
		default:
			add(c.Name, nil, func(row int) float64 { return c.Value(f.words.Row(row)[c.place]) })
		}
	}
	if err := memory.Ask(8*float64(f.Rows)*float64(len(of)), "the predictions"); err != nil {
		return nil, err
	}
	x := make([]byte, 0, 8*f.Rows*len(of))
	for row := range f.Rows {
		for _, value := range of {
			x = binary.LittleEndian.AppendUint64(x, math.Float64bits(value(row)))
		}
	}
	d.Notes = f.leftOut()
	d.Test = &data.Features{Marks: m, Dims: data.Shape{C: len(of), H: 1, W: 1}, Size: 8,
		Data: x, Decode: data.Decode64}
	return d, nil
}
