package engine

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// maker writes data sets that are traps.
type maker struct {
	t      *testing.T
	dir    string
	rng    *rand.Rand
	memory int // bytes that a trap tries to exceed
}

// trap is a harmful kind of data set. Its make writes one and returns the data set's name.
type trap struct {
	name string
	make func(m *maker) string
}

func traps() []trap {
	return []trap{
		{"rows without end", (*maker).rows}, {"wide rows", (*maker).wideRows}, {"a wide header",
			(*maker).header},
		{"categories", (*maker).categories}, {"a page of Parquet", (*maker).page},
		{"Parquet, changed", (*maker).parquet}, {"a footer of Parquet", (*maker).footer},
		{"an array that inflates", (*maker).npz}, {"many arrays", (*maker).arrays}, {"long labels",
			(*maker).labels},
		{"tensors without end", (*maker).tensors}, {"an IDX file that inflates", (*maker).idx},
		{"a picture that inflates", (*maker).picture}, {"a picture's size", (*maker).pictureSize},
		{"pictures in a table", (*maker).pictureTable}, {"bytes", (*maker).bytes},
	}
}

func (m *maker) write(name string, b []byte) (path string) {
	m.t.Helper()
	path = filepath.Join(m.dir, name)
	must(m.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(m.t, os.WriteFile(path, b, 0o600))
	return path
}

// packed returns the parts, compressed by the writer that to makes.
func packed(to func(io.Writer) io.WriteCloser, parts ...[]byte) []byte {
	var b bytes.Buffer
	z := to(&b)
	for _, p := range parts {
		z.Write(p)
	}
	z.Close()
	return b.Bytes()
}

func gzipTo(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
func zlibTo(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
func flateTo(w io.Writer) io.WriteCloser {
	z, _ := flate.NewWriter(w, flate.BestSpeed)
	return z
}

// repeated writes a table that repeats its lines until they fill the given number of bytes.
func (m *maker) repeated(header, lines string, bytesOf int) string {
	block := strings.Repeat(lines, 1+(1<<20)/len(lines))
	member := packed(gzipTo, []byte(block))
	return m.write("a.csv.gz", append(packed(gzipTo, []byte(header)), bytes.Repeat(member,
		1+bytesOf/len(block))...))
}

// rows writes rows of two words each, where eight bytes of text take sixteen of memory.
func (m *maker) rows() string { return m.repeated("a,label\n", "1,0\n2,1\n", m.memory) }

func (m *maker) wideRows() string {
	n := 100 + m.rng.IntN(1000)
	header := ""
	for i := range n {
		header += fmt.Sprintf("c%d,", i)
	}
	cells := strings.Repeat(strconv.Itoa(m.rng.IntN(10))+",", n)
	return m.repeated(header+"label\n", cells+"0\n"+cells+"1\n", m.memory)
}

// header writes a line of many names, to which the next line has no cells.
func (m *maker) header() string {
	names := strings.Repeat("a,", 1<<18+m.rng.IntN(m.memory>>9))
	return m.write("a.csv", []byte(names+"label\n1,0\n"))
}

// categories writes so many categories that one-hot coding turns few bytes into a large table.
func (m *maker) categories() string {
	const columns, kinds = 2000, 120
	var b strings.Builder
	for i := range columns {
		fmt.Fprintf(&b, "c%d,", i)
	}
	header := b.String() + "label\n"
	b.Reset()
	for k := range kinds {
		b.WriteString(strings.Repeat(fmt.Sprintf("v%d,", k), columns) + strconv.Itoa(k%2) + "\n")
	}
	return m.repeated(header, b.String(), m.memory/columns/kinds*8*columns)
}

// thrift encodes the fields of a struct in Thrift's compact protocol: numbers of 32 and 64 bits,
// texts, lists of structs, and structs.
func thrift(fields ...any) (b []byte) {
	last := 0
	for i := 0; i < len(fields); i += 2 {
		id, kind, value := fields[i].(int), byte(5), []byte(nil)
		switch v := fields[i+1].(type) {
		case int32:
			value = binary.AppendVarint(nil, int64(v))
		case int:
			kind, value = 6, binary.AppendVarint(nil, int64(v))
		case string:
			kind, value = 8, append(binary.AppendUvarint(nil, uint64(len(v))), v...)
		case [][]byte:
			kind, value = 9, append([]byte{byte(len(v)<<4 | 12)}, bytes.Join(v, nil)...)
		case []byte:
			kind, value = 12, v
		}
		b = append(append(b, byte((id-last)<<4)|kind), value...)
		last = id
	}
	return append(b, 0)
}

// page writes a Parquet file of one page that declares far more data than it holds.
func (m *maker) page() string {
	codec, size := pick(&storm{rng: m.rng}, int32(1), 2, 4, 6, 7), int32(math.MaxInt32)
	body := make([]byte, 3<<20)
	for i := range body {
		body[i] = byte(m.rng.Uint32())
	}
	values, none := 1<<m.rng.IntN(31), [][]byte{}
	header := thrift(1, int32(0), 2, size, 3, int32(len(body)),
		5, thrift(1, int32(values), 2, int32(0), 3, int32(3), 4, int32(3)))
	chunk := append(append([]byte("PAR1"), header...), body...)
	meta := thrift(1, int32(6), 2, none, 3, none, 4, codec, 5, values, 6, int(size),
		7, len(chunk)-4, 9, 4)
	column := func(name string) []byte { return thrift(1, int32(6), 3, int32(0), 4, name) }
	part := thrift(2, 4, 3, meta)
	footer := thrift(1, int32(2), 2, [][]byte{thrift(4, "root", 5, int32(2)), column("a"),
		column("label")}, 3, values,
		4, [][]byte{thrift(1, [][]byte{part, part}, 2, int(size), 3, values)})
	chunk = binary.LittleEndian.AppendUint32(append(chunk, footer...), uint32(len(footer)))
	return m.write("a.parquet", append(chunk, "PAR1"...))
}

// parquet writes a valid file with some bytes changed.
func (m *maker) parquet() string {
	name := pick(&storm{rng: m.rng}, "plain", "snappy", "gzip", "zstd", "zstd2", "delta", "nested")
	folder := filepath.Join("..", "data", "table", "testdata")
	b, err := os.ReadFile(filepath.Join(folder, name+".parquet"))
	must(m.t, err)
	return m.write("a.parquet", m.changed(b)) + "?label=kind&missing=drop&drop=nothing"
}

// footer writes a Parquet file whose footer declares a list of very many columns.
func (m *maker) footer() string {
	list := binary.AppendUvarint([]byte{2<<4 | 9, 15<<4 | 12}, 1<<31-1-uint64(m.rng.IntN(1<<20)))
	file := binary.LittleEndian.AppendUint32(append([]byte("PAR1"), list...), uint32(len(list)))
	return m.write("a.parquet", append(file, "PAR1"...))
}

func (m *maker) changed(b []byte) []byte {
	for range 1 + m.rng.IntN(4) {
		b[m.rng.IntN(len(b))] = byte(m.rng.Uint32())
	}
	return b
}

// npy returns the header of an array.
func npy(descr, shape string) []byte {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	return append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head))),
		head...)
}

