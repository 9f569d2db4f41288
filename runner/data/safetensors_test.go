package data

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// safetensorsFile returns a file as the page of the format describes it.
func safetensorsFile(header string, values []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), values...)
}

// Tensors give the samples; other tensors give their labels, groups and splits.
func TestSafetensors(t *testing.T) {
	var values []byte
	for i := range 12 {
		values = binary.LittleEndian.AppendUint32(values, math.Float32bits(float32(i)))
	}
	for _, list := range [][]byte{{0, 1, 0, 1, 1, 0}, {0, 0, 1, 1, 0, 1}, {0, 0, 0, 2, 2, 1}} {
		values = append(values, list...)
	}
	header, err := json.Marshal(map[string]any{
		"__metadata__": map[string]string{"format": "pt"},
		"x": map[string]any{"dtype": "F32", "shape": []int{6, 2},
			"data_offsets": []int{0, 48}},
		"y": map[string]any{"dtype": "U8", "shape": []int{6},
			"data_offsets": []int{48, 54}},
		"g": map[string]any{"dtype": "BOOL", "shape": []int{6, 1},
			"data_offsets": []int{54, 60}},
		"split": map[string]any{"dtype": "I8", "shape": []int{6},
			"data_offsets": []int{60, 66}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f.safetensors")
	if err := os.WriteFile(path, safetensorsFile(string(header), values), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	x := make([]float32, 2)
	d.Test.Read(x, 1)
	if d.Train.Len() != 3 || d.Val.Len() != 1 || !slices.Equal(x, []float32{8, 9}) ||
		d.Test.Label(1) != 1 ||
		!slices.Equal(d.Groups, []string{"false", "true"}) || d.Test.Group(0) != 1 {
		t.Errorf("%d, %d, %d samples, %v, groups %q", d.Train.Len(), d.Val.Len(), d.Test.Len(), x,
			d.Groups)
	}
	if _, err := Open(path+"?y=label", Options{}); err == nil ||
		!strings.Contains(err.Error(), `no array "label": it has g, s`) {
		t.Errorf("a name that is not there gives %v", err)
	}
}

func TestSafetensorsDamaged(t *testing.T) {
	for want, b := range map[string][]byte{
		"header ends after the file": {255, 255, 255, 255, 255, 255, 255, 255, '{'},
		"header:":                    safetensorsFile("{", nil),
		"is not in the 0 bytes": safetensorsFile(
			`{"x":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}`, nil),
		"do not suit": safetensorsFile(`{"x":{"dtype":"F32","shape":[9,9],"data_offsets":[0,4]}}`,
			make([]byte, 4)),
		`"BF16"`: safetensorsFile(`{"x":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]}}`,
			make([]byte, 4)),
		"want sizes": safetensorsFile(`{"x":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}`,
			make([]byte, 4)),
	} {
		path := filepath.Join(t.TempDir(), "f.safetensors")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A test split may be several files.
func TestSeveralTestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a": "x,y\n1,a\n2,b\n", "b": "x,y\n3,a\n", "c": "x,y\n5,b\n6,b\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	name := Locate("csv:a.csv?label=y&test=b.csv%2Bc.csv", dir)
	d, err := Open(name, Options{Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	if d.Train.Len() != 2 || d.Test.Len() != 3 || Row(d.Test, 2) != 4 || d.Test.Label(2) != 1 {
		t.Errorf("%s: %d + %d samples", name, d.Train.Len(), d.Test.Len())
	}
	name = "csv:" + filepath.Join(dir, "a.csv") + "?label=y&test=" +
		filepath.Join(dir, "b.csv") + "+" +
		filepath.Join(dir, "c.csv")
	plain, err := Open(name, Options{})
	if err != nil || plain.Checksum != d.Checksum {
		t.Errorf("with a plain plus: %v", err)
	}
}
