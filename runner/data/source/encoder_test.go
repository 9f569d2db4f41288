package source

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// An encoder that went through JSON gives the samples of the training file as training saw them, to
// the bit.
func TestEncoderRepeats(t *testing.T) {
	for _, name := range []string{"csv:example", "spurious", "shapes"} {
		was, err := Open(name, data.Options{Samples: 200, Rows: true})
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(was.Encoder)
		if err != nil {
			t.Fatal(err)
		}
		var e data.Encoder
		if err := json.Unmarshal(b, &e); err != nil {
			t.Fatal(err)
		}
		now, err := Open(name, data.Options{Encoder: &e})
		if err != nil {
			t.Fatal(err)
		}
		x, y := make([]float32, was.Shape.Len()), make([]float32, was.Shape.Len())
		for i := range was.Test.Len() {
			j := i
			if name == "csv:example" { // the whole file is the test split now
				j = data.Row(was.Test, i)
			}
			was.Test.Read(x, i)
			now.Test.Read(y, j)
			if !slices.Equal(x, y) {
				t.Fatalf("%s: sample %d is %v, was %v", name, i, y, x)
			}
			if got, want := now.Test.Label(j), was.Test.Label(i); got != want {
				t.Fatalf("%s: sample %d has label %d, had %d", name, i, got, want)
			}
			if got, want := now.Test.Group(j), was.Test.Group(i); got != want {
				t.Fatalf("%s: sample %d has group %d, had %d", name, i, got, want)
			}
		}
	}
}

// Classes and groups have the numbers that the network knows, whatever their order in a file.
func TestEncoderNames(t *testing.T) {
	e := data.Encoder{
		Shape:   data.Shape{C: 1, H: 1, W: 1},
		Classes: []string{"b", "a", "c"},
		Groups:  []string{"v", "u"},
		Columns: []data.Column{{Name: "x", Mean: 1, Std: 2}},
		Options: map[string]string{"label": "y", "group": "g"},
	}
	d, err := Open(writeFile(t, "new.csv", "g,x,y\nu,3,a\nnew,5,a\nv,1,c\n"),
		data.Options{Encoder: &e})
	if err != nil {
		t.Fatal(err)
	}
	var labels, groups []int
	var x []float32
	for i := range d.Test.Len() {
		x = append(x, valuesOf(d.Test, i)...)
		labels = append(labels, d.Test.Label(i))
		groups = append(groups, d.Test.Group(i))
	}
	if want := []float32{1, 2, 0}; !slices.Equal(x, want) {
		t.Errorf("features %v, want %v", x, want)
	}
	if want := []int{1, 1, 2}; !slices.Equal(labels, want) {
		t.Errorf("labels %v, want %v", labels, want)
	}
	if want := []string{"v", "u", "new"}; !slices.Equal(d.Groups, want) {
		t.Errorf("the groups are %q, want %q", d.Groups, want)
	}
	if want := []int{1, 2, 0}; !slices.Equal(groups, want) {
		t.Errorf("groups %v, want %v", groups, want)
	}
}

// Lines that are left out count as rows.
func TestRowOfFile(t *testing.T) {
	path := writeFile(t, "t.csv", "x,y\n1,a\n?,b\n2,b\n3,a\n?,a\n4,b\n5,b\n6,a\n")
	d, err := Open(path+"?missing=drop&label=y", data.Options{Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	for _, split := range []data.Source{d.Train, d.Test} {
		for i := range split.Len() {
			rows = append(rows, data.Row(split, i))
		}
	}
	slices.Sort(rows)
	if !slices.Equal(rows, []int{0, 2, 3, 5, 6, 7}) {
		t.Errorf("rows %v", rows)
	}
}

// Frozen features are scaled as they were for training, and need no labels.
func TestEncoderOfArrays(t *testing.T) {
	e := data.Encoder{Shape: data.Shape{C: 2, H: 1, W: 1}, Classes: []string{"0", "1"},
		Mean: []float32{1, 2},
		Std:  []float32{3, 4}}
	dir := t.TempDir()
	var b bytes.Buffer
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}"
	b.WriteString("\x93NUMPY\x01\x00" + string(rune(len(header))) + "\x00" + header)
	b.Write([]byte{0, 0, 128, 63, 0, 0, 0, 64})
	if err := os.WriteFile(filepath.Join(dir, "x.npy"), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Open("npy:"+filepath.Join(dir, "x.npy"), data.Options{Encoder: &e})
	if err != nil {
		t.Fatal(err)
	}
	if !d.Unlabelled {
		t.Error("the samples have labels, want none")
	}
	if d.Test.Len() != 1 {
		t.Errorf("%d samples, want 1", d.Test.Len())
	}
	if !slices.Equal(d.Mean, e.Mean) || !slices.Equal(d.Std, e.Std) {
		t.Errorf("mean %v and std %v, want %v and %v as for training", d.Mean, d.Std, e.Mean, e.Std)
	}
}

// The cells of the file can be recovered from the features, including missing cells.
func TestValues(t *testing.T) {
	rows := strings.Repeat("3,red,a\n?,blue,b\n-1.5,red,a\n0.25,?,b\n1e4,blue,b\n", 6)
	path := writeFile(t, "t.csv", "x,colour,y\n"+rows)
	d, err := Open("csv:"+path+"?label=y&missing=category&test_fraction=.2",
		data.Options{Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	cells := strings.Split(strings.NewReplacer("?", "", "1e4", "10000").Replace(rows), "\n")
	x := make([]float32, d.Shape.Len())
	for _, src := range []data.Source{d.Train, d.Test} {
		for i := range src.Len() {
			src.Read(x, i)
			want := strings.Split(cells[data.Row(src, i)], ",")
			got := d.Encoder.Values(x)
			if !slices.Equal(got, []data.Value{{Column: "x", Text: want[0]},
				{Column: "colour", Text: want[1]}}) {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
	if got := (&data.Encoder{}).Values(x); got != nil {
		t.Errorf("an encoder without columns gives the values %v, want none", got)
	}
	if got := d.Encoder.Values(x[:1]); got != nil {
		t.Errorf("too few features give the values %v, want none", got)
	}
	far := data.Column{Name: "x", Mean: 1e6, Std: 1e6} // of which float32 keeps a tenth
	if got := far.Text([]float32{float32((.25 - far.Mean) / far.Std)}); got != "0.3" &&
		got != "0.2" {
		t.Errorf("0.25 far from the mean is %s", got)
	}
}
