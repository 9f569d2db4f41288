package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	"github.com/google/go-cmp/cmp"
)

// TestWhatIf goes from a curve to a racing fork in five keys, on runs that train. The record of
// the fork names its origin, and the fork is compared with its parent.
func TestWhatIf(t *testing.T) {
	store := toyStore(t)
	q := queue.NewQueue(context.Background(), queue.Settings{Store: store, Threads: 1})
	settings := spec.Defaults()
	settings.Algorithms, settings.Dataset, settings.Model, settings.Batch, settings.Epochs,
		settings.CheckpointEvery = []dro.Algorithm{dro.SFK}, "csv:example", "linear", 32, 3, 15
	ids, err := q.Start(runner.Request{Preset: "csv", Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newDriver(t, s, 120, 40)
	r.Source, r.Config.RunsDir, r.Config.Verbs = s.Folder, store.Dir(), q
	r.Press("2")
	r.Wait(time.Second, time.Second/5)

	keys := []string{"right", "F", "down", "right", "enter"}
	r.Press(keys...)
	q.Wait()
	r.Wait(time.Second, time.Second/5)
	runs, _ := record.List(store.Dir())
	i := slices.IndexFunc(runs, func(r *record.Run) bool { return r.Meta.ID != ids[0] })
	if len(runs) != 2 || i < 0 {
		t.Fatalf("%d runs after %v:\n%s", len(runs), keys, tuitest.Text(r.shot(t)))
	}
	fork := runs[i]
	steps, err := runs[1-i].Checkpoints()
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%s@%d", ids[0], steps[len(steps)-2]); fork.Meta.Parent != want ||
		fork.Status() != runner.Done {
		t.Errorf("the fork is of %q and %s, want %s", fork.Meta.Parent, fork.Status(), want)
	}
	if was, is := settings.Lambda0, fork.Meta.Spec.Lambda0; is <= was {
		t.Errorf("lambda0 was %g and is %g", was, is)
	}
	screen := tuitest.Text(r.shot(t))
	watched := r.watch.Runs
	if diff := cmp.Diff([]string{ids[0], fork.Meta.ID}, watched.IDs()); diff != "" {
		t.Errorf("the watched runs differ (-want +got):\n%s", diff)
	}
	if got := watched.Run().ID; got != fork.Meta.ID {
		t.Errorf("the cursor is on %s, want the fork %s", got, fork.Meta.ID)
	}
	if got := watched.Tracks[watched.Baseline].ID; got != ids[0] {
		t.Errorf("the baseline is %s, want the parent %s", got, ids[0])
	}
	if got := watched.Run().Label; !strings.Contains(got, "fork lambda0 .2 s1") {
		t.Errorf("the fork is called %q, want fork lambda0 .2 s1 in it", got)
	}
	for _, want := range []string{"Fork of ", "vs sfk"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the screen lacks %q:\n%s", want, screen)
		}
	}
}
