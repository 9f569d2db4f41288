package bridge

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drolab/runner/spec"
)

// holes makes files of these sizes, which take no space, in a new folder.
func holes(t *testing.T, sizes ...int64) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for i, size := range sizes {
		path := filepath.Join(folder, string(rune('a'+i)))
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, size)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// never is the run that nobody stops at once.
func never() bool { return false }

// TestSavedIsBounded: the files that a program saves are packed if the setting checkpoint_gb allows
// their sizes and the disk has so much room. Otherwise nothing of the file that is too large is
// written.
func TestSavedIsBounded(t *testing.T) {
	const setting = "more than the setting checkpoint_gb allows"
	for name, c := range map[string]struct {
		gb    float64
		sizes []int64
		want  string
		most  int64 // bytes written
	}{
		"just enough": {.001, []int64{400e3, 600e3}, "", 1010e3},
		"a byte more": {.001, []int64{400e3, 600e3 + 1}, setting, 410e3},
		"a terabyte":  {100, []int64{1 << 40}, setting, 0},
		"the disk":    {1e6, []int64{15e12}, syscall.ENOSPC.Error(), 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := savedFolder{holes(t, c.sizes...), &spec.Spec{CheckpointGB: c.gb}, never}
			n, err := s.WriteTo(io.Discard)
			if c.want == "" && err != nil {
				t.Errorf("WriteTo: %v", err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("WriteTo = %v, want an error with %q", err, c.want)
			}
			if n > c.most {
				t.Errorf("WriteTo writes %d bytes, want at most %d", n, c.most)
			}
		})
	}
}

// TestPackingIsStopped: of a checkpoint whose run is to stop at once, nothing more is written.
func TestPackingIsStopped(t *testing.T) {
	var writes int
	s := savedFolder{holes(t, 1<<30), &spec.Spec{CheckpointGB: 100}, func() bool {
		writes++
		return writes > 3
	}}
	n, err := s.WriteTo(io.Discard)
	if err == nil || !strings.Contains(err.Error(), "to stop at once") {
		t.Errorf("WriteTo = %v, want an error with %q", err, "to stop at once")
	}
	if n > 1<<20 {
		t.Errorf("WriteTo writes %d bytes, want at most %d", n, 1<<20)
	}
}

// stream is a runner.Opaque.
type stream struct{ *bytes.Reader }

func (stream) Release() {}

// TestUnpackingIsBounded: a checkpoint that is larger than the settings allow is not unpacked.
func TestUnpackingIsBounded(t *testing.T) {
	var b bytes.Buffer
	s := savedFolder{holes(t, 400e3, 600e3), &spec.Spec{CheckpointGB: 1}, never}
	if _, err := s.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	for gb, want := range map[float64]int{.001: 2, .0009: 1, .0003: 0} {
		folder := t.TempDir()
		err := unpack(stream{bytes.NewReader(b.Bytes())}, folder, &spec.Spec{CheckpointGB: gb})
		list, _ := os.ReadDir(folder)
		if fits := want == 2; (err == nil) != fits {
			t.Errorf("checkpoint_gb %v: unpack = %v, want no error: %v", gb, err, fits)
		}
		if len(list) != want {
			t.Errorf("checkpoint_gb %v: %d files are unpacked, want %d", gb, len(list), want)
		}
	}
	sparse := unpack(stream{bytes.NewReader(sparseTar(t))}, t.TempDir(),
		&spec.Spec{CheckpointGB: 1})
	if sparse == nil || !strings.Contains(sparse.Error(), "checkpoint_gb") {
		t.Errorf("a file with holes: unpack = %v, want an error with checkpoint_gb", sparse)
	}
}

// sparseTar returns the stream of a file of a terabyte that is a hole, which takes a few blocks:
// its form is 1.0 of GNU's for PAX. The package tar reads this form and does not write it.
func sparseTar(t *testing.T) []byte {
	t.Helper()
	var all []byte
	for _, part := range []struct{ kind, text string }{
		{"x", "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n21 GNU.sparse.name=a\n" +
			"37 GNU.sparse.realsize=1099511627776\n"},
		{"0", "1\n1099511627776\n0\n" + strings.Repeat("\x00", 494)},
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "a", Mode: 0o600,
			Size: int64(len(part.text))})
		_, err2 := io.WriteString(w, part.text)
		if err := errors.Join(err, err2, w.Flush()); err != nil {
			t.Fatal(err)
		}
		h := b.Bytes()[:512]
		copy(h[148:], "        "+part.kind) // the checksum counts as blanks; the kind follows it
		sum := 0
		for _, c := range h {
			sum += int(c)
		}
		copy(h[148:], fmt.Sprintf("%06o\x00", sum))
		all = append(all, b.Bytes()...)
	}
	return append(all, make([]byte, 1024)...)
}
