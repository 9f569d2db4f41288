//go:build darwin || freebsd || linux

package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestVerbs(t *testing.T) {
	p := start(t, nil)
	id := p.launch(t, 5000)
	s, err := p.Status()
	must(t, err)
	want := Status{PID: os.Getpid(), Version: "test", RunsDir: p.RunsDir,
		Log: filepath.Join(p.RunsDir, logName)}
	ignored := cmpopts.IgnoreFields(Status{}, "Started", "Runs")
	if diff := cmp.Diff(want, *s, ignored); diff != "" {
		t.Errorf("Status() differs (-want +got):\n%s", diff)
	}
	wantRuns(t, "one run", p.Client, id)
	must(t, p.Pause(id))
	p.awaitStatus(t, id, runner.Paused)
	must(t, p.Knob(id, "lr", "0.001"))
	wantError(t, "a bad knob", p.Knob(id, "lr", "-1"), "lr: -1: expected")
	must(t, p.Resume(id))
	p.awaitStatus(t, id, runner.Running)
	step, err := p.Checkpoint(id)
	must(t, err)
	saved, ok, err := p.find(t, id).Saved()
	must(t, err)
	if !ok {
		t.Errorf("the run has no checkpoint, want one of step %d", step)
	}
	if saved.Step < step {
		t.Errorf("the newest checkpoint is of step %d, want %d or later", saved.Step, step)
	}
	wantError(t, "a shutdown while a run is live", p.Shutdown(false), id)
	must(t, p.Stop(id))
	p.awaitStatus(t, id, runner.Stopped)
	await(t, func() bool { return !p.find(t, id).Held() })
	must(t, p.Resume(id))
	must(t, p.Shutdown(true))
	if got := p.find(t, id).Status(); got != runner.Stopped {
		t.Errorf("after a shutdown the run is %s, want stopped", got)
	}
	_, status := p.Status()
	_, checkpoint := p.Checkpoint(id)
	for verb, err := range map[string]error{"status": status, "checkpoint": checkpoint,
		"pause": p.Pause(id), "stop": p.Stop(id), "knob": p.Knob(id, "lr", "1"),
		"shutdown": p.Shutdown(false)} {
		wantErrorIs(t, verb+" without an engine", err, ErrNone)
	}
	left, err := os.ReadDir(filepath.Join(p.RuntimeDir, "drolab"))
	must(t, err)
	if len(left) != 0 {
		t.Errorf("the sockets %v are left, want none", left)
	}
}

func TestStartRefusals(t *testing.T) {
	p := start(t, nil)
	bad := brief(dro.SFK, 1)
	bad.Specs[0].LR = -1
	expanded := brief(dro.SFK, 1)
	expanded.Specs[0].Seeds = 2
	huge := brief(dro.SFK, 1)
	for range 2000 {
		huge.Specs = append(huge.Specs, huge.Specs[0])
	}
	for want, r := range map[string]runner.Request{"lr: -1": bad, "one seed": expanded,
		"no run":             {},
		"fewer runs at once": huge} {
		_, err := p.Start(r)
		wantError(t, "Start", err, want)
	}
	wantRuns(t, "after the refusals", p.Client)
}

func TestEndsWhenIdle(t *testing.T) {
	testsize.NotShort(t, "waits for seconds")
	t.Parallel()
	p := start(t, func(s *Settings) { s.Idle, s.look = 3*time.Second, 20*time.Millisecond })
	id := p.launch(t, 400)
	err := <-p.ended
	p.ended <- err
	if got := p.find(t, id).Status(); got != runner.Done {
		t.Errorf("the engine ended while the run was %s", got)
	}
	if log := p.log.String(); !strings.Contains(log, "idle") {
		t.Errorf("the log does not say that the engine was idle:\n%s", log)
	}
}

