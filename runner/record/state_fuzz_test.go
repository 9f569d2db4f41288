package record

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzState has the files of a run that are JSON say anything: they are read or
// refused.
func FuzzState(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "first-form"))); err != nil {
		f.Fatal(err)
	}
	files := []string{"run.json", "summary.json",
		filepath.Join("checkpoints", "step-0000000018.json")}
	for i, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), text)
		f.Add(uint8(i), []byte(`null`))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		path := filepath.Join(dir, files[int(which)%len(files)])
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(path, before, 0o600)
		r, err := Find(filepath.Dir(dir), "run")
		if err != nil {
			return
		}
		r.Load(18)
		r.Past(18)
		if r.Summary() == nil {
			t.Error("a run without a summary")
		}
	})
}
