package source

import (
	"encoding/json"
	"fmt"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"
	"drolab/runner/data"
)

// readByPeers runs a mode of the script pictures.py on a folder, and decodes what it prints.
func readByPeers(t *testing.T, modules, mode, dir string, into any) {
	t.Helper()
	out := peertest.Run(t, modules, filepath.Join("peer", "pictures.py"), mode, dir)
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatal(err)
	}
}

// countsByClass counts the samples of all splits.
func countsByClass(d *data.Dataset) map[string]int {
	counts := map[string]int{}
	for _, src := range []data.Source{d.Train, d.Val, d.Test} {
		if src == nil {
			continue
		}
		for c, n := range data.ClassCounts(src, len(d.Classes)) {
			counts[d.Classes[c]] += n
		}
	}
	return counts
}

// A tree with links, folders in folders, all endings and classes named as missing values has the
// counts of torchvision's ImageFolder, apart from GIF and JFIF, which torchvision does not read,
// and PPM, which a note counts.
func TestPicturesAsTorchvisionReadsThem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	var want map[string]int
	readByPeers(t, "numpy PIL torchvision", "tree", dir, &want)
	want["cat"] += 2          // .gif and .jfif
	want["cat"]--             // .ppm
	for class := range want { // a class of one picture cannot be divided
		paint(t, filepath.Join(dir, class, "z.png"), 9, 9, color.White)
		want[class]++
	}
	d, err := Open("images:"+dir+"?size=8&test_fraction=.5", data.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	got := countsByClass(d)
	if !maps.Equal(got, want) {
		t.Errorf("classes have %v pictures, want %v", got, want)
	}
	note := `left out, since the name does not end as that of a picture (.ppm: 1, .txt: 1): 2, ` +
		`the first is "cat/11.ppm"`
	if !slices.Contains(d.Notes, note) {
		t.Errorf("the notes are %q, want %q", d.Notes, note)
	}
}

// pixelsOf returns the bytes of a picture alone in the folder a.
func pixelsOf(t *testing.T, dir, file string, side int, options string) []byte {
	t.Helper()
	table := fmt.Sprintf("file,label,split\n%s,x,train\n%s,y,train\n%s,x,test\n", file, file, file)
	if err := os.WriteFile(filepath.Join(dir, "metadata.csv"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("images:%s?size=%d%s", dir, side, options)
	d, err := Open(name, data.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	return slices.Clone(d.Test.(data.ImageSource).Pixels(make([]byte, d.Shape.Len()), 0))
}

// farthest returns the largest difference between two lists of bytes.
func farthest(t *testing.T, got []byte, want []int) (most int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	for i, v := range got {
		most = max(most, int(v)-want[i], want[i]-int(v))
	}
	return most
}

// WebP has the colours that Pillow reads.
func TestWebPAsPillowReadsIt(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	var want map[string][]int
	readByPeers(t, "numpy PIL", "webp", dir, &want)
	sides := map[string]int{"a/even.webp": 64, "a/odd.webp": 33, "a/wide.webp": 30,
		"a/tall.webp": 30, "a/alpha.webp": 40, "a/lossless.webp": 30}
	for file, side := range sides {
		got := farthest(t, pixelsOf(t, dir, file, side, ""), want[file])
		if got > 2 {
			t.Errorf("%s: values are up to %d from Pillow's, want at most 2", file, got)
		}
	}
}

// A picture of each orientation is turned as Pillow turns it, in each format that has EXIF data.
// With orientation=stored it is read as the picture without such data.
func TestOrientationAsPillowReadsIt(t *testing.T) {
	const side = 28
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	var want map[string][]int
	readByPeers(t, "numpy PIL", "exif", dir, &want)
	for _, file := range slices.Sorted(maps.Keys(want)) {
		most := 0 // lossless formats agree to the bit
		if strings.HasSuffix(file, ".jpg") {
			most = 2
		}
		if got := farthest(t, pixelsOf(t, dir, file, side, ""), want[file]); got > most {
			t.Errorf("%s: values are up to %d from Pillow's, want at most %d", file, got, most)
		}
		first := "a/1" + filepath.Ext(file)
		got := farthest(t, pixelsOf(t, dir, file, side, "&orientation=stored"), want[first])
		if got > most {
			t.Errorf("%s as stored: values are up to %d from those of %s, want at most %d", file,
				got, first, most)
		}
	}
}
