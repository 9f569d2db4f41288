package source

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/array"
)

// npy returns a file in NumPy's format, as numpy.save writes it; items is a slice of any type of
// fixed size.
func npy(t testing.TB, descr, shape string, items any) []byte {
	t.Helper()
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	for (10+len(head)+1)%64 != 0 {
		head += " "
	}
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)+1), byte((len(head)+1)>>8))
	b = append(append(b, head...), '\n')
	var body bytes.Buffer
	if err := binary.Write(&body, binary.LittleEndian, items); err != nil {
		t.Fatal(err)
	}
	return append(b, body.Bytes()...)
}

// utf32 returns texts in NumPy's format <U, each padded to the given number of letters.
func utf32(letters int, texts ...string) []int32 {
	out := make([]int32, letters*len(texts))
	for i, s := range texts {
		copy(out[i*letters:], []rune(s))
	}
	return out
}

func writeNPZ(t testing.TB, method uint16, arrays map[string][]byte) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"x", "y", "g", "h", "group_names", "split", "patient", "features",
		"labels"} {
		if arrays[name] == nil {
			continue
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
		if err == nil {
			_, err = w.Write(arrays[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// sixSamples returns arrays of six samples of two features, with samples in every split.
func sixSamples(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"x":     npy(t, "<f4", "(6, 2)", []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
		"y":     npy(t, "<i8", "(6,)", []int64{-1, 1, 1, -1, 1, -1}),
		"g":     npy(t, "<U2", "(6,)", utf32(2, "ü", "b", "b", "ü", "ü", "b")),
		"h":     npy(t, "|b1", "(6, 1)", []bool{true, false, false, false, true, true}),
		"split": npy(t, "|u1", "(6,)", []uint8{0, 0, 1, 2, 0, 2}),
	}
}

// Stored, compressed or in files of their own, the arrays give the same samples and the same
// checksum.
func TestArrays(t *testing.T) {
	arrays := sixSamples(t)
	folder := t.TempDir()
	for name, b := range arrays {
		if err := os.WriteFile(filepath.Join(folder, name+".npy"), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sums := map[string]bool{}
	for _, name := range []string{
		"npz:" + writeNPZ(t, zip.Store, arrays), writeNPZ(t, zip.Deflate, arrays),
		"npy:" + folder + "/x.npy?y=y.npy&g=g.npy&split=split.npy",
	} {
		d, err := Open(name, data.Options{})
		if err != nil {
			t.Errorf("opening %s: %v", name, err)
			continue
		}
		if got, want := fmt.Sprint(trainX(d)), "[[0 1] [2 3] [8 9]]"; got != want {
			t.Errorf("%s: training samples are %s, want %s", name, got, want)
		}
		if want := (data.Shape{C: 2, H: 1, W: 1}); d.Shape != want {
			t.Errorf("%s: shape %v, want %v", name, d.Shape, want)
		}
		if want := []string{"-1", "1"}; !slices.Equal(d.Classes, want) {
			t.Errorf("%s: classes %q, want %q", name, d.Classes, want)
		}
		if want := []string{"b", "ü"}; !slices.Equal(d.Groups, want) {
			t.Errorf("%s: groups %q, want %q", name, d.Groups, want)
		}
		checkLengths(t, name, d, 3, 1, 2)
		labels := [...]int{d.Train.Label(0), d.Val.Label(0)}
		if want := [...]int{0, 1}; labels != want {
			t.Errorf("%s: the first labels of train and val are %v, want %v", name, labels, want)
		}
		groups := [...]int{d.Val.Group(0), d.Test.Group(0)}
		if want := [...]int{0, 1}; groups != want {
			t.Errorf("%s: the first groups of val and test are %v, want %v", name, groups, want)
		}
		sums[d.Checksum] = true
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(sums) != 1 {
		t.Errorf("the same samples have %d checksums", len(sums))
	}
}

// The names of arrays, crossed groups, a drawn split and scales can be set by options.
func TestArrayOptions(t *testing.T) {
	arrays := sixSamples(t)
	path := "npz:" + writeNPZ(t, zip.Store, arrays)
	d, err := Open(path+"?g=g,h&cells=yes&scale=standard", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"y=-1 × b × true", "y=-1 × ü × false", "y=-1 × ü × true",
		"y=1 × b × false", "y=1 × ü × true"}
	if !slices.Equal(d.Groups, want) {
		t.Errorf("groups %q, want %q", d.Groups, want)
	}
	std := float32(math.Sqrt(104. / 9)) // of 0, 2, 8
	if want := []float32{10. / 3, 13. / 3}; !slices.Equal(d.Mean, want) {
		t.Errorf("mean %v, want %v", d.Mean, want)
	}
	if math.Abs(float64(d.Std[1]-std)) > 1e-6 {
		t.Errorf("std %v, want %v for the second feature", d.Std, std)
	}
	delete(arrays, "split")
	delete(arrays, "g")
	arrays["features"], arrays["labels"] = arrays["x"], arrays["y"]
	delete(arrays, "x")
	path = writeNPZ(t, zip.Store, arrays)
	if d, err = Open("npz:"+path+"?x=features&y=labels&test_fraction=.34",
		data.Options{}); err != nil {
		t.Fatal(err)
	}
	checkLengths(t, "a drawn split", d, 4, 0, 2)
	if d.Grouped {
		t.Errorf("groups %q, want none without an array of groups", d.Groups)
	}
	if d.Mean != nil {
		t.Errorf("mean %v, want none without a scale", d.Mean)
	}
}

func TestArrayTypes(t *testing.T) {
	y := npy(t, "<i4", "(4,)", []int32{0, 1, 0, 1})
	split := npy(t, "<U5", "(4,)", utf32(5, "train", "train", "test", "test"))
	for name, x := range map[string][]byte{
		"f2":     npy(t, "<f2", "(4, 2)", []uint16{0x3c00, 0xc000, 0x3800, 0x0001, 0, 0, 0, 0}),
		"f8":     npy(t, "<f8", "(4, 2)", []float64{1, -2, .5, 1. / (1 << 24), 0, 0, 0, 0}),
		"planes": npy(t, "<f4", "(4, 1, 2)", []float32{1, -2, .5, 1. / (1 << 24), 0, 0, 0, 0}),
		"images": npy(t, "<f4", "(4, 2, 1, 1)", []float32{1, -2, .5, 1. / (1 << 24), 0, 0, 0, 0}),
	} {
		d, err := Open(writeNPZ(t, zip.Store, map[string][]byte{"x": x, "y": y, "split": split}),
			data.Options{})
		if err != nil {
			t.Errorf("%s: opening it: %v", name, err)
			continue
		}
		if got := fmt.Sprint(trainX(d)); got != "[[1 -2] [0.5 5.9604645e-08]]" {
			t.Errorf("%s: samples are %s", name, got)
		}
	}
}

func TestArrayDamage(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	x := func(v ...float32) []byte { return npy(t, "<f4", fmt.Sprintf("(%d, 1)", len(v)), v) }
	fortran := bytes.Replace(sixSamples(t)["x"], []byte("False"), []byte("True "), 1)
	for name, tt := range map[string]struct {
		array string
		b     []byte
		query string
		want  string
	}{
		"no array":  {"x", nil, "", `no array "x": it has y, g, h, split`},
		"no labels": {"y", nil, "", `no array "y"`},
		"no numpy": {"x", []byte("hello, this is text"), "",
			"x.npy: byte 0: not an array of NumPy"},
		"short":   {"x", sixSamples(t)["x"][:40], "", "ends at byte 40, in the header"},
		"cut":     {"x", sixSamples(t)["x"][:150], "", "22 bytes after the header do not suit"},
		"version": {"x", []byte("\x93NUMPY\x09\x00aaaaaaaa"), "", "byte 6: version 9"},
		"integers": {"x", npy(t, "<i4", "(6, 1)", make([]int32, 6)), "",
			"features are not floating-point"},
		"objects": {"y", npy(t, "|O", "(6,)", make([]int64, 6)), "",
			"neither numbers nor strings"},
		"big endian": {"x", npy(t, ">f4", "(6, 1)", make([]float32, 6)), "",
			"values are big-endian"},
		"long": {"x", npy(t, "<f16", "(6, 1)", make([]float64, 12)), "",
			"numbers are of 16 bytes"},
		"fortran": {"x", fortran, "", "Fortran order: save it with numpy.ascontiguousarray"},
		"vector": {"x", npy(t, "<f4", "(6,)", make([]float32, 6)), "",
			"features have shape [6]"},
		"empty": {"x", npy(t, "<f4", "(0, 2)", []float32{}), "", "expected sizes of at least 1"},
		"nan":   {"x", x(1, 2, nan, 4, 5, 6), "", "sample 2, feature 0 is NaN"},
		"inf":   {"x", x(1, 2, 3, 4, 5, inf), "", "sample 5, feature 0 is +Inf"},
		"fewer": {"y", npy(t, "<i4", "(5,)", make([]int32, 5)), "",
			"shape [5], not one value for each of 6"},
		"fraction": {"y", npy(t, "<f4", "(6,)", []float32{0, .5, 0, 0, 0, 1}), "",
			"sample 1: 0.5 is not"},
		"one class": {"y", npy(t, "<i4", "(6,)", make([]int32, 6)), "", `"y" has one value only`},
		"split": {"split", npy(t, "<i4", "(6,)", []int32{0, 0, 3, 2, 0, 2}), "",
			`"split" has "3"`},
		"no test": {"split", npy(t, "<i4", "(6,)", []int32{0, 0, 1, 0, 0, 1}), "",
			"has no test samples"},
		"no train": {"split", npy(t, "<i4", "(6,)", []int32{1, 1, 1, 2, 2, 2}), "",
			"has no training samples"},
		"option": {"z", nil, "?z=1", `unknown option "z": npz: takes x, y, g, group_names,`},
		"scale":  {"z", nil, "?scale=max", "scale=max: give none, standard"},
		"fraction of a split": {"z", nil, "?test_fraction=.3",
			"test_fraction= has no use beside split"},
	} {
		arrays := sixSamples(t)
		arrays[tt.array] = tt.b
		if tt.b == nil {
			delete(arrays, tt.array)
		}
		_, err := Open("npz:"+writeNPZ(t, zip.Store, arrays)+tt.query, data.Options{})
		checkError(t, name, err, tt.want)
	}
	if _, err := Open("npy:"+filepath.Join(t.TempDir(), "x.npy"), data.Options{}); err == nil ||
		!strings.Contains(err.Error(), "add y=Y.npy") {
		t.Errorf("features without labels: error is %v", err)
	}
}

// Damage to the archive around the arrays gives an error of one line, too.
func TestZipDamage(t *testing.T) {
	path := writeNPZ(t, zip.Store, sixSamples(t))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[bytes.Index(whole, []byte("NUMPY"))+130] ^= 1
	for want, b := range map[string][]byte{
		"is not a whole NPZ file: make the file again": whole[:len(whole)-30],
		"with another checksum: make the file again":   flipped} {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, data.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
	if _, err := Open("npz:nowhere.npz", data.Options{}); err == nil ||
		!strings.Contains(err.Error(), "check the path") {
		t.Errorf("a file that is not there: error is %v", err)
	}
}

// A file too large to be read whole is mapped. Its splits are lists of indices, and reading a
// sample takes no memory.
func TestFeaturesAreMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are read whole here")
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	const width = 1000
	rows := 70_000 // 280 MB, of holes
	if testing.Short() {
		rows = 7_000
		defer func(was int64) { data.InMemory = was }(data.InMemory)
		data.InMemory = mapped
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	head := npy(t, "<f4", fmt.Sprintf("(%d, %d)", rows, width), []float32{})
	_, err = file.Write(head)
	err = errors.Join(err, file.Truncate(int64(len(head)+4*rows*width)), file.Close())
	if err != nil {
		t.Skip("no room for a sparse file: ", err)
	}
	labels := make([]uint8, rows)
	for i := range labels {
		labels[i] = uint8(i % 2)
	}
	y := npy(t, "|u1", fmt.Sprintf("(%d,)", rows), labels)
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "y.npy"), y, 0o666); err != nil {
		t.Fatal(err)
	}
	before := heap()
	d, err := Open(path+"?y=y.npy", data.Options{ValFraction: .1})
	if err != nil {
		t.Fatal(err)
	}
	if grown := heap() - before; grown > 8<<20 {
		t.Errorf("%d bytes are in memory of %d in the file", grown, 4*rows*width)
	}
	row := make([]float32, width)
	if allocs := testing.AllocsPerRun(10, func() { d.Train.Read(row, 123) }); allocs != 0 {
		t.Errorf("reading allocates %v times", allocs)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// heap returns the number of bytes in use after a collection.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// An array that is accepted has as many bytes as its shape needs, and a value for every sample.
func FuzzNPY(f *testing.F) {
	for _, b := range sixSamples(f) {
		f.Add(b)
	}
	f.Add([]byte("\x93NUMPY\x03\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := array.ParseNPY("a", b)
		if err != nil {
			return
		}
		need := a.Size
		for _, d := range a.Dims {
			need *= d
		}
		if need != len(a.Data) || need == 0 {
			t.Fatalf("%d bytes for items of %d and shape %v, want %d and some", len(a.Data), a.Size,
				a.Dims, need)
		}
		if c, err := a.Factor("a", a.Dims[0]); err == nil && len(c.Codes) != a.Dims[0] {
			t.Fatalf("%d codes for shape %v", len(c.Codes), a.Dims)
		}
		if x, err := array.NewFeatures(a); err == nil {
			x.Scan("a", io.Discard)
		}
	})
}

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
	d, err := Open(path, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	checkLengths(t, path, d, 3, 1, 2)
	if got, want := valuesOf(d.Test, 1), []float32{8, 9}; !slices.Equal(got, want) {
		t.Errorf("test sample 1 is %v, want %v", got, want)
	}
	if got := d.Test.Label(1); got != 1 {
		t.Errorf("the label of test sample 1 is %d, want 1", got)
	}
	if want := []string{"false", "true"}; !slices.Equal(d.Groups, want) {
		t.Errorf("groups %q, want %q", d.Groups, want)
	}
	if got := d.Test.Group(0); got != 1 {
		t.Errorf("the group of test sample 0 is %d, want 1", got)
	}
	if _, err := Open(path+"?y=label", data.Options{}); err == nil ||
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
		"expected sizes": safetensorsFile(`{"x":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}`,
			make([]byte, 4)),
	} {
		path := filepath.Join(t.TempDir(), "f.safetensors")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, data.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
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
	name := Locate("csv:a.csv?label=y&test=b.csv+c.csv", dir)
	d, err := Open(name, data.Options{Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	checkLengths(t, name, d, 2, 0, 3)
	if got := data.Row(d.Test, 2); got != 4 {
		t.Errorf("%s: test sample 2 is row %d, want 4", name, got)
	}
	if got := d.Test.Label(2); got != 1 {
		t.Errorf("%s: the label of test sample 2 is %d, want 1", name, got)
	}
	name = "csv:" + filepath.Join(dir, "a.csv") + "?label=y&test=" +
		filepath.Join(dir, "b.csv") + "+" +
		filepath.Join(dir, "c.csv")
	plain, err := Open(name, data.Options{})
	if err != nil {
		t.Fatalf("with a plain plus: %v", err)
	}
	if plain.Checksum != d.Checksum {
		t.Errorf("with a plain plus: checksum %s, want %s", plain.Checksum, d.Checksum)
	}
}
