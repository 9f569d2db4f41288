package record

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/measure"
)

// longRun records a run that is done, with a resume that discards steps.
func longRun(t *testing.T, s *Store) *Run {
	t.Helper()
	m := newMeta(3)
	r := create(t, s, m)
	must(t, r.Append(status(0, runner.Running)))
	appendSteps(t, r, 1, 400)
	must(t, r.Append(evalEvent(400)))
	must(t, r.Append(&runner.ResumeEvent{Head: head(300)}))
	for step := int64(301); step <= 600; step++ {
		e := stepEvent(step)
		e.Set("loss", measure.Num(math.Sin(float64(step)/7)))
		if step == 450 {
			e.Max, e.Min = measure.Values{{Name: "loss", Number: measure.Num(1e6)}},
				measure.Values{{Name: "loss"}}
		}
		must(t, r.Append(e))
	}
	eval := evalEvent(600)
	eval.Set("test_loss", measure.Num(1.0/3))
	must(t, r.Append(eval))
	must(t, r.Append(&runner.CheckpointEvent{Head: head(600), File: "x"}))
	must(t, r.Append(&runner.WarningEvent{Head: head(600), Message: "hot"}))
	must(t, r.Append(status(600, runner.Done)))
	must(t, r.Finish(runner.Summarize(m, runner.Done, 600, eval, stepEvent(600))))
	must(t, r.Close())
	run, err := Find(s.Dir(), m.ID)
	must(t, err)
	return run
}

func packed(t *testing.T, r *Run) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, Pack(&b, r, 0))
	return b.Bytes()
}

func TestPackedRunReadsAsTheRun(t *testing.T) {
	run := longRun(t, newStore(t))
	b := packed(t, run)
	if !bytes.Equal(b, packed(t, run)) {
		t.Error("the same run gives other bytes")
	}
	got, err := Unpack("recorded:x/y", b)
	must(t, err)
	if !reflect.DeepEqual(got.Meta, run.Meta) {
		t.Errorf("Meta is %+v, want %+v", got.Meta, run.Meta)
	}
	if got.Status() != runner.Done {
		t.Errorf("status %s, want %s", got.Status(), runner.Done)
	}
	want := *run.Summary()
	want.Dir = "recorded:x/y"
	if !reflect.DeepEqual(*got.Summary(), want) {
		t.Errorf("summary %+v, want %+v", *got.Summary(), want)
	}
	steps, err := got.Checkpoints()
	must(t, err)
	if len(steps) > 0 {
		t.Errorf("checkpoints %v, want none", steps)
	}
	if _, err := got.Load(600); !errors.Is(err, errNoCheckpoint) {
		t.Errorf("Load(600): %v, want %v", err, errNoCheckpoint)
	}
	if again := packed(t, got); !bytes.Equal(again, b) {
		t.Error("packing a packed run again changes it")
	}
}

func TestPackedLog(t *testing.T) {
	run := longRun(t, newStore(t))
	got, err := Unpack("x", packed(t, run))
	must(t, err)
	full, kept := history(t, run.Tail()), history(t, got.Tail())
	if n := len(kept.Steps); n > packedSteps || n < packedSteps/2 {
		t.Errorf("%d steps of %d are kept, want %d to %d", n, len(full.Steps), packedSteps/2,
			packedSteps)
	}
	if kept.Status != full.Status {
		t.Errorf("status %s, want %s", kept.Status, full.Status)
	}
	if len(kept.Warnings) != 1 || kept.Resumes != 1 {
		t.Errorf("%d warnings and %d resumes, want 1 and 1", len(kept.Warnings), kept.Resumes)
	}
	if !reflect.DeepEqual(kept.Eval.Values, full.Eval.Values) {
		t.Errorf("the last evaluation has %v, want %v", kept.Eval.Values, full.Eval.Values)
	}
	if kept.Steps[0].Step != 1 || kept.Last.Step != 600 {
		t.Errorf("from step %d to %d, want 1 to 600", kept.Steps[0].Step, kept.Last.Step)
	}
	if d := math.Abs(kept.Seconds/full.Seconds - 1); d > 0.05 {
		t.Errorf("%g seconds, want about %g", kept.Seconds, full.Seconds)
	}
	// Every value lies within the range of the kept event that follows it.
	at, most := 0, 0.0
	for _, s := range full.Steps {
		for kept.Steps[at].Step < s.Step {
			at++
		}
		low, high := kept.Steps[at].Min.Named("loss").Float(),
			kept.Steps[at].Max.Named("loss").Float()
		most = max(most, high)
		if v := s.Named("loss").Float(); v < low-1e-4 || v > high+1e-4 {
			t.Fatalf("step %d: loss %g outside [%g, %g] of step %d", s.Step, v, low, high,
				kept.Steps[at].Step)
		}
	}
	if most != 1e6 {
		t.Errorf("the spike of 1e6 is %g", most)
	}
}

