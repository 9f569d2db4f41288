package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/internal/memory"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// TestHostile: a program that misbehaves in any way at a question ends its own run, with one line
// that says how. A run beside it comes to the same bits as alone.
func TestHostile(t *testing.T) {
	t.Parallel()
	r := newRunsFolder(t)
	alone := r.log(t, must(r.start(t, "", native(dro.SFK)))(t)[0])
	type trouble struct{ trouble, want string }
	for _, c := range oneOfAKind([]trouble{
		{"hang losses 9", "did not answer for 1s when asked for losses: raise program_patience"},
		{"hang hello-train 1", "did not answer for 1s when asked for hello"},
		{"hang save 2", "did not answer for 1s when asked for a checkpoint"},
		{"hang gradient 3", "did not answer for 1s when asked for a step"},
		{"exit hello-train 1", "ended with exit status 3: MemoryError: no ?[31mroom"},
		{"exit losses 1", "step 0: the program bridge.test ended with exit status 3: MemoryError"},
		{"exit outputs 2", "ended with exit status 3: MemoryError: no ?[31mroom"},
		{"exit gradient 9", "ended with exit status 3: MemoryError: no ?[31mroom"},
		{"exit step 9", "ended with exit status 3: MemoryError: no ?[31mroom"},
		{"exit save 1", "ended with exit status 3: MemoryError: no ?[31mroom"},
		{"exit norm 1", "ended with exit status 3: MemoryError: no ?[31mroom"},
		{"kill losses 2", "ended with signal: killed"},
		{"short hello-train 1", "labels of its train split: 359 numbers for 360 samples"},
		{"nan hello-train 1", "labels of its train split"},
		{"other hello-train 1", "has other labels or groups"},
		{"short losses 1", "asked for losses: 31 elements of type f8 where 32 floats belong"},
		{"short outputs 3", "asked for classes: 30 elements of type i4 where 32 whole"},
		{"nan outputs 1", "expected 0 to 1"},
		{"nan losses 1", "NaN: lower lr, or check the data"},
		{"nan step 3", "is NaN"},
		{"garbage losses 3", "not a frame of the protocol"},
		{"garbage gradient 3", "not a frame of the protocol"},
		{"garbage save 1", "not a frame of the protocol"},
		{"say losses 3", "asked for losses: CUDA error: out ?[1mof"},
		{"deaf losses 3", "has closed its pipes"},
		{"link save 1", "passwd"},
		{"long hello-train 1", "its body has 1073741824 bytes: expected at most 4096"},
		{"long losses 3", "its body has 1073741824 bytes: expected at most 4"},
		{"long outputs 2", "its body has 1073741824 bytes: expected at most"},
		{"long gradient 3", "asked for a step: not a frame of the protocol: its body has"},
		{"long save 1", "its body has 1073741824 bytes: expected at most 4096"},
		{"short features 1", "asked for features: 159 elements of type f4 where 160 of type f4"},
		{"nan features 2", "asked for features: some are not finite: lower lr"},
		{"kill features 1", "ended with signal: killed"},
		{"short layer 1", "asked for its last layer: 9 elements of type f8 where 10 floats"},
		{"nan layer 1", "asked for its last layer: some numbers are not finite"},
		{"exit layer 2", "ended with exit status 3: MemoryError: no ?[31mroom"},
		{"hole save 1", "more than the setting checkpoint_gb allows: save less, or raise it"},
	}, func(c trouble) string { return c.trouble }) {
		if testing.Short() && strings.HasPrefix(c.trouble, "deaf") {
			continue // waits for seconds
		}
		t.Run(c.trouble, func(t *testing.T) {
			t.Parallel()
			r := newRunsFolder(t)
			s := bridged(dro.SFK)
			if strings.Contains(c.trouble, "features") || strings.Contains(c.trouble, "layer") {
				s = bridged("dfr")
			}
			if strings.HasPrefix(c.trouble, "hang") {
				s.ProgramPatience = 1
			}
			ids, err := r.start(t, c.trouble, s, native(dro.SFK))
			if err == nil {
				t.Fatal("the runs have no error")
			}
			if len(ids) != 2 {
				t.Fatalf("runs %v and error %v, want two runs", ids, err)
			}
			ended := must(record.Find(r.dir, ids[0]))(t)
			cause := ended.Summary().Cause
			if cause == "" {
				cause = err.Error()
			}
			if got := ended.Status(); got != runner.Failed {
				t.Errorf("status %s, want %s", got, runner.Failed)
			}
			if !strings.Contains(cause, c.want) {
				t.Errorf("cause %q, want one with %q", cause, c.want)
			}
			wantLine(t, "cause", cause)
			if len(cause) > 500 {
				t.Errorf("cause of %d bytes, want at most 500: %q", len(cause), cause)
			}
			wantLog(t, "the run beside", r.log(t, ids[1]), alone, 0)
			if _, err := os.Stat(filepath.Join(r.dir, ids[0], "scratch")); err == nil {
				t.Error("the scratch folder is left")
			}
			if strings.Contains(cause, "please report it") {
				t.Errorf("cause %q, want no internal error", cause)
			}
		})
	}
}

