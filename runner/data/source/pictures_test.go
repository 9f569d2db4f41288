package source

import (
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// tinyWebP is a lossy picture of one pixel, in base64.
const tinyWebP = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA="

// paint writes a picture of one colour, w×h, in the format of the file's ending.
func paint(t *testing.T, path string, w, h int, c color.Color) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, c)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	switch filepath.Ext(path) {
	case ".png":
		err = png.Encode(f, img)
	case ".jpg":
		err = jpeg.Encode(f, img, nil)
	case ".webp":
		var b []byte
		if b, err = base64.StdEncoding.DecodeString(tinyWebP); err == nil {
			_, err = f.Write(b)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// classFolders writes four pictures of each of two classes.
func classFolders(t *testing.T, under ...string) string {
	dir := t.TempDir()
	for _, part := range append(under, "")[:max(1, len(under))] {
		for i := range 4 {
			name := string(rune('a'+i)) + ".png"
			paint(t, filepath.Join(dir, part, "red", name), 40, 20+i, color.RGBA{200, 0, 0, 255})
			paint(t, filepath.Join(dir, part, "blue", name), 9, 9, color.RGBA{0, 0, 100, 255})
		}
	}
	return dir
}

func TestPictureFolders(t *testing.T) {
	dir, cache := classFolders(t), t.TempDir()
	paint(t, filepath.Join(dir, "red", "z.jpg"), 33, 33, color.RGBA{200, 0, 0, 255})
	paint(t, filepath.Join(dir, "red", "z.webp"), 1, 1, color.Black)
	os.WriteFile(filepath.Join(dir, "red", "notes.txt"), []byte("x"), 0o666)
	d, err := Open("images:"+dir+"?size=8&test_fraction=.5", data.Options{Dir: cache, Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"blue", "red"}; !slices.Equal(d.Classes, want) {
		t.Errorf("classes %q, want %q", d.Classes, want)
	}
	if want := (data.Shape{C: 3, H: 8, W: 8}); d.Shape != want {
		t.Errorf("shape %v, want %v", d.Shape, want)
	}
	if got := d.Train.Len(); got != 5 {
		t.Errorf("%d samples to train on, want 5", got)
	}
	x := make([]float32, d.Shape.Len())
	for _, split := range []data.Source{d.Train, d.Test} {
		for i := range split.Len() {
			if data.Row(split, i) == 9 {
				continue // the WebP
			}
			split.Read(x, i)
			want := []float32{0, 0, 100}
			if split.Label(i) == 1 {
				want = []float32{200, 0, 0}
			}
			for c, v := range want {
				if got := 255 * x[c*64+9]; got < v-2 || got > v+2 {
					t.Errorf("sample %d of class %d has %v in channel %d, want %v", i,
						split.Label(i), got, c, v)
				}
			}
		}
	}
	if len(d.Mean) != 3 || d.Mean[0] == 0 {
		t.Errorf("mean %v, want three values, the first not 0", d.Mean)
	}
	if d.Augment.Pad != 1 {
		t.Errorf("augmentation %+v, want a pad of 1", d.Augment)
	}
}

// The second time, pictures come from the cache, until a file changes. The source folder is not
// changed.
func TestPictureCache(t *testing.T) {
	dir, cache := classFolders(t), t.TempDir()
	name := "images:" + dir + "?size=8&colour=grey"
	first, err := Open(name, data.Options{Dir: cache})
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(cache, "pictures", "*"))
	if len(files) != 1 {
		t.Fatalf("cache holds %q", files)
	}
	// The cache is used: pictures that can no longer be read do not matter.
	path := filepath.Join(dir, "red", "a.png")
	info, _ := os.Stat(path)
	os.WriteFile(path, make([]byte, info.Size()), 0o666)
	os.Chtimes(path, info.ModTime(), info.ModTime())
	second, err := Open(name, data.Options{Dir: cache})
	if err != nil {
		t.Fatalf("the second time: %v", err)
	}
	if second.Checksum != first.Checksum {
		t.Errorf("the second time: checksum %s, want %s", second.Checksum, first.Checksum)
	}
	// A damaged cache counts as none.
	b, _ := os.ReadFile(files[0])
	b[len(b)-1] ^= 1
	os.WriteFile(files[0], b, 0o666)
	_, err = Open(name, data.Options{Dir: cache})
	checkError(t, "with a damaged cache and a damaged picture", err,
		"red/a.png: image: unknown format")
	// Where nothing can be kept, the pictures stay in memory.
	paint(t, path, 5, 5, color.White)
	if _, err := Open(name, data.Options{Dir: filepath.Join(path, "no-folder")}); err != nil {
		t.Error(err)
	}
	if top, _ := os.ReadDir(dir); len(top) != 2 {
		t.Errorf("the source folder holds %v", top)
	}
}

func TestPicturesInSplits(t *testing.T) {
	folder := classFolders(t, "train", "test", "val")
	d, err := Open("images:"+folder+"?size=4", data.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	checkLengths(t, folder, d, 8, 8, 8)
	if len(d.Classes) != 2 {
		t.Errorf("classes %q, want 2", d.Classes)
	}
}

func TestPictureMetadata(t *testing.T) {
	dir := classFolders(t)
	write := func(text string) {
		os.WriteFile(filepath.Join(dir, "metadata.csv"), []byte(text), 0o666)
	}
	write("file,label,group,split,place\nred/a.png,warm,x,0,p\nblue/a.png,cold,y,train,p\n" +
		"red/b.png,warm,y,2,q\nblue/b.png,cold,x,test,q\n")
	d, err := Open("images:"+dir+"?size=4&cells=yes", data.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cells := []string{"cold × x", "cold × y", "warm × x", "warm × y"}
	checkLengths(t, "metadata.csv", d, 2, 0, 2)
	if !slices.Equal(d.Groups, cells) {
		t.Errorf("groups %q, want %q", d.Groups, cells)
	}
	if label, group := d.Test.Label(0), d.Test.Group(0); label != 1 || group != 3 {
		t.Errorf("test sample 0 has label %d and group %d, want 1 and 3", label, group)
	}
	d, err = Open("images:"+dir+"?size=4&group=group,place", data.Options{Dir: t.TempDir()})
	if err != nil {
		t.Errorf("crossed groups: %v", err)
	} else if len(d.Groups) != 4 {
		t.Errorf("crossed groups: %q, want 4", d.Groups)
	}
	for text, want := range map[string]string{
		"name,label\nred/a.png,x\n": `no column "file": the columns are ["name" "label"]: ` +
			"name it with file=",
		"file,label\n../red/a.png,x\n":            "not a path below the folder",
		"file,label\nred/q.png,x\na,y\n":          "no such file",
		"file,label\nred/a.png\n":                 "line 2",
		"file,label\n":                            "names no pictures",
		"file,label\nred/a.png,x\nblue/a.png,x\n": "one value only",
	} {
		write(text)
		_, err := Open("images:"+dir, data.Options{Dir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
}

func TestPicturesRefused(t *testing.T) {
	dir := classFolders(t)
	for name, want := range map[string]string{
		dir + "?size=0":            "give a number of pixels",
		dir + "?label=x":           "no use beside",
		dir + "/none":              "check the path",
		dir + "/red":               "holds no pictures",
		dir + "?size=8&colour=red": "give rgb, grey",
	} {
		_, err := Open("images:"+name, data.Options{Dir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", name, err, want)
		}
	}
}

// idx has the options names and scale.
func TestIDXOptions(t *testing.T) {
	dir := t.TempDir()
	writeIDX(t, dir, nil)
	d, err := Open("idx:"+dir+"?names=no,yes,maybe,never&scale=standard", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Classes[1] != "yes" {
		t.Errorf("class 1 is %q, want %q", d.Classes[1], "yes")
	}
	if len(d.Mean) != d.Shape.C {
		t.Errorf("mean %v, want %d values", d.Mean, d.Shape.C)
	}
	if d.Std[0] <= 0 {
		t.Errorf("std %v, want more than 0", d.Std)
	}
	if !d.Augment.Flip {
		t.Errorf("augmentation %+v, want pictures flipped", d.Augment)
	}
}
