package page

import (
	"encoding/csv"
	"io"
	"iter"
	"slices"

	"drolab/dro"
)

// Table is rows under columns, for every reader: a terminal, a document, another program. Its cells
// are formatted already; those of a table for a file read back as they were (Exact).
type Table struct {
	Name    string // of a file, without folder, time and ending
	Caption string
	Columns []Column
	Rows    [][]string // a cell for each column
	// Each has the rows of a long table in place of Rows. It makes them as they are read, and a row
	// is valid until the next one.
	Each iter.Seq[[]string]
	Foot string // what the marks of its cells say, if any
	// Ranks has the ranks of rows that are for one class or group of many, by their index. For a
	// reader the highest ranks are enough; NaN is the lowest. Files have all rows.
	Ranks map[int]float64
}

// Column is what a reader is told of a column, and how it is shown.
type Column struct {
	Head  string
	Brief string // the head where there is little room; "" stands for Head
	// Measure says what the figures are: name, unit, definition, which way is better. It is nil for
	// words and counts.
	Measure *dro.Measure
	Words   bool                   // text, which stands on the left; figures stand on the right
	Faint   bool                   // figures beside the main ones
	Tone    func(cell string) Tone // nil gives no cell a tone
	// Width is the width in cells; 0 stands for that of the widest cell, which Most bounds unless
	// it is 0.
	Width, Most int
	// Spare says which columns are left out first where there is no room, the highest. A column
	// with 0 stays.
	Spare int
}

// Field is a column of a table of records, with its cell in the row of a record.
type Field[R any] struct {
	Column
	Cell func(R) string
}

// Fields are the columns of a table of records.
type Fields[R any] []Field[R]

// Add adds a column of figures.
func (f *Fields[R]) Add(head string, cell func(R) string) {
	*f = append(*f, Field[R]{Column{Head: head}, cell})
}

// Words adds a column of words.
func (f *Fields[R]) Words(head string, cell func(R) string) {
	*f = append(*f, Field[R]{Column{Head: head, Words: true}, cell})
}

// Table returns a table with a row for each record, and its rank unless rank is nil.
func (f Fields[R]) Table(records []R, rank func(R) float64) *Table {
	t := new(Table)
	for _, field := range f {
		t.Columns = append(t.Columns, field.Column)
	}
	for _, r := range records {
		if t.Add(f.row(r)...); rank != nil {
			t.RankLast(rank(r))
		}
	}
	return t
}

// Long is Table for many records: each row is made as it is read.
func (f Fields[R]) Long(records []R) *Table {
	t := f.Table(nil, nil)
	t.Each = func(yield func([]string) bool) {
		for _, r := range records {
			if !yield(f.row(r)) {
				return
			}
		}
	}
	return t
}

func (f Fields[R]) row(r R) []string {
	cells := make([]string, len(f))
	for i, field := range f {
		cells[i] = field.Cell(r)
	}
	return cells
}

// Indices returns the numbers from 0 to n−1, for a table whose records have no other name.
func Indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// New returns a table with columns of these heads: words, and then figures.
func New(heads ...string) *Table {
	t := new(Table)
	t.Head(heads...)
	t.Words(0)
	return t
}

// Head adds columns of figures.
func (t *Table) Head(heads ...string) {
	for _, h := range heads {
		t.Columns = append(t.Columns, Column{Head: h})
	}
}

// Words makes columns, by their index, columns of words, and returns the table.
func (t *Table) Words(columns ...int) *Table {
	for _, i := range columns {
		t.Columns[i].Words = true
	}
	return t
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Rank adds a row with a rank.
func (t *Table) Rank(rank float64, cells ...string) {
	t.Add(cells...)
	t.RankLast(rank)
}

// RankLast gives the last row a rank.
func (t *Table) RankLast(rank float64) {
	if t.Ranks == nil {
		t.Ranks = map[int]float64{}
	}
	t.Ranks[len(t.Rows)-1] = rank
}

// Heads returns the heads of the columns.
func (t *Table) Heads() []string {
	heads := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		heads[i] = c.Head
	}
	return heads
}

// All returns the rows, one by one.
func (t *Table) All() iter.Seq[[]string] {
	if t.Each != nil {
		return t.Each
	}
	return slices.Values(t.Rows)
}

// lines returns the heads and the rows.
func (t *Table) lines() [][]string { return append([][]string{t.Heads()}, t.Rows...) }

// Transpose returns the table with its rows as columns.
func (t *Table) Transpose() *Table {
	turn := new(Table)
	for i, head := range t.Heads() {
		row := []string{head}
		for _, r := range t.Rows {
			row = append(row, r[i])
		}
		if i == 0 {
			turn = New(row...)
			continue
		}
		turn.Add(row...)
	}
	return turn
}

// CSV writes the heads and the rows.
func (t *Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write(t.Heads()) // errors are those of out.Error
	for row := range t.All() {
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}
