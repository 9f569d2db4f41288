package disk

import (
	"os"
	"path/filepath"
	"testing"
)

const lockName = "lock"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, elements ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elements...))
	must(t, err)
	return b
}

func write(t *testing.T, b []byte, elements ...string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(elements...), b, 0o644))
}

func in(t *testing.T, path string) *Folder {
	t.Helper()
	f, err := OpenFolder(nil, path)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}
