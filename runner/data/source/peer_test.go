package source

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"
	"drolab/runner/data"
)

// python runs a script of the folder peer. It skips the test where there is no Python with NumPy.
func python(t *testing.T, script string, args ...string) {
	t.Helper()
	peertest.Run(t, "numpy", filepath.Join("peer", script), args...)
}

// A file in exactly the format of adult.data opens, with groups by sex and race.
func TestAdult(t *testing.T) {
	path := filepath.Join(t.TempDir(), "adult.data")
	python(t, "adult.py", path, "--n", "4000", "--seed", "1")
	name := "csv:" + path + "?header=none&label=c15&group=c10,c9&missing="
	if _, err := Open(name+"error", data.Options{}); err == nil ||
		!strings.Contains(err.Error(), `missing value "?"`) {
		t.Errorf("with missing values: error is %v", err)
	}
	d, err := Open(name+"category", data.Options{ValFraction: .2})
	if err != nil {
		t.Fatal(err)
	}
	if n := d.Train.Len() + d.Val.Len() + d.Test.Len(); n != 4000 {
		t.Errorf("%d samples, want 4000", n)
	}
	if want := []string{"<=50K", ">50K"}; !slices.Equal(d.Classes, want) {
		t.Errorf("classes %q, want %q", d.Classes, want)
	}
	if want := "Female × Black"; len(d.Groups) != 10 || !slices.Contains(d.Groups, want) {
		t.Errorf("groups %q, want 10 and %q among them", d.Groups, want)
	}
	rich := make([]float64, len(d.Groups))
	for i := range d.Train.Len() {
		rich[d.Train.Group(i)] += float64(d.Train.Label(i))
	}
	counts := data.GroupCounts(d.Train, len(d.Groups))
	part := func(name string) float64 {
		g := slices.Index(d.Groups, name)
		return rich[g] / float64(counts[g])
	}
	if part("Female × White") > part("Male × White")-.05 {
		t.Errorf("income does not depend on sex: %v and %v", part("Female × White"),
			part("Male × White"))
	}
}

