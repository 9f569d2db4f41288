package table

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"drolab/runner/data"
	"drolab/runner/lists"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// parquetFile is an open file.
type parquetFile struct {
	drop    string // the value of the option drop= so far
	in      io.ReaderAt
	groups  []format.RowGroup
	columns []parquetColumn
}

// parquetColumn is a column of the table: a child of the schema's root.
type parquetColumn struct {
	*format.SchemaElement
	logical
	chunk  int  // the place of its leaf, the first of several, among the leaves of the schema
	nested bool // it is no leaf, or it repeats
}

// openParquet reads the description of the columns from a file of the given size. It decodes the
// footer itself: the library's File has more to it, which makes the program 4 MB larger.
func openParquet(in io.ReaderAt, size int64) (*parquetFile, error) {
	b, err := footer(in, size)
	if err != nil {
		return nil, err
	}
	var meta format.FileMetaData
	err = guarded(func() error {
		return thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(b)).Decode(&meta)
	})
	if err != nil {
		return nil, fmt.Errorf("the footer: %w", err)
	}
	columns, leaves := columnsOf(meta.Schema)
	for k, g := range meta.RowGroups {
		if len(g.Columns) != leaves {
			return nil, fmt.Errorf("row group %d has %d columns, and there are %d", k,
				len(g.Columns), leaves)
		}
	}
	return &parquetFile{in: in, groups: meta.RowGroups, columns: columns}, nil
}

// footer reads the bytes that describe the columns.
func footer(in io.ReaderAt, size int64) ([]byte, error) {
	var tail [8]byte // their number, and a word
	if _, err := in.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, fmt.Errorf("is no Parquet file: %w", err)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	end := string(tail[4:])
	switch {
	case end == "PARE":
		return nil, errors.New("is encrypted")
	case end != "PAR1" || n > size:
		return nil, errors.New("does not end as a Parquet file: it may be cut off")
	}
	b := make([]byte, n)
	_, err := in.ReadAt(b, size-int64(len(tail))-n)
	return b, err
}

// guarded calls the library. A panic there becomes an error of the file, unless it is a fault in
// mapped memory.
func guarded(call func() error) (err error) {
	defer func() {
		p := recover()
		switch {
		case data.IsFault(p):
			panic(p) // the file was cut while it was read; the caller says so
		case p != nil:
			err = fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	return call()
}

// columnsOf returns the columns of a schema, in which the root is first and children follow their
// parent, and the number of its leaves.
func columnsOf(schema []format.SchemaElement) (list []parquetColumn, leaves int) {
	var open []int32 // the number of children still to come, for each enclosing group
	for i := range schema {
		e := &schema[i]
		for len(open) > 1 && open[len(open)-1] <= 0 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		if len(open) < 2 && i > 0 {
			nested := !e.Type.Valid || e.RepetitionType.V == format.Repeated
			list = append(list, parquetColumn{e, logicalOf(e), leaves, nested})
		}
		if e.Type.Valid {
			leaves++
		} else {
			open = append(open, e.NumChildren.V)
		}
	}
	return list, leaves
}

// Columns returns the names of the columns.
func (f *parquetFile) Columns() []string {
	return lists.Map(f.columns, func(c parquetColumn) string { return c.Name })
}

// blockRows is the number of rows that are read at a time, column by column.
const blockRows = 64

// Rows calls do with the cells of every row, in the order of Columns. A missing cell is "". Columns
// that are not used have empty cells and are not read. The cells are valid until the next row.
func (f *parquetFile) Rows(use func(column int) bool, do func(cells []string) error) error {
	block := make([][]string, blockRows)
	for i := range block {
		block[i] = make([]string, len(f.columns))
	}
	for k := range f.groups {
		if err := f.rows(&f.groups[k], block, use, do); err != nil {
			return fmt.Errorf("row group %d: %w", k, err)
		}
	}
	return nil
}

func (f *parquetFile) rows(g *format.RowGroup, block [][]string, use func(int) bool,
	do func([]string) error) error {
	var used []*pages
	for i := range f.columns {
		if !use(i) {
			continue
		}
		p, err := f.open(i, g)
		if err != nil {
			return fmt.Errorf("column %q: %w", f.columns[i].Name, err)
		}
		used = append(used, p)
	}
	if len(used) == 0 {
		return errors.New("no column is used")
	}
	for left := g.NumRows; left > 0; left -= blockRows {
		rows := block[:min(left, blockRows)]
		for _, p := range used {
			if err := guarded(func() error { return p.fill(rows) }); err != nil {
				return fmt.Errorf("column %q: %w", p.column.Name, err)
			}
		}
		for _, row := range rows {
			if err := do(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// open returns the pages of column i in a row group.
func (f *parquetFile) open(i int, g *format.RowGroup) (*pages, error) {
	col := &f.columns[i]
	if col.nested {
		return nil, fmt.Errorf(
			"is nested: leave it out with %s, or save the table flat",
			data.Listed("drop", f.drop, col.Name))
	}
	c := &g.Columns[col.chunk]
	switch {
	case c.FilePath != "":
		return nil, errors.New("lies in another file")
	case col.Type.V == format.Int96:
		return nil, fmt.Errorf("has times of 96 bits: save them as strings or numbers, "+
			"or leave it out with %s", data.Listed("drop", f.drop, col.Name))
	}
	kind := col.values()
	if kind == nil || c.MetaData.Type != col.Type.V {
		return nil, fmt.Errorf(
			"is of type %v, and its values of type %v", col.Type.V, c.MetaData.Type)
	}
	from := c.MetaData.DataPageOffset
	if d := c.MetaData.DictionaryPageOffset; d > 0 {
		from = min(from, d)
	}
	chunk := io.NewSectionReader(f.in, from, c.MetaData.TotalCompressedSize)
	p := &pages{column: col, place: i, kind: kind, codec: c.MetaData.Codec,
		in: bufio.NewReader(chunk)}
	p.headers.Reset(new(thrift.CompactProtocol).NewReader(p.in))
	return p, nil
}