// zipped returns an archive of arrays. An array is the given head and the given number of zeros;
// its declared size is declared bytes beyond the head.
func (m *maker) zipped(arrays map[string][]byte, zeros, declared int) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	bodies := map[string][]byte{} // by head: ten thousand names may share one
	for name, head := range arrays {
		body, known := bodies[string(head)]
		if !known {
			body = packed(flateTo, head, make([]byte, zeros))
			bodies[string(head)] = body
		}
		w, err := z.CreateRaw(&zip.FileHeader{Name: name + ".npy", Method: zip.Deflate,
			CompressedSize64: uint64(len(body)), UncompressedSize64: uint64(declared + len(head))})
		must(m.t, err)
		w.Write(body)
	}
	must(m.t, z.Close())
	return b.Bytes()
}

func (m *maker) npz() string {
	zeros := 4 << 20
	declared := pick(&storm{rng: m.rng}, zeros, zeros*200, 1, 0)
	shape := fmt.Sprintf("(%d, 4)", max(1, declared/16))
	return m.write("a.npz", m.zipped(map[string][]byte{"x": npy("<f4", shape), "y": npy("|u1",
		shape)}, zeros, declared))
}

// arrays writes an archive whose directory lists one compressed array under many names.
func (m *maker) arrays() string {
	n := 1 << (10 + m.rng.IntN(6))
	list := map[string][]byte{}
	for i := range n {
		list[fmt.Sprintf("%d%s", i, strings.Repeat("n", m.rng.IntN(100)))] = nil
	}
	return m.write("a.npz", m.zipped(list, 0, 0))
}

