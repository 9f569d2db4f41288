// Package memtest puts the temporary folders of a test binary, and of the processes that it starts,
// into memory where Linux has room there. Tests sync thousands of files, for whose bytes nobody
// waits, and would spend half of their time on a disk. A folder that TMPDIR names is kept.
//
// Only tests import it, most of them for that effect alone.
//
// # Files
//
//	memory_linux.go  TMPDIR of a test binary in /dev/shm, where that has 4 GiB free
package memtest

import (
	"os"
	"runtime"
	"testing"
)

// Short returns a folder with a path that is short enough for sockets in it, which the temporary
// folders of macOS are not. The folder is private to the test.
func Short(t testing.TB) string {
	t.Helper()
	parent := ""
	if runtime.GOOS == "darwin" {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, "dl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