// TestLabelsAreOnTheLedger: a program whose labels do not fit into the memory that is left is
// refused, before a run of it is asked about.
func TestLabelsAreOnTheLedger(t *testing.T) {
	if _, known := memory.Free(); !known {
		t.Skip("the free memory is not known on this system")
	}
	r := newRunsFolder(t)
	r.start(t, "", native(dro.ERM)) // the memory of a first run
	t.Setenv("DROLAB_TEST_TABLE", "1000000")
	var lack *memory.Error
	var err error
	for range 100 { // other processes of the machine give memory back meanwhile
		for bytes := float64(1 << 50); bytes > 1<<20; bytes /= 2 { // all but 2 MiB
			if s, err := memory.Reserve(t.Context(), bytes, "this test"); err == nil {
				defer s.Release()
			}
		}
		if _, err = r.start(t, "", bridged(dro.ERM)); errors.As(err, &lack) {
			break
		}
	}
	if lack == nil {
		t.Fatalf("error %v, want a memory.Error", err)
	}
	if want := "the labels of the program"; !strings.HasPrefix(lack.What, want) {
		t.Errorf("no memory for %q, want for %q", lack.What, want)
	}
	if lack.Need < 8e6 {
		t.Errorf("no memory for %v bytes, want for 8e6 or more", lack.Need)
	}
}

// TestHarmless: trouble that does no harm does not end a run.
func TestHarmless(t *testing.T) {
	testsize.NotShort(t, "starts a program for each trouble: TestHostile shows the same places "+
		"where they end a run")
	t.Parallel()
	r := newRunsFolder(t)
	want := r.log(t, must(r.start(t, "", bridged(dro.SFK)))(t)[0])
	for _, trouble := range testsize.Few(1, "flood losses 3", "alive losses 4") {
		id := must(r.start(t, trouble, bridged(dro.SFK)))(t)[0]
		wantLog(t, trouble, r.log(t, id), want, 0)
		log := must(os.ReadFile(filepath.Join(r.dir, id, runner.ProgramLogName)))(t)
		const most = 1600 << 10
		if len(log) > most {
			t.Errorf("%s: a log of %d bytes, want at most %d", trouble, len(log), most)
		}
		if !strings.HasPrefix(trouble, "flood") {
			continue
		}
		if len(log) < most/2 {
			t.Errorf("%s: a log of %d bytes, want %d or more", trouble, len(log), most/2)
		}
		if !strings.Contains(string(log), "drolab left out") {
			t.Errorf("%s: the log does not say what drolab left out", trouble)
		}
	}
}

// TestSkipped: the method ignores a step that was not taken, and the log has no norm of it.
func TestSkipped(t *testing.T) {
	testsize.NotShort(t, "starts a program: TestLogged starts one and reads its log, too")
	t.Parallel()
	r := newRunsFolder(t)
	s := bridged(dro.SFK)
	ids := must(r.start(t, "skip step 7", s))(t)
	log := r.log(t, ids[0])
	at := func(step int, key string) any { return log[fmt.Sprint("step ", step)][key] }
	if at(6, "grad_norm") == nil {
		t.Error("step 6, which was taken, has no grad_norm")
	}
	if got := at(7, "grad_norm"); got != nil {
		t.Errorf("step 7, which was skipped, has the grad_norm %v, want none", got)
	}
	if at(6, "eta") == nil {
		t.Error("step 6 has no η")
	}
	if at(7, "eta") != at(6, "eta") {
		t.Errorf("η moves from %v to %v in step 7, which was skipped", at(6, "eta"), at(7, "eta"))
	}
	if at(8, "eta") == at(7, "eta") {
		t.Errorf("η stays %v in step 8, which was taken", at(8, "eta"))
	}
}

