package data

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// example is the table "csv:example". Its head says how it was made.
//
//go:embed example.csv
var example []byte

// examplePath stands for it in place of a path.
const examplePath = "example"

// testShare is the part of a table without a test file that becomes its test split.
const testShare = .2

// csvSet is a table in comma-separated form: a header, then one sample a line; lines before the header that
// start with # are comments.
//
// Every column but label and group is a feature: numeric if all its values are numbers, else categorical and
// one-hot coded, in the order of the sorted values (training and test file taken together). There are no
// missing values.
type csvSet struct {
	name         string
	path, test   string // test empty: a fixed part of path, testShare of each class, drawn by Options.Seed
	label, group string // empty: the columns of that name; without it, the last column and no group
}

// parseCSVName takes "csv:PATH[?label=COL&group=COL&test=PATH]" or a path apart.
func parseCSVName(name string) (csvSet, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(name, "csv:"), "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return csvSet{}, err
	}
	for key := range values {
		if !slices.Contains([]string{"label", "group", "test"}, key) {
			return csvSet{}, fmt.Errorf("unknown key %q after ?: use label, group or test", key)
		}
	}
	if path == "" {
		return csvSet{}, errors.New("no path: write csv:PATH")
	}
	return csvSet{name: name, path: path,
		label: values.Get("label"), group: values.Get("group"), test: values.Get("test")}, nil
}

func csvFiles() *Provider {
	return &Provider{
		Name: "csv:", Argument: "PATH", Endings: []string{".csv"},
		Purpose: "a table of your own: csv:PATH?label=COLUMN&group=COLUMN&test=PATH",
		Open:    openCSV, Locate: locateCSV,
	}
}

func csvExample() *Provider {
	return &Provider{Name: "csv:" + examplePath, Open: openCSV,
		Purpose: "a small synthetic table with two classes and a minority group"}
}

func openCSV(name string, o Options) (*Dataset, error) {
	s, err := parseCSVName(name)
	if err != nil {
		return nil, err
	}
	return s.open(o)
}

func locateCSV(name string, absolute func(string) string) string {
	rest := strings.TrimPrefix(name, "csv:")
	path, query, asked := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	if err != nil || path == "" || path == examplePath {
		return name
	}
	if test := values.Get("test"); test != "" {
		values.Set("test", absolute(test))
		query = values.Encode()
	}
	if asked {
		query = "?" + query
	}
	return strings.TrimSuffix(name, rest) + absolute(path) + query
}

func (s csvSet) open(o Options) (*Dataset, error) {
	sum := sha256.New()
	f := frame{label: s.label, group: s.group}
	if err := s.load(&f, s.path, sum); err != nil {
		return nil, err
	}
	trainRows := f.rows
	if s.test != "" {
		if err := s.load(&f, s.test, sum); err != nil {
			return nil, err
		}
	}
	if len(f.columns[f.labelAt].dict) < 2 {
		return nil, fmt.Errorf("%s: column %q has one value only: a label needs two", s.path, f.header[f.labelAt])
	}
	d, err := f.dataset(trainRows, o.Seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	if d.Train.Len() == 0 || d.Test.Len() == 0 {
		return nil, fmt.Errorf("%s: %d samples are too few to split: give the test samples with test=PATH",
			s.path, f.rows)
	}
	d.Checksum = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	return d, nil
}

// load appends one file to the frame and its bytes to the hash.
func (s csvSet) load(f *frame, path string, hash io.Writer) error {
	var r io.Reader = bytes.NewReader(example)
	if path != examplePath {
		file, err := openPresent(s.name, path, "check the path")
		if err != nil {
			return err
		}
		defer file.Close()
		r = file
	}
	if err := f.read(io.TeeReader(r, hash)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// frame is the columns of one or two files of the same header.
type frame struct {
	label, group     string // wanted names, maybe empty
	header           []string
	columns          []*column
	labelAt, groupAt int // groupAt is −1 without a group
	rows             int
}

// read appends the lines of a file. Errors name line and column.
func (f *frame) read(r io.Reader) error {
	br := bufio.NewReader(r)
	if b, _ := br.Peek(3); string(b) == "\ufeff" { // a byte-order mark
		br.Discard(3)
	}
	cr := csv.NewReader(br)
	cr.TrimLeadingSpace, cr.ReuseRecord = true, true
	cr.Comment = '#' // before the header alone
	header, err := cr.Read()
	cr.Comment = 0
	if errors.Is(err, io.EOF) {
		return errors.New("is empty: the first line must name the columns")
	}
	if err != nil {
		return csvError(err, 0, 0)
	}
	line, _ := cr.FieldPos(0)
	if err := f.setHeader(header); err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	before := f.rows
	for {
		record, err := cr.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return csvError(err, len(record), len(f.columns))
		}
		line, _ := cr.FieldPos(0)
		for i, cell := range record {
			if err := f.columns[i].add(strings.TrimSpace(cell), line); err != nil {
				return err
			}
		}
		f.rows++
	}
	if f.rows == before {
		return errors.New("has a header but no samples")
	}
	return nil
}

// csvError gives an error of the reader with its line.
func csvError(err error, have, want int) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return err
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return fmt.Errorf("line %d: %d columns, the header has %d", p.Line, have, want)
	}
	return fmt.Errorf("line %d, character %d: %w", p.Line, p.Column, p.Err)
}

