package source

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/data"
)

// inflating returns an archive with a member of a few bytes. A field of zip64 declares enormous
// compressed and uncompressed sizes for it.
func inflating(f testing.TB) []byte {
	f.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	extra := binary.LittleEndian.AppendUint16(nil, 1)
	extra = binary.LittleEndian.AppendUint16(extra, 16)
	extra = binary.LittleEndian.AppendUint64(extra, 1<<60) // uncompressed
	extra = binary.LittleEndian.AppendUint64(extra, 1<<52)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "x.npy", Method: zip.Deflate, Extra: extra,
		CompressedSize64: 1 << 52, UncompressedSize64: 1 << 60})
	if err == nil {
		_, err = w.Write([]byte{3, 0})
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

// TestNPZThatInflates checks that the archive is refused before memory is taken for it.
func TestNPZThatInflates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	if err := os.WriteFile(path, inflating(t), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, data.Options{}); err == nil || !strings.Contains(err.Error(), "x.npy") {
		t.Errorf("opened with %v", err)
	}
}

// FuzzNPZ opens anything that calls itself an archive of arrays.
func FuzzNPZ(f *testing.F) {
	f.Add(inflating(f))
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		b, err := os.ReadFile(writeNPZ(f, method, sixSamples(f)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	path := filepath.Join(f.TempDir(), "a.npz")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Open(path, data.Options{})
		if err != nil {
			return
		}
		defer d.Close()
		if d.Train.Len() < 1 || d.Test.Len() < 1 {
			t.Errorf("opened with %d + %d samples, want some of each", d.Train.Len(), d.Test.Len())
		}
		if len(d.Classes) < 1 {
			t.Error("opened without classes")
		}
	})
}
