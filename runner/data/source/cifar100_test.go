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
		x := make([]float32, 3072)
		d.Train.Read(x, 23)
		if d.Train.Len() != 40 || d.Test.Len() != 7 || d.Train.Label(23) != 69 ||
			d.Train.Group(23) != 3 ||
			x[0] != float32(69)/255 || x[3071] != x[0] || len(d.Classes) != 100 ||
			len(d.Groups) != 20 || !d.Grouped {
			t.Errorf("%d + %d samples, label %d, group %d, %v, %d classes, %d groups",
				d.Train.Len(), d.Test.Len(),
				d.Train.Label(23), d.Train.Group(23), x[0], len(d.Classes), len(d.Groups))
		}
		if d, err = Open("cifar100-coarse", data.Options{Dir: dir}); err != nil ||
			len(d.Classes) != 20 || d.Grouped ||
			d.Train.Label(23) != 3 {
			t.Errorf("by coarse labels: %v, %v", d, err)
		}
	}
}

// A few of the names show that they are the official ones.
func TestCIFAR100Names(t *testing.T) {
	fine, coarse := picture.FineClasses(), picture.CoarseClasses()
	if len(fine) != 100 || len(coarse) != 20 || fine[8] != "bicycle" || fine[51] != "mushroom" ||
		fine[99] != "worm" || coarse[14] != "people" || coarse[19] != "vehicles 2" {
		t.Errorf("names %q, %q", fine, coarse)
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
