package alert

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/machine"
	"drolab/runner/measure"
)

// TestKinds: the table has every name once, by their levels, and all that people need.
func TestKinds(t *testing.T) {
	names := map[string]bool{}
	at := 0
	for _, k := range Kinds() {
		if names[k.Name] || k.Name == "" || k.When == "" || k.Text == "" || k.Remedy == "" {
			t.Errorf("%+v: want a name of its own, a moment, a text and a remedy", k)
		}
		names[k.Name] = true
		rank := slices.Index(levels, k.Level)
		if rank < max(at, 1) {
			t.Errorf("%s is at level %q, want one of %v, ascending", k.Name, k.Level, levels[1:])
		}
		at = rank
	}
	for _, name := range []string{machine.ScarceMemory, machine.ScarceDisk, machine.WaitingData,
		machine.WaitingCores} {
		if !names[name] {
			t.Errorf("the table has no %s, which the machine says", name)
		}
	}
}

// TestLevels: a level wants its alerts and those above, and no level at all wants ends alone.
func TestLevels(t *testing.T) {
	alerts := []Alert{{Name: Done, Level: Info}, {Name: Warning, Level: Warn},
		{Name: Failed, Level: Error}, {Name: Interrupted, Level: Error}}
	for text, want := range map[string]string{"": "done failed",
		"end": "done failed", "info": "done warning failed interrupted",
		"warn": "warning failed interrupted", "error": "failed interrupted"} {
		l, err := ParseLevel(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range alerts {
			if l.Wants(a) {
				got = append(got, a.Name)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("level %q wants %s, want %s", text, got, want)
		}
	}
	if _, err := ParseLevel("loud"); err == nil ||
		err.Error() != `"loud": expected end, info, warn, error` {
		t.Errorf("level loud: %v", err)
	}
}

// story adds events to a Reader, each so many minutes after the start.
type story struct {
	t    *testing.T
	from Reader
	seq  int64
}

var midnight = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

func (s *story) at(minute int, e runner.Event) (text string) {
	s.t.Helper()
	s.seq++
	h := e.Header()
	h.Seq, h.Time = s.seq, midnight.Add(time.Duration(minute)*time.Minute)
	a, ok, resumed := s.from.Add(e)
	if resumed {
		text = "resumed "
	}
	if ok {
		text += string(a.Level) + " " + a.Name + " " + a.Text
	}
	return text
}

func (s *story) want(minute int, e runner.Event, want string) {
	s.t.Helper()
	if got := s.at(minute, e); got != want {
		s.t.Errorf("minute %d: %q, want %q", minute, got, want)
	}
}

func status(s runner.Status, cause string) runner.Event {
	var err error
	if cause != "" {
		err = errors.New(cause)
	}
	return runner.NewStatus(runner.Head{Step: 7}, s, err)
}

// TestOnceAnHour: the same alert is told again only an hour after it was told, also after a resume
// by another process; warnings and causes in other words are other alerts, other figures are not.
func TestOnceAnHour(t *testing.T) {
	s := &story{t: t}
	warning := func(text string) runner.Event { return &runner.WarningEvent{Message: text} }
	memory := func(text string) runner.Event {
		return New(runner.Head{}, machine.ScarceMemory, text)
	}
	s.want(0, status(runner.Running, ""), "")
	s.want(1, warning("few samples"), "warn warning few samples")
	s.want(2, warning("many classes"), "warn warning many classes")
	s.want(3, memory("0.9 GiB free"), "warn memory 0.9 GiB free")
	s.want(20, memory("0.8 GiB free"), "")
	s.want(30, status(runner.Failed, "NaN"), "error failed failed: NaN")
	s.want(40, &runner.ResumeEvent{}, "resumed ")
	s.want(41, status(runner.Running, ""), "")
	s.want(42, warning("few samples"), "")
	s.want(50, status(runner.Failed, "NaN"), "")
	s.want(51, &runner.ResumeEvent{}, "resumed ")
	s.want(55, status(runner.Failed, "the disk is full"), "error failed failed: the disk is full")
	s.want(60, warning("few samples"), "")
	s.want(61, warning("few samples"), "warn warning few samples")
	s.want(63, memory("0.7 GiB free"), "warn memory 0.7 GiB free")
	s.want(110, memory("0.6 GiB free"), "")
	s.want(111, &runner.ResumeEvent{}, "resumed ")
	s.want(112, status(runner.Failed, "NaN"), "error failed failed: NaN")
	s.want(113, status(runner.Done, ""), "info done done at step 7")
	s.want(114, status(runner.Stopped, ""), "")
}

// TestFiguresAreNoNews: a warning and a failure that differ in figures alone are told once an hour,
// however the figures are written.
func TestFiguresAreNoNews(t *testing.T) {
	s := &story{t: t}
	warning := func(text string) runner.Event { return &runner.WarningEvent{Message: text} }
	s.want(0, warning("λ is held at 0.01; the best λ is 3.2e-05"),
		"warn warning λ is held at 0.01; the best λ is 3.2e-05")
	s.want(1, &runner.ResumeEvent{}, "resumed ")
	s.want(2, warning("λ is held at 1; the best λ is −1,234.5"), "")
	s.want(3, warning("η is held at 1; the best η is 2"),
		"warn warning η is held at 1; the best η is 2")
	s.want(4, status(runner.Failed, "step 2: batch loss is NaN"), "error failed failed: step 2: "+
		"batch loss is NaN")
	s.want(5, &runner.ResumeEvent{}, "resumed ")
	s.want(6, status(runner.Failed, "step 131: batch loss is NaN"), "")
	s.want(61, warning("λ is held at 2; the best λ is 3"),
		"warn warning λ is held at 2; the best λ is 3")
}

// TestNewestFirst: what is dated after the clock stands last, since nobody knows when it was.
func TestNewestFirst(t *testing.T) {
	at := func(minutes int) Alert {
		return Alert{Step: int64(minutes), Time: midnight.Add(time.Duration(minutes) * time.Minute)}
	}
	list := []Alert{at(-5), at(500), at(0), at(60), at(-90), at(1)}
	NewestFirst(list, midnight)
	var got []int64
	for _, a := range list {
		got = append(got, a.Step)
	}
	if want := []int64{1, 0, -5, -90, 500, 60}; !slices.Equal(got, want) {
		t.Errorf("NewestFirst() = %v, want %v", got, want)
	}
}

// TestInterrupted: a log without an end says, once, that nobody trains the run any more: at its
// end, in its own event, or before the resume that follows.
func TestInterrupted(t *testing.T) {
	const text = "error interrupted interrupted behind step 7: its process was killed, or its " +
		"machine went down"
	end := runner.Head{Step: 9, Time: midnight.Add(5 * time.Minute)}
	s := &story{t: t}
	if _, ok := s.from.Interrupted(end); ok {
		t.Error("an empty log is that of a run that was interrupted")
	}
	s.want(0, status(runner.Running, ""), "")
	s.want(1, &runner.ResumeEvent{}, "resumed "+text)
	s.want(70, status(runner.Running, ""), "")
	end.Time = midnight.Add(80 * time.Minute)
	a, ok := s.from.Interrupted(end)
	if !ok || a.Step != 9 || a.Level != Error || !a.Time.Equal(end.Time) {
		t.Errorf("at the end: %+v (%v), want an error at step 9", a, ok)
	}
	if _, ok := s.from.Interrupted(end); ok {
		t.Error("the same end is told twice")
	}
	s.want(200, status(runner.Running, ""), "")
	s.want(201, New(runner.Head{}, Interrupted, 7), text)
	if _, ok := s.from.Interrupted(end); ok {
		t.Error("an interruption that the log has is told again")
	}
	s.want(202, &runner.ResumeEvent{}, "resumed ")
	s.want(203, status(runner.Stopped, ""), "")
	if _, ok := s.from.Interrupted(end); ok {
		t.Error("a run that was stopped is interrupted")
	}
}

// TestOtherVersions: an alert that this version does not know is told as its event has it, and one
// without a level is none. What is remembered is bounded, and the end is told all the same.
func TestOtherVersions(t *testing.T) {
	s := &story{t: t}
	s.want(0, &runner.AlertEvent{Level: "warn", Alert: "noise", Text: "too loud"},
		"warn noise too loud")
	s.want(1, &runner.AlertEvent{Level: "end", Alert: "noise", Text: "too loud"}, "")
	s.want(2, &runner.AlertEvent{Level: "info", Alert: Failed, Text: "no"}, "error failed no")
	for i := range 2 * mostTold {
		s.at(3, &runner.WarningEvent{Message: strings.Repeat("x", i)})
	}
	if n := len(s.from.told); n > mostTold {
		t.Errorf("%d alerts are remembered, want at most %d", n, mostTold)
	}
	end := runner.NewStatus(runner.Head{Step: 4}, runner.Failed, errors.New("NaN"))
	s.want(4, end, "error failed failed: NaN")
	s.want(100, &runner.WarningEvent{Message: "later"}, "warn warning later")
}

// TestRemedies: the remedy of a run names it.
func TestRemedies(t *testing.T) {
	a, ok := Of(status(runner.Failed, "NaN"))
	if a = a.In("x-1", "gpu1"); !ok || strings.Contains(a.Remedy, "RUN") ||
		!strings.Contains(a.Remedy, "drolab resume x-1 ") || a.Box != "gpu1" {
		t.Errorf("%+v", a)
	}
}

// TestFall: the worst class has fallen once the mean of five evaluations was below the interval of
// the best mean for a fifth of the run, and is told once for each fall.
func TestFall(t *testing.T) {
	const steps, samples = 1000, 100 // .6 of 100 has the interval [.502, .691]
	add := func(f *Fall, step int64, worst float64) bool {
		return f.Add(step, steps, measure.Num(worst), samples)
	}
	f := &Fall{}
	var told []int64
	run := func(from, to int64, worst float64) {
		for step := from; step <= to; step += 20 {
			if add(f, step, worst) {
				told = append(told, step)
			}
		}
	}
	run(20, 200, .6)
	run(220, 380, .51) // within the interval
	run(400, 700, .3)
	// The mean of 400 is .468; from there on it is below .502.
	if !slices.Equal(told, []int64{600}) || f.Since != 400 {
		t.Errorf("told at %v of a fall since %d, want 600 and 400", told, f.Since)
	}
	if f.Best < .599 || f.Best > .601 || f.Least < .50 || f.Least > .503 {
		t.Errorf("the best is %v from %v, want .6 from .502", f.Best, f.Least)
	}
	run(720, 800, .6) // back
	run(820, 1000, .2)
	if !slices.Equal(told, []int64{600}) {
		t.Errorf("told at %v, want 600 alone: the second fall is short", told)
	}
	run(1020, 1300, .2)
	if len(told) != 2 {
		t.Errorf("told at %v, want a second fall", told)
	}
	if add(f, 1300, .1) || f.Add(1320, steps, measure.Number{}, samples) ||
		(&Fall{}).Add(1, steps, measure.Num(.5), 0) {
		t.Error("a step that was known, no figure or no samples are a fall")
	}
	step := int64(2000)
	if n := testing.AllocsPerRun(100, func() { step++; add(f, step, .2) }); n > 0 {
		t.Errorf("an evaluation allocates %v times, want 0", n)
	}
}
