package record

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/eventlog"
)

// readAll reads a log to its end.
func readAll(t testing.TB, l eventlog.Log) (events []runner.Event) {
	t.Helper()
	for {
		more, err := l.Read()
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, more...)
		if len(more) == 0 && l.Share() == 1 {
			return events
		}
	}
}

// byKind returns the events of a type.
func byKind[E runner.Event](events []runner.Event) (list []E) {
	for _, e := range events {
		if e, ok := e.(E); ok {
			list = append(list, e)
		}
	}
	return list
}

// longEnough is a number of steps at which a run's log gets an index.
const longEnough = 6000

// checkWhole checks that the events cover the whole of a run of longEnough steps, in small.
func checkWhole(t *testing.T, what string, events []runner.Event) {
	t.Helper()
	steps, evals := byKind[*runner.StepEvent](events), byKind[*runner.EvalEvent](events)
	if n := len(steps); n < 300 || n > 2*eventlog.MaxBlocks+10_000 {
		t.Fatalf("%s: %d steps, want 300 to %d", what, n, 2*eventlog.MaxBlocks+10_000)
	}
	if steps[0].Step > 100 || steps[len(steps)-1].Step != longEnough {
		t.Errorf("%s: from step %d to %d, want from 100 at most to %d", what, steps[0].Step,
			steps[len(steps)-1].Step, longEnough)
	}
	byStep := func(a, b *runner.StepEvent) int { return int(a.Step - b.Step) }
	if !slices.IsSortedFunc(steps, byStep) {
		t.Errorf("%s: steps are out of order", what)
	}
	highest := 0.0
	for _, s := range steps {
		highest = max(highest, s.Max.Named("loss").Float())
	}
	if highest != 40 {
		t.Errorf("%s: the spike of 40 is %v", what, highest)
	}
	if len(evals) != 100 || evals[99].Step != longEnough {
		t.Fatalf("%s: %d evaluations, want 100 up to step %d", what, len(evals), longEnough)
	}
	if n := len(evals[0].ByGroup.Named("class_loss")); n != 10 {
		t.Errorf("%s: the losses of %d classes, want 10", what, n)
	}
	if n := len(byKind[*runner.CheckpointEvent](events)); n != 100 {
		t.Errorf("%s: %d checkpoints, want 100", what, n)
	}
	if n := len(byKind[*runner.StatusEvent](events)); n != 2 {
		t.Errorf("%s: %d statuses, want 2", what, n)
	}
}

// longLog returns a run of longEnough steps without an index.
func longLog(t *testing.T) *Run {
	t.Helper()
	long.Do(func() {
		dir := t.TempDir()
		long.id = writeLong(t, dir, longEnough, runner.Done)
		long.files = everyFile(t, dir)
	})
	dir := t.TempDir()
	for name, text := range long.files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	r, err := Find(dir, long.id)
	must(t, err)
	return r
}

// long is the run of longLog, which is trained once.
var long struct {
	sync.Once
	id    string
	files map[string]string
}

func indexOf(r *Run) string { return filepath.Join(r.Dir, eventlog.IndexName) }

func TestInSmall(t *testing.T) {
	t.Parallel()
	r := longLog(t)
	all := readAll(t, r.Tail())
	if n := len(byKind[*runner.StepEvent](all)); n != longEnough {
		t.Fatalf("the log has %d steps, want %d", n, longEnough)
	}
	looked := readAll(t, eventlog.InSmall(r.Tail(), false))
	checkWhole(t, "without an index", looked)
	if _, err := os.Stat(indexOf(r)); err == nil {
		t.Error("a look that keeps nothing has kept an index")
	}
	if len(looked) > 3*eventlog.MaxBlocks {
		t.Errorf("%d events, want about %d", len(looked), eventlog.MaxBlocks)
	}
	checkWhole(t, "while it is made", readAll(t, eventlog.InSmall(r.Tail(), true)))
	info, err := os.Stat(indexOf(r))
	must(t, err)
	if info.Size() > 400_000 {
		t.Errorf("the index has %d bytes, want at most 400,000", info.Size())
	}
	l := eventlog.InSmall(r.Tail(), false)
	first, err := l.Read()
	must(t, err)
	checkWhole(t, "with it, in one look", first)
	loss := func(events []runner.Event) float64 {
		steps := byKind[*runner.StepEvent](events)
		return steps[len(steps)-1].Named("loss").Float()
	}
	if got, want := loss(first), loss(all); math.Abs(got-want) > 1e-6*want {
		t.Errorf("ends with a loss of %v, want %v", got, want)
	}
}

