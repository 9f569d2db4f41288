package source

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/picture"
	"drolab/runner/internal/memory"
)

// namesOfKinds returns a name of each scheme, with each option that changes the data set.
func namesOfKinds(t *testing.T) map[string]string {
	t.Helper()
	rows := "a,b,c,g,label\n"
	for i := range 700 {
		rows += fmt.Sprintf("%d.25,%v,%s,%d,%d\n", i*i%997, math.Sqrt(float64(i)), []string{"x",
			"y", "", "é"}[i%4],
			i%3, i*7%5/2)
	}
	table := writeFile(t, "a.csv", rows)
	packed := filepath.Join(t.TempDir(), "a.csv.gz")
	npz, stored := writeNPZ(t, zip.Deflate, sixSamples(t)), writeNPZ(t, zip.Store, sixSamples(t))
	folder, ubyte := t.TempDir(), t.TempDir()
	for name, b := range map[string][]byte{packed: gzipped(t, []byte(rows)),
		filepath.Join(folder, "x.npy"): sixSamples(t)["x"],
		filepath.Join(folder, "y.npy"): sixSamples(t)["y"]} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pairs := map[string][]byte{picture.IDXFiles()[1]: idx([]byte{0, 1, 0, 1}, 4),
		picture.IDXFiles()[3]: idx([]byte{1, 0}, 2)}
	writeIDX(t, ubyte, pairs)
	pairs[picture.IDXFiles()[0]+".gz"] = gzipped(t,
		idx([]byte("abcdefghijklmnopqrstuvwx"), 4, 2, 3))
	writeIDX(t, filepath.Join(ubyte, "packed"), pairs)
	tensors := filepath.Join(t.TempDir(), "x.safetensors")
	header := `{"x":{"dtype":"F32","shape":[8,2],"data_offsets":[0,64]},` +
		`"y":{"dtype":"U8","shape":[8],"data_offsets":[64,72]}}`
	if err := os.WriteFile(tensors,
		safetensorsFile(header, append(make([]byte, 64), 0, 1, 1, 0, 0, 1, 1, 0)),
		0o600); err != nil {
		t.Fatal(err)
	}
	parquet := filepath.Join(ofTests, "zstd.parquet")
	return map[string]string{
		"table":          "csv:" + table + "?missing=category",
		"packed table":   packed + "?missing=category&label=label&group=g&cells=yes",
		"lines left out": "csv:" + table + "?missing=drop&group=g,c",
		"two tables":     "csv:" + table + "?missing=mean&test=" + packed,
		"parquet": parquet +
			"?label=kind&group=flag&drop=nothing,bytes,ordered&missing=drop",
		"deflated arrays": npz + "?g=g,h&scale=standard",
		"stored arrays":   stored + "?g=&y=g",
		"an array a file": "npy:" + filepath.Join(folder, "x.npy") + "?y=y.npy&test_fraction=.25",
		"mapped array":    "npy:" + sparse(t) + "?y=y.npy&scale=standard",
		"tensors":         tensors + "?test_fraction=.25",
		"idx":             "idx:" + ubyte + "?scale=standard&names=a,b,c",
		"packed idx":      "idx:" + filepath.Join(ubyte, "packed"),
		"pictures":        "images:" + classFolders(t) + "?size=16",
		"parted pictures": "images:" + classFolders(t, "train", "val", "test") +
			"?size=5&colour=grey&scale=none",
	}
}

