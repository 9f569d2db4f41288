//go:build unix

package loader

import (
	"os"
	"path/filepath"
	"testing"

	"drolab/runner/data"
)

// A mapped file that is cut ends the run that reads it and not the program, even where another
// thread than the run's reads.
func TestSharedFileIsCut(t *testing.T) {
	src := wideRows().(*data.Features)
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, src.Data, 0o600); err != nil {
		t.Fatal(err)
	}
	var files data.Mapped
	defer files.Close()
	f, err := data.OpenInput(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mapped, err := files.Map(f)
	if err != nil {
		t.Fatal(err)
	}
	src.Data = mapped
	l := must(t)(NewEpochs(src, Options{Batch: 8, RunOnThreads: atOnce}))
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
