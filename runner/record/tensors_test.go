package record

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"drolab/dro/nn"
	"drolab/runner/eventlog"
)

// TestTensorsFormat compares a file with its bytes, written out, because other programs read the
// format.
func TestTensorsFormat(t *testing.T) {
	var b bytes.Buffer
	must(t, writeTensors(&b, []nn.Tensor{{Name: "w", Shape: []int{1, 2}, Data: []float32{1, -2}},
		{Name: `"b`, Shape: []int{}, Data: []float32{0.5}}}))
	want := "\x90\x00\x00\x00\x00\x00\x00\x00" +
		`{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},` +
		`"\"b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}}`
	want += strings.Repeat(" ", 8+0x90-len(want)) + "\x00\x00\x80\x3f" + "\x00\x00\x00\xc0" +
		"\x00\x00\x00\x3f"
	if b.String() != want {
		t.Errorf("file\n%q\nwant\n%q", b.String(), want)
	}
}

func TestTensorsRefused(t *testing.T) {
	one := []float32{1}
	for _, list := range [][]nn.Tensor{
		{{Name: "a", Shape: []int{2}, Data: one}},
		{{Name: "a", Shape: []int{-1, -1}, Data: one}},
		{{Name: "a", Shape: []int{1}, Data: one}, {Name: "a", Shape: []int{1}, Data: one}},
		{{Name: "__metadata__", Shape: []int{1}, Data: one}},
	} {
		if err := writeTensors(&bytes.Buffer{}, list); err == nil {
			t.Errorf("%v was written", list)
		}
	}
	s := newState(1)
	s.Parameters[0].Name = "velocity.w"
	if err := writeCheckpoint(in(t, t.TempDir()), s, eventlog.Position{}); err == nil {
		t.Error("a parameter with a velocity's name was written")
	}
}

// tensorsIn returns a safetensors file with the given header and n bytes of values.
func tensorsIn(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

func TestHostileTensors(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty":          nil,
		"short length":   {1, 2, 3},
		"endless header": append(bytes.Repeat([]byte{255}, 8), "{}"...),
		"no JSON":        tensorsIn("{", 0),
		"hole":           tensorsIn(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8),
		"overlap": tensorsIn(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},`+
			`"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, 8),
		"rest":           tensorsIn(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 8),
		"beyond":         tensorsIn(`{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}`, 8),
		"negative place": tensorsIn(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`, 0),
		"backward":       tensorsIn(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, 4),
		"negative shape": tensorsIn(
			`{"a":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}`, 4),
		"overflow": tensorsIn(
			`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0),
		"overflow by 4": tensorsIn(
			`{"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}}`, 0),
		"other type":      tensorsIn(`{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`, 8),
		"wrong shape":     tensorsIn(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8),
		"fractional side": tensorsIn(`{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}`, 4),
		"huge": tensorsIn(`{"a":{"dtype":"F32","shape":[1000000000000],`+
			`"data_offsets":[0,4000000000000]}}`, 8),
	} {
		if list, err := readTensors(bytes.NewReader(b), int64(len(b))); err == nil {
			t.Errorf("%s: read as %v", name, list)
		}
	}
}

// FuzzTensors checks that the values read lie within the file, and that they are written back to a
// file that reads the same.
func FuzzTensors(f *testing.F) {
	var good bytes.Buffer
	writeTensors(&good, newState(1).Parameters)
	f.Add(good.Bytes())
	f.Add(tensorsIn(`{"a":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]},`+
		`"b":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}`, 4))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := readTensors(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		values := 0
		for _, tensor := range list {
			values += 4 * len(tensor.Data)
		}
		if values > len(b) {
			t.Fatalf("%d bytes of values from a file of %d, want no more", values, len(b))
		}
		var again, third bytes.Buffer
		must(t, writeTensors(&again, list))
		list, err = readTensors(bytes.NewReader(again.Bytes()), int64(again.Len()))
		must(t, err)
		must(t, writeTensors(&third, list))
		if !bytes.Equal(again.Bytes(), third.Bytes()) {
			t.Error("written twice, it differs")
		}
	})
}
