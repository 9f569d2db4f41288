//go:build linux || darwin || freebsd

package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"drolab/dro/memtest"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/engine"
	"drolab/runner/measure"
	"drolab/runner/record"

	"github.com/creack/pty"
)

// These tests of the program itself check that runs outlive the terminal and that nothing is lost.
// The long form is
//
//	DROLAB_LONG=1 go test -run 'TestKill|TestHangup|TestStopped|TestFullDisk|TestGoRun' \
//	    -v -timeout 1h ./tui/cli

// workplace is a folder of runs, with the program that works on it.
type workplace struct {
	*testing.T
	client *engine.Client
}

func newWorkplace(t *testing.T) *workplace {
	t.Helper()
	dir := memtest.Short(t)
	b := &workplace{T: t}
	b.client = engine.NewClient(engine.Client{RunsDir: filepath.Join(dir, "runs")})
	if err := os.Mkdir(b.client.RunsDir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.client.Shutdown(true); err != nil && !errors.Is(err, engine.ErrNone) {
			t.Error(err)
		}
	})
	return b
}

// command returns a command of the program with arguments, on the runs of the folder.
func (b *workplace) command(args ...string) *exec.Cmd {
	cmd := exec.Command("drolab", args...)
	cmd.Env = append(os.Environ(), "DROLAB_RUNS="+b.client.RunsDir, "XDG_RUNTIME_DIR=",
		"TERM=xterm-256color", "LC_ALL=C.UTF-8")
	return cmd
}

// do runs the program, which must succeed, and returns its output.
func (b *workplace) do(args ...string) string {
	b.Helper()
	cmd := b.command(args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("drolab %v: %v\n%s%s", args, err, out, errs.String())
	}
	return string(out)
}

// await waits until the condition holds. The deadline of the test ends the wait.
func (b *workplace) await(what string, so func() bool) {
	b.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end, bounded := b.Deadline(); !so(); {
		if bounded && time.Until(end) < 10*time.Second {
			b.Fatalf("it does not come to: %s\n%s", what, b.state())
		}
		<-tick.C
	}
}

// state describes the engine and the runs, for the message of a failure.
func (b *workplace) state() string {
	s, err := b.client.Status()
	text := fmt.Sprintf("engine: %+v, %v\n", s, err)
	log, _ := os.ReadFile(filepath.Join(b.client.RunsDir, ".engine.log"))
	text += string(log)
	for _, r := range b.runs() {
		text += fmt.Sprintf("%s is %s, held: %v\n", r.Meta.ID, r.Status(), r.Held())
	}
	return text
}

// runs returns the runs of the folder, sorted by algorithm. Every directory must be readable.
func (b *workplace) runs() []*record.Run {
	b.Helper()
	runs, problems := record.List(b.client.RunsDir)
	for _, p := range problems {
		b.Errorf("a folder is no run: %v", p)
	}
	slices.SortFunc(runs, func(x, y *record.Run) int {
		return cmp.Or(cmp.Compare(x.Meta.Spec.Algorithm(), y.Meta.Spec.Algorithm()),
			cmp.Compare(x.Meta.ID, y.Meta.ID))
	})
	return runs
}

func (b *workplace) allDone() bool {
	return !slices.ContainsFunc(b.runs(),
		func(r *record.Run) bool { return r.Status() != runner.Done || r.Held() })
}

// trace returns everything that a run computed: its events as a comparison sees them, and its last
// weights and state.
func (b *workplace) trace(r *record.Run) string {
	b.Helper()
	var events []runner.Event // the events that no resume has discarded
	tail := r.Tail()
	for {
		more, err := tail.Read()
		if err != nil {
			b.Fatal(err)
		}
		if len(more) == 0 {
			break
		}
		for _, e := range more {
			if r, ok := e.(*runner.ResumeEvent); ok {
				events = slices.DeleteFunc(events,
					func(e runner.Event) bool { return e.Header().Step > r.Step })
			}
			events = append(events, e)
		}
	}
	if n := tail.Skipped(); n > 0 {
		b.Errorf("run %s: %d lines of its log are no events", r.Meta.ID, n)
	}
	var out strings.Builder
	line := func(e runner.Event) {
		*e.Header() = runner.Head{Step: e.Header().Step}
		text, err := runner.EncodeEvent(e)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", text)
	}
	for _, e := range events {
		switch e := e.(type) {
		case *runner.StepEvent:
			e.ImagesPerSecond = measure.Number{}
			line(e)
		case *runner.EvalEvent:
			line(e)
		}
	}
	saved, ok, err := r.Saved()
	if err != nil || !ok {
		b.Fatalf("run %s has no checkpoint: %v", r.Meta.ID, err)
	}
	weights, err := os.ReadFile(filepath.Join(r.Dir, "checkpoints",
		fmt.Sprintf("step-%010d.safetensors", saved.Step)))
	if err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(&out, "%d %x", saved.Step, weights)
	return out.String()
}

