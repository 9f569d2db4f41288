//go:build amd64 && !purego

package kern

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerate regenerates the assembly and compares it byte by byte. It is skipped if the
// generator's module is not in the cache.
func TestGenerate(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator")
	}
	offline := append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off")
	list := exec.Command("go", "list", "-C", "_asm", "-deps", ".")
	list.Env = offline
	if out, err := list.CombinedOutput(); err != nil {
		t.Skipf("the generator's module is not in the cache: %v\n%s", err, out)
	}
	dir := t.TempDir()
	run := exec.Command("go", "run", "-C", "_asm", ".", "../tile.go", dir)
	run.Env = offline
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("the generator: %v\n%s", err, out)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(made) != 5 {
		t.Fatalf("generated %v, %v: want 5 files", made, err)
	}
	for _, path := range made {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Base(path))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate", filepath.Base(path))
		}
	}
}
