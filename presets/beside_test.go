package presets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBeside: the presets of a folder are listed, a broken one with the reason. Other files are not
// listed. The folder's name is no pattern.
func TestBeside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tries [old")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"mine.yaml":  "doc: a try\ndataset: shapes\nepochs: 3\n",
		"wrong.yml":  "dataset: shapes\nepochs: minus three\n",
		"bad.yaml":   "dataset: shapes\nepochs: -3\n",
		"other.yaml": "services:\n  web: {image: x}\n",
		"notes.txt":  "dataset: shapes\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []struct {
		name   string
		broken bool
	}{{"bad", true}, {"mine", false}, {"wrong", true}}
	list := Beside(dir)
	if len(list) != len(want) {
		t.Fatalf("%d presets, want %d: %+v", len(list), len(want), list)
	}
	for i, w := range want {
		p := list[i]
		if p.Name != w.name {
			t.Errorf("preset %d is %q, want %q", i, p.Name, w.name)
		}
		if got := p.Problem != nil; got != w.broken {
			t.Errorf("%s has the problem %v; want one: %v", p.Name, p.Problem, w.broken)
		}
		if p.File == "" {
			t.Errorf("%s has no file", p.Name)
		}
		if p.Doc == "" {
			t.Errorf("%s has no doc line", p.Name)
		}
		if p.Problem != nil && !strings.HasPrefix(p.Problem.Error(), p.File+":2: epochs: ") {
			t.Errorf("problem %q, want one of line 2", p.Problem)
		}
	}
	if list[1].Spec.Epochs != 3 {
		t.Errorf("epochs %d, want 3", list[1].Spec.Epochs)
	}
}
