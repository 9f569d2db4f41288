package picture_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "drolab/dro/memtest"
	"drolab/runner/data"
	"drolab/runner/data/picture"
)

// smallCIFAR returns the layout with three records a file.
func smallCIFAR() picture.CIFAR { return picture.CIFAR10Layout(3) }

// records makes n records: the labels count up from first, and every pixel is the label.
func records(n, first int) []byte {
	var b []byte
	for i := range n {
		b = append(b, bytes.Repeat([]byte{byte((first + i) % 10)}, picture.CIFARRecord)...)
	}
	return b
}

// writeCIFAR writes a small dataset into the folder below dir, with one file changed.
func writeCIFAR(t testing.TB, dir string, l picture.CIFAR, change string, content []byte) {
	t.Helper()
	folder := filepath.Join(dir, picture.CIFARFolder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for i, name := range l.Files() {
		b := records(l.Records, i)
		if name == change {
			b = content
		}
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCIFAR(t *testing.T) {
	dir := t.TempDir()
	writeCIFAR(t, dir, smallCIFAR(), "", nil)
	d, err := smallCIFAR().Open(data.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if train, test := d.Train.Len(), d.Test.Len(); train != 15 || test != 3 {
		t.Fatalf("%d and %d samples, want 15 and 3", train, test)
	}
	if got, want := d.Train.Shape(), (data.Shape{C: 3, H: 32, W: 32}); got != want {
		t.Fatalf("shape %v, want %v", got, want)
	}
	x := make([]float32, 3072)
	for i := range 15 { // file i/3 starts with label i/3
		d.Train.Read(x, i)
		want := i/3 + i%3
		if got := d.Train.Label(i); got != want {
			t.Errorf("sample %d: label %d, want %d", i, got, want)
		}
		if value := float32(want) / 255; x[0] != value || x[3071] != value {
			t.Errorf("sample %d: it begins with %v and ends with %v, want %v", i, x[0], x[3071],
				value)
		}
	}
}

// A glance has the same samples as the whole data set.
func TestCIFARGlance(t *testing.T) {
	dir := t.TempDir()
	writeCIFAR(t, dir, smallCIFAR(), "", nil)
	whole, err := smallCIFAR().Open(data.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	d, err := smallCIFAR().Open(data.Options{Dir: dir, Glance: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got, want := d.Train.Len(), whole.Train.Len(); got != want {
		t.Fatalf("at a glance: %d samples to train on, want %d", got, want)
	}
	if got, want := d.Test.Len(), whole.Test.Len(); got != want {
		t.Fatalf("at a glance: %d samples to test with, want %d", got, want)
	}
	if d.Checksum != "" {
		t.Errorf("at a glance: checksum %q, want none", d.Checksum)
	}
	x, y := make([]float32, 3072), make([]float32, 3072)
	for i := range d.Train.Len() {
		d.Train.Read(x, i)
		whole.Train.Read(y, i)
		if got, want := d.Train.Label(i), whole.Train.Label(i); got != want {
			t.Errorf("sample %d: label %d, want %d", i, got, want)
		}
		if !slices.Equal(x, y) {
			t.Errorf("sample %d has other values", i)
		}
	}
}

func TestCIFARDamage(t *testing.T) {
	bad := records(3, 0)
	bad[2*picture.CIFARRecord] = 10
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"empty": {nil, "ends at byte 0, in record 0 of 3"},
		"truncated": {records(3, 0)[:2*picture.CIFARRecord+5],
			"ends at byte 6151, in record 2 of 3"},
		"long":  {records(4, 0), "goes on after byte 9219"},
		"label": {bad, "record 2 (byte 6146) has label 10"},
	} {
		dir := t.TempDir()
		writeCIFAR(t, dir, smallCIFAR(), "data_batch_4.bin", tt.content)
		for _, glance := range []bool{false, true} {
			_, err := smallCIFAR().Open(data.Options{Dir: dir, Glance: glance})
			if err == nil {
				t.Errorf("%s: no error, want one with %q", name, tt.want)
				continue
			}
			text := err.Error()
			for _, want := range []string{tt.want, "data_batch_4.bin",
				"drolab data fetch cifar10"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: error %q, want %q in it", name, text, want)
				}
			}
			if strings.Contains(text, "\n") {
				t.Errorf("%s: error %q, want one line", name, text)
			}
		}
	}
}

// entry is one member of an archive.
type entry struct {
	name string
	kind byte
	body []byte
}

// archive makes a tar.gz of the small dataset with further entries before it.
func archive(t testing.TB, l picture.CIFAR, before ...entry) []byte {
	t.Helper()
	entries := append(before, entry{picture.CIFARFolder + "/", tar.TypeDir, nil},
		entry{picture.CIFARFolder + "/readme.html", tar.TypeReg, []byte("hello")})
	for i, name := range l.Files() {
		entries = append(entries, entry{picture.CIFARFolder + "/" + name, tar.TypeReg,
			records(l.Records, i)})
	}
	return pack(t, entries)
}

func pack(t testing.TB, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Typeflag: e.kind,
			Size:     int64(len(e.body)),
			Linkname: "/etc/passwd", Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.body); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The archive gives the same dataset as the folder, and so does the folder that it is unpacked to.
func TestCIFARArchive(t *testing.T) {
	l := smallCIFAR()
	a, b := t.TempDir(), t.TempDir()
	writeCIFAR(t, a, l, "", nil)
	if err := os.WriteFile(filepath.Join(b, picture.CIFARArchive), archive(t, l),
		0o666); err != nil {
		t.Fatal(err)
	}
	want, err := l.Open(data.Options{Dir: a})
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.Open(data.Options{Dir: b})
	if err != nil {
		t.Fatal(err)
	}
	if data.Exists(filepath.Join(b, picture.CIFARFolder)) {
		t.Error("opening writes")
	}
	if err := l.Unpack(b); err != nil {
		t.Fatal(err)
	}
	unpacked, err := l.Open(data.Options{Dir: b})
	if err != nil {
		t.Fatal(err)
	}
	if got.Checksum != want.Checksum {
		t.Errorf("the archive has the checksum %s, the folder %s", got.Checksum, want.Checksum)
	}
	if unpacked.Checksum != want.Checksum {
		t.Errorf("unpacked, the checksum is %s, that of the folder %s", unpacked.Checksum,
			want.Checksum)
	}
}

func TestCIFARArchiveRefuses(t *testing.T) {
	l := smallCIFAR()
	first := picture.CIFARFolder + "/data_batch_1.bin"
	full := archive(t, l)
	for name, tt := range map[string]struct {
		archive []byte
		want    string
	}{
		"traversal": {archive(t, l, entry{"../evil", tar.TypeReg, []byte("x")}),
			"outside the folder"},
		"absolute": {archive(t, l, entry{"/tmp/evil", tar.TypeReg, []byte("x")}),
			"outside the folder"},
		"link":       {archive(t, l, entry{first, tar.TypeSymlink, nil}), "not as a plain file"},
		"twice":      {archive(t, l, entry{first, tar.TypeReg, records(3, 0)}), "twice"},
		"short file": {archive(t, l, entry{first, tar.TypeReg, records(2, 0)}), "in record 2 of 3"},
		"no files":   {pack(t, nil), "holds no cifar-10-batches-bin/data_batch_1.bin"},
		"truncated":  {full[:len(full)/2], "ends at byte"},
		"no gzip":    {[]byte("<html>not found</html>"), "gzip"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, picture.CIFARArchive), tt.archive,
			0o666); err != nil {
			t.Fatal(err)
		}
		err := l.Unpack(dir)
		if err == nil {
			t.Errorf("%s: no error, want one with %q", name, tt.want)
			continue
		}
		for _, want := range []string{tt.want, picture.CIFARArchive} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q, want %q in it", name, err, want)
			}
		}
		if data.Exists(filepath.Join(dir, picture.CIFARFolder)) {
			t.Errorf("%s: something is unpacked", name)
		}
	}
}

// The reader of records takes any bytes without a panic, and accepts exactly the good ones.
func FuzzCIFAR(f *testing.F) {
	f.Add(records(1, 0))
	f.Add(records(1, 9)[:100])
	f.Add([]byte{10})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := picture.CIFAR10Layout(1).AppendRecords(nil, bytes.NewReader(b), int64(len(b)),
			"fuzz")
		good := len(b) == picture.CIFARRecord && b[0] < 10
		if (err == nil) != good {
			t.Errorf("%d bytes: error %v, want one: %t", len(b), err, !good)
		}
		if good && !bytes.Equal(got, b) {
			t.Errorf("%d bytes are read as %d others", len(b), len(got))
		}
	})
}