// TestInSmallProgress checks that the index gives the standing and the time of a run.
func TestInSmallProgress(t *testing.T) {
	testsize.NotShort(t, "reads a log of 6,000 steps three times: TestInSmall has the same events")
	t.Parallel()
	r := longLog(t)
	fold := func(l eventlog.Log) *eventlog.Progress {
		p := eventlog.NewProgress(&r.Meta)
		for _, e := range readAll(t, l) {
			p.Add(e)
		}
		return p
	}
	exact, thin := fold(r.Tail()), fold(eventlog.InSmall(r.Tail(), true))
	again := fold(eventlog.InSmall(r.Tail(), false))
	for _, p := range []*eventlog.Progress{thin, again} {
		if p.Status != exact.Status || p.Step != exact.Step {
			t.Errorf("stands at %s, step %d, want %s, step %d", p.Status, p.Step, exact.Status,
				exact.Step)
		}
		if p.Eval.Step != exact.Eval.Step {
			t.Errorf("the last evaluation is of step %d, want %d", p.Eval.Step, exact.Eval.Step)
		}
		if math.Abs(p.Seconds-exact.Seconds) > 0.01 {
			t.Errorf("trained %v s, want %v", p.Seconds, exact.Seconds)
		}
	}
}

// TestIndexFits damages an index, and the log that belongs to it.
func TestIndexFits(t *testing.T) {
	testsize.NotShort(t, "reads a long log for each damage: TestInSmall reads through a whole "+
		"index")
	t.Parallel()
	r := longLog(t)
	readAll(t, eventlog.InSmall(r.Tail(), true))
	whole, err := os.ReadFile(indexOf(r))
	must(t, err)
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 4
	for name, text := range map[string][]byte{
		"empty":   {},
		"cut":     whole[:len(whole)/2],
		"flipped": flipped,
		"words":   []byte("an index"),
		"more":    append(slices.Clone(whole), whole...),
	} {
		if testing.Short() && name != "flipped" {
			continue
		}
		must(t, os.WriteFile(indexOf(r), text, 0o644))
		if _, err := eventlog.LoadIndex(in(t, r.Dir)); err == nil {
			t.Errorf("%s: an index was read", name)
		}
		list, _, err := Examine(filepath.Dir(r.Dir), false)
		must(t, err)
		if len(list) != 1 || list[0].File != eventlog.IndexName {
			t.Errorf("%s: the doctor finds %s, want %s alone", name, findings(list),
				eventlog.IndexName)
		}
		checkWhole(t, name, readAll(t, eventlog.InSmall(r.Tail(), true)))
		if _, err := eventlog.LoadIndex(in(t, r.Dir)); err != nil {
			t.Errorf("%s: not made anew: %v", name, err)
		}
	}
	path := filepath.Join(r.Dir, eventlog.LogName)
	log, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, log[:len(log)/2], 0o644))
	if _, err := eventlog.LoadIndex(in(t, r.Dir)); err != eventlog.ErrStale {
		t.Errorf("of a log that is shorter: %v, want %v", err, eventlog.ErrStale)
	}
	if list, _, _ := Examine(filepath.Dir(r.Dir), false); slices.ContainsFunc(list,
		func(f *Finding) bool { return f.File == eventlog.IndexName }) {
		t.Error("the doctor complains of a stale index, which is harmless")
	}
}

