//go:build unix

package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// killedEnv is the environment variable for a script that is killed, or kills.
const killedEnv = "DROLAB_TEST_DOOM"

func init() {
	act := func() {
		switch {
		case len(os.Args) > 1 && os.Args[1] == "loop":
			os.Exit(serve(os.Args[3]))
		case os.Getenv(killedEnv) != "":
			os.Exit(killedScript(strings.Split(os.Getenv(killedEnv), "\n")))
		}
	}
	// It comes before the act of a program, which is also told of pipes.
	engine.Acts = slices.Insert(engine.Acts, 0, act)
}

// serve acts as drolab loop --runs DIR.
func serve(dir string) int {
	var read, write uintptr
	fmt.Sscanf(os.Getenv("DROLAB_PIPES"), "%d,%d", &read, &write)
	if os.Getenv(longAnswerEnv) != "" {
		return answersLong(bridge.NewConn(os.NewFile(read, "in"), os.NewFile(write, "out")))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP) // as drolab loop
	defer stop()
	err := runsDir(dir).serve(ctx, os.NewFile(read, "in"), os.NewFile(write, "out"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "drolab:", err)
		return 1
	}
	return 0
}

// longAnswerEnv is the environment variable for a process beside a script that sends too many
// weights.
const longAnswerEnv = "DROLAB_TEST_LONG"

func answersLong(c *bridge.Conn) int {
	for _, arrays := range [][]bridge.Array{nil, {floats(make([]float64, 1000)...), floats(1)}} {
		var m map[string]any
		if _, err := c.Receive(&m, bridge.MostHead, bridge.MostBody); err != nil {
			return 1
		}
		c.Send(map[string]any{"version": 2, "id": "x", "step": 0, "epoch": 0}, arrays...)
	}
	return 0
}