func FuzzCIFARArchive(f *testing.F) {
	l := picture.CIFAR10Layout(1)
	f.Add(archive(f, l))
	f.Add(archive(f, l, entry{"../evil", tar.TypeReg, []byte("x")}))
	f.Add(archive(f, l)[:200])
	f.Fuzz(func(t *testing.T, b []byte) {
		files, err := l.ReadTar(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, name := range l.Files() {
			if len(files[name]) != picture.CIFARRecord || files[name][0] > 9 {
				t.Errorf("%s is taken with %d bytes", name, len(files[name]))
			}
		}
	})
}

// A few of the names show that they are the official ones.
func TestCIFAR100Names(t *testing.T) {
	fine, coarse := picture.FineClasses(), picture.CoarseClasses()
	if len(fine) != 100 || len(coarse) != 20 {
		t.Fatalf("%d fine and %d coarse classes, want 100 and 20", len(fine), len(coarse))
	}
	got := []string{fine[8], fine[51], fine[99], coarse[14], coarse[19]}
	want := []string{"bicycle", "mushroom", "worm", "people", "vehicles 2"}
	if !slices.Equal(got, want) {
		t.Errorf("fine classes 8, 51, 99 and coarse classes 14, 19 are %q, want %q", got, want)
	}
}

// After a fetch the data set opens without anything else. A second fetch does nothing, even without
// the archive.
func TestFetchCIFAR(t *testing.T) {
	l := smallCIFAR()
	packed := archive(t, l)
	requests := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Write(packed)
	}))
	defer s.Close()
	sum := md5.Sum(packed)
	file := data.Remote{Name: picture.CIFARArchive, Size: int64(len(packed)),
		Sum: "md5:" + hex.EncodeToString(sum[:]), URLs: []string{s.URL}}
	dir := filepath.Join(t.TempDir(), "new")
	if err := l.Fetch(context.Background(), dir, file, data.FetchOptions{}); err != nil {
		t.Fatal(err)
	}
	d, err := l.Open(data.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	l.Checksum = d.Checksum
	if err := os.Remove(filepath.Join(dir, picture.CIFARArchive)); err != nil {
		t.Fatal(err)
	}
	reported := int64(0)
	err = l.Fetch(context.Background(), dir, file,
		data.FetchOptions{Progress: func(done, _ int64) { reported = done }})
	if err != nil {
		t.Errorf("the second fetch: %v", err)
	}
	if requests != 1 {
		t.Errorf("two fetches make %d requests, want 1", requests)
	}
	if reported != file.Size {
		t.Errorf("the second fetch reports %d of %d", reported, file.Size)
	}
}
