//go:build unix

package picture_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/picture"
)

// Reading a sample of a file that was cut after a glance at the data set fails.
func TestCIFARGlanceOfACutFile(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	dir := t.TempDir()
	writeCIFAR(t, dir, smallCIFAR(), "", nil)
	d, err := smallCIFAR().Open(data.Options{Dir: dir, Glance: true})
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
		if !data.IsFault(recover()) {
			t.Error("a sample of a cut file is read")
		}
	}()
	d.Train.Read(x, 12)
}
