//go:build unix

package data

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/data/internal/picture"
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
	l := must(t)(NewEpochs(src, LoaderOptions{Batch: 8, RunOnThreads: atOnce}))
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

// Reading a sample of a file that was cut after a glance at the data set fails.
func TestCIFARGlanceOfACutFile(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	dir := t.TempDir()
	writeCIFAR(t, dir, smallCIFAR(), "", nil)
	d, err := smallCIFAR().Open(Options{Dir: dir, Glance: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	last := smallCIFAR().Files()[4]
	if err := os.Truncate(filepath.Join(dir, picture.CIFARFolder, last), 0); err != nil {
		t.Fatal(err)
	}
	x := make([]float32, 3072)
	d.Train.Read(x, 11)
	defer func() {
		if !dataset.IsFault(recover()) {
			t.Error("a sample of a cut file is read")
		}
	}()
	d.Train.Read(x, 12)
}
