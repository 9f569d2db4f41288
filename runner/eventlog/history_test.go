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
	"time"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/measure"
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
			return &runner.RefitEvent{Head: head(s), Fit: r.IntN(3), Fits: 2}
		},
		func(s int64) runner.Event {
			all := []runner.Status{runner.Queued, runner.Running, runner.Paused, runner.Stopped,
				runner.Failed, runner.Done}
			return &runner.StatusEvent{Head: head(s), Status: all[r.IntN(len(all))],
				Cause: string(rune('a' + r.IntN(9)))}
		},
	}
	for i := range r.IntN(40) {
		if r.IntN(10) == 0 {
			log.WriteString("garbage\n")
			continue
		}
		e := events[r.IntN(len(events))](1 + r.Int64N(20))
		e.Header().Step -= 1 + r.Int64N(2) // also 0 and −1
		e.Header().Seq = int64(i + 1)
		b, err := runner.EncodeEvent(e)
		if err != nil {
			panic(err)
		}
		log.Write(append(disk.SealLine(b), '\n'))
	}
	return log.Bytes()
}

// TestHistory compares every way of reading a log with the definition: an event at a step stands
// unless a later resume goes back below that step. It is known to be the newest unless lines are
// lost behind it.
func TestHistory(t *testing.T) {
	for seed := range uint64(testsize.Pick(120, 500, 500)) {
		r := rand.New(rand.NewPCG(seed, 0))
		log := randomLog(r)
		tail := newTail(t, log)
		var events []runner.Event
		forward, err := ReadHistory(tail, func(e runner.Event) { events = append(events, e) })
		must(t, err)
		steps := stand[*runner.StepEvent](events)
		evals := byStep(stand[*runner.EvalEvent](events))
		if !slices.Equal(forward.Steps, steps) || !slices.Equal(forward.Evals, evals) {
			t.Fatalf("seed %d: forwards %d steps and %d evaluations, want %d and %d that stand, of"+
				"\n%s", seed, len(forward.Steps), len(forward.Evals), len(steps), len(evals), log)
		}
		if last := newest(events, steps); forward.Last != last {
			t.Fatalf("seed %d: forwards the last step is %+v, want %+v, of\n%s", seed, forward.Last,
				last, log)
		}
		if last := newest(events, evals); forward.Eval != last {
			t.Fatalf("seed %d: forwards the last evaluation is %+v, want %+v, of\n%s", seed,
				forward.Eval, last, log)
		}
		if fit := refitting(events); forward.Refit != fit {
			t.Fatalf("seed %d: forwards the fit %+v goes on, want %+v, of\n%s", seed,
				forward.Refit, fit, log)
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
		if bounded.Standing != want || backward.Standing != want {
			t.Fatalf("seed %d: bounded %+v, backwards %+v, want %+v, of\n%s", seed,
				bounded.Standing, backward.Standing, want, log)
		}
		if !slices.Equal(backward.Evals, evals) {
			t.Fatalf("seed %d: backwards %d evaluations, want %d that stand, of\n%s", seed,
				len(backward.Evals), len(evals), log)
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

// newest returns the last event of a list if it is known to be the newest.
func newest[E runner.Event](events []runner.Event, list []E) (none E) {
	if len(list) == 0 {
		return none
	}
	at := slices.Index(events, runner.Event(list[len(list)-1]))
	if slices.ContainsFunc(events[at:], func(e runner.Event) bool {
		_, lost := e.(*GapEvent)
		return lost
	}) {
		return none
	}
	return list[len(list)-1]
}

// refitting returns the last fit of the last layer unless an event of the run's state or a lost
// line is behind it.
func refitting(events []runner.Event) *runner.RefitEvent {
	for _, e := range slices.Backward(events) {
		switch e := e.(type) {
		case *runner.RefitEvent:
			return e
		case *runner.WarningEvent:
		default:
			return nil
		}
	}
	return nil
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
	notices := map[string]int{"runner/queue/job.go": 1, "tui/watch/panel/track.go": 1,
		"runner/alert/reader.go":   1, // who is to tell of it
		"runner/foreign/writer.go": 1, // writes it
		"tui/cli/run/follow.go":    1}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		runs := folder == "runner" || folder == "runner/queue"
		if runs || folder == "runner/eventlog" {
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

func progress(events ...runner.Event) *Progress {
	p := NewProgress(newMeta(1))
	for _, e := range events {
		p.Add(e)
	}
	return p
}

// timed sets an event's time to a number of seconds on the clock.
func timed(seconds float64, e runner.Event) runner.Event {
	e.Header().Time = time.Unix(1000, 0).Add(time.Duration(seconds * float64(time.Second)))
	return e
}

// wantStanding checks where a run stands.
func wantStanding(t *testing.T, when string, p *Progress, want Standing) {
	t.Helper()
	if p.Standing != want {
		t.Errorf("%s: it stands at %+v, want %+v", when, p.Standing, want)
	}
}

func TestProgressAppliesResume(t *testing.T) {
	first, second := stepEvent(2), evalEvent(1)
	p := progress(status(0, runner.Running), second, first, stepEvent(3), evalEvent(3),
		&runner.WarningEvent{Head: head(3), Message: "odd"}, stepEvent(4),
		&runner.ResumeEvent{Head: head(2)})
	wantStanding(t, "after the resume", p,
		Standing{Status: runner.Queued, Step: 2, Last: first, Eval: second})
	p.Add(status(2, runner.Running))
	third := stepEvent(3)
	p.Add(third)
	wantStanding(t, "going on", p,
		Standing{Status: runner.Running, Step: 3, Last: third, Eval: second})
	p.Add(&runner.ResumeEvent{})
	wantStanding(t, "after a resume from the start", p, Standing{Status: runner.Queued})
}

// TestProgressIsBounded checks that a long run costs no more memory than a short one, and that a
// resume that goes back a little finds the events that stand.
func TestProgressIsBounded(t *testing.T) {
	p := progress(status(0, runner.Running))
	for step := range int64(10_000) {
		p.Add(stepEvent(step + 1))
		p.Add(evalEvent(step + 1))
	}
	if n := max(cap(p.Steps), cap(p.Evals), cap(p.times)); n > 4*minRewind {
		t.Errorf("%d events are kept, want at most %d", n, 4*minRewind)
	}
	p.Add(&runner.ResumeEvent{Head: head(10_000 - minRewind/2)})
	if p.Last == nil || p.Eval == nil {
		t.Fatalf("after a resume: %+v, want a step and an evaluation", p.Standing)
	}
	if want := int64(10_000 - minRewind/2); p.Last.Step != want {
		t.Errorf("after a resume: the last step is %d, want %d", p.Last.Step, want)
	}
	last := p.Standing
	p.Settle()
	wantStanding(t, "settled", p, last)
	if n := max(len(p.Steps), len(p.Evals)); n > mostSettled {
		t.Errorf("settled: %d events are kept, want at most %d", n, mostSettled)
	}
	p.Add(&runner.ResumeEvent{Head: head(p.Step - 2)})
	if p.Last.Step != last.Step-2 || p.Eval == nil {
		t.Errorf("settled and resumed: %+v, want step %d and an evaluation", p.Standing,
			last.Step-2)
	}
	p.Add(&runner.ResumeEvent{Head: head(5)})
	wantStanding(t, "after a resume from long ago", p,
		Standing{Status: runner.Queued, Step: 5})
}

func TestProgressKnowsItsPace(t *testing.T) {
	p := progress(timed(0, status(0, runner.Running)), timed(1, stepEvent(10)))
	see := func(when string, seconds float64, left time.Duration) {
		t.Helper()
		if p.Seconds != seconds {
			t.Errorf("%s: trained for %g s, want %g", when, p.Seconds, seconds)
		}
		if got, ok := p.Remaining(); got != left || ok != (left > 0) {
			t.Errorf("%s: Remaining() = %v, %v, want %v, %v", when, got, ok, left, left > 0)
		}
	}
	see("at step 10 of 500", 1, 49*time.Second)
	p.Add(timed(3, status(20, runner.Paused)))
	see("paused", 3, 0)
	p.Add(timed(100, status(20, runner.Running)))
	p.Add(timed(101, evalEvent(20))) // counts as well
	see("after a pause", 4, 0)
	p.Add(timed(102, stepEvent(30)))
	see("further on", 5, 94*time.Second)
	p.Add(timed(5000, &runner.ResumeEvent{Head: head(25)})) // half-way from 4 s to 5 s
	see("after a resume", 4.5, 0)
	p.Add(timed(5000, status(25, runner.Running)))
	p.Add(timed(5000.5, stepEvent(30)))
	see("going on", 5, 47*time.Second)
	p.Add(timed(9000, &ForkEvent{Head: head(30)}))
	see("at a fork", 5, 0)
	p.Add(timed(9000, status(30, runner.Running)))
	p.Add(timed(9001, stepEvent(40)))
	see("in a fork", 6, 46*time.Second)
}

func TestProgressHasTheKnobs(t *testing.T) {
	turn := &runner.KnobEvent{Head: head(3), Key: "lr", New: measure.Num(0.5)}
	p := progress(turn,
		&runner.KnobEvent{Head: head(3), Key: "nothing"},
		&runner.KnobEvent{Head: head(4), Key: "c", New: measure.Num(9)})
	if p.Spec.LR != 0.5 || p.Spec.Text("c") != "9" {
		t.Errorf("lr %v, c %s, want 0.5 and 9", p.Spec.LR, p.Spec.Text("c"))
	}
	if p.Add(&ForkEvent{}); p.Spec.LR == 0.5 {
		t.Error("a fork has the knobs that its parent was given")
	}
}