// setHeader takes the header of the first file, or compares that of the second.
func (f *frame) setHeader(header []string) error {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.Clone(strings.TrimSpace(h))
		if names[i] == "" {
			return fmt.Errorf("column %d has no name", i+1)
		}
		if at := slices.Index(names, names[i]); at < i {
			return fmt.Errorf("columns %d and %d are both named %q", at+1, i+1, names[i])
		}
	}
	if f.header != nil {
		if !slices.Equal(names, f.header) {
			return fmt.Errorf("columns are %q, those of the training file %q", names, f.header)
		}
		return nil
	}
	f.header = names
	var err error
	if f.labelAt, err = f.find(f.label, "label", len(names)-1); err != nil {
		return err
	}
	if f.groupAt, err = f.find(f.group, "group", -1); err != nil {
		return err
	}
	if f.labelAt == f.groupAt {
		return fmt.Errorf("column %q cannot be both label and group", names[f.labelAt])
	}
	for i, name := range names {
		f.columns = append(f.columns, newColumn(name, i == f.labelAt || i == f.groupAt))
	}
	if len(f.features()) == 0 {
		return errors.New("no column is left for a feature")
	}
	return nil
}

// find gives the place of the column asked for, else of the customary one, else other.
func (f *frame) find(asked, customary string, other int) (int, error) {
	if at := slices.Index(f.header, cmp.Or(asked, customary)); at >= 0 {
		return at, nil
	}
	if asked != "" {
		return 0, fmt.Errorf("no column %q: the columns are %q", asked, f.header)
	}
	return other, nil
}

// features gives the columns that are neither label nor group.
func (f *frame) features() []*column {
	return slices.DeleteFunc(slices.Clone(f.columns), func(c *column) bool { return c.textual })
}

// dataset splits the rows and encodes them. Rows from trainRows on are the test split; without any, a part is
// drawn. Numbers are standardised by the training rows before cap, imbalance and val_fraction.
func (f *frame) dataset(trainRows int, seed uint64) (*Dataset, error) {
	d := &Dataset{}
	t := &table{}
	d.Classes, t.labels = f.columns[f.labelAt].categories()
	t.groups = t.labels
	if f.groupAt >= 0 {
		d.Groups, t.groups = f.columns[f.groupAt].categories()
	}
	train, test := indices(0, trainRows), indices(trainRows, f.rows)
	if len(test) == 0 {
		train, test = holdOut(t, len(d.Classes), train, testShare, seed)
	}
	for _, c := range f.features() {
		t.width += c.width()
	}
	t.x = make([]float32, f.rows*t.width)
	at := 0
	for _, c := range f.features() {
		if err := c.encodeTo(t.x[at:], t.width, train); err != nil {
			return nil, err
		}
		at += c.width()
	}
	d.Train, d.Test = subsetOf(t, train), subsetOf(t, test)
	return d, nil
}

func indices(from, to int) []uint32 {
	out := make([]uint32, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, uint32(i))
	}
	return out
}

// table is a Source of rows of float32.
type table struct {
	width          int
	x              []float32 // [N][width]
	labels, groups []uint16
}

func (t *table) Len() int                  { return len(t.labels) }
func (t *table) Shape() Shape              { return Shape{t.width, 1, 1} }
func (t *table) Label(i int) int           { return int(t.labels[i]) }
func (t *table) Group(i int) int           { return int(t.groups[i]) }
func (t *table) Read(dst []float32, i int) { copy(dst, t.x[i*t.width:(i+1)*t.width]) }
