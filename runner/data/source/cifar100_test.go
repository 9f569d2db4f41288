package source

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/picture"
)

// cifar100Records makes n records: the coarse label counts up by 1, the fine label by 3, and every
// pixel is the fine label.
func cifar100Records(n int) []byte {
	var b []byte
	for i := range n {
		fine := byte(3 * i % 100)
		b = append(append(b, byte(i%20)), bytes.Repeat([]byte{fine}, picture.CIFAR100Record-1)...)
	}
	return b
}

func TestCIFAR100(t *testing.T) {
	plain, packed := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(plain, picture.CIFAR100Folder), 0o777); err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	for name, n := range map[string]int{"train.bin": 40, "test.bin": 7} {
		b := cifar100Records(n)
		if err := os.WriteFile(filepath.Join(plain, picture.CIFAR100Folder, name), b,
			0o666); err != nil {
			t.Fatal(err)
		}
		w.WriteHeader(&tar.Header{Name: picture.CIFAR100Folder + "/" + name, Typeflag: tar.TypeReg,
			Size: int64(len(b))})
		w.Write(b)
	}
	w.Close()
	z.Close()
	if err := os.WriteFile(filepath.Join(packed, picture.CIFAR100Archive), archive.Bytes(),
		0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{plain, packed} {
		d, err := Open("cifar100", data.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		checkLengths(t, "cifar100", d, 40, 0, 7)
		if len(d.Classes) != 100 {
			t.Errorf("%d classes, want 100", len(d.Classes))
		}
		if !d.Grouped || len(d.Groups) != 20 {
			t.Errorf("grouped %t, %d groups, want 20", d.Grouped, len(d.Groups))
		}
		if label, group := d.Train.Label(23), d.Train.Group(23); label != 69 || group != 3 {
			t.Errorf("sample 23 has label %d and group %d, want 69 and 3", label, group)
		}
		want := float32(69) / 255
		if x := valuesOf(d.Train, 23); x[0] != want || x[3071] != want {
			t.Errorf("sample 23 begins with %v and ends with %v, want %v", x[0], x[3071], want)
		}
		d, err = Open("cifar100-coarse", data.Options{Dir: dir})
		if err != nil {
			t.Fatalf("by coarse labels: %v", err)
		}
		if d.Grouped || len(d.Classes) != 20 {
			t.Errorf("by coarse labels: grouped %t, %d classes, want 20 without groups", d.Grouped,
				len(d.Classes))
		}
		if got := d.Train.Label(23); got != 3 {
			t.Errorf("by coarse labels: sample 23 has label %d, want 3", got)
		}
	}
}

func TestCIFAR100Damaged(t *testing.T) {
	bad := cifar100Records(3)
	bad[picture.CIFAR100Record+1] = 100
	for want, b := range map[string][]byte{
		"record 1 (byte 3074) has label 100": bad, "not a whole number": bad[:5000],
		"3075 bytes are not a whole number": bad[:picture.CIFAR100Record+1], // one label of two
	} {
		dir := t.TempDir()
		os.Mkdir(filepath.Join(dir, picture.CIFAR100Folder), 0o777)
		for _, name := range []string{"train.bin", "test.bin"} {
			os.WriteFile(filepath.Join(dir, picture.CIFAR100Folder, name), b, 0o666)
		}
		if _, err := Open("cifar100", data.Options{Dir: dir}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
