package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const magic = "PAR1"

// mostFooter is the most bytes of what a file says of its columns.
const mostFooter = 64 << 20

// File is an open file.
type File struct {
	in      io.ReaderAt
	size    int64
	columns []column
	groups  []rowGroup
	zstd    *zstd.Decoder // made when it is needed
}

// column is a leaf of the schema, right below its root.
type column struct {
	name     string
	physical int
	length   int // of a value of fixed length, in bytes
	optional bool
	logical
	nested bool
}

// logical is what a value means, beyond its bits.
type logical struct {
	decimal, unsigned, half bool
	scale                   int // of a decimal
}

// Physical types.
const (
	boolean = iota
	int32s
	int64s
	int96s
	floats
	doubles
	byteArrays
	fixedArrays
)

// rowGroup is a part of the rows, a chunk of each column.
type rowGroup struct {
	rows   int64
	chunks []chunk
}

// chunk is where a column's pages lie.
type chunk struct {
	codec         int
	values        int64
	from, size    int64
	dictionary    int64 // 0: none, or not told
	elsewhere     bool  // in another file
	physical, set int
}

// Open reads what a file of a size says of its columns.
func Open(in io.ReaderAt, size int64) (*File, error) {
	f := &File{in: in, size: size}
	var tail [8]byte
	if size < int64(len(tail)+len(magic)) {
		return nil, errors.New("is too short for a Parquet file")
	}
	if _, err := in.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch end := string(tail[4:]); {
	case end == "PARE":
		return nil, errors.New("is encrypted")
	case end != magic:
		return nil, errors.New("does not end as a Parquet file: it may be cut off")
	case n > size-12 || n > mostFooter:
		return nil, fmt.Errorf("its footer has %d bytes, and the file %d", n, size)
	}
	footer := make([]byte, n)
	if _, err := in.ReadAt(footer, size-8-n); err != nil {
		return nil, err
	}
	t := &thrift{in: bytes.NewReader(footer), left: len(footer)}
	f.footer(t)
	if t.err != nil {
		return nil, fmt.Errorf("the footer: %w", t.err)
	}
	return f, f.check()
}

// Columns are the names of the columns.
func (f *File) Columns() (names []string) {
	for i := range f.columns {
		names = append(names, f.columns[i].name)
	}
	return names
}

// footer reads a FileMetaData.
func (f *File) footer(t *thrift) {
	var schema []element
	t.fields(func(id int, kind byte) {
		switch {
		case id == 2 && kind == isList:
			t.list(func(kind byte) { schema = append(schema, t.element()) })
		case id == 4 && kind == isList:
			t.list(func(kind byte) { f.groups = append(f.groups, t.rowGroup()) })
		default:
			t.skip(kind)
		}
	})
	f.columns = leaves(schema)
}

// element is a SchemaElement: a column, or a group of them.
type element struct {
	column
	children, repetition int64
}

func (t *thrift) element() (e element) {
	t.make()
	e.physical = -1
	converted := int64(-1)
	t.fields(func(id int, kind byte) {
		switch id {
		case 1:
			e.physical = int(t.int())
		case 2:
			e.length = int(t.int())
		case 3:
			e.repetition = t.int()
		case 4:
			e.name = t.text()
		case 5:
			e.children = t.int()
		case 6:
			converted = t.int()
		case 7:
			e.scale = int(t.int())
		case 10:
			t.logical(&e.logical, kind)
		default:
			t.skip(kind)
		}
	})
	const decimal, firstUnsigned, lastUnsigned = 5, 11, 14
	e.decimal = e.decimal || converted == decimal
	e.unsigned = e.unsigned || converted >= firstUnsigned && converted <= lastUnsigned
	e.optional = e.repetition == 1
	return e
}

// logical reads a LogicalType, a union.
func (t *thrift) logical(l *logical, kind byte) {
	const decimal, integer, float16 = 5, 10, 15
	if kind != isStruct {
		t.skip(kind)
		return
	}
	t.fields(func(which int, kind byte) {
		l.decimal, l.half = l.decimal || which == decimal, l.half || which == float16
		if kind != isStruct {
			t.skip(kind)
			return
		}
		t.fields(func(id int, kind byte) {
			switch {
			case which == decimal && id == 1:
				l.scale = int(t.int())
			case which == integer && id == 2:
				l.unsigned = kind == isFalse
			default:
				t.skip(kind)
			}
		})
	})
}

// leaves are the columns of a schema, which has the root first and children behind their
// parent. Those that are nested are marked.
func leaves(schema []element) (list []column) {
	var open []int64 // children that are to come, of each group around
	for i, e := range schema {
		if i == 0 {
			open = append(open, e.children)
			continue
		}
		for len(open) > 1 && open[len(open)-1] <= 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return nil
		}
		open[len(open)-1]--
		const repeated = 2
		if e.children > 0 {
			open = append(open, e.children)
			continue
		}
		e.nested = len(open) > 1 || e.repetition == repeated
		list = append(list, e.column)
	}
	return list
}

