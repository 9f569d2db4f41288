package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/page"
	"drolab/runner/queue"
	"drolab/runner/spec"
	runtrain "drolab/runner/train"
)

// scene is an act upon a folder of runs. Done again, it goes on from what it finds there, as a
// person would.
type scene struct {
	name string
	// before is done once; every crash point begins with a copy of its folder.
	before func(t *testing.T, s *Store)
	act    func(s *Store) error
	// outcome describes everything in the folder that counts in the end.
	outcome func(t *testing.T, dir string) string
}

// tiny returns a spec of 30 steps, with checkpoints and evaluations in between.
func tiny() spec.Spec {
	s := spec.Defaults()
	s.Algorithms, s.Model, s.Dataset = []dro.Algorithm{dro.SFK}, "linear", "csv:example"
	s.Batch, s.Epochs, s.LogEvery, s.CheckpointEvery, s.CheckpointKeep = 32, 2, 3, 7, 2
	return s
}

// findRun returns the run in a store's folder for which fits is true, or nil if there is none.
func findRun(s *Store, fits func(*runner.Meta) bool) *Run {
	runs, _ := List(s.dir)
	for _, r := range runs {
		if fits(&r.Meta) {
			return r
		}
	}
	return nil
}

func original(m *runner.Meta) bool { return m.Parent == "" }
func fork(m *runner.Meta) bool     { return m.Parent != "" }

// train starts a run, or resumes the run had, and returns at its end.
func train(s *Store, had *Run, req runner.Request) error {
	return trainAs(nil, s, had, req)
}

func trainAs(network runtrain.NewNetwork, s *Store, had *Run, req runner.Request) error {
	q, dir := queue.NewQueue(context.Background(), queue.Settings{Store: s, Threads: 1,
		Network: network}), s.dir
	var err error
	var ids []string
	switch {
	case had == nil:
		ids, err = q.Start(req)
	case had.Status() != runner.Done:
		err = q.Resume(had.Meta.ID)
	}
	for _, o := range q.Wait() {
		err = errors.Join(err, o.Err)
	}
	for _, id := range ids {
		if _, lost := Find(dir, id); lost != nil {
			panic("a run that was answered for is lost")
		}
	}
	return err
}

// eventStore is a store that reports each event of its runs to ask, which may stop or pause the
// run.
type eventStore struct {
	*Store
	ask func(id string, e runner.Event)
}

type eventRecorder struct {
	runner.Recorder
	id string
	by *eventStore
}

func (s *eventStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := s.Store.Create(m, from)
	if err != nil {
		return nil, err
	}
	return &eventRecorder{r, m.ID, s}, nil
}

func (s *eventStore) Reopen(id string) (runner.Recorder, *runner.Past, error) {
	r, past, err := s.Store.Reopen(id)
	if err != nil {
		return nil, nil, err
	}
	return &eventRecorder{r, id, s}, past, nil
}

func (r *eventRecorder) Append(e runner.Event) error {
	err := r.Recorder.Append(e)
	if err == nil {
		r.by.ask(r.id, e)
	}
	return err
}

// stopped9 leaves a run that was stopped at step 9.
func stopped9(t *testing.T, s *Store) {
	st := &eventStore{Store: s}
	q := queue.NewQueue(context.Background(), queue.Settings{Store: st, Threads: 1})
	st.ask = func(id string, e runner.Event) {
		if _, ok := e.(*runner.StepEvent); ok && e.Header().Step == 9 {
			must(t, q.Stop(id))
		}
	}
	_, err := q.Start(runner.Request{Specs: []spec.Spec{tiny()}})
	must(t, err)
	q.Wait()
}

func recordDone(t *testing.T, s *Store) {
	must(t, train(s, nil, runner.Request{Specs: []spec.Spec{tiny()}}))
}

// knobAt9 trains a run that is paused at step 9, has a knob turned, and goes on. Whoever gets the
// answer that the knob is turned may rely on it; otherwise he asks again.
func knobAt9(s *Store) error {
	st := &eventStore{Store: s}
	q := queue.NewQueue(context.Background(), queue.Settings{Store: st, Threads: 1})
	var asking sync.WaitGroup
	turned := func(id string) bool {
		in, err := disk.OpenFolder(nil, filepath.Join(s.dir, id))
		if err != nil {
			return false
		}
		defer in.Close()
		a, err := eventlog.AuditLog(in)
		return err == nil && len(a.Knobs) > 0
	}
	st.ask = func(id string, e runner.Event) {
		switch e := e.(type) {
		case *runner.StepEvent:
			if e.Step == 9 && !turned(id) {
				q.Pause(id)
			}
		case *runner.StatusEvent:
			switch {
			case turned(id):
			case e.Status == runner.Running && e.Step == 9:
				q.Pause(id)
			case e.Status == runner.Paused:
				asking.Go(func() {
					if err := q.Knob(id, "lr", "0.002"); err == nil && !turned(id) {
						panic("a knob that was answered for is lost")
					}
					q.Resume(id) // resumes also a run that has failed meanwhile
				})
			}
		}
	}
	had := findRun(s, original)
	var err error
	switch {
	case had == nil:
		_, err = q.Start(runner.Request{Specs: []spec.Spec{tiny()}})
	case had.Status() != runner.Done:
		err = q.Resume(had.Meta.ID)
	}
	q.Wait()
	asking.Wait()
	for _, o := range q.Wait() {
		err = errors.Join(err, o.Err)
	}
	return err
}