// sparse writes an array that is so large that it is mapped, most of it a hole, with labels beside
// it.
func sparse(t *testing.T) string {
	t.Helper()
	const rows, width = 4100, 70
	folder := t.TempDir()
	x, labels := npy(t, "<f4", fmt.Sprintf("(%d, %d)", rows, width), []float32{1, -2, 3}),
		make([]uint8, rows)
	for i := range labels {
		labels[i] = uint8(i % 3)
	}
	path := filepath.Join(folder, "x.npy")
	err := errors.Join(os.WriteFile(path, x, 0o600), os.Truncate(path,
		int64(len(x)-12+4*rows*width)),
		os.WriteFile(filepath.Join(folder, "y.npy"), npy(t, "|u1", fmt.Sprintf("(%d,)", rows),
			labels), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// describe returns everything that a data set says of itself, without its samples.
func describe(t *testing.T, d *data.Dataset) string {
	t.Helper()
	all := *d
	all.Train, all.Val, all.Test, all.Release = nil, nil, nil, nil
	b, err := json.Marshal(struct {
		data.Dataset
		Release, Cells any
	}{Dataset: all, Cells: fmt.Sprintf("%+v", d.Cells)})
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`"Missing":{}`, `"Missing":null`, `"Marks":{}`,
		`"Marks":null`).Replace(string(b))
}

// identical fails unless two splits have the same samples to the bit.
func identical(t *testing.T, got, want data.Source) {
	t.Helper()
	if want == nil || got == nil {
		if got != want {
			t.Fatalf("a split is %v, want %v", got, want)
		}
		return
	}
	if a, b := fmt.Sprintf("%T", got), fmt.Sprintf("%T", want); a != b {
		t.Fatalf("a split is a %s, want a %s", a, b)
	}
	if got.Len() != want.Len() {
		t.Fatalf("a split has %d samples, want %d", got.Len(), want.Len())
	}
	if got.Shape() != want.Shape() {
		t.Fatalf("samples are of %v, want %v", got.Shape(), want.Shape())
	}
	a, b := make([]float32, got.Shape().Len()), make([]float32, got.Shape().Len())
	same := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	step := 1
	if got.Len()*len(a) > 1<<24 {
		step = 37 // most of so large a split is a hole
	}
	for i := 0; i < got.Len(); i += step {
		got.Read(a, i)
		want.Read(b, i)
		if !slices.EqualFunc(a, b, same) {
			t.Fatalf("sample %d has the values %v, want %v", i, a, b)
		}
		gotMarks := [...]int{got.Label(i), got.Group(i), data.Row(got, i)}
		wantMarks := [...]int{want.Label(i), want.Group(i), data.Row(want, i)}
		if gotMarks != wantMarks {
			t.Fatalf("sample %d has class, group and row %v, want %v", i, gotMarks, wantMarks)
		}
	}
}

// A separate process reads the same as this one, to the bit: samples, order, splits, checksum,
// notes and encoder, and the samples that this encoder makes.
func TestApartIsTheSame(t *testing.T) {
	for title, name := range namesOfKinds(t) {
		t.Run(title, func(t *testing.T) {
			dir := t.TempDir()
			options := map[string]data.Options{"plain": {Dir: dir}, "held out": {Dir: dir,
				ValFraction: .34, Rows: true, Seed: 4,
				LabelNoise: .2}}
			if d, err := Open(name, options["plain"]); err == nil {
				options["by an encoder"] = data.Options{Dir: dir, Encoder: &d.Encoder, Rows: true}
				d.Close()
			}
			if title == "mapped array" {
				t.Setenv(mapsSmall, "1")
				defer func(was int64) { data.InMemory = was }(data.InMemory)
				data.InMemory = mapped
			}
			for how, o := range options {
				if testing.Short() && (how == "plain" || strings.Contains(title, "packed")) {
					continue
				}
				want, errHere := Open(name, o)
				if title == "mapped array" && runtime.GOOS != "windows" && len(want.Mapped) == 0 {
					t.Error("it was read")
				}
				readApart(t)
				o.Dir = t.TempDir() // without the files that the first reading has kept there
				got, errThere := Open(name, o)
				ReadApart(nil)
				if fmt.Sprint(errHere) != fmt.Sprint(errThere) {
					t.Fatalf("%s: %v, want %v", how, errThere, errHere)
				}
				if errHere != nil && how == "held out" && strings.Contains(errHere.Error(),
					data.ErrTwoVals.Error()) {
					continue
				}
				if errHere != nil {
					t.Fatalf("%s: opening it: %v", how, errHere)
				}
				if (got.Sample == nil) != (want.Sample == nil) {
					t.Errorf("%s: a sample of rows: %t, want %t", how, got.Sample != nil,
						want.Sample != nil)
				} else if got.Sample != nil {
					if a, b := fmt.Sprint(*got.Sample), fmt.Sprint(*want.Sample); a != b {
						t.Errorf("%s: the sample of rows is\n%s\nwant\n%s", how, a, b)
					}
				}
				if a, b := describe(t, got), describe(t, want); a != b {
					t.Errorf("%s: got\n%s\nwant\n%s", how, a, b)
				}
				identical(t, got.Train, want.Train)
				identical(t, got.Val, want.Val)
				identical(t, got.Test, want.Test)
				if err := errors.Join(got.Close(), want.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// An error of the reading process is the same as the error of reading here.
func TestApartErrors(t *testing.T) {
	empty := writeFile(t, "empty.csv", "")
	for _, name := range []string{"csv:" + empty, "csv:" + empty + "?label", "npz:" + empty,
		"idx:" + t.TempDir(),
		"csv:/no/such/file.csv", "images:" + t.TempDir(), "csv:/dev/zero", "npy:" + empty +
			"?y=y.npy"} {
		_, want := Open(name, data.Options{})
		readApart(t)
		_, got := Open(name, data.Options{})
		ReadApart(nil)
		if want == nil {
			t.Errorf("%s is opened, want an error", name)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: error %v, want %v", name, got, want)
		}
		var missing *data.MissingError
		gotMissing, wantMissing := errors.As(got, &missing), errors.As(want, &missing)
		if gotMissing != wantMissing {
			t.Errorf("%s: the error %v is a MissingError: %t, want %t", name, got, gotMissing,
				wantMissing)
		}
	}
}

// A data set whose reader had too little memory beside the reader of another one is read again.
func TestApartBesideOthers(t *testing.T) {
	other, err := memory.ReservePart(t.Context(), .5, 1, "another reader")
	if err != nil {
		t.Fatal(err)
	}
	readApart(t)
	reader, tries := *readerCommand.Load(), 0
	t.Cleanup(ReadApart(func() *exec.Cmd {
		tries++
		if tries > 1 {
			return reader()
		}
		other.Release() // it ends meanwhile
		return exec.Command("/bin/sh", "-c", "kill -9 $$")
	}))
	d, err := Open("csv:"+writeFile(t, "a.csv", "a,label\n"+strings.Repeat("1,0\n2,1\n", 10)),
		data.Options{})
	if err != nil {
		t.Fatalf("after %d tries: %v", tries, err)
	}
	if tries != 2 {
		t.Errorf("%d tries, want 2", tries)
	}
	d.Close()
}

// The reason that keeps a process from sending a data set is one line.
func TestApartEndsEarly(t *testing.T) {
	name := "csv:" + writeFile(t, "a.csv",
		"a,label\n1,0\n2,1\n3,0\n4,1\n5,0\n6,1\n7,0\n8,1\n9,0\n10,1\n")
	for script, want := range map[string]string{
		"exit 3": "ended with exit status 3: \"\": please report it",
		"echo 'panic: a\x1b[2J' >&2; echo goroutine >&2; exit 2": `"panic: a\x1b[2J": ` +
			"please report",
		"echo 'fatal error: runtime: out of memory' >&2; exit 2": "allowed here: " +
			"make it smaller",
		"kill -9 $$":                             "allowed here: make it smaller",
		"head -c 9 /dev/zero":                    "please report it",
		"head -c 100 /dev/zero | tr '\\0' '\\1'": "a header of",
	} {
		if _, err := exec.LookPath("sh"); err != nil {
			t.Skip(err)
		}
		undo := ReadApart(func() *exec.Cmd { return exec.Command("sh", "-c", script) })
		_, err := Open(name, data.Options{})
		undo()
		checkError(t, script, err, want)
	}
	undo := ReadApart(func() *exec.Cmd { return exec.Command("/no/such/program") })
	defer undo()
	_, err := Open(name, data.Options{})
	checkError(t, "a program that does not exist", err, "starting the process")
}

// A process sends every field of a data set and of its sources. A new field must be sent, or must
// not be needed, and is then added to this list.
func TestEveryFieldIsSent(t *testing.T) {
	for _, c := range []struct {
		of   any
		want string
	}{
		{data.Dataset{}, "Name Shape Classes Groups Grouped Members Unknown Ungrouped " +
			"ByGroup SplitBy keys Cells Train Val Test Checksum Mean Std Augment Notes Missing " +
			"Marks Sample Encoder Unlabelled Release Mapped"},
		{data.Table{}, "Marks X Origin"}, {data.Marks{}, "Labels Groups Members Keys"},
		{data.Members{}, "Names Label"},
		{data.Features{}, "Marks Dims Size Data Decode"},
		{data.Images{}, "Marks Dims Data Stride Skip"},
		{data.Rows[float32]{}, "Width Per Blocks"}, {data.Cells{}, "Label Given Names"},
	} {
		var fields []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(c.of)) {
			if len(f.Index) == 1 {
				fields = append(fields, f.Name)
			}
		}
		if got := strings.Join(fields, " "); got != c.want {
			t.Errorf("%T has %s; sent are %s", c.of, got, c.want)
		}
	}
}
