package tui

import (
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestHeaderCountsAgain: on every page, the header counts the live runs that are not watched. A run
// that begins elsewhere counts within two seconds, and one that ends no longer counts.
func TestHeaderCountsAgain(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newClocked(newRig(t, s, 120, 40))
	r.Source, r.Config.RunsDir = s.Folder, store.Dir()
	begin := func(seed uint64) runner.Recorder {
		m := tuitest.Meta(dro.ERM, tuitest.Epoch0())
		m.Spec.Seed = seed
		run, err := store.Create(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Append(&runner.StatusEvent{Status: runner.Running}); err != nil {
			t.Fatal(err)
		}
		return run
	}
	end := func(run runner.Recorder) {
		if err := run.Append(&runner.StatusEvent{Status: runner.Done}); err != nil {
			t.Fatal(err)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range []string{"1", "2", "4"} {
		t.Run("page "+page, func(t *testing.T) {
			r.press(page)
			first := begin(1)
			r.pass(2 * time.Second)
			if !strings.Contains(r.header(), "1 live") {
				t.Errorf("begun: %q", r.header())
			}
			second := begin(2)
			end(first)
			r.pass(2 * time.Second)
			if !strings.Contains(r.header(), "1 live") {
				t.Errorf("another begun and one ended: %q", r.header())
			}
			end(second)
			r.pass(time.Second)
			if strings.Contains(r.header(), "live") {
				t.Errorf("all ended: %q", r.header())
			}
		})
	}
}
