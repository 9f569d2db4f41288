package run

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cli/console"
)

// plain is the theme of an output that is no terminal.
var plain = (&console.Console{}).Theme(nil)

func testLive(step int64) *followedRun {
	spec := spec.Defaults()
	spec.Algorithms, spec.Epochs = []dro.Algorithm{dro.SFK}, 10
	m := runner.Meta{Preset: "shape\u202e", Spec: spec, Steps: 100, StepsPerEpoch: 10}
	l := &followedRun{Progress: eventlog.NewProgress(&m), meta: m}
	start := time.Unix(1000, 0)
	at := func(s int64, d time.Duration) runner.Head {
		return runner.Head{Step: s, Time: start.Add(d)}
	}
	l.add(&runner.StatusEvent{Head: at(0, 0), Status: runner.Running})
	if step > 0 {
		l.add(&runner.StepEvent{
			Head: at(step, time.Duration(step)*time.Second), Epoch: float64(step) / 10,
			Values: measure.Values{
				{Name: "loss", Number: measure.Num(1.5)}, {Name: "lambda", Number: measure.Num(.9)},
			},
			ImagesPerSecond: measure.Num(5000),
		})
	}
	return l
}

func TestRemaining(t *testing.T) {
	if d, ok := testLive(0).Remaining(); ok {
		t.Errorf("before the first step %v remain", d)
	}
	l := testLive(25)
	if d, ok := l.Remaining(); !ok || d != 75*time.Second {
		t.Errorf("after 25 of 100 steps in 25 s, %v remain (%v)", d, ok)
	}
	// After a resume, the speed is the speed since the resume.
	l.add(&runner.ResumeEvent{Head: runner.Head{Step: 20, Time: time.Unix(2000, 0)}})
	l.add(&runner.StatusEvent{Head: runner.Head{Step: 20, Time: time.Unix(2000, 0)},
		Status: runner.Running})
	l.add(&runner.StepEvent{Head: runner.Head{Step: 30, Time: time.Unix(2020, 0)}})
	if d, ok := l.Remaining(); !ok || d != 140*time.Second {
		t.Errorf("after a resume %v remain (%v)", d, ok)
	}
	l.add(&runner.StatusEvent{Head: runner.Head{Step: 100, Time: time.Unix(3000, 0)},
		Status: runner.Done})
	if _, ok := l.Remaining(); ok {
		t.Error("something remains of a run that is done")
	}
}

// TestRefitIsFollowed: while the last layer is fitted again, nothing is known of the time that
// remains. A line of the screen says which fit goes on.
func TestRefitIsFollowed(t *testing.T) {
	l := testLive(50)
	l.add(&runner.RefitEvent{Head: runner.Head{Step: 50}, Fit: 3, Fits: 25})
	if d, ok := l.Remaining(); ok {
		t.Errorf("during a refit %v remain", d)
	}
	p := &display{theme: plain, screen: true, width: 80, height: 20, runs: []*followedRun{l}}
	if got := p.block(false)[0]; !strings.Contains(got, " fit 3/25 ") {
		t.Errorf("the line is %q, want fit 3/25 in it", got)
	}
	l.add(&runner.EvalEvent{Head: runner.Head{Step: 50}})
	if got := p.block(false)[0]; strings.Contains(got, "fit") {
		t.Errorf("behind the refit the line is %q", got)
	}
}

// TestHowToContinue: whatever names the way to continue an ended run names a command that does, or
// the call of its script, which alone can. On a box, the command is the one to type here.
func TestHowToContinue(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]string{
		"linear":         "drolab resume mine-linear --box gpu1",
		spec.ScriptModel: `drolab.start(resume="mine-script") in its script`,
	} {
		s := spec.Defaults()
		s.Algorithms, s.Model = []dro.Algorithm{dro.SFK}, model
		id := "mine-" + strings.TrimSuffix(model, ":")
		made, err := store.Create(&runner.Meta{ID: id, Spec: s}, nil)
		if err != nil {
			t.Fatal(err)
		}
		made.Close()
		r, err := record.Find(store.Dir(), id)
		if err != nil {
			t.Fatal(err)
		}
		tr := &Trainer{Console: console.New(console.Env{RunsDir: store.Dir()})}
		tr.Forwarded.Box = "gpu1"
		_, refused := sendOrder(tr, r, runner.Order{Verb: runner.Stop})
		for of, text := range map[string]string{
			"the line of its status": tr.StatusLine(r),
			"a command that waited":  fmt.Sprint(unfinishedErrors(tr, []*record.Run{r}, nil)),
			"an order":               fmt.Sprint(refused),
		} {
			if !strings.Contains(text, want) || strings.Count(text, "drolab") != 1 {
				t.Errorf("%s: %s says %q: want %q alone", id, of, text, want)
			}
		}
	}
}

// TestShowsSweep: the interface shows a sweep of this machine, and a table one of a box.
func TestShowsSweep(t *testing.T) {
	for of, want := range map[string]string{
		"": "drolab sweep status '/my sweep' --follow, or drolab --runs '/my sweep'",
		"gpu1": "drolab sweep status '/my sweep' --follow --box gpu1, or " +
			"drolab sweep table '/my sweep' --box gpu1",
	} {
		tr := &Trainer{Console: console.New(console.Env{})}
		tr.Forwarded.Box = of
		if got := tr.showsSweep("/my sweep"); got != want {
			t.Errorf("on %q: %s, want %s", of, got, want)
		}
	}
}
