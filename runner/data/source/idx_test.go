package source

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/picture"
)

// idx returns an IDX file of bytes.
func idx(data []byte, dims ...uint32) []byte {
	b := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return append(b, data...)
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// writeIDX writes four files of 2×3 images, four images for training and two for testing; change
// replaces files by name, .gz included.
func writeIDX(t testing.TB, folder string, change map[string][]byte) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		picture.IDXFiles()[0]: idx([]byte("abcdefghijklmnopqrstuvwx"), 4, 2, 3),
		picture.IDXFiles()[1]: idx([]byte{0, 1, 2, 1}, 4),
		picture.IDXFiles()[2]: idx([]byte("ABCDEFGHIJKL"), 2, 2, 3),
		picture.IDXFiles()[3]: idx([]byte{2, 0}, 2),
	}
	for name, b := range change {
		delete(files, strings.TrimSuffix(name, ".gz"))
		files[name] = b
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIDX(t *testing.T) {
	plain, packed := t.TempDir(), t.TempDir()
	writeIDX(t, filepath.Join(plain, "mnist"), nil)
	writeIDX(t, filepath.Join(packed, "mnist"), map[string][]byte{
		picture.IDXFiles()[0] + ".gz": gzipped(t, idx([]byte("abcdefghijklmnopqrstuvwx"), 4, 2, 3)),
		picture.IDXFiles()[3] + ".gz": gzipped(t, idx([]byte{2, 0}, 2))})
	a, err := Open("mnist", data.Options{Dir: plain})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open("mnist", data.Options{Dir: packed})
	if err != nil {
		t.Fatal(err)
	}
	if a.Checksum != b.Checksum {
		t.Error("plain and packed files differ")
	}
	checkLengths(t, "mnist", a, 4, 0, 2)
	if want := (data.Shape{C: 1, H: 2, W: 3}); a.Shape != want {
		t.Errorf("shape %v, want %v", a.Shape, want)
	}
	if len(a.Classes) != 10 {
		t.Errorf("%d classes, want 10", len(a.Classes))
	}
	if got := a.Train.(data.ImageSource).Pixels(nil, 1); string(got) != "ghijkl" {
		t.Errorf("training sample 1 has the pixels %q, want %q", got, "ghijkl")
	}
	if got := a.Train.Label(2); got != 2 {
		t.Errorf("training sample 2 has label %d, want 2", got)
	}
	if got := a.Test.Label(0); got != 2 {
		t.Errorf("test sample 0 has label %d, want 2", got)
	}
}

// A folder of the user's own files may hold colour images and a mapped file; the highest label
// gives the number of classes.
func TestIDXFolder(t *testing.T) {
	dir := t.TempDir()
	writeIDX(t, dir, map[string][]byte{
		picture.IDXFiles()[0]: idx([]byte("abcdefghijkl"), 4, 3, 1, 1),
		picture.IDXFiles()[2]: idx([]byte("ABCDEF"), 2, 3, 1, 1)})
	d, err := Open("idx:"+dir, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := (data.Shape{C: 3, H: 1, W: 1}); d.Shape != want {
		t.Errorf("shape %v, want %v", d.Shape, want)
	}
	if len(d.Classes) != 3 {
		t.Errorf("%d classes, want 3", len(d.Classes))
	}
	if d.Mean != nil {
		t.Errorf("mean %v, want none", d.Mean)
	}
	path := filepath.Join(dir, picture.IDXFiles()[0])
	var files data.Mapped
	f, err := data.OpenInput(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mapped, err := files.Map(f)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := data.ReadWhole(f)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(mapped, whole) {
		t.Error("a mapped file has other bytes")
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
	if _, err := files.Contents(dir); err == nil {
		t.Error("a folder is read as a file")
	}
}

func TestIDXDamage(t *testing.T) {
	files := picture.IDXFiles()
	images, labels, testImages := files[0], files[1], files[2]
	for name, tt := range map[string]struct {
		file    string
		content []byte
		want    string
	}{
		"magic":  {images, []byte("<html>"), "byte 0: not an IDX file"},
		"type":   {images, []byte{0, 0, 13, 1, 0, 0, 0, 0}, "byte 2: values of type 0xd"},
		"rank":   {images, []byte{0, 0, 8, 9}, "byte 3: 9 dimensions"},
		"header": {images, []byte{0, 0, 8, 3, 0, 0}, "ends at byte 6"},
		"lies": {images, idx([]byte("abc"), 1<<31, 1<<31, 1<<31),
			"byte 4: dimension 0 is 2147483648"},
		"overflow":  {images, idx([]byte("abc"), 1, 1, 1<<31), "byte 12: dimension 2"},
		"none":      {images, idx(nil, 0, 2, 3), "byte 4: dimension 0 is 0"},
		"short":     {images, idx([]byte("abcdefg"), 1, 2, 3), "7 bytes after the header"},
		"no images": {images, idx([]byte("abcd"), 4), "images have 1 dimensions"},
		"no labels": {labels, idx([]byte("abcd"), 2, 2), "labels have 2 dimensions"},
		"count":     {labels, idx([]byte("abc"), 3), "3 labels for the 4 images"},
		"label":     {labels, idx([]byte{0, 1, 10, 0}, 4), "label 2 (byte 10) is 10"},
		"other shape": {testImages, idx([]byte("abcd"), 2, 1, 2),
			"training images are 1×2×3, test images 1×1×2"},
		"no gzip": {images + ".gz", []byte("<html>not found</html>"), "gzip"},
		"cut gzip": {images + ".gz",
			gzipped(t, idx(bytes.Repeat([]byte("ab"), 3000), 1000, 2, 3))[:30],
			"unexpected EOF"},
	} {
		dir := t.TempDir()
		writeIDX(t, filepath.Join(dir, "fashion-mnist"), map[string][]byte{tt.file: tt.content})
		_, err := Open("fashion-mnist", data.Options{Dir: dir})
		checkError(t, name, err, tt.want)
	}
}

// A small gzip file that inflates without end is cut off at the limit.
func TestInflateIsBounded(t *testing.T) {
	bomb := gzipped(t, make([]byte, 1<<20))
	_, err := data.Inflate(bytes.NewReader(bomb), "bomb.gz", 1<<16)
	checkError(t, "beyond the limit", err, "more than 65536 bytes")
	if b, err := data.Inflate(bytes.NewReader(bomb), "bomb.gz", 1<<20); err != nil ||
		len(b) != 1<<20 {
		t.Errorf("at the limit: %d bytes, %v", len(b), err)
	}
}

func FuzzIDX(f *testing.F) {
	f.Add(idx([]byte("abcdef"), 1, 2, 3))
	f.Add(idx([]byte("abc"), 3))
	f.Add(idx(nil, 1<<31, 1<<31, 1<<31, 1<<31))
	f.Add([]byte{0, 0, 8})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := picture.ParseIDX("fuzz", b)
		if err != nil {
			return
		}
		size := 1
		for _, d := range a.Dims {
			size *= d
		}
		if size != len(a.Data) || 4+4*len(a.Dims)+size != len(b) {
			t.Errorf("dimensions %v of %d bytes", a.Dims, len(b))
		}
	})
}
