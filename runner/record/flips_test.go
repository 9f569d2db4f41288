package record

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/queue"
	"drolab/runner/spec"
)

// byteFlip is a changed byte in a file of a run.
type byteFlip struct {
	file string // relative to the run's folder
	at   int
	by   byte
}

// pickFlips draws n bytes, as many from a small file as from a large one, because the small files
// hold the settings.
func pickFlips(t *testing.T, dir string, n int) (list []byteFlip) {
	t.Helper()
	var files []string
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if info, e := d.Info(); e == nil && info.Mode().IsRegular() && info.Size() > 0 {
			files = append(files, path)
		}
		return err
	}))
	rng := rand.New(rand.NewPCG(7, 11))
	for i := range n {
		path := files[i%len(files)]
		name, err := filepath.Rel(dir, path)
		must(t, err)
		list = append(list, byteFlip{name, rng.IntN(len(read(t, path))), byte(1 + rng.IntN(255))})
	}
	return list
}

// harm changes the byte in a copy of a folder of runs, and returns the copy.
func (f *byteFlip) harm(t *testing.T, before, id string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(before)))
	path := filepath.Join(dir, id, f.file)
	b := read(t, path)
	b[f.at] ^= f.by
	write(t, b, path)
	return dir
}

// TestFlips changes one byte of a run that was stopped, and of a run that is done. A resume of the
// first names the file, or comes to the same weights, state and summary. A viewer of the second
// gets an error or sees what was there before.
func TestFlips(t *testing.T) {
	n := 80
	if testing.Short() {
		n = 10
	} else if testsize.Long() {
		n = 10_000
	}
	before := t.TempDir()
	s, err := Open(before)
	must(t, err)
	knobStopped(t, s)
	recordDone(t, s)
	are := func(want runner.Status) func(*runner.Meta) bool {
		return func(m *runner.Meta) bool { r, _ := Find(s.dir, m.ID); return r.Status() == want }
	}
	stopped, done := findRun(s, are(runner.Stopped)), findRun(s, are(runner.Done))
	must(t, done.Relabel(func(l *Label) { l.Note, l.Tags = "a good one", []string{"kept"} }))
	indexAll(t, done.Dir)
	same := func(m *runner.Meta) bool { return m.ID == stopped.Meta.ID }
	want := (&byteFlip{"checkpoints/lock", 0, 0}).goOn(t, before, stopped.Meta.ID, same)
	counts := map[string]int{}
	for _, f := range pickFlips(t, stopped.Dir, n*4/5) {
		counts[f.goOn(t, before, stopped.Meta.ID, same, want)]++
	}
	seen, _ := view(t, before, done.Meta.ID)
	for _, f := range pickFlips(t, done.Dir, n/5) {
		counts[f.look(t, before, done.Meta.ID, seen)]++
	}
	t.Logf("%d flipped bytes: %v", n, counts)
}

// knobStopped leaves a run with two knobs turned, one before its last checkpoint and one after it,
// that was killed at step 12.
func knobStopped(t *testing.T, s *Store) {
	st := &eventStore{Store: s}
	q := queue.NewQueue(t.Context(), queue.Settings{Store: st, Threads: 1})
	told := make(chan error, 2)
	var id string
	st.ask = func(run string, e runner.Event) {
		id = run
		step := e.Header().Step
		switch e := e.(type) {
		case *runner.StepEvent:
			if step == 6 || step == 9 {
				q.Pause(run)
			}
		case *runner.StatusEvent:
			if e.Status == runner.Paused {
				go func() {
					told <- q.Knob(run, "lr", fmt.Sprint(float64(step)/1000))
					q.Resume(run)
				}()
			}
		}
		if step == 12 {
			q.Stop(run)
		}
	}
	settings := tiny()
	settings.CheckpointKeep = 9
	_, err := q.Start(runner.Request{Specs: []spec.Spec{settings}})
	must(t, err)
	q.Wait()
	must(t, <-told)
	must(t, <-told)
	r, err := Find(s.dir, id) // as if it had been killed: without its last checkpoints
	must(t, err)
	for _, step := range []int64{9, 12} {
		must(t, os.Remove(filepath.Join(r.Dir, checkpointsName, stateName(step))))
		must(t, os.Remove(filepath.Join(r.Dir, checkpointsName, tensorsName(step))))
	}
}

// goOn resumes the changed run and returns the outcome.
func (f *byteFlip) goOn(
	t *testing.T, before, id string, fits func(*runner.Meta) bool, want ...string,
) string {
	t.Helper()
	dir := before
	if f.by != 0 {
		dir = f.harm(t, before, id)
	} else {
		dir = t.TempDir()
		must(t, os.CopyFS(dir, os.DirFS(before)))
	}
	defer os.RemoveAll(dir)
	s := &Store{dir: dir, now: clock()}
	r, err := Find(dir, id)
	if err == nil {
		q := queue.NewQueue(t.Context(), queue.Settings{Store: s, Threads: 1})
		if err = q.Resume(r.Meta.ID); err == nil {
			err = q.Wait()[0].Err
		}
	}
	if err != nil {
		if !strings.Contains(err.Error(), filepath.Base(f.file)) {
			t.Errorf("%+v: the error does not name it: %v", *f, err)
		}
		return "named"
	}
	got := weighed(t, dir, fits)
	if len(want) == 0 {
		return got
	}
	if got != want[0] {
		t.Errorf("%+v: it goes on without a word to %s", *f, difference(got, want[0]))
	}
	return "harmless"
}

// weighed returns the result of a run without its events, some of which may be lost.
func weighed(t *testing.T, dir string, fits func(*runner.Meta) bool) string {
	t.Helper()
	r := findRun(&Store{dir: dir}, fits)
	saved, _, err := r.Saved()
	must(t, err)
	return settled(t, r, saved.Step)
}

// look reads the changed run as a viewer does. It fails unless the viewer sees the same as before,
// or is told the name of the file.
func (f *byteFlip) look(t *testing.T, before, id, seen string) string {
	t.Helper()
	dir := f.harm(t, before, id)
	defer os.RemoveAll(dir)
	now, said := view(t, dir, id)
	list, _, err := Examine(dir, false)
	must(t, err)
	switch named := strings.Contains(said, f.file); {
	case !named && now != seen:
		t.Errorf("%+v: without a word it shows %s", *f, difference(now, seen))
	case !named && !strings.Contains(findings(list), strings.TrimSuffix(f.file, ".safetensors")):
		return "harmless"
	}
	return "named"
}

// view returns everything that a viewer sees of a run, and the messages that come with it.
func view(t *testing.T, dir, id string) (seen, said string) {
	t.Helper()
	r, err := Find(dir, id)
	if err != nil {
		return "", err.Error()
	}
	summary := *r.Summary()
	summary.Dir = ""
	average, err := r.Average()
	must(t, err)
	events, _ := whatStands(t, r)
	small := eventlog.IndexLog(r.Tail(), 0)
	must(t, small.Exhaust())
	for e := range small.Index.All() {
		events = append(events, asJSON(t, eventlog.ShortEvent(e.Event)))
	}
	standing := r.Standing()
	seen = fmt.Sprintf("%s\n%s\n%s\n%s\n%s\n%s\n", r.Status(), asJSON(t, &summary), r.Label(),
		asJSON(t, average), asJSON(t, &standing), strings.Join(events, "\n"))
	if err := r.PassedOver(); err != nil {
		said = err.Error()
	}
	return seen, said
}

// indexAll makes the index of a log, as a viewer does of a long one.
func indexAll(t *testing.T, dir string) {
	t.Helper()
	eventlog.MakeIndex(in(t, dir), 0)
}
