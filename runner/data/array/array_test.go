package array_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"drolab/runner/data/array"
)

// Pixels whose channels are last would be taken for other pictures: they are refused.
func TestChannelsLast(t *testing.T) {
	for _, c := range []struct {
		dims []int
		want bool // refused
	}{
		{[]int{9, 32, 32, 3}, true}, {[]int{9, 28, 28, 1}, true}, {[]int{9, 218, 178, 3}, true},
		{[]int{9, 64, 48, 4}, true}, {[]int{9, 3, 32, 32}, false}, {[]int{9, 64, 128, 1}, false},
		{[]int{9, 512, 3, 3}, false}, {[]int{9, 1, 28, 28}, false},
	} {
		_, err := array.NewFeatures(array.Array{Name: "x", Kind: 'f', Size: 4, Dims: c.dims})
		if !c.want && err != nil {
			t.Errorf("%v: %v, want no error", c.dims, err)
		}
		const remedy = "numpy.moveaxis(x, -1, 1)"
		if c.want && (err == nil || !strings.Contains(err.Error(), remedy)) {
			t.Errorf("%v: error %v, want one with %q", c.dims, err, remedy)
		}
	}
}

// The texts of arrays are refused, too, if they are not UTF-8.
func TestTextsOfArraysAreUTF8(t *testing.T) {
	bytesOf := array.Array{Name: "y", Kind: 'S', Size: 2, Dims: []int{2},
		Data: []byte("a\x00\xe9b")}
	runes := array.Array{Name: "y", Kind: 'U', Size: 4, Dims: []int{2},
		Data: binary.LittleEndian.AppendUint32([]byte("a\x00\x00\x00"), 0xd800)}
	for name, c := range map[string]struct {
		array array.Array
		want  string
	}{
		"bytes": {bytesOf,
			`y: sample 1: the name "\xe9b" is not UTF-8 at byte 0: give another`},
		"characters": {runes, "y: sample 1: 0xd800 is not a Unicode character"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := c.array.Factor("y", 2); err == nil || err.Error() != c.want {
				t.Fatalf("error %v, want %s", err, c.want)
			}
		})
	}
	t.Run("names of tensors", func(t *testing.T) {
		header := "{\"l\xe9\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}"
		b := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+"x"...)
		if _, _, err := array.ReadSafetensors("f", b); err == nil ||
			!strings.Contains(err.Error(), "not UTF-8") {
			t.Fatalf("error %v, want one with %q", err, "not UTF-8")
		}
	})
}