// killedScript is a script with a process beside it. what holds a folder, a run and a trouble.
func killedScript(what []string) int {
	err := func() error {
		told, tells, err := os.Pipe()
		if err != nil {
			return err
		}
		said, says, err := os.Pipe()
		if err != nil {
			return err
		}
		c := exec.Command(self(), "loop", "--runs", what[0])
		c.ExtraFiles = []*os.File{told, says}
		c.Env = append(os.Environ(), "DROLAB_PIPES=3,4")
		if err := c.Start(); err != nil {
			return err
		}
		told.Close()
		says.Close()
		s, err := newScript(said, tells, dro.SFK)
		if err != nil {
			return err
		}
		s.onDevice = what[3] == "device"
		if what[1] != "" {
			s.opening = map[string]any{"do": "start", "version": 2, "resume": what[1]}
		}
		return runWithTrouble(what[2], c.Process.Pid, s)
	}()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// runsDir is a folder of runs.
type runsDir string

func (r runsDir) store() *record.Store {
	s, err := record.Open(string(r))
	if err != nil {
		panic(err)
	}
	return s
}

func (r runsDir) serve(ctx context.Context, in, out *os.File) error {
	defer in.Close()
	defer out.Close()
	return engine.ServeLoop(ctx, in, out, engine.LoopSettings{Store: r.store(),
		Queue: queue.Settings{Threads: 1}, RuntimeDir: os.Getenv("XDG_RUNTIME_DIR"), Find: r.find})
}

// find returns the run that the command line finds, without selections.
func (r runsDir) find(name string) (*record.Run, int64, error) {
	id, step, err := runner.ParseParent(name)
	if err != nil {
		id, step = name, -1
	}
	found, err := record.Find(string(r), id)
	return found, step, err
}

// serveScript runs a script against a server in this process, and returns the script and both
// errors.
func (r runsDir) serveScript(
	t testing.TB, a dro.Algorithm, change func(*script),
) (s *script, theirs, ours error) {
	t.Helper()
	told, tells := pipe(t)
	said, says := pipe(t)
	ended := make(chan error, 1)
	go func() { ended <- r.serve(context.Background(), told, says) }()
	s, err := newScript(said, tells, a)
	if err != nil {
		t.Fatal(err)
	}
	change(s)
	theirs = s.run()
	tells.Close()
	ours = <-ended
	said.Close()
	return s, theirs, ours
}

func pipe(t testing.TB) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// train runs a script to a successful end and returns the name of its run.
func (r runsDir) train(t testing.TB, a dro.Algorithm, change func(*script)) string {
	t.Helper()
	_, theirs, ours := r.serveScript(t, a, change)
	if err := errors.Join(theirs, ours); err != nil {
		t.Fatal(err)
	}
	run, err := record.Find(string(r), "latest")
	if err != nil {
		t.Fatal(err)
	}
	return run.Meta.ID
}

// native trains a spec by drolab's own loop and returns the name of the run.
func (r runsDir) native(t testing.TB, s spec.Spec) string {
	t.Helper()
	q := queue.NewQueue(context.Background(), queue.Settings{Store: r.store(), Threads: 1})
	ids, err := q.Start(runner.Request{Preset: "native", Specs: []spec.Spec{s}})
	for _, o := range q.Wait() {
		err = errors.Join(err, o.Err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ids[0]
}

// log returns the last line of each step and evaluation in a run's log, without times, and without
// measures that take a gradient over the whole split.
func (r runsDir) log(t testing.TB, id string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(string(r), id, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	events := map[string]any{}
	for line := range strings.Lines(string(text)) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		kind := fmt.Sprint(e["type"])
		if kind != "step" && kind != "eval" {
			continue
		}
		for _, key := range []string{"time", "seq", "images_per_second", "crc", "full_grad_norm",
			"output_grad_norm", "output_dual_gap"} {
			delete(e, key)
		}
		events[fmt.Sprint(kind, " ", e["step"])] = e
	}
	return events
}

// wantError fails unless err is an error that contains want.
func wantError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want one with %q", what, err, want)
	}
}

// wantLine fails unless an error that is shown is one line, with no control character of a
// terminal.
func wantLine(t *testing.T, what, shown string) {
	t.Helper()
	if strings.ContainsAny(shown, "\n\x1b") {
		t.Errorf("%s: error %q, want one line without control characters", what, shown)
	}
}

// wantStatus fails unless a run has this status.
func wantStatus(t *testing.T, what string, run *record.Run, want runner.Status) {
	t.Helper()
	if got := run.Status(); got != want {
		t.Errorf("%s: status %s, want %s", what, got, want)
	}
}

// wantLog fails unless a log has so many events, and they are those of another log; numbers may
// differ by relative. It names the first place that differs.
func wantLog(t *testing.T, what string, got, want map[string]any, relative float64, events int) {
	t.Helper()
	if len(got) != events {
		t.Errorf("%s: the log has %d events, want %d", what, len(got), events)
	}
	if at := differ(got, want, relative, ""); at != "" {
		t.Errorf("%s: the log differs: %s", what, at)
	}
}

// differ returns the place where two JSON values differ by more than relative, with both values;
// "" if there is none.
func differ(got, want any, relative float64, path string) string {
	switch x := got.(type) {
	case float64:
		if y, ok := want.(float64); ok && math.Abs(x-y) <= relative*(1e-3+math.Abs(y)) {
			return ""
		}
	case map[string]any:
		if y, _ := want.(map[string]any); len(x) == len(y) {
			for key := range x {
				if at := differ(x[key], y[key], relative, path+"."+key); at != "" {
					return at
				}
			}
			return ""
		}
	case []any:
		if y, _ := want.([]any); len(x) == len(y) {
			for i := range x {
				if at := differ(x[i], y[i], relative, fmt.Sprint(path, ".", i)); at != "" {
					return at
				}
			}
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("%s = %.200v, want %.200v", path, got, want)
}

// unusable holds the methods that a script cannot use, each with the reason.
var unusable = map[dro.Algorithm]string{
	"nsgdm":     "a program that can average gradients",
	"dfr":       "a script keeps its own",
	"afr":       "a script keeps its own",
	"evals":     "a script keeps its own",
	"subsample": "a script draws its own batches",
}

// TestSameNumbers: a script with the same loop as drolab comes to the same numbers, with every
// method that a script can use.
func TestSameNumbers(t *testing.T) {
	methods := dro.Algorithms()
	if testing.Short() {
		methods = []dro.Algorithm{dro.ERM, dro.SFK, "jtt", "dfr"}
	}
	for _, a := range methods {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel()
			r := runsDir(t.TempDir())
			if why, no := unusable[a]; no {
				_, theirs, ours := r.serveScript(t, a, func(*script) {})
				wantError(t, "the script", theirs, why)
				if ours == nil {
					t.Error("the run has no error")
				}
				return
			}
			want := r.log(t, r.native(t, native(a)))
			id := r.train(t, a, func(*script) {})
			got := r.log(t, id)
			if len(got) < 27 { // steps, and an evaluation each epoch
				t.Fatalf("%d events, want 27 or more", len(got))
			}
			if at := differ(got, want, 1e-9, ""); at != "" {
				t.Errorf("the log differs from that of drolab's own loop: %s", at)
			}
			run, err := record.Find(string(r), id)
			if err != nil {
				t.Fatal(err)
			}
			if p := run.Meta.Program; p == nil || p.Packages["x"] != "?[31mred" {
				t.Errorf("the run has the program %+v, want the package x as %q", p, "?[31mred")
			}
			wantStatus(t, "the run", run, runner.Done)
			s := run.Summary()
			if s.Selected == nil {
				t.Error("the summary has no selected step")
			}
			if a == dro.SFK && s.PaperIterate == nil {
				t.Error("the summary has no iterate of the paper")
			}
			wrong, _, err := record.Examine(string(r), false)
			if err != nil {
				t.Errorf("record.Examine: %v", err)
			}
			if len(wrong) > 0 {
				t.Errorf("record.Examine finds %v, want nothing", wrong)
			}
			if _, err := os.Stat(filepath.Join(string(r), id, "scratch")); err == nil {
				t.Error("the scratch folder is left")
			}
		})
	}
}

// TestExact: whatever is killed, before any message, the resumed run has the same bits, whether the
// weights are drolab's or of a form.
func TestExact(t *testing.T) {
	r := runsDir(t.TempDir())
	want := r.log(t, r.train(t, dro.SFK, func(*script) {}))
	byForm := r.log(t, r.train(t, dro.SFK, func(s *script) { s.onDevice = true }))
	if at := differ(byForm, want, 0, ""); at != "" {
		t.Fatalf("with weights of a form, the log differs: %s", at)
	}
	points := []string{"script 1", "script 24", "server 25", "both 26", "server 13", "script 14",
		"both 50"}
	if testsize.Long() {
		for i := range 120 { // in pairs: weights by drolab, and by the form
			points = append(points, fmt.Sprintf("%s %d",
				[]string{"script", "server", "both"}[i/2%3], 1+i/2*13%67))
		}
	}
	if testing.Short() {
		points = points[:3] // the script, and the process beside it
	}
	slots := make(chan struct{}, 2)
	for i, point := range points {
		where := []string{spec.OnHost, spec.OnDevice}[i%2]
		t.Run(point+" "+where, func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			r := runsDir(t.TempDir())
			id := ""
			for _, trouble := range []string{point, "none 0"} {
				c := exec.Command(self())
				what := strings.Join([]string{string(r), id, trouble, where}, "\n")
				c.Env = append(os.Environ(), killedEnv+"="+what)
				out, err := c.CombinedOutput()
				if lives := trouble == "none 0"; (err == nil) != lives {
					t.Fatalf("%s: the script ends with %v, want without an error: %v\n%s", trouble,
						err, lives, out)
				}
				r.free(t)
				if run, err := record.Find(string(r), "latest"); err == nil {
					id = run.Meta.ID
					if trouble == point {
						wantStatus(t, "the run that was killed", run, runner.Interrupted)
					}
				}
			}
			if at := differ(r.log(t, id), want, 0, ""); at != "" {
				t.Errorf("the log differs from that of a run without kills: %s", at)
			}
		})
	}
}