// sameAs checks that both boxes have the same traces.
func (b *workplace) sameAs(whole *workplace) {
	b.Helper()
	got, want := b.runs(), whole.runs()
	if len(got) != len(want) {
		b.Fatalf("%d runs, want %d", len(got), len(want))
	}
	for i, r := range got {
		if b.trace(r) != whole.trace(want[i]) {
			b.Errorf("run %s differs from the one that nothing happened to", r.Meta.ID)
		}
	}
}

// four returns the arguments of four runs: a method each, with momentum and augmentation, which
// save every seventh step.
func four(more ...string) []string {
	return append([]string{"run", "shapes", "--set", "samples=400", "--set", "batch=32",
		"--set", "epochs=6", "--set", "model=linear", "--set", "log_every=1",
		"--set", "checkpoint_every=7", "--set", "eval_every=2"}, more...)
}

// kill ends the engine as a crash would.
func (b *workplace) kill() {
	s, err := b.client.Status()
	if errors.Is(err, engine.ErrNone) {
		return
	}
	if err != nil {
		b.Fatal(err)
	}
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		b.Fatal(err)
	}
	b.await("the end of the engine",
		func() bool { return !disk.Held(filepath.Join(b.client.RunsDir, ".engine.lock")) })
}

// TestKilledEngineLosesNothing kills the engine at random moments. Everything that it leaves is
// readable, and the resumed runs end at the same bits.
func TestKilledEngineLosesNothing(t *testing.T) {
	testsize.NotShort(t, "trains four runs twice, and TestExact of runner/engine one")
	t.Parallel()
	whole := newWorkplace(t)
	whole.do(four("--inline")...)
	kills := 5
	if testsize.Long() {
		kills = 100
	}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for done := 0; done < kills; {
		b := newWorkplace(t)
		b.do(four("--detach")...)
		for ; done < kills && !b.allDone(); done++ {
			moment := time.NewTimer(time.Duration(rng.Int64N(int64(600 * time.Millisecond))))
			<-moment.C
			b.kill()
			b.readable()
			b.resumeAll()
		}
		b.await("the end of all runs", b.allDone)
		b.sameAs(whole)
	}
	t.Logf("%d kills", kills)
}

// readable checks that every checkpoint that counts is whole.
func (b *workplace) readable() {
	b.Helper()
	for _, r := range b.runs() {
		steps, err := r.Checkpoints()
		if err != nil {
			b.Error(err)
		}
		for _, step := range steps {
			if _, err := r.Load(step); err != nil {
				b.Error(err)
			}
		}
		if s := r.Status(); s != runner.Interrupted && s != runner.Done {
			b.Errorf("run %s is %s without an engine", r.Meta.ID, s)
		}
	}
}

// resumeAll asks an engine to resume all unfinished runs, and does not wait for them. The first
// resume starts the engine.
func (b *workplace) resumeAll() {
	b.Helper()
	starter := engine.NewClient(*b.client)
	starter.Command = func() *exec.Cmd { return b.command("engine") }
	starter.Version = b.version()
	for _, r := range b.runs() {
		if r.Status() == runner.Done {
			continue
		}
		if err := starter.Resume(r.Meta.ID); err != nil {
			b.Fatal(err)
		}
	}
}

// version returns the version that the program prints.
func (b *workplace) version() string {
	b.Helper()
	first, _, _ := strings.Cut(b.do("version"), "\n")
	return strings.TrimPrefix(first, "drolab ")
}

// terminal is a command on a pseudo-terminal of its own.
type terminal struct {
	*workplace
	cmd    *exec.Cmd
	file   *os.File
	mu     sync.Mutex
	screen []byte        // the output of the command
	ended  chan struct{} // closed at the end of the output
}