// TestWorkOfItsOwn: the engine does the work that it finds without being asked, and does not end
// before that work is over, however idle it is.
func TestWorkOfItsOwn(t *testing.T) {
	begun, finish, looks := make(chan struct{}), make(chan struct{}), 0
	p := start(t, func(s *Settings) {
		s.Idle, s.look = time.Nanosecond, time.Millisecond
		s.Work = func() func(context.Context, *queue.Queue) {
			if looks++; looks > 1 {
				return nil
			}
			return func(_ context.Context, q *queue.Queue) {
				if _, err := q.Start(brief(dro.ERM, 1)); err != nil {
					t.Error(err)
				}
				close(begun)
				<-finish
			}
		}
	})
	<-begun
	await(t, func() bool { s, err := p.Status(); return err == nil && len(s.Runs) == 0 })
	select {
	case err := <-p.ended:
		t.Fatalf("it ended at work: %v", err)
	default:
	}
	close(finish)
	err := <-p.ended
	p.ended <- err
	runs, _ := record.List(p.RunsDir)
	if len(runs) != 1 {
		t.Fatalf("its work left the runs %v, want one", runs)
	}
	if got := runs[0].Status(); got != runner.Done {
		t.Errorf("its run is %s, want %s", got, runner.Done)
	}
}

func TestEndsWithItsFolder(t *testing.T) {
	p := start(t, func(s *Settings) { s.look = 50 * time.Millisecond })
	paused, training := p.launch(t, 1_000_000), p.launch(t, 1_000_000)
	must(t, p.Pause(paused))
	p.awaitStatus(t, paused, runner.Paused)
	p.awaitStatus(t, training, runner.Running)
	must(t, os.Rename(p.RunsDir, p.RunsDir+".gone"))
	t.Cleanup(func() { os.RemoveAll(p.RunsDir + ".gone") })
	err := <-p.ended
	p.ended <- err
	if log := p.log.String(); !strings.Contains(log, "folder is gone") {
		t.Errorf("the log does not say that the folder is gone:\n%s", log)
	}
}

func TestOneEngineForAFolder(t *testing.T) {
	p := start(t, nil)
	s := Settings{Settings: queue.Settings{Threads: 1}, RunsDir: p.RunsDir,
		RuntimeDir: p.RuntimeDir}
	err := Run(context.Background(), s)
	wantErrorIs(t, "a second engine", err, errRunning)
	wantError(t, "a second engine", err, "drolab test")
	// Without its lock file the engine is found by its socket.
	must(t, os.Remove(filepath.Join(p.RunsDir, lockName)))
	err = Run(context.Background(), s)
	wantErrorIs(t, "a second engine, without the lock file", err, errRunning)
}

func TestSocketsAreMadeAnew(t *testing.T) {
	p := start(t, func(s *Settings) { s.look = 50 * time.Millisecond })
	id := p.launch(t, 50_000)
	must(t, os.RemoveAll(filepath.Join(p.RuntimeDir, "drolab"))) // as at a logout
	await(t, func() bool { s, err := p.Status(); return err == nil && len(s.Runs) == 1 })
	must(t, p.Stop(id))
	p.awaitStatus(t, id, runner.Stopped)
}

// TestEachSocketIsMadeAnew: one missing socket is made anew while the other is still there.
func TestEachSocketIsMadeAnew(t *testing.T) {
	p := start(t, func(s *Settings) { s.look = 50 * time.Millisecond })
	id := p.launch(t, 1_000_000)
	a := p.sockets(t)
	for _, path := range []string{a.View, a.Control} {
		must(t, os.Remove(path))
		await(t, func() bool { _, err := os.Lstat(path); return err == nil })
		wantRuns(t, "without "+path, p.Client, id)
	}
	must(t, p.Stop(id))
	p.awaitStatus(t, id, runner.Stopped)
}

// TestSocketsThatCannotBeMadeAnew: the log tells of them once, and the engine tries again.
func TestSocketsThatCannotBeMadeAnew(t *testing.T) {
	p := start(t, func(s *Settings) { s.look = 50 * time.Millisecond })
	p.launch(t, 1_000_000) // keeps it from ending
	control := p.sockets(t).Control
	must(t, os.Remove(control))
	must(t, os.MkdirAll(filepath.Join(control, "in the way"), 0o700))
	await(t, func() bool { return strings.Contains(p.log.String(), "nobody can connect") })
	must(t, os.RemoveAll(control))
	await(t, func() bool { _, err := p.Status(); return err == nil })
	if n := strings.Count(p.log.String(), "nobody can connect"); n != 1 {
		t.Errorf("the log tells of it %d times, want once:\n%s", n, p.log.String())
	}
}