// TestRunOfOwnLoop: a script can neither continue nor fork a run whose loop is drolab's.
func TestRunOfOwnLoop(t *testing.T) {
	r := runsDir(t.TempDir())
	id := r.native(t, native(dro.SFK))
	for key, want := range map[string]string{
		"resume": "resume: the loop of run " + id + " is drolab's",
		"from":   "from_: the loop of run " + id + " is drolab's",
	} {
		_, theirs, ours := r.serveScript(t, dro.SFK, func(s *script) {
			s.opening[key], s.opening["settings"] = id, map[string]any{"epochs": 4}
		})
		wantError(t, "the script", theirs, want)
		wantError(t, "the run", ours, want)
	}
	if runs, _ := record.List(string(r)); len(runs) != 1 {
		t.Errorf("%d runs, want the one of drolab's own loop", len(runs))
	}
}

// free waits until nobody holds the run: the process beside a killed script ends by itself.
func (r runsDir) free(t *testing.T) {
	for range await(t) {
		run, err := record.Find(string(r), "latest")
		if err != nil || !run.Held() {
			return
		}
	}
}

// await yields again and again until the test ends.
func await(t *testing.T) func(yield func() bool) {
	return func(yield func() bool) {
		for tick := time.NewTicker(5 * time.Millisecond); t.Context().Err() == nil && yield(); {
			<-tick.C
		}
	}
}

