package eventlog

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
)

// randomLog returns a log of a few events that make little sense: steps go back without a resume,
// resumes go forwards, and some lines are garbage.
func randomLog(r *rand.Rand) []byte {
	var log bytes.Buffer
	events := []func(step int64) runner.Event{
		func(s int64) runner.Event { return stepEvent(s) },
		func(s int64) runner.Event { return stepEvent(s) },
		func(s int64) runner.Event { return evalEvent(s) },
		func(s int64) runner.Event { e := evalEvent(s); e.Selected = true; return e },
		func(s int64) runner.Event { return &runner.ResumeEvent{Head: head(s)} },
		func(s int64) runner.Event { return &runner.WarningEvent{Head: head(s), Message: "odd"} },
		func(s int64) runner.Event {
			all := []runner.Status{runner.Queued, runner.Running, runner.Paused, runner.Stopped,
				runner.Failed, runner.Done}
			return &runner.StatusEvent{Head: head(s), Status: all[r.IntN(len(all))],
				Cause: string(rune('a' + r.IntN(9)))}
		},
	}
	for range r.IntN(40) {
		if r.IntN(10) == 0 {
			log.WriteString("garbage\n")
			continue
		}
		e := events[r.IntN(len(events))](1 + r.Int64N(20))
		e.Header().Step -= 1 + r.Int64N(2) // also 0 and −1
		b, err := runner.EncodeEvent(e)
		if err != nil {
			panic(err)
		}
		log.Write(append(b, '\n'))
	}
	return log.Bytes()
}

// TestHistory compares every way of reading a log with the definition: an event at a step stands
// unless a later resume goes back below that step.
func TestHistory(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		log := randomLog(r)
		tail := newTail(t, log)
		var events []runner.Event
		forward, err := ReadHistory(tail, func(e runner.Event) { events = append(events, e) })
		must(t, err)
		steps := stand[*runner.StepEvent](events)
		evals := byStep(stand[*runner.EvalEvent](events))
		if !slices.Equal(forward.Steps, steps) || !slices.Equal(forward.Evals, evals) ||
			forward.Last != last(steps) || forward.Eval != last(evals) {
			t.Fatalf("seed %d: forwards %+v, of\n%s", seed, forward, log)
		}
		want := forward.Standing
		bounded := &History{Most: 40}
		for _, e := range events {
			bounded.Add(e)
		}
		backward := &History{}
		for _, e := range slices.Backward(events) {
			backward.Before(e)
		}
		if bounded.Standing != want || backward.Standing != want ||
			!slices.Equal(backward.Evals, evals) {
			t.Fatalf("seed %d: bounded %+v, backwards %+v, want %+v, of\n%s", seed, bounded,
				backward, want, log)
		}
		if seed%10 > 0 { // files take longer than all of the rest
			continue
		}
		pieces := inPieces(t, r, log)
		end, err := ReadEnd(in(t, filepath.Dir(tail.Path)), nil, func(*End) bool { return false })
		must(t, err)
		if want.Status == "" { // a file belongs to a run that is at least queued
			want.Status = runner.Queued
			pieces.Status = runner.Queued
		}
		if !reflect.DeepEqual(pieces.Standing, want) || !reflect.DeepEqual(end.Standing, want) {
			t.Fatalf("seed %d: in pieces %+v, from the end %+v, want %+v, of\n%s", seed,
				pieces.Standing, end.Standing, want, log)
		}
	}
}

// stand returns the events of a type that stand, by the definition.
func stand[E runner.Event](events []runner.Event) (list []E) {
	for i, e := range events {
		o, ok := e.(E)
		if ok && !slices.ContainsFunc(events[i:], func(later runner.Event) bool {
			_, resumed := later.(*runner.ResumeEvent)
			return resumed && later.Header().Step < e.Header().Step
		}) {
			list = append(list, o)
		}
	}
	return list
}

// byStep keeps the later of two neighbours at one step.
func byStep(list []*runner.EvalEvent) (kept []*runner.EvalEvent) {
	for i, e := range list {
		if i+1 == len(list) || list[i+1].Step != e.Step {
			kept = append(kept, e)
		}
	}
	return kept
}

// inPieces reads a log that grows by pieces of any size, which may end in the middle of a line.
func inPieces(t *testing.T, r *rand.Rand, log []byte) *History {
	t.Helper()
	tail := newTail(t, nil)
	h := &History{}
	for n := 0; n < len(log); {
		n = min(len(log), n+1+r.IntN(600))
		write(t, log[:n], tail.Path)
		for {
			events, err := tail.Read()
			must(t, err)
			if len(events) == 0 {
				break
			}
			for _, e := range events {
				h.Add(e)
			}
		}
	}
	return h
}

// TestResumesAreReadHere checks that no other package decides which events a resume takes back.
// Outside of the runs and their records, resumes occur only in notices and where they are written.
func TestResumesAreReadHere(t *testing.T) {
	notices := map[string]int{"runner/queue/job.go": 1, "tui/watch/track/track.go": 1,
		"tui/cli/run/watch.go": 1}
	root := os.DirFS("../../../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		runs := folder == "runner" || folder == "runner/queue"
		if runs || strings.HasPrefix(folder, "runner/record") {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if n := strings.Count(string(text), "ResumeEvent"); n != notices[path] {
			t.Errorf("%s names ResumeEvent %d times, want %d: see History", path, n, notices[path])
		}
		return err
	})
	must(t, err)
}