// TestShutdownWaitsForWhoAsks: a shutdown without force does not overtake a start, and two clients
// that ask for a shutdown do not wait for each other.
func TestShutdownWaitsForWhoAsks(t *testing.T) {
	p := start(t, nil)
	w, _, err := p.connect(control, soon()) // the connection counts from its hello on
	must(t, err)
	refused := make(chan error, 1)
	go func() { refused <- p.Shutdown(false) }()
	r := brief(dro.SFK, 1_000_000)
	out, err := exchange(w, &request{Order: runner.Order{Verb: verbStart}, Start: &r}, soon())
	must(t, err)
	wantError(t, "a shutdown while a run is started", <-refused, out.IDs[0])
	must(t, w.Close())
	must(t, p.Stop(out.IDs[0]))
	await(t, func() bool { s, err := p.Status(); return err == nil && len(s.Runs) == 0 })
	both := make(chan error, 2)
	for range 2 {
		go func() { both <- p.Shutdown(false) }()
	}
	for range 2 {
		if err := <-both; err != nil && !errors.Is(err, ErrNone) && !errors.Is(err, errEnding) {
			t.Errorf("one of two shutdowns: error %v, want none or that the engine ends", err)
		}
	}
}

func TestPanicOfOneVerb(t *testing.T) {
	var log buffer
	e := &engine{settings: Settings{Log: &log}}
	breaks := func(*request) (*reply, error) { panic("broken") }
	s := &server{logf: e.logf, verbs: map[runner.Verb]handler{"break": breaks},
		hello: hello{Folder: at(t, short(t))}}
	out := s.answer(&request{Order: runner.Order{Verb: "break"}, Folder: s.hello.Folder})
	_, path, told := strings.Cut(out.Error,
		"internal error: broken: please report it, with the file ")
	if !told {
		t.Fatalf("the answer is %+v, want one that names a report", out)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("the log has %d lines, want 1:\n%s", n, log.String())
	}
	if !strings.Contains(log.String(), path) {
		t.Errorf("the log does not name %s:\n%s", path, log.String())
	}
	text, err := os.ReadFile(path)
	must(t, err)
	if !strings.Contains(string(text), "TestPanicOfOneVerb") {
		t.Errorf("the report has no stack of this test:\n%s", text)
	}
}

// TestDiskOfItsOwnWorkHangs: other requests are answered while the engine's own work hangs.
func TestDiskOfItsOwnWorkHangs(t *testing.T) {
	looks, release := make(chan struct{}), make(chan struct{})
	looked := sync.OnceFunc(func() { close(looks) })
	p := start(t, func(s *Settings) {
		s.Work = func() func(context.Context, *queue.Queue) {
			looked()
			<-release
			return nil
		}
	})
	<-looks
	wantErrorIs(t, "Stop", p.Stop("nothing"), runner.ErrNotRunning)
	p.end()
	close(release)
}

// TestPanicOfItsOwnWork: a panic ends the engine's own work, but neither the engine nor a run.
func TestPanicOfItsOwnWork(t *testing.T) {
	p := start(t, func(s *Settings) {
		s.look = time.Millisecond
		s.Work = func() func(context.Context, *queue.Queue) {
			return func(context.Context, *queue.Queue) { panic("broken work") }
		}
	})
	await(t, func() bool { return strings.Contains(p.log.String(), "internal error: broken work") })
	id := p.launch(t, 1)
	p.awaitStatus(t, id, runner.Done)
	if n := strings.Count(p.log.String(), "broken work"); n != 1 {
		t.Errorf("the log tells of it %d times, want once:\n%s", n, p.log.String())
	}
}