func (b *workplace) terminal(args ...string) *terminal {
	b.Helper()
	// A signal that is caught here has its default action in the program: SIGHUP, even where nohup
	// started the tests.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	t := &terminal{workplace: b, cmd: b.command(args...), ended: make(chan struct{})}
	var err error
	if t.file, err = pty.StartWithSize(t.cmd, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		b.Fatal(err)
	}
	go func() {
		defer close(t.ended)
		io.Copy(t, t.file) // EIO at the end
	}()
	b.Cleanup(func() { t.file.Close(); t.cmd.Process.Kill(); t.cmd.Wait() })
	return t
}

// Write takes the output of the program.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen = append(t.screen, p...)
	return len(p), nil
}

func (t *terminal) shows(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Contains(t.screen, []byte(text))
}

// leave presses q and waits for the end of the program.
func (t *terminal) leave() {
	t.Helper()
	if _, err := t.file.Write([]byte("q")); err != nil {
		t.Fatal(err)
	}
	if err := t.cmd.Wait(); err != nil {
		t.Error(err)
	}
	<-t.ended // the last output is read before the terminal is closed
	t.file.Close()
}

// TestHangup closes the terminal from which four runs were started. They go on, and another
// terminal shows them.
func TestHangup(t *testing.T) {
	testsize.NotShort(t, "trains four runs twice, and TestHangupInline one")
	t.Parallel()
	const epochs = "epochs=30" // so many that the first run still trains when the last has begun
	whole := newWorkplace(t)
	whole.do(four("--inline", "--set", epochs)...)
	b := newWorkplace(t)
	first := b.terminal(four("--set", epochs)...)
	b.await("four runs", func() bool { return len(b.runs()) == 4 })
	first.file.Close()
	first.cmd.Wait()
	s, err := b.client.Status()
	if err != nil {
		t.Fatalf("with the terminal the engine ended: %v", err)
	}
	second := b.terminal("attach")
	b.await("the end of all runs", b.allDone)
	if now, err := b.client.Status(); err != nil || now.PID != s.PID {
		t.Errorf("another engine: %+v, %v", now, err)
	}
	second.await("the runs on the screen",
		func() bool { return second.shows(" s1") && second.shows("Loss") })
	second.leave()
	b.sameAs(whole)
}

// TestHangupSignal: the signal of a hangup ends the interface, although its terminal is still
// there. The runs go on.
func TestHangupSignal(t *testing.T) {
	t.Parallel()
	b := newWorkplace(t)
	b.do(endless("--detach")...)
	view := b.terminal("attach", "--read-only")
	view.await("the run on the screen", func() bool { return view.shows("erm s1") })
	if err := view.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := view.cmd.Wait(); err != nil {
		t.Error(err)
	}
	at := b.runs()[0].Summary().Steps
	b.await("further steps", func() bool { return b.runs()[0].Summary().Steps > at })
}

// TestDumb: a terminal without a screen gets one line that says what to do.
func TestDumb(t *testing.T) {
	t.Parallel()
	b := newWorkplace(t)
	for _, args := range [][]string{nil, {"attach", "--read-only"}, {"replay", "recorded:paper"}} {
		cmd := b.command(args...)
		cmd.Env = append(cmd.Env, "TERM=dumb")
		file, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := io.ReadAll(file) // EIO at the end
		file.Close()
		if err := cmd.Wait(); err == nil {
			t.Errorf("drolab %v succeeds, want a failure", args)
		}
		if bytes.Count(out, []byte("\n")) != 1 || !bytes.Contains(out, []byte("set TERM")) {
			t.Errorf("drolab %v prints %q, want one line with \"set TERM\"", args, out)
		}
		if bytes.Contains(out, []byte("\x1b")) {
			t.Errorf("drolab %v prints %q, want no escape sequence", args, out)
		}
	}
}

// TestLeavingTells: the interface, when it is left, says which runs go on and how to come back.
func TestLeavingTells(t *testing.T) {
	testsize.NotShort(t, "starts an engine and three interfaces: TestQuit of tui shows how one "+
		"is left")
	t.Parallel()
	b := newWorkplace(t)
	b.do(endless("--detach")...)
	view := b.terminal("attach", "--read-only")
	view.await("the run on the screen", func() bool { return view.shows("erm s1") })
	view.leave()
	if !view.shows("1 run continues in the background: drolab attach shows them again") {
		t.Errorf("the interface leaves with %q", view.screen)
	}
}

