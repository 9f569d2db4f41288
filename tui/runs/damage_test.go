package runs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// TestDamage: a run whose log lacks a part is marked once it is under the cursor, on a screen of
// any width. Its details name the line and the remedy until the bytes are there.
func TestDamage(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	a.Add(t, "one", tuitest.Archived("erm", 1, "shapes", tuitest.Epoch0()), runner.Done, "")
	log := filepath.Join(string(a.Folder), "one", "events.jsonl")
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(whole, []byte(`"test_accuracy":0.`)) + len(`"test_accuracy":0.`)
	harmed := bytes.Clone(whole)
	harmed[at] ^= 1
	if err := os.WriteFile(log, harmed, 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ := runsOf(t, a.Folder)
	tick := func() {
		*r.Now = r.Now.Add(time.Minute)
		r.Send(kit.Tick(*r.Now))
		r.Send(kit.Tick(*r.Now))
	}
	const mark, line = "✓!", "! line 10 of events.jsonl is damaged: drolab doctor says what helps"
	for _, size := range [][2]int{{80, 24}, {200, 60}, {120, 40}} {
		r.Size(size[0], size[1]-2)
		tick()
		text := tuitest.Text(r.Shot())
		for _, want := range []string{mark, line} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: want %q in\n%s", size, want, text)
			}
		}
	}
	if err := os.WriteFile(log, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	r.Size(200, 58)
	tick()
	if text := tuitest.Text(r.Shot()); strings.Contains(text, mark) ||
		strings.Contains(text, "damaged") {
		t.Errorf("the bytes have come, and it is still marked:\n%s", text)
	}
}
