package array

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"drolab/runner/data"
)

func Safetensors() *data.Provider {
	const scheme = "safetensors:"
	return &data.Provider{
		Name: scheme, Argument: "FILE", Endings: []string{".safetensors"}, Table: true, Apart: true,
		Unscaled: true,
		Purpose: "the same as npz:, tensors of one file: " +
			"safetensors:FILE?x=NAME&y=NAME&g=NAME&split=NAME",
		Open: func(name string, o data.Options) (*data.Dataset, error) {
			return openBundle(name, scheme, o, ReadSafetensors)
		},
	}
}

// tensorPlace is an entry of the header of a safetensors file.
type tensorPlace struct {
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// ReadSafetensors reads the format of github.com/huggingface/safetensors: the length of the header
// as a little-endian uint64, the header (a JSON object from names to types, shapes and places) and
// the values.
func ReadSafetensors(path string, b []byte) ([]string, func(int) (Array, error), error) {
	if len(b) < 8 || binary.LittleEndian.Uint64(b) > uint64(len(b)-8) {
		return nil, nil, errors.New(
			"byte 0: not a safetensors file: its header ends after the file")
	}
	length := binary.LittleEndian.Uint64(b)
	if !utf8.Valid(b[8 : 8+length]) {
		return nil, nil, errors.New("header: is not UTF-8, which names must be")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+length], &raw); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	delete(raw, "__metadata__")
	names := slices.Sorted(maps.Keys(raw))
	values := b[8+length:]
	return names, func(i int) (Array, error) {
		full := path + ": " + names[i]
		var p tensorPlace
		err := json.Unmarshal(raw[names[i]], &p)
		if err == nil && (p.Offsets[0] > p.Offsets[1] || p.Offsets[1] > uint64(len(values))) {
			err = fmt.Errorf(
				"its place %v is not in the %d bytes of values", p.Offsets, len(values))
		}
		var a Array
		if err == nil && (p.DType == "BF16" || strings.HasPrefix(p.DType, "F8")) {
			err = fmt.Errorf("values of type %.20q: make float32 of them with safetensors.torch."+
				"save_file({k: t.float() if t.is_floating_point() else t for k, t in "+
				"safetensors.torch.load_file(%q).items()}, %q)", p.DType, path,
				strings.TrimSuffix(path, ".safetensors")+"32.safetensors")
		}
		if err == nil {
			a, err = p.array(full, values[p.Offsets[0]:p.Offsets[1]])
		}
		if err != nil {
			return Array{}, fmt.Errorf("%s: %w", full, err)
		}
		return a, nil
	}, nil
}

// array returns a tensor as the NumPy array with the same values.
func (p *tensorPlace) array(name string, b []byte) (Array, error) {
	known := map[string]struct {
		kind byte
		size int
	}{
		"F16": {'f', 2}, "F32": {'f', 4}, "F64": {'f', 8}, "BOOL": {'b', 1},
		"I8": {'i', 1}, "I16": {'i', 2}, "I32": {'i', 4}, "I64": {'i', 8},
		"U8": {'u', 1}, "U16": {'u', 2}, "U32": {'u', 4}, "U64": {'u', 8},
	}
	t, ok := known[p.DType]
	if !ok {
		return Array{}, fmt.Errorf("values of type %.20q: save them as one of %s", p.DType,
			strings.Join(slices.Sorted(maps.Keys(known)), ", "))
	}
	a := Array{Name: name, Kind: t.kind, Size: t.size, Dims: p.Shape, Data: b}
	for _, d := range p.Shape {
		if d < 1 {
			return a, fmt.Errorf("shape %v: expected sizes of at least 1", p.Shape)
		}
	}
	return a, a.fits(len(b))
}