// TestStoppedViewers: a run goes on although viewers that show it have stopped reading.
func TestStoppedViewers(t *testing.T) {
	testsize.NotShort(t, "starts an engine and an interface: TestStuck of tui/share shows a "+
		"viewer that stops reading")
	t.Parallel()
	viewers := testsize.Pick(1, 3, 16)
	b := newWorkplace(t)
	b.do(endless("--detach")...)
	for range viewers {
		v := b.terminal("attach", "--read-only")
		v.await("the run on the screen", func() bool { return v.shows("erm s1") })
		if err := v.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	at := b.runs()[0].Summary().Steps
	steps := int64(testsize.Pick(500, 3000, 3000))
	b.await("steps", func() bool { return b.runs()[0].Summary().Steps > at+steps })
}

// endless returns the arguments of a run that outlasts every test.
func endless(more ...string) []string {
	return append([]string{"run", "csv", "--algo", "erm", "--set", "epochs=1000000", "--set",
		"eval_every=1000000"}, more...)
}

// TestHangupInline closes the terminal of a program that trains in its own process. The program
// saves the run and goes on until somebody ends it.
func TestHangupInline(t *testing.T) {
	t.Parallel()
	b := newWorkplace(t)
	first := b.terminal(endless("--inline", "--set", "checkpoint_every=1000000000")...)
	b.await("a run that trains",
		func() bool { r := b.runs(); return len(r) == 1 && r[0].Summary().Steps > 0 })
	first.file.Close()
	b.await("a checkpoint",
		func() bool { _, ok, err := b.runs()[0].Saved(); return err == nil && ok })
	saved, _, err := b.runs()[0].Saved()
	if err != nil {
		t.Fatal(err)
	}
	b.await("steps behind it", func() bool { return b.runs()[0].Summary().Steps > saved.Step })
	if err := first.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	first.cmd.Wait()
	if r := b.runs()[0]; r.Status() != runner.Stopped {
		t.Errorf("the run is %s, want stopped", r.Status())
	}
}

// onFullDisk returns the arguments of a run on a disk that fills up during the run, in a folder of
// its own, and a function that makes room.
func onFullDisk(t *testing.T) (b *workplace, spec []string, makeRoom func()) {
	t.Helper()
	b = newWorkplace(t)
	mount := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", b.client.RunsDir)
	if mount.Run() != nil {
		t.Skip("mounting a small disk needs root")
	}
	t.Cleanup(func() {
		b.client.Shutdown(true)
		exec.Command("umount", "-l", b.client.RunsDir).Run()
	})
	filler := filepath.Join(b.client.RunsDir, ".filler")
	if err := os.WriteFile(filler, make([]byte, 3200<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	makeRoom = func() {
		for _, r := range b.runs() {
			b.trace(r) // the existing data can be read
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"run", "shapes", "--algo", "sfk", "--set", "samples=400",
		"--set", "batch=32", "--set", "epochs=20", "--set", "model=linear",
		"--set", "log_every=1", "--set", "checkpoint_every=5"}
	return b, args, makeRoom
}

// TestFullDisk fills the disk during a run. When there is room and the run is told to go on, it
// ends with the same result as without the full disk.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("TestRealFullDisk of runner/record fills a disk, too: not with -short")
	}
	t.Parallel()
	b, spec, makeRoom := onFullDisk(t)
	whole := newWorkplace(t)
	whole.do(append(spec, "--inline")...)
	b.do(append(spec, "--detach")...)
	trouble := func() string {
		s, err := b.client.Status()
		if err != nil || len(s.Runs) == 0 {
			t.Fatalf("the run did not wait for room: %+v, %v", s, err)
		}
		return s.Runs[0].Trouble
	}
	b.await("a full disk", func() bool { return trouble() != "" })
	if text := trouble(); !strings.Contains(text, "disk full: free space and resume") {
		t.Errorf("trouble: %s", text)
	}
	// A command that a run cannot obey now is refused, rather than waiting without a message.
	out, err := b.command("checkpoint", "latest").CombinedOutput()
	if err == nil {
		t.Error("a checkpoint on a full disk succeeds, want a failure")
	}
	for _, want := range []string{"waits for the disk: ", "disk full"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("a checkpoint on a full disk prints %q, want %q in it", out, want)
		}
	}
	makeRoom()
	b.do("resume", "latest")
	b.sameAs(whole)
}

// TestFullDiskInline: a run in the program's own process goes on by itself when there is room.
func TestFullDiskInline(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a full disk as TestFullDisk does: not with -short")
	}
	b, spec, makeRoom := onFullDisk(t)
	whole := newWorkplace(t)
	whole.do(append(spec, "--inline")...)
	inline := b.terminal(append(spec, "--inline")...)
	inline.await("word of a full disk",
		func() bool { return inline.shows("disk full") && inline.shows("it continues when") })
	makeRoom()
	if err := inline.cmd.Wait(); err != nil {
		t.Errorf("drolab with --inline ends with %v, want no error:\n%s", err, inline.screen)
	}
	b.sameAs(whole)
}