var scenes = []scene{
	{"run", nil,
		func(s *Store) error {
			return train(s, findRun(s, original), runner.Request{Specs: []spec.Spec{tiny()}})
		}, result(original)},
	{"resume", stopped9,
		func(s *Store) error { return train(s, findRun(s, original), runner.Request{}) },
		result(original)},
	{"fork", recordDone,
		func(s *Store) error {
			settings := tiny()
			settings.Epochs, settings.LR = 3, settings.LR/2
			parent := findRun(s, original).Meta.ID + "@28"
			return train(s, findRun(s, fork),
				runner.Request{Parent: parent, Specs: []spec.Spec{settings}})
		}, result(fork)},
	{"program", nil,
		func(s *Store) error {
			req := runner.Request{Specs: []spec.Spec{tiny()}}
			return trainAs(newOpaqueNetwork, s, findRun(s, original), req)
		}, result(original)},
	{"fork of a program", func(t *testing.T, s *Store) {
		must(t, trainAs(newOpaqueNetwork, s, nil, runner.Request{Specs: []spec.Spec{tiny()}}))
	},
		func(s *Store) error {
			parent := findRun(s, original).Meta.ID + "@28"
			return trainAs(newOpaqueNetwork, s, findRun(s, fork),
				runner.Request{Parent: parent, Specs: []spec.Spec{tiny()}})
		}, result(fork)},
	{"knob", nil, knobAt9, result(original)},
	{"pin", recordDone,
		func(s *Store) error { return s.Pin(findRun(s, original).Meta.ID, 28) },
		func(t *testing.T, dir string) string {
			pinned, err := findRun(&Store{dir: dir}, original).Pinned()
			return fmt.Sprint(pinned, err, result(original)(t, dir))
		}},
	{"export", recordDone, exportAll,
		func(t *testing.T, dir string) string {
			return wholeExports(t, dir) + result(original)(t, dir)
		}},
	{"delete", func(t *testing.T, s *Store) { recordDone(t, s); stopped9(t, s) },
		func(s *Store) error {
			done := func(m *runner.Meta) bool {
				r, err := Find(s.dir, m.ID)
				return err == nil && r.Status() == runner.Done
			}
			if r := findRun(s, done); r != nil {
				return s.Delete(r.Meta.ID)
			}
			later := *s
			later.now = func() time.Time { return time.Now().Add(time.Hour) }
			later.sweep()
			return nil
		},
		func(t *testing.T, dir string) string {
			runs, problems := List(dir)
			entries, err := os.ReadDir(dir)
			return fmt.Sprint(len(runs), problems, len(entries), err, runs[0].Status())
		}},
}

// table returns the table that the scene exports. It takes more than one write.
func table() *page.Table {
	t := page.New("step", "value")
	t.Name = "table"
	for i := range 13_000 {
		t.Add(fmt.Sprint(i), fmt.Sprint(1/float64(i+1)))
	}
	return t
}

// exportAll exports a table beside the runs, as the interface does.
func exportAll(s *Store) error {
	in, err := s.open(s.dir)
	if err != nil {
		return err
	}
	defer in.Close()
	name, err := page.Formats()[0].WriteIn(in, table(), time.Unix(0, 0))
	if err != nil {
		return err
	}
	_, err = os.Stat(filepath.Join(s.dir, name))
	return err
}

// wholeExports names a file that has the name of an export and is not a whole one, or returns "".
func wholeExports(t *testing.T, dir string) string {
	t.Helper()
	var want bytes.Buffer
	must(t, page.Formats()[0].Write(&want, table()))
	list, err := filepath.Glob(filepath.Join(dir, "export-*"))
	must(t, err)
	if len(list) < 2 {
		t.Errorf("of two exports that went well there are %q", list)
	}
	for _, path := range list {
		if got := read(t, path); !bytes.Equal(got, want.Bytes()) {
			return fmt.Sprintf("%s has %d bytes of %d\n", path, len(got), want.Len())
		}
	}
	return "whole\n"
}