// TestTrust: nothing in a folder of runs, in a preset or in a sweep starts a program that the user
// has not started.
func TestTrust(t *testing.T) {
	t.Parallel()
	stranger := runsFolder{t.TempDir(), ""}
	mine := newRunsFolder(t)
	half := means("")
	half.Until = 1
	ids, err := mine.queueUp(half, bridged(dro.ERM))
	if err != nil {
		t.Fatal(err)
	}
	id := ids[0]
	started := filepath.Join(t.TempDir(), "started")
	script := filepath.Join(t.TempDir(), "train.sh")
	write := func(text string) {
		text = "#!/bin/sh\ntouch " + started + text
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("\n")
	s := bridged(dro.ERM)
	s.Model = spec.Program{Path: script}.String()
	for _, way := range []struct {
		name string
		do   func() error
	}{
		{"a start", func() error { _, err := stranger.start(t, "", s); return err }},
		{"a start of a user who started others", func() error {
			_, err := mine.start(t, "", s)
			return err
		}},
		{"a resume", func() error {
			err := os.CopyFS(stranger.dir, os.DirFS(mine.dir))
			return errors.Join(err, stranger.resume(id))
		}},
		{"a fork", func() error {
			q := stranger.queue()
			_, err := q.Start(runner.Request{Specs: []spec.Spec{s}, Parent: id + "@10"})
			return err
		}},
	} {
		wantError(t, way.name, way.do(), "have not approved")
	}
	// Once it is approved it is started, and answers nothing. Once changed, it is another program.
	if err := mine.approvals.Approve(script); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(started); err == nil {
		t.Fatal("it was started")
	}
	refused := func(why string) {
		t.Helper()
		_, err := mine.start(t, "", s)
		wantError(t, "a start", err, why)
	}
	refused("exit status 0")
	if err := os.Remove(started); err != nil {
		t.Error("it was not started")
	}
	write(" # more\n")
	refused("have not approved this version")
	if _, err := os.Stat(started); err == nil {
		t.Error("it was started")
	}
	shown, before, err := mine.approvals.Status(script)
	if err != nil {
		t.Errorf("Status of the changed program: %v", err)
	}
	if before {
		t.Errorf("Status of the changed program = %s, started before, want not started", shown)
	}
	write(" # and more\n")
	if err := mine.approvals.ApproveAs(script, shown); err == nil {
		t.Error("another file than the one that was shown is approved")
	}
	var none bridge.Approvals
	if _, err := none.Check(script); err == nil {
		t.Error("nobody's approvals approve")
	}
}

// TestStopOfHung: a stop waits for a program that hangs a shorter time than the run itself does,
// even if the program says again and again that it is alive. A second stop does not wait at all.
// The run can be resumed from its last checkpoint.
func TestStopOfHung(t *testing.T) {
	t.Parallel()
	const slow, fast = 3600, 4 // patience in seconds
	type hung struct {
		trouble  string
		patience float64
		stops    int
		want     string
	}
	cases := []hung{
		{"hang losses 23", slow, 1, "did not answer for 5s when its run was to stop"},
		{"hang losses 23", slow, 2, "was to stop at once"},
		{"chatter losses 23", slow, 1, "did not answer for 5s when its run was to stop"},
		{"chatter losses 23", slow, 2, "was to stop at once"},
		{"chatter gradient 9", slow, 1, "did not answer for 5s when its run was to stop"},
		{"chatter save 2", fast, 1, "did not answer for 4s when asked for a checkpoint"},
		{"chatter save 2", slow, 2, "was to stop at once"},
	}
	if testing.Short() {
		cases = cases[3:4] // a second stop, which does not wait for seconds
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.trouble, " ", c.stops), func(t *testing.T) {
			t.Parallel()
			r := newRunsFolder(t)
			s := bridged(dro.SFK)
			s.ProgramPatience = c.patience
			q := r.queue()
			ids, err := q.Start(runner.Request{Specs: []spec.Spec{s}, Means: means(c.trouble)})
			if err != nil {
				t.Fatal(err)
			}
			await(t, filepath.Join(r.dir, ids[0], runner.ProgramLogName), "hangs")
			r.stopped(t, q, ids[0], c.stops, c.want)
		})
	}
}

// stopped asks a run to stop, some times, and fails unless it ends as it should and can be resumed.
func (r runsFolder) stopped(t *testing.T, q *queue.Queue, id string, times int, want string) {
	t.Helper()
	for range times {
		if err := q.Stop(id); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range q.Wait() {
		wantError(t, string(o.Status), o.Err, want)
	}
	if err := r.resume(id); err != nil {
		t.Errorf("the run cannot be resumed: %v", err)
	}
}

// TestStopOfPacking: a second stop ends the packing of a checkpoint that takes long.
func TestStopOfPacking(t *testing.T) {
	testsize.NotShort(t, "packs megabytes: TestHostile shows programs that end while they save")
	t.Parallel()
	r := newRunsFolder(t)
	q := r.queue()
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{bridged(dro.SFK)},
		Means: means("zeros save 2")})
	if err != nil {
		t.Fatal(err)
	}
	awaitSo(t, "the checkpoint is never packed", func() bool {
		found, _ := filepath.Glob(filepath.Join(r.dir, ids[0], "checkpoints", ".new-*"))
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && info.Size() >= 1<<20 {
				return true
			}
		}
		return must(record.Find(r.dir, ids[0]))(t).Status() == runner.Paused // as by a full disk
	})
	r.stopped(t, q, ids[0], 2, "given up because its run was to stop at once")
	left, _ := filepath.Glob(filepath.Join(r.dir, ids[0], "checkpoints", ".new-*"))
	if left != nil {
		t.Errorf("files %v are left, want none", left)
	}
}

