//go:build unix

package data

import (
	"os"
	"path/filepath"
	"testing"

	"drolab/runner/data/internal/dataset"
)

// A mapped file that is cut ends the run that reads it and not the program, even where another
// thread than the run's reads.
func TestSharedFileIsCut(t *testing.T) {
	src := wideRows().(*dataset.Features)
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, src.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	var files dataset.Mapped
	defer files.Close()
	f, err := dataset.OpenInput(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mapped, err := files.Map(f)
	if err != nil {
		t.Fatal(err)
	}
	src.Data = mapped
	l := must(t)(NewEpochs(src, LoaderOptions{Batch: 8, Each: atOnce}))
	l.Next()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, ok := recover().(interface{ Addr() uintptr }); !ok {
			t.Error("no fault comes up where the batch is asked for")
		}
	}()
	l.Next()
}
