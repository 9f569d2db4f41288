package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"drolab/tui/cli/console"
)

// mappedReader reads from a mapped file that has been truncated.
type mappedReader struct{ mapped []byte }

func (c mappedReader) Read(p []byte) (int, error) { return copy(p, c.mapped), io.EOF }

// TestCutWhileMapped: if a data file is truncated while it is mapped, the command fails with an
// error, without a report of an internal error.
func TestCutWhileMapped(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1); err != nil {
		t.Fatal(err)
	}
	mapped, err := syscall.Mmap(int(f.Fd()), 0, 1, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(mapped)
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	code := Main(context.Background(),
		console.Env{RunsDir: t.TempDir(), Stdin: mappedReader{mapped}, Stdout: io.Discard,
			Stderr: &errs},
		[]string{"risk", "-", "--uncertainty", "chi2", "--rho", "1"})
	const want = "drolab: the dataset's files were cut or lost while in use: " +
		"bring them back and resume\n"
	if code != 1 || errs.String() != want {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}