func TestClientFindsTheSocketsWhereverTheyAre(t *testing.T) {
	p := start(t, nil)
	elsewhere := NewClient(*p.Client)
	elsewhere.RuntimeDir = "" // as from a cron job
	if _, err := elsewhere.Status(); err != nil {
		t.Errorf("Status: %v", err)
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	runs, runtimeDir := short(t), short(t)
	a, _, err := newAddress(runtimeDir, at(t, runs))
	must(t, err)
	// The first path is a socket at which nobody listens, and the second is a file.
	for _, path := range []string{a.Control, a.View} {
		l, err := listen(path)
		must(t, err)
		l.Close()
	}
	must(t, os.Remove(a.View))
	must(t, os.WriteFile(a.View, nil, 0o600))
	must(t, os.WriteFile(filepath.Join(runs, lockName), []byte("{"), 0o600))
	p := start(t, func(s *Settings) { s.RunsDir, s.RuntimeDir = runs, runtimeDir })
	if _, err := p.Status(); err != nil {
		t.Errorf("Status: %v", err)
	}
}

// spawning returns a client that starts its engines as processes.
func spawning(t *testing.T, runs, runtimeDir, version string) *Client {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	return NewClient(Client{RunsDir: runs, RuntimeDir: runtimeDir, Version: version,
		Command: engineCommand(exe, runs, runtimeDir, version)})
}

func TestTwoStartsAtOnce(t *testing.T) {
	runs, runtimeDir := short(t), short(t)
	const clients = 6
	var wg sync.WaitGroup
	errs := make([]error, clients)
	for i := range clients {
		wg.Go(func() {
			c := spawning(t, runs, runtimeDir, "a")
			_, errs[i] = c.Start(brief(dro.ERM, 50))
		})
	}
	wg.Wait()
	c := spawning(t, runs, runtimeDir, "a")
	t.Cleanup(func() { c.Shutdown(true) })
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { s, err := c.Status(); return err == nil && len(s.Runs) == 0 })
	log, err := os.ReadFile(filepath.Join(runs, logName))
	must(t, err)
	if n := strings.Count(string(log), "ready: pid"); n != 1 {
		t.Errorf("%d engines were made, want 1:\n%s", n, log)
	}
	if n := strings.Count(string(log), "start : ok"); n != clients {
		t.Errorf("%d starts, want %d:\n%s", n, clients, log)
	}
}

func TestOtherVersion(t *testing.T) {
	runs, runtimeDir := short(t), short(t)
	older, newer := spawning(t, runs, runtimeDir, "older"), spawning(t, runs, runtimeDir, "newer")
	t.Cleanup(func() { newer.Shutdown(true) })
	ids, err := older.Start(brief(dro.SFK, 100_000))
	must(t, err)
	before, err := newer.Status()
	must(t, err)
	_, err = newer.Start(brief(dro.SFK, 1))
	const what = "a start at an older engine with a live run"
	wantError(t, what, err, "is drolab older and this is newer")
	wantError(t, what, err, ids[0])
	after, err := newer.Status()
	must(t, err)
	if after.PID != before.PID {
		t.Fatalf("the engine is process %d, want the older one, %d", after.PID, before.PID)
	}
	wantRuns(t, "the older engine", newer, ids[0])
	must(t, newer.Stop(ids[0])) // the other verbs are understood
	await(t, func() bool { s, err := newer.Status(); return err == nil && len(s.Runs) == 0 })
	if _, err := newer.Start(brief(dro.SFK, 1)); err != nil {
		t.Fatalf("a start at an older engine that is idle: %v", err)
	}
	last, err := newer.Status()
	must(t, err)
	if last.Version != "newer" {
		t.Errorf("the engine has the version %q, want newer", last.Version)
	}
}

func TestEngineThatCannotStart(t *testing.T) {
	runs := short(t)
	c := spawning(t, runs, short(t), "a")
	good := c.Command
	c.Command = engineCommand("/bin/sh", runs, "", "")
	_, err := c.Start(brief(dro.SFK, 1))
	wantError(t, "a program that is no engine", err, "--inline")
	c.Command = engineCommand("/nonexistent/drolab", runs, "", "")
	_, err = c.Start(brief(dro.SFK, 1))
	wantError(t, "a program that is not there", err, "starting the engine")
	c.Command = good
	t.Cleanup(func() { c.Shutdown(true) })
	if _, err := c.Start(brief(dro.SFK, 1)); err != nil {
		t.Errorf("a good program: Start: %v", err)
	}
}