// labels writes texts of megabytes each, mostly zeros in a hole of the file.
func (m *maker) labels() string {
	const rows = 512
	size := m.memory / rows / 4 * (1 + m.rng.IntN(3))
	y := m.write("y.npy", npy(fmt.Sprintf("<U%d", size), fmt.Sprintf("(%d,)", rows)))
	info, err := os.Stat(y)
	must(m.t, err)
	must(m.t, os.Truncate(y, info.Size()+int64(rows*size*4)))
	x := npy("<f4", fmt.Sprintf("(%d, 1)", rows))
	return "npy:" + m.write("x.npy", append(x, make([]byte, 4*rows)...)) + "?y=y.npy"
}

// tensors writes a header that is as long as the file and full of names.
func (m *maker) tensors() string {
	var b strings.Builder
	b.WriteString("{")
	for i := range 200_000 + m.rng.IntN(200_000) {
		fmt.Fprintf(&b, `"%x":{"a":[[[[]]]]},`, i)
	}
	header := b.String() + `"x":{"dtype":"F32",` +
		`"shape":[9223372036854775807,9223372036854775807],"data_offsets":[0,8]}}`
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	file = append(append(file, header...), make([]byte, 8)...)
	return m.write("a.safetensors", file)
}

// idx writes files of more gzip members than drolab accepts.
func (m *maker) idx() string {
	member := packed(gzipTo, make([]byte, 1<<20))
	head := packed(gzipTo, []byte{0, 0, 8, 3}, binary.BigEndian.AppendUint32(nil, m.rng.Uint32()),
		make([]byte, 8))
	for _, name := range []string{"train-images-idx3-ubyte", "t10k-images-idx3-ubyte",
		"train-labels-idx1-ubyte",
		"t10k-labels-idx1-ubyte"} {
		m.write(name+".gz", append(bytes.Clone(head), bytes.Repeat(member,
			100+m.rng.IntN(4)*m.memory>>20)...))
	}
	return "idx:" + m.dir
}

// pngHead returns the head of a picture: its size, and 16 bits each of red, green, blue and
// opacity.
func pngHead(w, h uint32) []byte {
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return pngChunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", append(size, 16, 6, 0, 0, 0))
}

func pngChunk(b []byte, kind string, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	from := len(b)
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[from:]))
}

// png returns a picture of zeros that holds the given number of rows.
func png(w, h uint32, rows int) []byte {
	lines, row := make([][]byte, rows), make([]byte, 1+8*int(w))
	for i := range lines {
		lines[i] = row
	}
	return pngChunk(pngChunk(pngHead(w, h), "IDAT", packed(zlibTo, lines...)), "IEND", nil)
}

// picture writes pictures of the largest allowed size, which are as large once decoded.
func (m *maker) picture() string {
	side := min(8000, int(math.Sqrt(float64(m.memory)/8)))
	b := png(uint32(side), uint32(side), pick(&storm{rng: m.rng}, side, 0))
	for _, class := range []string{"a", "b"} {
		for k := range 1 + m.rng.IntN(4) {
			m.write(filepath.Join(class, fmt.Sprintf("%d.png", k)), b)
		}
	}
	return "images:" + m.dir
}

func (m *maker) pictureSize() string {
	side := pick(&storm{rng: m.rng}, uint32(0), 1<<31-1, 1<<32-1, 65_536, 1<<20)
	m.write("a/a.png", pngHead(side, pick(&storm{rng: m.rng}, side, 1, 64)))
	m.write("b/b.jpg", []byte("\xff\xd8\xff\xc0\x00\x11\x08\xff\xdc\xff\xdc"+
		"\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"))
	m.write("b/b.webp", []byte("RIFF\xff\xff\xff\x7fWEBPVP8L\xff\xff\xff\x7f\x2f\xff\xff\xff\x0f"))
	return "images:" + m.dir
}

// pictureTable writes a table that names one small picture again and again.
func (m *maker) pictureTable() string {
	m.write("a.png", png(4, 4, 4))
	lines := strings.Repeat("a.png,0\na.png,1\n", 40_000)
	m.write("metadata.csv", []byte("file,label\n"+lines))
	return "images:" + m.dir + "?size=" + pick(&storm{rng: m.rng}, "1024", "512")
}

// bytes writes random bytes under the file name of each format.
func (m *maker) bytes() string {
	b := make([]byte, m.rng.IntN(1<<16))
	for i := range b {
		b[i] = byte(m.rng.Uint32())
	}
	start := pick(&storm{rng: m.rng}, "", "\x93NUMPY\x01\x00", "PK\x03\x04", "PAR1",
		"\x1f\x8b\x08\x00", "a,label\n")
	return m.write("a"+pick(&storm{rng: m.rng}, ".csv", ".csv.gz", ".tsv", ".npz", ".npy",
		".safetensors", ".parquet"),
		append([]byte(start), b...))
}
