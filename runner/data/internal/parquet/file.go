package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// mostFooter is the maximum length, in bytes, of a file's description of its columns.
const mostFooter = 64 << 20

// File is an open file.
type File struct {
	in      io.ReaderAt
	size    int64
	meta    format.FileMetaData
	columns []column
}

// column is a leaf of the schema.
type column struct {
	*format.SchemaElement
	logical
	nested bool // it is not right below the root, or it repeats
}

// Open reads the description of the columns from a file of the given size.
func Open(in io.ReaderAt, size int64) (*File, error) {
	f := &File{in: in, size: size}
	footer, err := f.footer()
	if err != nil {
		return nil, err
	}
	if _, err := decode(footer, &f.meta); err != nil {
		return nil, fmt.Errorf("the footer: %w", err)
	}
	f.columns = leaves(f.meta.Schema)
	return f, f.check()
}

// footer reads the bytes that describe the columns.
func (f *File) footer() ([]byte, error) {
	const magic, ends = "PAR1", 12 // bytes of both magic words and of the length
	var tail [8]byte
	if f.size < ends {
		return nil, errors.New("is too short for a Parquet file")
	}
	if _, err := f.in.ReadAt(tail[:], f.size-8); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch end := string(tail[4:]); {
	case end == "PARE":
		return nil, errors.New("is encrypted")
	case end != magic:
		return nil, errors.New("does not end as a Parquet file: it may be cut off")
	case n > f.size-ends || n > mostFooter:
		return nil, fmt.Errorf("its footer has %d bytes, and the file %d", n, f.size)
	}
	footer := make([]byte, n)
	_, err := f.in.ReadAt(footer, f.size-8-n)
	return footer, err
}

// decode reads the struct at the beginning of b, and returns its length.
func decode(b []byte, to any) (n int, err error) {
	if n, err = structLength(b); err != nil {
		return 0, err
	}
	protocol := thrift.CompactProtocol{}
	return n, guarded(func() error {
		return thrift.NewDecoder(protocol.NewReaderFromBytes(b[:n])).Decode(to)
	})
}

// guarded calls the library. A panic there becomes an error of the file, unless it is a fault in
// mapped memory.
func guarded(call func() error) (err error) {
	defer func() {
		p := recover()
		if f, ok := p.(interface{ Addr() uintptr }); ok && f.Addr() > 1<<16 {
			panic(p) // the file was cut while it was read; the caller says so
		}
		if p != nil {
			err = fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	return call()
}

// leaves returns the columns of a schema, in which the root is first and children follow their
// parent.
func leaves(schema []format.SchemaElement) (list []column) {
	var open []int32 // the number of children still to come, for each enclosing group
	for i := range schema {
		e := &schema[i]
		for len(open) > 1 && open[len(open)-1] <= 0 {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		if i == 0 || e.NumChildren.V > 0 {
			open = append(open, e.NumChildren.V)
			continue
		}
		repeats := e.RepetitionType.V == format.Repeated
		list = append(list, column{e, logicalOf(e), len(open) > 1 || repeats})
	}
	return list
}

// check refuses column chunks that do not lie in the file.
func (f *File) check() error {
	if len(f.columns) == 0 {
		return errors.New("has no columns")
	}
	for k, g := range f.meta.RowGroups {
		if len(g.Columns) != len(f.columns) || g.NumRows < 0 {
			return fmt.Errorf(
				"row group %d has %d columns and %d rows, and there are %d columns",
				k, len(g.Columns), g.NumRows, len(f.columns))
		}
		for i := range g.Columns {
			from, size := chunkBytes(&g.Columns[i].MetaData)
			if from < 0 || size < 0 || from > f.size || size > f.size-from {
				return fmt.Errorf("row group %d, column %q: bytes %d to %d of %d",
					k, f.columns[i].Name, from, from+size, f.size)
			}
		}
	}
	return nil
}

// chunkBytes returns where the pages of a chunk begin, and how many bytes they have.
func chunkBytes(m *format.ColumnMetaData) (from, size int64) {
	from = m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 && d < from {
		from = d
	}
	return from, m.TotalCompressedSize
}

// Columns returns the names of the columns.
func (f *File) Columns() (names []string) {
	for _, c := range f.columns {
		names = append(names, c.Name)
	}
	return names
}

// blockRows is the number of rows that are read at a time, column by column.
const blockRows = 64

// Rows calls do with the cells of every row, in the order of Columns. A missing cell is "". Columns
// that are not used have empty cells and are not read. The cells are valid until the next row.
func (f *File) Rows(use func(column int) bool, do func(cells []string) error) error {
	block := make([][]string, blockRows)
	for i := range block {
		block[i] = make([]string, len(f.columns))
	}
	for k := range f.meta.RowGroups {
		if err := f.rows(&f.meta.RowGroups[k], block, use, do); err != nil {
			return fmt.Errorf("row group %d: %w", k, err)
		}
	}
	return nil
}

func (f *File) rows(g *format.RowGroup, block [][]string, use func(int) bool,
	do func([]string) error) error {
	var used []*pages
	for i := range f.columns {
		if !use(i) {
			continue
		}
		p, err := f.open(i, g)
		if err != nil {
			path := strings.Join(g.Columns[i].MetaData.PathInSchema, ".")
			return fmt.Errorf("column %q: %w", path, err)
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
func (f *File) open(i int, g *format.RowGroup) (*pages, error) {
	col, c := &f.columns[i], &g.Columns[i]
	switch {
	case col.nested:
		return nil, fmt.Errorf(
			"is nested: leave it out with drop=%s, or save the table flat", col.Name)
	case c.FilePath != "":
		return nil, errors.New("lies in another file")
	case col.Type.V == format.Int96:
		return nil, fmt.Errorf("has times of 96 bits: save them as strings or numbers, "+
			"or leave it out with drop=%s", col.Name)
	}
	kind := col.values()
	if kind == nil || c.MetaData.Type != col.Type.V {
		return nil, fmt.Errorf(
			"is of type %v, and its values of type %v", col.Type.V, c.MetaData.Type)
	}
	from, size := chunkBytes(&c.MetaData)
	return &pages{column: col, at: i, kind: kind, codec: c.MetaData.Codec, rows: g.NumRows,
		in: io.NewSectionReader(f.in, from, size)}, nil
}