// await waits until a file contains a text.
func await(t *testing.T, path, text string) {
	t.Helper()
	awaitSo(t, fmt.Sprintf("%s never has %q", path, text), func() bool {
		b, _ := os.ReadFile(path)
		return strings.Contains(string(b), text)
	})
}

// awaitSo waits until so returns true.
func awaitSo(t *testing.T, never string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end, bounded := t.Deadline(); !so(); <-tick.C {
		if bounded && time.Until(end) < 10*time.Second {
			t.Fatal(never)
		}
	}
}

// TestFork: a fork goes on from the checkpoint of a program, and from nothing else.
func TestFork(t *testing.T) {
	testsize.NotShort(t, "starts a program for each fork: TestForkCannotSetApart of "+
		"runner/queue has forks of its own networks")
	t.Parallel()
	r := newRunsFolder(t)
	s := bridged(dro.SFK)
	parent := must(r.start(t, "", s))(t)[0]
	q := r.queue()
	s.LR = 0.02
	run := must(record.Find(r.dir, parent))(t)
	steps := must(run.Checkpoints())(t)
	if len(steps) < 2 {
		t.Fatalf("checkpoints at the steps %v, want two or more", steps)
	}
	s.Epochs++
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{s}, Means: means(""),
		Parent: fmt.Sprintf("%s@%d", parent, steps[0])})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range q.Wait() {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
	}
	if log := r.log(t, ids[0]); len(log) < 15 {
		t.Errorf("the fork has %d events, want 15 or more", len(log))
	}
	// A byte of each checkpoint is changed, and the checkpoints are found to be wrong.
	files := must(filepath.Glob(filepath.Join(r.dir, ids[0], "checkpoints", "*.program")))(t)
	if len(files) < 2 {
		t.Fatalf("the fork has the checkpoints %v, want two or more", files)
	}
	for _, f := range files {
		b := must(os.ReadFile(f))(t)
		b[700] ^= 1
		if err := os.WriteFile(f, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wrong, _, err := record.Examine(r.dir, false)
	if err != nil {
		t.Errorf("record.Examine: %v", err)
	}
	if len(wrong) < len(files) {
		t.Errorf("record.Examine finds %v, want each of %v", wrong, files)
	}
	native := native(dro.SFK)
	if _, err := r.queue().Start(runner.Request{Specs: []spec.Spec{native},
		Parent: fmt.Sprintf("%s@%d", parent, steps[0])}); err == nil {
		t.Error("drolab's own network goes on from a program's")
	}
}

// TestNothingLeaks: no goroutines, descriptors or folders are left behind, however the runs end.
func TestNothingLeaks(t *testing.T) {
	r := newRunsFolder(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	round := func() {
		for _, trouble := range testsize.Few(3, "", "exit losses 3", "kill step 2",
			"garbage save 1", "exit hello-describe 1", "nan hello-describe 1") {
			r.start(t, trouble, bridged(dro.ERM))
		}
	}
	round()
	before, files := runtime.NumGoroutine(), descriptors(t)
	round()
	// The last goroutines of a run may end after it.
	end, bounded := t.Deadline()
	for tick := time.Tick(time.Millisecond); ; <-tick {
		n, m := runtime.NumGoroutine(), descriptors(t)
		if n <= before && m <= files {
			break
		}
		if bounded && time.Until(end) < 10*time.Second {
			t.Fatalf("%d goroutines and %d descriptors, want at most the %d and %d of before", n,
				m, before, files)
		}
	}
	if left := must(os.ReadDir(tmp))(t); len(left) > 0 {
		t.Errorf("%v is left in the temporary folder, want nothing", left)
	}
}

func descriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("only Linux lists them")
	}
	return len(list)
}

// A start that is cancelled while a program is asked to describe itself ends at once.
func TestDescribeIsStopped(t *testing.T) {
	t.Parallel()
	r := newRunsFolder(t)
	store := must(record.Open(r.dir))(t)
	ctx, cancel := context.WithCancel(context.Background())
	q := queue.NewQueue(ctx, queue.Settings{Store: store, Threads: 1, Programs: r.approvals})
	done := make(chan error)
	go func() {
		_, err := q.Start(runner.Request{Specs: []spec.Spec{bridged(dro.ERM)},
			Means: means("hang hello-describe 1")})
		done <- err
	}()
	cancel()
	wantError(t, "a start that is cancelled", <-done, "stopped")
}