func TestPackedRunUnpacksToARunDirectory(t *testing.T) {
	run := longRun(t, newStore(t))
	z, err := gzip.NewReader(bytes.NewReader(packed(t, run)))
	must(t, err)
	dir := t.TempDir()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		text, err := io.ReadAll(r)
		must(t, err)
		must(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(h.Name)), 0o755))
		write(t, text, dir, h.Name)
	}
	got, err := Find(dir, run.Meta.ID)
	must(t, err)
	if got.Status() != runner.Done {
		t.Errorf("status %s, want %s", got.Status(), runner.Done)
	}
	const name = "test_loss"
	if loss, want := got.Summary().Named(name), run.Summary().Named(name); loss != want {
		t.Errorf("%s is %v, want %v", name, loss, want)
	}
}

func TestPackRefusesWhatIsNotDone(t *testing.T) {
	s := newStore(t)
	r := create(t, s, newMeta(1))
	must(t, r.Append(status(0, runner.Running)))
	run, err := Find(s.Dir(), "latest")
	must(t, err)
	var b bytes.Buffer
	wantError(t, "Pack of a run that goes on", Pack(&b, run, 0), "only a run that is done")
	if b.Len() > 0 {
		t.Errorf("%d bytes are written, want none", b.Len())
	}
}

// A packed run may come from anybody.
func TestDamagedPackedRuns(t *testing.T) {
	b := packed(t, longRun(t, newStore(t)))
	every := 1 + len(b)/testsize.Pick(50, 300, 300)
	for i := 0; i < len(b); i += every {
		bad := bytes.Clone(b)
		bad[i] ^= 0x10
		r, err := Unpack("x", bad)
		if err != nil {
			continue
		}
		for tail := r.Tail(); ; {
			events, err := tail.Read()
			if err != nil || len(events) == 0 {
				break
			}
		}
	}
	for n := 0; n < len(b)-1; n += every {
		r, err := Unpack("x", b[:n])
		if err != nil {
			continue
		}
		if _, err := r.Tail().Read(); err == nil && n < len(b)*3/4 {
			t.Fatalf("a run cut at %d of %d bytes reads without an error", n, len(b))
		}
	}
}

// TestRestore: a packed run with a checkpoint becomes a run directory from which another run
// continues, in the state of the run that was packed.
func TestRestore(t *testing.T) {
	from := newStore(t)
	m := newMeta(3)
	r := create(t, from, m)
	must(t, r.Append(status(0, runner.Running)))
	appendSteps(t, r, 1, 300)
	s := newState(300)
	_, err := r.Checkpoint(s)
	must(t, err)
	appendSteps(t, r, 301, 600)
	eval := evalEvent(600)
	must(t, r.Append(eval))
	must(t, r.Append(status(600, runner.Done)))
	must(t, r.Finish(runner.Summarize(m, runner.Done, 600, eval, stepEvent(600))))
	must(t, r.Close())
	run, err := Find(from.Dir(), m.ID)
	must(t, err)

	for _, at := range []int64{0, 300} {
		var b bytes.Buffer
		must(t, Pack(&b, run, at))
		packed, err := Unpack("recorded:x/"+m.ID, b.Bytes())
		must(t, err)
		must(t, packed.Verify())
		to := newStore(t)
		for range 2 { // the second time it is there already
			if step, err := to.Restore(packed); step != at || err != nil {
				t.Fatalf("step %d, %v, want %d", step, err, at)
			}
		}
		got, err := Find(to.Dir(), m.ID)
		must(t, err)
		must(t, got.Verify())
		must(t, got.PassedOver())
		if at == 0 {
			continue
		}
		past, err := to.Load(m.ID, at)
		must(t, err)
		if want, err := from.Load(m.ID, at); err != nil || !reflect.DeepEqual(past, want) {
			t.Errorf("the checkpoint is %+v, want %+v (%v)", past, want, err)
		}
	}
	if _, err := from.Restore(run); err == nil {
		t.Error("a run directory was restored")
	}
	if err := Pack(io.Discard, run, 299); err == nil {
		t.Error("a checkpoint that is not there was packed")
	}
}
