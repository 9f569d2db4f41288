package compare

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// TestDamage: on every size of screen the page says that a compared run's log lacks a part, where
// there is room with the line and the remedy, and reads the runs again once the bytes are there.
func TestDamage(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for _, method := range []dro.Algorithm{dro.ERM, dro.SFK} {
		m := tuitest.Archived(method, 1, "shapes", tuitest.Epoch0())
		a.Add(t, string(method), m, runner.Done, "")
	}
	log := filepath.Join(string(a.Folder), "sfk", "events.jsonl")
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(whole, []byte(`"test_accuracy":0.`)) + len(`"test_accuracy":0.`)
	harmed := bytes.Clone(whole)
	harmed[at] ^= 1
	r, p := compareOf(t, a.Folder)
	r.Send(lab.Compare{Runs: tuitest.Found(t, a.Folder, "erm", "sfk")})
	before := tuitest.Text(r.Shot())
	if err := os.WriteFile(log, harmed, 0o600); err != nil {
		t.Fatal(err)
	}
	r.Send(lab.Compare{Runs: tuitest.Found(t, a.Folder, "erm", "sfk")})
	for _, size := range tuitest.Sizes() {
		r.Size(size[0], size[1]-2)
		text := tuitest.Text(r.Shot())
		if size[0] >= 80 && !strings.Contains(text, "1 damaged log") {
			t.Errorf("%v: not marked in\n%s", size, text)
		}
		p.part = notesPart
		for _, shown := range []string{text, tuitest.Text(r.Shot())} {
			const want = "sfk: line 10 of events.jsonl is damaged: drolab doctor"
			if size[0] >= 80 && !strings.Contains(shown, want) {
				t.Errorf("%v: want %q in\n%s", size, want, shown)
			}
		}
		p.part = tablePart
	}
	r.Size(120, 38)
	if err := os.WriteFile(log, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	r.Send(kit.Tick(r.Now.Add(time.Second)))
	if got := tuitest.Text(r.Shot()); got != before {
		t.Errorf("after the bytes have come:\n%s\nwant\n%s", got, before)
	}
}
