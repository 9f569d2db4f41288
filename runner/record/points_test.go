package record

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
)

// Crash points: every write, fsync, rename, removal and truncation of what a
// writer does fails once, or is the last thing that its process comes to. Then
// somebody does the same again, and all is as if nothing had happened. The long
// form takes all points, the short one some of each:
//
//	go test -run 'TestCrashPoints|TestFlips' -long -v -timeout 1h ./runner/record
var long = flag.Bool("long", false, "all crash points, and 10 000 flipped bytes")

// some is every how manieth point the short form takes.
const somePoints = 11

// scene is what happens to a folder of runs. Done again, it goes on from what it
// finds, as a person would.
type scene struct {
	name string
	// before is made once; every point begins with a copy.
	before func(t *testing.T, s *Store)
	act    func(s *Store) error
	// outcome is all that counts of the folder in the end.
	outcome func(t *testing.T, dir string) string
}

// tiny is a spec of 30 steps, with checkpoints and evaluations in between.
func tiny() runner.Spec {
	s := runner.Defaults()
	s.Algorithms, s.Model, s.Dataset = []dro.Algorithm{dro.SFK}, "linear", "csv:example"
	s.Batch, s.Epochs, s.LogEvery, s.CheckpointEvery, s.CheckpointKeep = 32, 2, 3, 7, 2
	return s
}

// the is the run in the folder of a store that fits; nil: there is none.
func the(s *Store, fits func(*runner.Meta) bool) *Run {
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

// train starts a run, or takes up the one that there is, and returns at its end.
func train(s *Store, had *Run, req runner.Request) error {
	q, dir := runner.NewQueue(context.Background(), runner.Settings{Store: s, Threads: 1}), s.dir
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

// stopping is a store whose runs are stopped, or paused, when they log a step.
type stopping struct {
	*Store
	ask func(id string, e runner.Event)
}

type stoppingRecorder struct {
	runner.Recorder
	id string
	by *stopping
}

func (s *stopping) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := s.Store.Create(m, from)
	if err != nil {
		return nil, err
	}
	return &stoppingRecorder{r, m.ID, s}, nil
}

func (s *stopping) Reopen(id string) (runner.Recorder, *runner.Past, error) {
	r, past, err := s.Store.Reopen(id)
	if err != nil {
		return nil, nil, err
	}
	return &stoppingRecorder{r, id, s}, past, nil
}

func (r *stoppingRecorder) Append(e runner.Event) error {
	err := r.Recorder.Append(e)
	if err == nil {
		r.by.ask(r.id, e)
	}
	return err
}

// stopped9 leaves a run that was stopped at step 9.
func stopped9(t *testing.T, s *Store) {
	st := &stopping{Store: s}
	q := runner.NewQueue(context.Background(), runner.Settings{Store: st, Threads: 1})
	st.ask = func(id string, e runner.Event) {
		if _, ok := e.(*runner.StepEvent); ok && e.Header().Step == 9 {
			must(t, q.Stop(id))
		}
	}
	_, err := q.Start(runner.Request{Specs: []runner.Spec{tiny()}})
	must(t, err)
	q.Wait()
}

func finished(t *testing.T, s *Store) {
	must(t, train(s, nil, runner.Request{Specs: []runner.Spec{tiny()}}))
}

// knobAt9 trains a run that is paused at step 9, has a knob turned, and goes on.
// Whoever is told that it is turned may rely on it: else he asks again.
func knobAt9(s *Store) error {
	st := &stopping{Store: s}
	q := runner.NewQueue(context.Background(), runner.Settings{Store: st, Threads: 1})
	answer := make(chan error, 1)
	turned := func(id string) bool {
		in, err := openFolder(nil, filepath.Join(s.dir, id))
		if err != nil {
			return false
		}
		defer in.Close()
		a, err := auditLog(in)
		return err == nil && len(a.knobs) > 0
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
				go func() { answer <- errors.Join(q.Knob(id, "lr", "0.002"), q.Resume(id)) }()
			}
		}
	}
	had := the(s, original)
	var err error
	switch {
	case had == nil:
		_, err = q.Start(runner.Request{Specs: []runner.Spec{tiny()}})
	case had.Status() != runner.Done:
		err = q.Resume(had.Meta.ID)
	}
	for _, o := range q.Wait() {
		err = errors.Join(err, o.Err)
	}
	select {
	case told := <-answer:
		if had := the(s, original); told == nil && !turned(had.Meta.ID) {
			panic("a knob that was answered for is lost")
		}
	default:
	}
	return err
}