// TestIndexIsNoLink checks that nothing is read or written through a link.
func TestIndexIsNoLink(t *testing.T) {
	testsize.NotShort(t, "writes a long log: TestInSmall reads its index")
	t.Parallel()
	r := longLog(t)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	must(t, os.WriteFile(elsewhere, []byte("mine"), 0o644))
	if err := os.Symlink(elsewhere, indexOf(r)); err != nil {
		t.Skip(err)
	}
	checkWhole(t, "beside a link", readAll(t, eventlog.InSmall(r.Tail(), true)))
	if text, err := os.ReadFile(elsewhere); err != nil || string(text) != "mine" {
		t.Errorf("what the link leads to has %q (%v), want %q", text, err, "mine")
	}
}

// TestIndexOfHeldRun checks that a viewer writes nothing into a run that is being recorded.
func TestIndexOfHeldRun(t *testing.T) {
	t.Parallel()
	r := longLog(t)
	l, err := lockRun(in(t, r.Dir))
	must(t, err)
	defer l.Release()
	checkWhole(t, "held", readAll(t, eventlog.InSmall(r.Tail(), true)))
	if _, err := os.Stat(indexOf(r)); err == nil {
		t.Error("a viewer has written beside a log that is being written")
	}
}

// TestTrainerWritesIndex checks that a run that gets long has an index at its end, and so has a
// resumed one.
func TestTrainerWritesIndex(t *testing.T) {
	testsize.NotShort(t, "writes 16,000 steps, and TestIndexOfHeldRun fewer")
	t.Parallel()
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	const steps = 8000
	must(t, r.Append(status(0, runner.Running)))
	for step := int64(1); step <= steps; step++ {
		must(t, r.Append(longStep(step, steps)))
	}
	_, err := r.Checkpoint(newState(steps))
	must(t, err)
	must(t, r.Close())
	check := func(upto int64) {
		t.Helper()
		x, err := eventlog.LoadIndex(in(t, filepath.Join(s.Dir(), m.ID)))
		must(t, err)
		info, err := os.Stat(filepath.Join(s.Dir(), m.ID, eventlog.LogName))
		must(t, err)
		if rest := info.Size() - x.Size; rest > eventlog.ExactTail {
			t.Errorf("%d bytes of the log are not in the index, want at most %d", rest,
				eventlog.ExactTail)
		}
		run, err := Find(s.Dir(), m.ID)
		must(t, err)
		events := byKind[*runner.StepEvent](readAll(t, eventlog.InSmall(run.Tail(), false)))
		if last := events[len(events)-1].Step; last != upto ||
			len(events) > eventlog.MaxBlocks+eventlog.ExactTail/300 {
			t.Errorf("%d steps up to %d, want at most %d up to %d", len(events), last,
				eventlog.MaxBlocks+eventlog.ExactTail/300, upto)
		}
	}
	check(steps)
	again, _ := reopen(t, s, m.ID)
	must(t, again.Append(&runner.ResumeEvent{Head: head(steps)}))
	for step := int64(steps + 1); step <= 2*steps; step++ {
		must(t, again.Append(longStep(step, 2*steps)))
	}
	must(t, again.Close())
	check(2 * steps)
	must(t, Delete(s.Dir(), m.ID))
	if _, err := os.Stat(filepath.Join(s.Dir(), m.ID)); err == nil {
		t.Error("the run is still there")
	}
}

// TestInSmallTorn checks that no reader waits for a last line that is not whole.
func TestInSmallTorn(t *testing.T) {
	testsize.NotShort(t, "reads a long log that is torn: TestInSmall reads a whole one")
	t.Parallel()
	r := longLog(t)
	f, err := os.OpenFile(filepath.Join(r.Dir, eventlog.LogName), os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString(`{"seq":99999,"type":"st`)
	must(t, err)
	must(t, f.Close())
	checkWhole(t, "torn, with an index that is made", readAll(t, eventlog.InSmall(r.Tail(), true)))
	checkWhole(t, "torn, with it", readAll(t, eventlog.InSmall(r.Tail(), false)))
	prepared(t, r.Tail())
}
