package record

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"drolab/dro/nn"
	"drolab/runner/internal/memory"
)

// The safetensors format (github.com/huggingface/safetensors): 8 bytes with
// the length of the header, little-endian; the header, a JSON object from
// tensor names to type, shape and place, padded with spaces; the values,
// without holes. Only type F32 is known here.

// tensorEntry describes one tensor in the header.
type tensorEntry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // bytes, counted from the end of the header
}

// maxHeader bounds the header, in bytes: some 50 000 tensors.
const maxHeader = 8 << 20

// writeTensors writes the tensors in the order of the list. Their names must differ.
func writeTensors(w io.Writer, list []nn.Tensor) error {
	header, err := encodeHeader(list)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	var buf []byte
	for _, t := range list {
		for part := range slices.Chunk(t.Data, 1<<14) {
			buf = buf[:0]
			for _, x := range part {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
	}
	return nil
}

// encodeHeader returns the bytes of the file that come before the values.
func encodeHeader(list []nn.Tensor) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 8)) // for the length
	b.WriteString(`{"__metadata__":{"format":"pt"}`)
	seen := map[string]bool{"__metadata__": true}
	end := int64(0)
	for _, t := range list {
		after := end + 4*int64(len(t.Data))
		shape := append([]int{}, t.Shape...) // [] and not null, for a scalar
		e := tensorEntry{DType: "F32", Shape: shape, Offsets: [2]int64{end, after}}
		if seen[t.Name] {
			return nil, fmt.Errorf("tensor %q: expected a name of its own", t.Name)
		}
		if n, ok := elements(e.Shape); !ok || n != int64(len(t.Data)) {
			return nil, fmt.Errorf("tensor %q: shape %v does not hold %d values",
				t.Name, t.Shape, len(t.Data))
		}
		seen[t.Name], end = true, e.Offsets[1]
		object, err := json.Marshal(map[string]tensorEntry{t.Name: e})
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(b, ",%s", object[1:len(object)-1]) // without its braces
	}
	b.WriteByte('}')
	for b.Len()%8 != 0 {
		b.WriteByte(' ')
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(b.Len()-8))
	return b.Bytes(), nil
}

// elements returns the product of the sides of a shape. ok is false where a side is negative or the
// product is too large for any file.
func elements(shape []int) (n int64, ok bool) {
	n = 1
	for _, side := range shape {
		if side < 0 || side > 0 && n > math.MaxInt64/8/int64(side) {
			return 0, false
		}
		n *= int64(side)
	}
	return n, true
}

// readTensors reads a file of the given size, in bytes. It checks the whole header before it
// allocates memory for values, so that memory stays within a small multiple of size. The tensors
// are in the order of their values.
func readTensors(r io.Reader, size int64) ([]nn.Tensor, error) {
	var length uint64
	if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
		return nil, fmt.Errorf("header's length: %w", err)
	}
	if length > uint64(max(0, size-8)) || length > maxHeader {
		return nil, fmt.Errorf("header of %d bytes in a file of %d", length, size)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	places, err := decodeHeader(header, size-8-int64(length))
	if err != nil {
		return nil, err
	}
	if err := memory.Ask(float64(size), "reading it"); err != nil {
		return nil, err
	}
	list := make([]nn.Tensor, 0, len(places))
	for _, p := range places {
		t, err := readValues(r, p)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", p.name, err)
		}
		list = append(list, t)
	}
	return list, nil
}

// tensorPlace is an entry of a header that was checked, and its name.
type tensorPlace struct {
	name string
	tensorEntry
}

// decodeHeader returns the tensors in the order of their values. It checks that the values fill
// size bytes exactly.
func decodeHeader(header []byte, size int64) ([]tensorPlace, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	delete(raw, "__metadata__")
	list := make([]tensorPlace, 0, len(raw))
	for name, text := range raw {
		p := tensorPlace{name: name}
		err := json.Unmarshal(text, &p.tensorEntry)
		if err == nil {
			err = p.check()
		}
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b tensorPlace) int {
		return cmp.Or(slices.Compare(a.Offsets[:], b.Offsets[:]), cmp.Compare(a.name, b.name))
	})
	end := int64(0)
	for _, p := range list {
		if p.Offsets[0] != end {
			return nil, fmt.Errorf("tensor %q: values start at %d, expected %d",
				p.name, p.Offsets[0], end)
		}
		end = p.Offsets[1]
	}
	if end != size {
		return nil, fmt.Errorf("values end at %d, expected %d", end, size)
	}
	return list, nil
}

// check checks one entry by itself.
func (e *tensorEntry) check() error {
	if e.DType != "F32" {
		return fmt.Errorf("type %.20q: expected F32", e.DType)
	}
	n, ok := elements(e.Shape)
	if !ok || e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1]-e.Offsets[0] != 4*n {
		return fmt.Errorf("shape %v does not fit the place %v", e.Shape, e.Offsets)
	}
	return nil
}

// readValues reads the values at p, which come next.
func readValues(r io.Reader, p tensorPlace) (nn.Tensor, error) {
	t := nn.Tensor{Name: p.name, Shape: p.Shape,
		Data: make([]float32, (p.Offsets[1]-p.Offsets[0])/4)}
	buf := make([]byte, min(4*len(t.Data), 1<<16))
	for part := range slices.Chunk(t.Data, 1<<14) {
		b := buf[:4*len(part)]
		if _, err := io.ReadFull(r, b); err != nil {
			return nn.Tensor{}, err
		}
		for i := range part {
			part[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	}
	return t, nil
}
