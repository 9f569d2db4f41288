package record

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/internal/atomicfile"
	"drolab/runner/internal/atomicfile/atomicfiletest"
	"drolab/runner/measure"
)

// A crash point is a write, fsync, rename, removal or truncation by a writer that fails once, or
// that is the last operation of its process. Then somebody does the same again, and everything is
// as if nothing had happened. The long form takes all points, the usual one some of each scene:
//
//	DROLAB_LONG=1 go test -run 'TestCrashPoints|TestFlips' -v -timeout 1h ./runner/record

// The usual form takes one point in somePoints, and one byte in someBytes of a file; with -short it
// takes a quarter of them.
const (
	somePoints = 17
	someBytes  = 5
)

// everyByte returns the distance between the bytes of a file that a test changes or cuts at.
func everyByte() int {
	switch {
	case testsize.Long():
		return 1
	case testing.Short():
		return 4 * someBytes
	}
	return someBytes
}

// result returns a function that describes the whole outcome of the run for which fits is true: its
// events as a comparison sees them, its weights, its state and its summary.
func result(fits func(*runner.Meta) bool) func(t *testing.T, dir string) string {
	return func(t *testing.T, dir string) string {
		t.Helper()
		r := findRun(&Store{dir: dir}, fits)
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

// settled returns the state of a step, with its weights, and the summary, without anything that
// depends on the clock.
func settled(t *testing.T, r *Run, step int64) string {
	t.Helper()
	state, err := r.Load(step)
	must(t, err)
	plainHead(&state.Last.Head)
	state.Last.ImagesPerSecond = measure.Number{}
	if state.Eval != nil {
		plainHead(&state.Eval.Head)
	}
	large := tensorsName(step)
	if state.Opaque != nil {
		large, state.Opaque = opaqueName(step), nil
	}
	var summary runner.Summary
	must(t, in(t, r.Dir).ReadJSON(summaryName, &summary))
	if !summary.ImagesPerSecond.Applies() {
		t.Error("the summary has no speed")
	}
	summary.ImagesPerSecond, summary.ID = measure.Number{}, ""
	return fmt.Sprintf("%s %s\n%x\n%s", asJSON(t, state), asJSON(t, state.Method),
		read(t, r.Dir, checkpointsName, large), asJSON(t, &summary))
}

func plainHead(h *runner.Head) { *h = runner.Head{Step: h.Step} }

// whatStands returns the events of a log that the run computed and that no resume discards, without
// anything that depends on the clock.
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
				events = slices.DeleteFunc(events,
					func(e runner.Event) bool { return e.Header().Step > r.Step })
			}
			switch e := e.(type) {
			case *runner.StepEvent:
				e.ImagesPerSecond = measure.Number{}
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

func TestCrashPoints(t *testing.T) {
	for i, sc := range scenes {
		if testing.Short() && i%2 > 0 {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			before := t.TempDir()
			if sc.before != nil {
				s, err := Open(before)
				must(t, err)
				sc.before(t, s)
			}
			whole := &atomicfiletest.Faults{}
			want, err := sc.once(t, before, "whole", whole)
			must(t, err)
			trace := whole.Trace()
			step := somePoints
			if testing.Short() {
				step = 100 * somePoints
			}
			if testsize.Long() || !testing.Short() && len(trace) <= 2*somePoints {
				step = 1
			}
			points := 0
			for at, x := range atomicfiletest.Points(trace, step, errReadOnly) {
				points++
				if got, _ := sc.once(t, before, at, x); got != want {
					t.Errorf("%s: the outcome differs: %s", at, difference(got, want))
				}
			}
			t.Logf("%d points of %d things that are done", points, len(trace))
		})
	}
}

// difference describes the first line that differs.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("line %d of %d is\n%.1000s\nwant\n%.1000s", i, len(b), a[i],
				b[min(i, len(b)-1)])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// once acts on a copy of the folder with a faulty disk, and then twice with a sound one, for
// somebody who sees that the first attempt failed, and somebody who does not.
func (sc *scene) once(
	t *testing.T, before, at string, x *atomicfiletest.Faults,
) (outcome string, err error) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(before)))
	s := &Store{dir: dir, now: time.Now, open: x.Open}
	err = sc.act(s)
	s.open = atomicfile.Open
	list, _, bad := Examine(dir, false)
	must(t, bad)
	if list = slices.DeleteFunc(list, func(f *Finding) bool { return f.Leftover }); len(list) > 0 {
		t.Errorf("%s, %s: the doctor finds damage: %s", sc.name, at, findings(list))
	}
	for range 2 {
		if err := sc.act(s); err != nil {
			t.Errorf("%s, %s: then %v", sc.name, at, err)
		}
	}
	outcome = sc.outcome(t, dir)
	os.RemoveAll(dir)
	return outcome, err
}
