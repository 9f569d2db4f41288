package look

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"drolab/dro/peertest"
)

// What programs find in Python is one line, whatever Python there is.
func TestDescribePython(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are trained on Linux and macOS")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if got := describePython(); !strings.HasPrefix(got, "no python3 is in the PATH") {
		t.Errorf("without Python: %s", got)
	}
	path := filepath.Join(dir, "python3")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := describePython(); got != path+" does not say its versions: exit status 3" {
		t.Errorf("a broken Python: %s", got)
	}
}

func TestDescribeRealPython(t *testing.T) {
	python := peertest.Python(t, "torch")
	t.Setenv("PATH", filepath.Dir(python))
	want := python + ": Python 3."
	got := describePython()
	if !strings.HasPrefix(got, want) || strings.Contains(got, "torch none") {
		t.Errorf("got %q, want %q and the version of torch", got, want)
	}
}