// TestOrders: another process pauses, turns, saves and stops the run of a script. Only the script
// can go on with the stopped run.
func TestOrders(t *testing.T) {
	r := runsDir(t.TempDir())
	client := engine.NewClient(engine.Client{RunsDir: string(r),
		RuntimeDir: os.Getenv("XDG_RUNTIME_DIR")})
	var id string
	var asking sync.WaitGroup
	status := func(want runner.Status) {
		t.Helper()
		for range await(t) {
			run, err := record.Find(string(r), id)
			if err == nil && run.Status() == want {
				return
			}
			if err == nil && run.Status().Ended() {
				t.Errorf("the run is %s, and was to be %s", run.Status(), want)
				return
			}
		}
	}
	var saved, done atomic.Bool
	s, theirs, ours := r.serveScript(t, dro.SFK, func(s *script) {
		s.spec.Epochs = 1 << 20
		s.trouble = func(n int) {
			if s.hear.Save {
				saved.Store(true)
			}
			switch {
			case n == 6: // before weights
				run, err := record.Find(string(r), "latest")
				if err != nil {
					t.Error(err)
					return
				}
				id = run.Meta.ID
				if err := client.Pause(id); err != nil {
					t.Error(err)
				}
				asking.Go(func() {
					status(runner.Paused)
					err := errors.Join(client.Knob(id, "lr", "0.003"), client.Resume(id))
					if err != nil {
						t.Error(err)
					}
				})
			case n == 20:
				asking.Go(func() {
					step, err := client.Checkpoint(id)
					if err != nil {
						t.Errorf("Checkpoint: %v", err)
					}
					if step < 5 {
						t.Errorf("Checkpoint() = %d, want step 5 or later", step)
					}
					done.Store(true)
				})
			case done.Swap(false):
				if err := client.Stop(id); err != nil {
					t.Error(err)
				}
			}
		}
	})
	asking.Wait()
	if err := errors.Join(theirs, ours); err != nil {
		t.Fatalf("at step %d: %v", s.step, err)
	}
	if !saved.Load() {
		t.Fatalf("up to step %d, the script never hears that it is to save", s.step)
	}
	run, err := record.Find(string(r), id)
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Status(); got != runner.Stopped {
		t.Fatalf("the run is %s, want %s", got, runner.Stopped)
	}
	r.continueStopped(t, client, id)
	r.forkStopped(t, id)
}

// continueStopped continues the stopped run of a script, which nobody but a script can do.
func (r runsDir) continueStopped(t *testing.T, client *engine.Client, id string) {
	t.Helper()
	for name, ask := range map[string]func(string) error{"pause": client.Pause,
		"stop": client.Stop, "resume": client.Resume} {
		wantError(t, name, ask(id), "drolab.start(resume=")
	}
	q := queue.NewQueue(context.Background(), queue.Settings{Store: r.store(), Threads: 1})
	wantError(t, "a queue", q.Resume(id), "drolab.start(resume=")
	again := r.train(t, dro.SFK, func(s *script) {
		s.opening = map[string]any{"do": "start", "version": 2, "resume": id}
	})
	events := r.log(t, again)
	if again != id {
		t.Errorf("the script goes on with run %s, want %s", again, id)
	}
	if len(events) < 27 {
		t.Errorf("the resumed run has %d events, want 27 or more", len(events))
	}
	_, theirs, _ := r.serveScript(t, dro.SFK, func(s *script) {
		s.opening["resume"], s.opening["settings"] = again, map[string]any{"rho": 2}
	})
	wantError(t, "a resume with other settings", theirs, "continues with rho = 0.5")
}

// forkStopped forks a run of a script, whose lr was turned to .003, at its step 5.
func (r runsDir) forkStopped(t *testing.T, id string) {
	t.Helper()
	fork := r.train(t, dro.SFK, func(s *script) {
		s.spec.Epochs = 1 << 20
		s.trouble = func(int) {
			if s.step > 7 {
				s.spec.Epochs = 0
			}
		}
		s.opening = map[string]any{"do": "start", "version": 2, "from": id + "@5",
			"settings": map[string]any{"rho": 1}}
	})
	run, err := record.Find(string(r), fork)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := run.Meta.Parent, id+"@5"; got != want {
		t.Errorf("the fork has the parent %s, want %s", got, want)
	}
	if got := run.Meta.Spec.Rho; got != 1 {
		t.Errorf("the fork has ρ = %v, want 1, as stated", got)
	}
	if got := run.Meta.Spec.LR; got != .003 {
		t.Errorf("the fork has lr = %v, want .003, as turned in its parent", got)
	}
}
