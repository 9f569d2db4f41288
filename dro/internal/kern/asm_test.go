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
	for command, files := range map[string]int{".": 5, "./arm64": 2} {
		dir := t.TempDir()
		run := exec.Command("go", "run", "-C", "_asm", command, "../tile.go", dir)
		run.Env = offline
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("the generator %s: %v\n%s", command, err, out)
		}
		made, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(made) != files {
			t.Fatalf("the generator %s wrote %v, %v: want %d files", command, made, err, files)
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
				t.Errorf("%s is not what the generator writes: run go generate",
					filepath.Base(path))
			}
		}
	}
}