// TestGoRun starts the engine from a program whose file is deleted when its command ends.
func TestGoRun(t *testing.T) {
	testsize.OnlyLong(t, "compiles the program")
	b := newWorkplace(t)
	cmd := b.command()
	cmd.Path, cmd.Args, cmd.Err = "",
		[]string{"go", "run", "drolab", "run", "csv", "--set", "epochs=2000", "--detach"}, nil
	var err error
	if cmd.Path, err = exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go run: %v\n%s", err, out)
	}
	b.await("the end of all runs", b.allDone)
}

// leaves runs the program with a pipe that nobody reads for its output, or for both of its outputs.
// It returns the exit status and the text on the other output.
func (b *workplace) leaves(both bool, args ...string) (syscall.WaitStatus, string) {
	b.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var said bytes.Buffer
	cmd := b.command(args...)
	cmd.Stdout, cmd.Stderr = w, &said
	if both {
		cmd.Stderr = w
	}
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		b.Fatal(err)
	}
	return cmd.ProcessState.Sys().(syscall.WaitStatus), said.String()
}

// TestReaderLeaves: a command ends quietly when nobody reads its output any more, and never ends a
// run because of that.
func TestReaderLeaves(t *testing.T) {
	testsize.NotShort(t, "starts the program many times: TestPrintingIsInterrupted shows a "+
		"command that is left")
	t.Parallel()
	b := newWorkplace(t)
	brief := []string{"csv", "--algo", "erm", "--set", "epochs=2"}
	run := func(more ...string) []string {
		return append(append([]string{"run"}, brief...), more...)
	}
	for _, both := range []bool{false, true} {
		for _, json := range []string{"--json", "--json=false"} {
			s, said := b.leaves(both, run("--inline", json)...)
			if s != 0 || strings.Contains(said, "pipe") {
				t.Errorf("inline %s: status %#x, said %q", json, s, said)
			}
		}
	}
	for _, args := range testsize.Few(3,
		run(), []string{"show", "latest", "--json"}, []string{"runs"}, []string{"show", "latest"},
		[]string{"compare", "csv"}, []string{"compare", "csv", "--csv"}, []string{"presets"},
		[]string{"--help"},
	) {
		s, said := b.leaves(false, args...)
		if !s.Signaled() || s.Signal() != syscall.SIGPIPE {
			t.Errorf("drolab %v ends with status %#x, want SIGPIPE", args, s)
		}
		if strings.Contains(said, "pipe") {
			t.Errorf("drolab %v complains %q, want no word of a pipe", args, said)
		}
	}
	b.leaves(true, run("--set", "epochs=3")...)
	b.await("all runs end", func() bool {
		done := 0
		for _, r := range b.runs() {
			if r.Status() == runner.Done {
				done++
			}
		}
		return done == 6
	})
}

// TestPrintingIsInterrupted: a command whose runs have ended, and that only prints their results,
// ends at once when it is told to.
func TestPrintingIsInterrupted(t *testing.T) {
	t.Parallel()
	b := newWorkplace(t)
	for _, inline := range []string{"--inline", "--inline=false"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cmd := b.command("run", "csv", "--algo", "erm", "--seeds", "40", "--set", "epochs=1",
			"--set", "model=linear", "--json", inline)
		cmd.Stdout = w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if _, err := io.ReadFull(r, make([]byte, 1)); err != nil { // the rest fills the pipe
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		b.await("the command ends", func() bool { return len(ended) > 0 })
		err = <-ended
		s := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !s.Signaled() || s.Signal() != syscall.SIGTERM {
			t.Errorf("drolab run %s ends with %v, want SIGTERM", inline, err)
		}
	}
}
