package table

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drolab/dro/peertest"
	"drolab/dro/testsize"
	"drolab/runner/data"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// forms returns the names of the files with the same table in every form, as testdata/make.py wrote
// them.
func forms() []string {
	return []string{"plain", "snappy", "gzip", "zstd", "zstd2", "delta", "lz4", "brotli"}
}

// rows reads a whole file, except for the columns that use leaves out.
func rows(b []byte, use func(int) bool) (head []string, list [][]string, err error) {
	f, err := openParquet(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, nil, err
	}
	err = f.Rows(use, func(cells []string) error {
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = strings.Clone(c)
		}
		list = append(list, row)
		return nil
	})
	return f.Columns(), list, err
}

func every(int) bool { return true }

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// same fails unless a file has the cells of want.csv beside it; numbers may be written in another
// way.
func same(t *testing.T, dir, name string) {
	t.Helper()
	head, got, err := rows(read(t, filepath.Join(dir, name+".parquet")), every)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want, err := csv.NewReader(bytes.NewReader(read(t, filepath.Join(dir, "want.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(head, want[0]) || len(got) != len(want)-1 {
		t.Fatalf("%s: columns %q, %d rows; want %q, %d", name, head, len(got), want[0], len(want)-1)
	}
	for i, row := range got {
		for k, cell := range row {
			if w := want[i+1][k]; cell != w && !equal(cell, w, head[k]) {
				t.Fatalf("%s: row %d, column %s is %q, want %q", name, i, head[k], cell, w)
			}
		}
	}
}

// equal reports whether two cells are the same floating-point number.
func equal(a, b, column string) bool {
	bits := 64
	if column == "single" || column == "half" {
		bits = 32
	}
	x, err := strconv.ParseFloat(a, bits)
	y, err2 := strconv.ParseFloat(b, bits)
	return err == nil && err2 == nil && x == y &&
		slices.Contains([]string{"single", "double", "half"}, column)
}

// Every form that pyarrow writes has the same cells: compressions, pages of both versions,
// dictionaries, deltas, row groups and nulls.
func TestForms(t *testing.T) {
	for _, name := range forms() {
		same(t, "testdata", name)
	}
}

// Larger tables, written by the pyarrow of this machine, have the same cells, with pages of every
// size.
func TestPeer(t *testing.T) {
	for _, n := range []string{"5", "3000"} {
		dir := t.TempDir()
		peertest.Run(t, "pyarrow", "testdata/make.py", dir, n)
		for _, name := range forms() {
			same(t, dir, name)
		}
	}
}

// A day or a time is read as the number in the file; a time of 96 bits is refused.
func TestTimes(t *testing.T) {
	_, got, err := rows(read(t, filepath.Join("testdata", "times.parquet")), every)
	want := [][]string{{"19782", "1709209815250", "1709209815250000000"}, {"", "", ""}}
	if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q: %v", got, want, err)
	}
	_, _, err = rows(read(t, filepath.Join("testdata", "old.parquet")), every)
	if err == nil || !strings.Contains(err.Error(), `column "nano": has times of 96 bits`) {
		t.Errorf("times of 96 bits give the error %v, want one that names the column", err)
	}
}

// Columns that are not used are not read, whatever they are.
func TestUsed(t *testing.T) {
	b := read(t, filepath.Join("testdata", "nested.parquet"))
	head, got, err := rows(b, func(i int) bool { return i != 1 })
	if err != nil {
		t.Fatalf("reading without the nested column: %v", err)
	}
	if len(head) != 3 {
		t.Errorf("the columns are %q, want 3", head)
	}
	if len(got) != 2 {
		t.Fatalf("the rows are %q, want 2", got)
	}
	if want := []string{"2.5", "", "b"}; !slices.Equal(got[1], want) {
		t.Errorf("row 1 is %q, want %q", got[1], want)
	}
	const want = `column "list": is nested: leave it out with drop=list`
	if _, _, err := rows(b, every); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("reading every column gives the error %v, want %q", err, want)
	}
}

// A file that is cut off anywhere is an error, and a changed byte does no worse than an error.
func TestDamage(t *testing.T) {
	b := read(t, filepath.Join("testdata", "zstd.parquet"))
	for n := 0; n < len(b); n += testsize.Pick(5, 1, 1) * 97 {
		if _, _, err := rows(b[:n], every); err == nil {
			t.Fatalf("%d of %d bytes are taken for a file", n, len(b))
		}
	}
	for _, name := range forms() {
		b := read(t, filepath.Join("testdata", name+".parquet"))
		for i := 0; i < len(b); i += testsize.Pick(5, 1, 1) * 211 {
			c := slices.Clone(b)
			c[i] ^= byte(1 + i%255) // not 0
			bounded(c)
		}
	}
}

// bounded reads a file with any content, but no more rows than the tests have.
func bounded(b []byte) error {
	f, err := openParquet(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	const most = 300
	for i := range f.groups {
		g := &f.groups[i]
		g.NumRows = min(g.NumRows, most)
	}
	return f.Rows(every, func([]string) error { return nil })
}

// chunkOf returns a file with one column of bytes in one page, whose header declares the given
// sizes.
func chunkOf(codec, size, compressed, values int, page []byte) []byte {
	b := []byte("PAR1")
	header := newStruct().number(1, int(format.DataPage)).number(2, size).number(3, compressed)
	header.nest(5, newStruct().number(1, values).number(2, int(format.Plain)).number(3,
		3).number(4, 3))
	b = append(append(b, header.end()...), page...)
	meta := newStruct().number(1, int(format.ByteArray)).list(2).list(3).number(4,
		codec).long(5, values)
	meta.long(6, size).long(7, len(b)-4).long(9, 4)
	chunk := newStruct().long(2, 4).nest(3, meta)
	root := newStruct().text(4, "root").number(5, 1)
	column := newStruct().number(1, int(format.ByteArray)).number(3, 0).text(4, "x")
	group := newStruct().list(1, chunk).long(2, size).long(3, values)
	footer := newStruct().number(1, 2).list(2, root, column).long(3, values).list(4, group).end()
	n := len(footer)
	return append(append(append(b, footer...), byte(n), byte(n>>8), 0, 0), "PAR1"...)
}

// thriftStruct is a struct of Thrift's compact protocol that is being written.
type thriftStruct struct {
	b    []byte
	last int
}

func newStruct() *thriftStruct { return &thriftStruct{} }

func (w *thriftStruct) field(id, kind int) *thriftStruct {
	w.b = append(w.b, byte((id-w.last)<<4|kind))
	w.last = id
	return w
}

func (w *thriftStruct) varint(n uint64) *thriftStruct {
	for ; n >= 0x80; n >>= 7 {
		w.b = append(w.b, byte(n)|0x80)
	}
	w.b = append(w.b, byte(n))
	return w
}

func (w *thriftStruct) number(id, v int) *thriftStruct {
	return w.field(id, 5).varint(uint64(v) << 1)
}

func (w *thriftStruct) long(id, v int) *thriftStruct {
	return w.field(id, 6).varint(uint64(v) << 1)
}

func (w *thriftStruct) text(id int, s string) *thriftStruct {
	w.field(id, int(thrift.BINARY)).varint(uint64(len(s)))
	w.b = append(w.b, s...)
	return w
}
func (w *thriftStruct) nest(id int, in *thriftStruct) *thriftStruct {
	w.field(id, int(thrift.STRUCT)).b = append(w.b, in.end()...)
	return w
}
func (w *thriftStruct) list(id int, all ...*thriftStruct) *thriftStruct {
	w.field(id, int(thrift.LIST)).b = append(w.b, byte(len(all)<<4|int(thrift.STRUCT)))
	for _, in := range all {
		w.b = append(w.b, in.end()...)
	}
	return w
}
func (w *thriftStruct) end() []byte { return append(slices.Clone(w.b), 0) }

// Numbers of 16 bits, and decimals, have the right values.
func TestCells(t *testing.T) {
	for h, want := range map[uint16]float64{0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504,
		1:      math.Ldexp(1, -24),
		0x7c00: math.Inf(1), 0xfc00: math.Inf(-1)} {
		if got := float64(data.Half(h)); got != want {
			t.Errorf("half %#x is %v, want %v", h, got, want)
		}
	}
	l := &logical{decimal: true, scale: 3}
	for want, b := range map[string]string{"0.005": "\x05", "-0.001": "\xff", "1.000": "\x03\xe8",
		"-32.768": "\x80\x00"} {
		if got := l.large([]byte(b)); got != want {
			t.Errorf("decimal %x is %s, want %s", b, got, want)
		}
	}
}
