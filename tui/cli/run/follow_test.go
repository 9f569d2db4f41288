package run

import (
	"bytes"
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
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"charm.land/lipgloss/v2"
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

// TestLineFits: no line is wider than the screen, and the important parts remain.
func TestLineFits(t *testing.T) {
	for width := 1; width <= 200; width++ {
		p := &display{theme: plain, screen: true, width: width, height: 20,
			runs: []*followedRun{testLive(0), testLive(25), testLive(100)}}
		var out bytes.Buffer
		p.out = cell.NewWriter(&out)
		p.show(false)
		for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
			if w := lipgloss.Width(line); w > max(1, width-1) {
				t.Fatalf("%d cells on a screen of %d: %q", w, width, line)
			}
		}
		for piece, from := range map[string]int{
			"epoch   2.5/10": 30, "━": 42, "worst": 56, "running": 65, "ETA 1:15": 78, "mean": 92,
			"loss 1.5": 105, "λ 0.9": 134,
		} {
			if shown := strings.Contains(out.String(), piece); shown != (width >= from) {
				t.Errorf("screen of %d: %q is shown: %v\n%s", width, piece, shown, out.String())
			}
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Fatalf("the first frame has an escape sequence: %q", out.String())
		}
	}
}

func TestBlockFitsTheScreen(t *testing.T) {
	p := &display{theme: plain, screen: true, width: 80, height: 6}
	for i := range 16 {
		l := testLive(int64(i))
		if i > 8 {
			l.Status = runner.Queued
		}
		if i < 8 {
			l.Status = runner.Done
		}
		p.runs = append(p.runs, l)
	}
	got := p.block(false)
	if len(got) != 4 || !strings.Contains(got[0], "running") ||
		got[3] != "… 7 queued, 1 running, 8 done" {
		t.Errorf("block %q", got)
	}
	if got := p.block(true); len(got) != 16 {
		t.Errorf("the last block has %d lines, want all 16", len(got))
	}
}

func TestPanelRedraws(t *testing.T) {
	var out bytes.Buffer
	p := &display{theme: plain, out: cell.NewWriter(&out), screen: true, width: 80, height: 10,
		runs: []*followedRun{testLive(1), testLive(2)}}
	p.show(false)
	out.Reset()
	p.runs[0].add(&runner.WarningEvent{Head: runner.Head{Step: 3}, Message: "odd\x1b[2J"})
	p.show(true)
	if !strings.HasPrefix(out.String(),
		"\x1b[2A\r\x1b[Jshape? sfk s1 warning at step 3: odd\\x1b[2J\n") {
		t.Errorf("second frame %q", out.String())
	}
	if p.drawn != 0 {
		t.Error("after the last frame something is still to be drawn over")
	}
}

func TestTroublesAreToldOnce(t *testing.T) {
	told := map[string]string{}
	live := []runner.LiveRun{
		{ID: "mine", Trouble: "disk full"}, {ID: "other", Trouble: "disk full"}, {ID: "fine"},
	}
	ids, remedy := []string{"mine", "fine"}, "continue with drolab resume %s"
	if lines := newTroubles(live, ids, told, remedy); len(lines) != 1 ||
		!strings.Contains(lines[0],
			"run mine waits: disk full (continue with drolab resume mine)") {
		t.Errorf("told %q", lines)
	}
	if lines := newTroubles(live, ids, told, remedy); len(lines) != 0 {
		t.Errorf("told again: %q", lines)
	}
	over := []runner.LiveRun{{ID: "mine"}}
	lines := newTroubles(over, ids, told, "")
	if len(lines) != 1 || lines[0] != "run mine continues" {
		t.Errorf("told when it was over: %q", lines)
	}
	if lines := newTroubles(live, ids, told, remedy); len(lines) != 1 {
		t.Errorf("a second time is not told: %q", lines)
	}
}

// TestHowToContinue: whatever names the way to continue an ended run names a command that does, or
// the call of its script, which alone can.
func TestHowToContinue(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]string{
		"linear":         "drolab resume mine-linear",
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
		_, refused := sendOrder(nil, r, runner.Order{Verb: runner.Stop})
		for of, text := range map[string]string{
			"the line of its status": console.StatusLine(r),
			"a command that waited":  fmt.Sprint(unfinishedErrors([]*record.Run{r}, nil)),
			"an order":               fmt.Sprint(refused),
		} {
			if !strings.Contains(text, want) || strings.Count(text, "drolab") != 1 {
				t.Errorf("%s: %s says %q: want %q alone", id, of, text, want)
			}
		}
	}
}
