package tui

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// newcomer is a driver on runs that train, with a user who presses only keys that the screen names.
type newcomer struct {
	*driver
	t       *testing.T
	store   *record.Store
	queue   *queue.Queue
	gate    chan struct{} // the runs take steps once it is closed
	learned string        // the help that the user has read
	keys    int           // the number of keys pressed
}

// gatedStore is a store whose runs wait, before their first step is logged, until the gate is
// closed. So none of them ends before it can be paused.
type gatedStore struct {
	runner.Store
	gate <-chan struct{}
}

func (h gatedStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := h.Store.Create(m, from)
	return gatedRecorder{r, h.gate}, err
}

type gatedRecorder struct {
	runner.Recorder
	gate <-chan struct{}
}

func (r gatedRecorder) Append(e runner.Event) error {
	if _, step := e.(*runner.StepEvent); step {
		<-r.gate
	}
	return r.Recorder.Append(e)
}

func newNewcomer(t *testing.T) *newcomer {
	t.Helper()
	store, gate := toyStore(t), make(chan struct{})
	q := queue.NewQueue(context.Background(),
		queue.Settings{Store: gatedStore{store, gate}, Threads: 1})
	settings := spec.Defaults()
	settings.Algorithms, settings.Dataset, settings.Model, settings.Batch, settings.Epochs =
		[]dro.Algorithm{dro.SFK, dro.ERM}, "csv:example", "linear", 32, 400
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := drive(newModel(lab.Config{Verbs: q, RunsDir: store.Dir(), DataDir: t.TempDir(),
		Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}}, s,
		func() []presets.Preset {
			return []presets.Preset{{Preset: runner.Preset{Name: "table", Doc: "a table",
				Spec: settings}}}
		}), s)
	r.Source = s.Folder
	r.Run(r.Init())
	r.Send(tea.WindowSizeMsg{Width: 120, Height: 40})
	return &newcomer{driver: r, t: t, store: store, queue: q, gate: gate}
}

// screenful returns the text on the screen.
func (n *newcomer) screenful() string { return tuitest.Text(n.shot(n.t)) }

// does presses keys that the screen names, either now or in the help that was read before.
func (n *newcomer) does(keys ...string) {
	n.t.Helper()
	for _, key := range keys {
		name := kit.KeyName(key, false)
		known := append(strings.Fields(n.screenful()), strings.Fields(n.learned)...)
		if !slices.Contains(known, name) {
			n.t.Fatalf("key %d: nothing says %s:\n%s", n.keys+1, name, n.screenful())
		}
		n.driver.Press(key)
		n.keys++
		if key == "?" {
			n.learned += n.screenful()
		}
	}
}

// types presses the keys of a value.
func (n *newcomer) types(value string) {
	n.Type(value)
	n.keys += len(value)
}

// sees waits until the screen contains all the words. The deadline of the test ends the wait.
func (n *newcomer) sees(words ...string) {
	n.t.Helper()
	n.until(strings.Join(words, ", "), func() bool {
		text := n.screenful()
		return !slices.ContainsFunc(words, func(w string) bool {
			return !strings.Contains(text, w)
		})
	})
}

func (n *newcomer) until(what string, so func() bool) {
	n.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end, bounded := n.t.Deadline(); !so(); {
		if bounded && time.Until(end) < 10*time.Second {
			n.t.Fatalf("after %d keys there is no %s:\n%s", n.keys, what, n.screenful())
		}
		<-tick.C
		n.Wait(time.Second/5, time.Second/5)
	}
}

// ended reports whether all runs have ended.
func (n *newcomer) ended() bool {
	runs, _ := record.List(n.store.Dir())
	return len(lab.Live(runs)) == 0
}

// TestFirstFiveMinutes: guided only by the screen, a user who has never seen the program starts
// runs, watches, pauses, changes a setting, takes the change back, forks, compares and exports.
func TestFirstFiveMinutes(t *testing.T) {
	testsize.NotShort(t, "trains three runs, and TestWhatIf two")
	n := newNewcomer(t)
	n.sees("drolab trains a network", "Enter review")
	n.does("enter")
	n.sees("Start table?", "2 runs")
	n.does("enter")
	n.sees("running", "sfk")
	n.does("p")
	close(n.gate)
	n.sees("paused", "? help") // the footer reports the pause first
	n.does("?")
	n.sees("fork", "change a setting")
	for !strings.Contains(n.learned, "export what the panel shows") {
		// The help is longer than the screen, and its order changes when a key begins to work.
		n.does("esc", "?")
		n.driver.Press("space")
		n.learned += n.screenful()
	}
	n.does("esc", "t")
	n.sees("Takes effect at the next step", "lr")
	n.types(".02")
	n.does("enter")
	n.sees("Set lr to .02")
	n.until("turn in the log", func() bool { _, _, ok := n.watch.Runs.Run().Back(); return ok })
	n.does("u")
	n.sees("Set lr back to 0.01")
	n.does("F")
	n.sees("start the fork")
	n.does("down", "right")
	n.does("enter")
	n.sees("Fork of ")
	n.does("?", "esc", "up", "p")
	n.until("end of all runs", n.ended)
	n.queue.Wait()
	n.does("4")
	n.sees("worst group", "signed: against erm")
	n.does("2", "e")
	n.sees("Exported", "one observation each")
	n.does("esc")
	t.Logf("%d keys", n.keys)
	if n.keys > 25 {
		t.Errorf("it takes %d keys", n.keys)
	}
	files, err := os.ReadDir(n.store.Dir())
	csv := func(f os.DirEntry) bool { return strings.HasSuffix(f.Name(), ".csv") }
	if err != nil || !slices.ContainsFunc(files, csv) {
		t.Errorf("no file was exported: %v, %v", files, err)
	}
	runs, _ := record.List(n.store.Dir())
	done := func(r *record.Run) bool { return r.Status() == runner.Done }
	if len(runs) != 3 || !slices.ContainsFunc(runs, done) {
		t.Errorf("%d runs, want two and a fork", len(runs))
	}
}