// The features task opens in every form with the same samples.
func TestFeatures(t *testing.T) {
	dir := t.TempDir()
	python(t, "features.py", filepath.Join(dir, "a.npz"), "--n", "2000", "--d", "20", "--npy")
	python(t, "features.py", filepath.Join(dir, "b.npz"), "--n", "2000", "--d", "20",
		"--compressed")
	python(t, "features.py", filepath.Join(dir, "c.npz"), "--n", "2000", "--d", "20", "--dtype",
		"float16")
	var first *data.Dataset
	for _, name := range []string{"a.npz", "b.npz", "c.npz",
		"a-x.npy?y=a-y.npy&g=a-g.npy&split=a-split.npy"} {
		mark := "?"
		if strings.Contains(name, "?") {
			mark = "&"
		}
		d, err := Open(filepath.Join(dir, name)+mark+"cells=yes", data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if first == nil {
			first = d
		}
		checkLengths(t, name, d, 1400, 200, 400)
		if d.Shape.C != 20 {
			t.Errorf("%s: %d features, want 20", name, d.Shape.C)
		}
		if len(d.Groups) != 4 {
			t.Errorf("%s: groups %q, want 4", name, d.Groups)
		}
		if same := d.Checksum == first.Checksum; same != (name != "c.npz") {
			t.Errorf("%s: checksum %s, the first has %s", name, d.Checksum, first.Checksum)
		}
	}
	counts := data.GroupCounts(first.Train, 4)
	if small := counts[1] + counts[2]; small < 20 || small > 70 {
		t.Errorf("groups of %v training samples", counts)
	}
}

// A file in exactly the format of COMPAS two-years opens in each of its forms with the same
// samples. The error names all columns that cannot be a feature at once, as the option that leaves
// them out.
func TestCompas(t *testing.T) {
	dir := t.TempDir()
	var first *data.Dataset
	for file, with := range map[string][2]string{
		"a.csv": {}, "b.csv": {";", "&sep=semicolon"}, "c.tsv": {"\\t", ""}, "d.csv.gz": {},
	} {
		path := filepath.Join(dir, file)
		args := []string{path, "--n", "900"}
		if with[0] != "" {
			args = append(args, "--sep", with[0])
		}
		python(t, "compas.py", args...)
		name := path + "?label=two_year_recid&group=race,sex&missing=category" + with[1]
		_, err := Open(name, data.Options{})
		if err == nil {
			t.Fatal("names of people are features")
		}
		_, drop, found := strings.Cut(err.Error(), "keeps the commonest, or drop=")
		if !found || !strings.HasPrefix(drop, "name,first,last,") {
			t.Fatal(err)
		}
		d, err := Open(name+"&drop="+drop, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if !slices.ContainsFunc(d.Notes,
			func(s string) bool { return strings.Contains(s, `"decile_score.1"`) }) {
			t.Errorf("%s: notes %q", file, d.Notes)
		}
		if first == nil {
			first = d
		}
		if !slices.Equal(values(d.Train), values(first.Train)) ||
			!slices.Equal(values(d.Test), values(first.Test)) {
			t.Errorf("%s has other samples", file)
		}
	}
	if want := "African-American × Male"; !slices.Contains(first.Groups, want) {
		t.Errorf("groups %q, want %q among them", first.Groups, want)
	}
	if n := first.Train.Len() + first.Test.Len(); n != 900 {
		t.Errorf("%d samples, want 900", n)
	}
}

// The features of pictures laid out as the archive of Waterbirds open with its groups and splits. A
// picture has the same features wherever it stands, and other pictures have others.
func TestWaterbirds(t *testing.T) {
	dir := t.TempDir()
	const n = 12 // one picture for each bird, background and split
	table := "img_id,img_filename,y,split,place,place_filename\n"
	for i := range n {
		name := fmt.Sprintf("%d.png", i)
		table += fmt.Sprintf("%d,%s,%d,%d,%d,-\n", i+1, name, i%2, i/4, i/2%2)
		picture := image.NewRGBA(image.Rect(0, 0, 40+i%3, 30))
		for j := range picture.Pix {
			picture.Pix[j] = uint8(j * (1 + i%3)) // every third picture is the same
		}
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(png.Encode(f, picture), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	err := os.WriteFile(filepath.Join(dir, "metadata.csv"), []byte(table), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "waterbirds-features.npz")
	peertest.Run(t, "numpy torch torchvision PIL", filepath.Join("peer", "waterbirds.py"), dir,
		file, "--network", "resnet18", "--untrained", "--batch", "5")
	d, err := Open("npz:"+file+"?g=place&cells=yes", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	checkLengths(t, file, d, 4, 4, 4)
	want := []string{"y=0 × place=0", "y=0 × place=1", "y=1 × place=0", "y=1 × place=1"}
	if !slices.Equal(d.Groups, want) {
		t.Errorf("groups %q, want %q", d.Groups, want)
	}
	all := slices.Concat(values(d.Train), values(d.Val), values(d.Test))
	of := func(i int) []float32 { return all[i*d.Shape.C : (i+1)*d.Shape.C] }
	for i := 3; i < n; i++ {
		far := 0.0
		for j, x := range of(i) {
			far = max(far, math.Abs(float64(x-of(i % 3)[j])))
		}
		if far > .01 {
			t.Errorf("the features of picture %d differ by %v from those of %d, want the same", i,
				far, i%3)
		}
	}
	if slices.Equal(of(0), of(1)) || slices.Equal(of(1), of(2)) {
		t.Error("different pictures have the same features")
	}
}

// values returns the features of a split, one sample after the other.
func values(src data.Source) []float32 {
	n := src.Shape().Len()
	all := make([]float32, src.Len()*n)
	for i := range src.Len() {
		src.Read(all[i*n:(i+1)*n], i)
	}
	return all
}

// The line that a file of another program is refused with makes a table of it: the same samples, in
// each form.
func TestForeignFiles(t *testing.T) {
	const modules = "numpy pandas pyarrow safetensors torch"
	dir := t.TempDir()
	script := filepath.Join("peer", "foreign.py")
	peertest.Run(t, modules, script, dir)
	for name, made := range map[string]string{"t.feather": "t.parquet", "p.pkl": "p.parquet",
		"l.jsonl": "l.csv", "j.json": "j.csv", "keyed": "keyed.parquet",
		"b.safetensors": "b32.safetensors"} {
		_, err := Open(filepath.Join(dir, name), data.Options{})
		if name != "b.safetensors" && name != "keyed" {
			_, err = Open("csv:"+filepath.Join(dir, name), data.Options{})
		}
		if err == nil {
			t.Errorf("%s: no error, want the line that converts it", name)
			continue
		}
		_, line, _ := strings.Cut(err.Error(), " with ")
		line, _, _ = strings.Cut(line, ", or a folder of pictures")
		peertest.Run(t, modules, script, "run", line)
		d, err := Open(filepath.Join(dir, made), data.Options{})
		if err != nil {
			t.Errorf("%s: after %s: %v", name, line, err)
			continue
		}
		if n := d.Train.Len() + d.Test.Len(); n != 200 || len(d.Classes) != 2 {
			t.Errorf("%s: %d samples of %d classes, want 200 of 2", made, n, len(d.Classes))
		}
		d.Close()
	}
}