func (t *thrift) rowGroup() (g rowGroup) {
	t.make()
	t.fields(func(id int, kind byte) {
		switch {
		case id == 1 && kind == isList:
			t.list(func(kind byte) { g.chunks = append(g.chunks, t.chunk()) })
		case id == 3:
			g.rows = t.int()
		default:
			t.skip(kind)
		}
	})
	return g
}

func (t *thrift) chunk() (c chunk) {
	t.make()
	t.fields(func(id int, kind byte) {
		switch {
		case id == 1:
			c.elsewhere = t.text() != ""
		case id == 3 && kind == isStruct:
			t.chunkMeta(&c)
		default:
			t.skip(kind)
		}
	})
	if c.dictionary > 0 && c.dictionary < c.from {
		c.from = c.dictionary
	}
	return c
}

func (t *thrift) chunkMeta(c *chunk) {
	t.fields(func(id int, kind byte) {
		switch id {
		case 1:
			c.physical, c.set = int(t.int()), 1
		case 4:
			c.codec = int(t.int())
		case 5:
			c.values = t.int()
		case 7:
			c.size = t.int()
		case 9:
			c.from = t.int()
		case 11:
			c.dictionary = t.int()
		default:
			t.skip(kind)
		}
	})
}

// check refuses what cannot be so.
func (f *File) check() error {
	if len(f.columns) == 0 {
		return errors.New("has no columns")
	}
	for k, g := range f.groups {
		if len(g.chunks) != len(f.columns) || g.rows < 0 {
			return fmt.Errorf("row group %d has %d columns and %d rows, and there are %d columns", k, len(g.chunks),
				g.rows, len(f.columns))
		}
		for i, c := range g.chunks {
			if c.from < 0 || c.size < 0 || c.from > f.size || c.size > f.size-c.from {
				return fmt.Errorf("row group %d, column %q: bytes %d to %d of %d", k, f.columns[i].name, c.from,
					c.from+c.size, f.size)
			}
		}
	}
	return nil
}

// Rows calls do with the cells of every row, "" for one that is missing, in the order of
// Columns; those of columns that are not used are empty and not read. The cells count
// until the next row.
func (f *File) Rows(use func(column int) bool, do func(cells []string) error) error {
	var block [blockRows][]string
	for i := range block {
		block[i] = make([]string, len(f.columns))
	}
	for k := range f.groups {
		if err := f.rows(&f.groups[k], block[:], use, do); err != nil {
			return fmt.Errorf("row group %d: %w", k, err)
		}
	}
	return nil
}

// blockRows is how many rows are read at a time, column by column: the memory is asked
// for many cells of a dictionary together, since it is slow to answer.
const blockRows = 64

func (f *File) rows(g *rowGroup, block [][]string, use func(int) bool, do func([]string) error) error {
	var pages []*pages
	var at []int
	var scratch buffer // what is compressed is needed no longer than until it is not
	for i := range f.columns {
		if use(i) {
			p, err := f.open(i, &g.chunks[i], &scratch)
			if err != nil {
				return fmt.Errorf("column %q: %w", f.columns[i].name, err)
			}
			pages, at = append(pages, p), append(at, i)
		}
	}
	if len(pages) == 0 {
		return errors.New("no column is used")
	}
	for left := g.rows; left > 0; {
		n := int(min(left, int64(len(block))))
		left -= int64(n)
		for k, p := range pages {
			if err := p.fill(block[:n], at[k]); err != nil {
				return fmt.Errorf("column %q: %w", p.column.name, err)
			}
		}
		for _, cells := range block[:n] {
			if err := do(cells); err != nil {
				return err
			}
		}
	}
	return nil
}

// open begins with a column's chunk.
func (f *File) open(i int, c *chunk, scratch *buffer) (*pages, error) {
	col := &f.columns[i]
	switch {
	case col.nested:
		return nil, errors.New("is nested: leave it out with drop=, or save the table flat")
	case c.elsewhere:
		return nil, errors.New("lies in another file")
	case col.physical == int96s:
		return nil, errors.New("has times of 96 bits: save them as strings or numbers, or leave it out with drop=")
	case c.set == 0 || c.physical != col.physical || c.physical < boolean || c.physical > fixedArrays:
		return nil, fmt.Errorf("is of type %d, and its values of type %d", col.physical, c.physical)
	case col.physical == fixedArrays && (col.length < 1 || col.length > 1<<20):
		return nil, fmt.Errorf("has values of %d bytes", col.length)
	}
	unpack, err := f.unpacker(c.codec)
	return newPages(col, unpack, io.NewSectionReader(f.in, c.from, c.size), scratch), err
}

// buffer is memory that is used again.
type buffer []byte

// sized is n bytes of it.
func (b *buffer) sized(n int) []byte {
	if n > cap(*b) {
		*b = make([]byte, n)
	}
	return (*b)[:n]
}
