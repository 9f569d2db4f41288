package record

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/measure"

	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// TestWriteLong writes a run of a million steps for measurements by hand. It stays, as a folder of
// runs below DIR, with
//
//	DROLAB_LONG=1 go test ./runner/record -run WriteLong -artifacts -outputdir DIR
func TestWriteLong(t *testing.T) {
	testsize.OnlyLong(t, "writes a million steps to measure with")
	writeLong(t, t.ArtifactDir(), 1_000_000, runner.Done)
}

// writeLong makes a run that logs every step, with an evaluation and a checkpoint in each of a
// hundred epochs and one spike of the loss, after a third of the steps. The run has the given
// status and has no index.
func writeLong(t testing.TB, dir string, steps int64, end runner.Status) string {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	s, err := Open(dir)
	check(err)
	m := newMeta(uint64(steps))
	m.Steps, m.StepsPerEpoch = int64(steps), int64(max(1, steps/100))
	m.Spec.Epochs = 100
	rec, err := s.Create(m, nil)
	check(err)
	r := rec.(*recorder)
	f, err := os.OpenFile(filepath.Join(r.in.Path, eventlog.LogName), os.O_WRONLY|os.O_TRUNC, 0)
	check(err)
	w := &longWriter{w: bufio.NewWriterSize(f, 1<<20)}
	w.w.Write(eventlog.HeadLine(r.in.Owner))
	w.add(t, status(0, runner.Running))
	for step := int64(1); step <= steps; step++ {
		w.add(t, longStep(step, steps))
		if step%m.StepsPerEpoch == 0 {
			w.add(t, longEval(step, steps))
			w.add(t, &runner.CheckpointEvent{Head: head(step), File: checkpointFile(step)})
		}
	}
	last, eval := longStep(steps, steps), longEval(steps, steps)
	if end.Ended() && end != runner.Interrupted {
		w.add(t, status(steps, end))
		check(r.Finish(runner.Summarize(m, end, steps, eval, last)))
	}
	check(w.w.Flush())
	check(f.Close())
	check(r.Close())
	return m.ID
}

type longWriter struct {
	w   *bufio.Writer
	seq int64
}

// add writes an event, five milliseconds of training after the previous one.
func (w *longWriter) add(t testing.TB, e runner.Event) {
	w.seq++
	h := e.Header()
	h.Seq, h.Type = w.seq, e.Kind()
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	h.Time = began.Add(time.Duration(w.seq) * 5 * time.Millisecond)
	var line []byte
	var err error
	if own, ok := e.(json.Marshaler); ok { // without json's second look at it
		line, err = own.MarshalJSON()
	} else {
		line, err = runner.EncodeEvent(e)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.w.Write(append(disk.SealLine(line), '\n'))
}

// longStep returns an event with all figures of a step of SFK-DRO.
func longStep(step, steps int64) *runner.StepEvent {
	u := float64(step) / float64(steps)
	e := &runner.StepEvent{Head: head(step), Epoch: 100 * u, ImagesPerSecond: measure.Num(2500 +
		30*math.Sin(u))}
	loss := 2.3*math.Exp(-3*u) + 0.1*math.Sin(float64(step))
	if step == steps/3 {
		loss = 40
	}
	for i, name := range []string{"loss", "objective", "lambda", "eta", "gap", "gamma", "grad_norm",
		"mean_ratio", "divergence"} {
		e.Set(name, measure.Num(loss+float64(i)))
	}
	e.Min, e.Max = append(measure.Values{}, e.Values...), append(measure.Values{}, e.Values...)
	return e
}

func longEval(step, steps int64) *runner.EvalEvent {
	u := float64(step) / float64(steps)
	e := &runner.EvalEvent{Head: head(step), Epoch: 100 * u}
	for _, name := range []string{"train_loss", "test_loss", "test_accuracy",
		"worst_class_accuracy",
		"robust_risk", "dual_gap"} {
		e.Set(name, measure.Num(u))
	}
	list := make([]measure.Number, 10)
	for i := range list {
		list[i] = measure.Num(u * float64(i) / 10)
	}
	for _, name := range []string{"class_accuracy", "class_loss", "class_weight"} {
		e.ByGroup.Set(name, list)
	}
	return e
}