var scenes = []scene{
	{"run", nil,
		func(s *Store) error {
			return train(s, the(s, original), runner.Request{Specs: []runner.Spec{tiny()}})
		}, result(original)},
	{"resume", stopped9,
		func(s *Store) error { return train(s, the(s, original), runner.Request{}) }, result(original)},
	{"fork", finished,
		func(s *Store) error {
			spec := tiny()
			spec.Epochs, spec.LR = 3, spec.LR/2
			parent := the(s, original).Meta.ID + "@28"
			return train(s, the(s, fork), runner.Request{Parent: parent, Specs: []runner.Spec{spec}})
		}, result(fork)},
	{"knob", nil, knobAt9, result(original)},
	{"pin", finished,
		func(s *Store) error { return s.Pin(the(s, original).Meta.ID, 28) },
		func(t *testing.T, dir string) string {
			pinned, err := (the(&Store{dir: dir}, original)).Pinned()
			return fmt.Sprint(pinned, err, result(original)(t, dir))
		}},
	{"delete", func(t *testing.T, s *Store) { finished(t, s); stopped9(t, s) },
		func(s *Store) error {
			done := func(m *runner.Meta) bool {
				r, err := Find(s.dir, m.ID)
				return err == nil && r.Status() == runner.Done
			}
			if r := the(s, done); r != nil {
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

// result tells all that the run that fits has come to: its events as a comparison
// sees them, its weights, its state and its summary.
func result(fits func(*runner.Meta) bool) func(t *testing.T, dir string) string {
	return func(t *testing.T, dir string) string {
		t.Helper()
		r := the(&Store{dir: dir}, fits)
		if r == nil {
			_, problems := List(dir)
			t.Fatalf("there is no such run: %v", problems)
		}
		var out strings.Builder
		events, skipped := whatStands(t, r)
		fmt.Fprintf(&out, "%s\n%d lines are no events\n", strings.Join(events, "\n"), skipped)
		saved, _, err := r.Saved()
		must(t, err)
		return out.String() + settled(t, r, saved.Step)
	}
}

// settled is the state of a step, with its weights, and the summary, without what
// depends on the clock.
func settled(t *testing.T, r *Run, step int64) string {
	t.Helper()
	state, err := r.Load(step)
	must(t, err)
	plainHead(&state.Last.Head)
	state.Last.ImagesPerSecond = runner.Number{}
	if state.Eval != nil {
		plainHead(&state.Eval.Head)
	}
	var summary runner.Summary
	must(t, in(t, r.Dir).readJSON(summaryName, &summary))
	if !summary.ImagesPerSecond.Applies() {
		t.Error("the summary has no speed")
	}
	summary.ImagesPerSecond, summary.ID = runner.Number{}, ""
	return fmt.Sprintf("%s %s\n%x\n%s", asJSON(t, state), asJSON(t, state.Method),
		read(t, r.Dir, checkpointsName, tensorsName(step)), asJSON(t, &summary))
}

func plainHead(h *runner.Head) { *h = runner.Head{Step: h.Step} }

// whatStands are the events of a log that a run computed, without what depends on
// the clock.
func whatStands(t *testing.T, r *Run) (list []string, skipped int) {
	t.Helper()
	var events []runner.Event
	tail := r.Tail()
	for {
		more, err := tail.Read()
		must(t, err)
		if len(more) == 0 {
			break
		}
		for _, e := range more {
			if r, ok := e.(*runner.ResumeEvent); ok {
				events = slices.DeleteFunc(events, func(e runner.Event) bool { return e.Header().Step > r.Step })
			}
			switch e := e.(type) {
			case *runner.StepEvent:
				e.ImagesPerSecond = runner.Number{}
				events = append(events, e)
			case *runner.EvalEvent:
				events = append(events, e)
			}
		}
	}
	for _, e := range events {
		plainHead(e.Header())
		line, err := runner.EncodeEvent(e)
		must(t, err)
		list = append(list, string(line))
	}
	return list, tail.Skipped()
}

// quickDir is a folder in memory where there is one: thousands of files are
// brought to the disk here.
func quickDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "drolab-points-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestCrashPoints(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			before := quickDir(t)
			if sc.before != nil {
				s, err := Open(before)
				must(t, err)
				sc.before(t, s)
			}
			whole := &faults{}
			want, err := sc.once(t, before, whole)
			must(t, err)
			step := somePoints
			if *long {
				step = 1
			}
			points := 0
			for at := 1; at <= len(whole.trace); at += step {
				for _, x := range []*faults{{at: at, cause: errReadOnly}, {at: at, killed: true},
					{at: at, killed: true, part: 1}, {at: at, killed: true, part: 2},
					{at: at, killed: true, power: true}} {
					if x.part > 0 && !strings.HasPrefix(whole.trace[at-1], "write") {
						continue
					}
					points++
					got, _ := sc.once(t, before, x)
					if got != want {
						t.Errorf("point %d of %d, %s, killed %v, %d/2 of it, power cut %v: %s", at, len(whole.trace),
							whole.trace[at-1], x.killed, x.part, x.power, difference(got, want))
					}
				}
			}
			t.Logf("%d points of %d things that are done", points, len(whole.trace))
		})
	}
}

// difference is the first line that differs.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("line %d of %d is\n%.1000s\nwant\n%.1000s", i, len(b), a[i], b[min(i, len(b)-1)])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// once acts on a copy of the folder with a faulty disk, and then twice with one
// that is not, as somebody does who sees that it has failed, and who does not.
func (sc *scene) once(t *testing.T, before string, x *faults) (outcome string, err error) {
	t.Helper()
	dir := quickDir(t)
	must(t, os.CopyFS(dir, os.DirFS(before)))
	s := &Store{dir: dir, now: time.Now, open: x.open}
	err = sc.act(s)
	s.open = openDisk
	for range 2 {
		if err := sc.act(s); err != nil {
			t.Errorf("%s, point %d (%v): then %v", sc.name, x.at, x.trace[max(0, x.at-1):min(x.at, len(x.trace))], err)
		}
	}
	outcome = sc.outcome(t, dir)
	os.RemoveAll(dir)
	return outcome, err
}
