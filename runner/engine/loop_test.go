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

// doom is the environment variable for a script that is killed, or kills.
const doom = "DROLAB_TEST_DOOM"

func init() {
	act := func() {
		switch {
		case len(os.Args) > 1 && os.Args[1] == "loop":
			os.Exit(serve(os.Args[3]))
		case os.Getenv(doom) != "":
			os.Exit(scripted(strings.Split(os.Getenv(doom), "\n")))
		}
	}
	// It comes before the act of a program, which is also told of pipes.
	engine.Acts = slices.Insert(engine.Acts, 0, act)
}

// serve acts as drolab loop --runs DIR.
func serve(dir string) int {
	var read, write uintptr
	fmt.Sscanf(os.Getenv("DROLAB_PIPES"), "%d,%d", &read, &write)
	if os.Getenv(long) != "" {
		return answersLong(bridge.NewConn(os.NewFile(read, "in"), os.NewFile(write, "out")))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP) // as drolab loop
	defer stop()
	err := room(dir).serve(ctx, os.NewFile(read, "in"), os.NewFile(write, "out"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "drolab:", err)
		return 1
	}
	return 0
}

// long is the environment variable for a process beside a script that sends too many weights.
const long = "DROLAB_TEST_LONG"

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

// scripted is a script with a process beside it. what holds a folder, a run and a trouble.
func scripted(what []string) int {
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
		s.there = what[3] == "device"
		if what[1] != "" {
			s.opening = map[string]any{"do": "start", "version": 2, "resume": what[1]}
		}
		return doomed(what[2], c.Process.Pid, s)
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

// room is a folder of runs.
type room string

func (r room) store() *record.Store {
	s, err := record.Open(string(r))
	if err != nil {
		panic(err)
	}
	return s
}

func (r room) serve(ctx context.Context, in, out *os.File) error {
	defer in.Close()
	defer out.Close()
	return engine.ServeLoop(ctx, in, out, engine.LoopSettings{Store: r.store(),
		Queue: queue.Settings{Threads: 1}, RuntimeDir: os.Getenv("XDG_RUNTIME_DIR"), Find: r.find})
}

// find returns the run that the command line finds, without selections.
func (r room) find(name string) (*record.Run, int64, error) {
	id, step, err := runner.ParseParent(name)
	if err != nil {
		id, step = name, -1
	}
	found, err := record.Find(string(r), id)
	return found, step, err
}

// meet runs a script against a server in this process, and returns the script and both errors.
func (r room) meet(
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

// well runs a script to a successful end and returns the name of its run.
func (r room) well(t testing.TB, a dro.Algorithm, change func(*script)) string {
	t.Helper()
	_, theirs, ours := r.meet(t, a, change)
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
func (r room) native(t testing.TB, s spec.Spec) string {
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
func (r room) log(t testing.TB, id string) map[string]any {
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

// far returns the place where two JSON values differ by more than relative.
func far(a, b any, relative float64, path string) string {
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok && math.Abs(x-y) <= relative*(1e-3+math.Abs(y)) {
			return ""
		}
	case map[string]any:
		if y, _ := b.(map[string]any); len(x) == len(y) {
			for key := range x {
				if at := far(x[key], y[key], relative, path+"."+key); at != "" {
					return at
				}
			}
			return ""
		}
	case []any:
		if y, _ := b.([]any); len(x) == len(y) {
			for i := range x {
				if at := far(x[i], y[i], relative, fmt.Sprint(path, ".", i)); at != "" {
					return at
				}
			}
			return ""
		}
	default:
		if a == b {
			return ""
		}
	}
	return fmt.Sprintf("%s: %.200v and %.200v", path, a, b)
}

// barred holds the methods that a script cannot use, each with the reason.
var barred = map[dro.Algorithm]string{
	"nsgdm":     "a program that can average gradients",
	"dfr":       "a script keeps its own",
	"afr":       "a script keeps its own",
	"subsample": "a script draws its own batches",
}

// TestSameNumbers: a script with the same loop as drolab comes to the same numbers, with every
// method that a script can use.
func TestSameNumbers(t *testing.T) {
	for _, a := range dro.Algorithms() {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel()
			r := room(t.TempDir())
			if why, no := barred[a]; no {
				_, theirs, ours := r.meet(t, a, func(*script) {})
				if theirs == nil || ours == nil || !strings.Contains(theirs.Error(), why) {
					t.Errorf("%v, %v", theirs, ours)
				}
				return
			}
			want := r.log(t, r.native(t, native(a)))
			id := r.well(t, a, func(*script) {})
			got := r.log(t, id)
			if len(got) < 27 { // steps, and an evaluation each epoch
				t.Fatalf("%d events", len(got))
			}
			if at := far(got, want, 1e-9, ""); at != "" {
				t.Error(at)
			}
			run, err := record.Find(string(r), id)
			if p := run.Meta.Program; err != nil || p == nil || p.Packages["x"] != "?[31mred" {
				t.Errorf("%+v, %v", p, err)
			}
			if s := run.Summary(); s.Status != runner.Done || s.Selected == nil ||
				a == dro.SFK && s.PaperIterate == nil {
				t.Errorf("%+v", s)
			}
			if wrong, _, err := record.Examine(string(r), false); err != nil || len(wrong) > 0 {
				t.Errorf("doctor: %v %v", err, wrong)
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
	r := room(t.TempDir())
	want := r.log(t, r.well(t, dro.SFK, func(*script) {}))
	there := r.log(t, r.well(t, dro.SFK, func(s *script) { s.there = true }))
	if at := far(there, want, 0, ""); at != "" {
		t.Fatalf("weights of a form: %s", at)
	}
	points := []string{"script 1", "script 24", "server 25", "both 26", "server 13", "script 14",
		"both 50"}
	if testsize.Long() {
		for i := range 120 { // in pairs: weights by drolab, and by the form
			points = append(points, fmt.Sprintf("%s %d",
				[]string{"script", "server", "both"}[i/2%3], 1+i/2*13%67))
		}
	}
	slots := make(chan struct{}, 2)
	for i, point := range points {
		where := []string{spec.OnHost, spec.OnDevice}[i%2]
		t.Run(point+" "+where, func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			r := room(t.TempDir())
			id := ""
			for _, trouble := range []string{point, "none 0"} {
				c := exec.Command(self())
				what := strings.Join([]string{string(r), id, trouble, where}, "\n")
				c.Env = append(os.Environ(), doom+"="+what)
				out, err := c.CombinedOutput()
				if (err == nil) != (trouble == "none 0") {
					t.Fatalf("%s: %v: %s", trouble, err, out)
				}
				r.free(t)
				if run, err := record.Find(string(r), "latest"); err == nil {
					id = run.Meta.ID
					if s := run.Status(); trouble == point && s != runner.Interrupted {
						t.Errorf("killed, it is %s", s)
					}
				}
			}
			if at := far(r.log(t, id), want, 0, ""); at != "" {
				t.Error(at)
			}
		})
	}
}

// free waits until nobody holds the run: the process beside a killed script ends by itself.
func (r room) free(t *testing.T) {
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
	r := room(t.TempDir())
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
	s, theirs, ours := r.meet(t, dro.SFK, func(s *script) {
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
					if step, err := client.Checkpoint(id); err != nil || step < 5 {
						t.Errorf("the checkpoint is of step %d: %v", step, err)
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
	if theirs != nil || ours != nil || !saved.Load() {
		t.Fatalf("%v, %v at step %d, and %v", theirs, ours, s.step, saved.Load())
	}
	run, err := record.Find(string(r), id)
	if err != nil || run.Status() != runner.Stopped {
		t.Fatalf("it is %s: %v", run.Status(), err)
	}
	for name, ask := range map[string]func(string) error{"pause": client.Pause,
		"stop": client.Stop, "resume": client.Resume} {
		if err := ask(id); err == nil || !strings.Contains(err.Error(), "drolab.start(resume=") {
			t.Errorf("%s says %v", name, err)
		}
	}
	q := queue.NewQueue(context.Background(), queue.Settings{Store: r.store(), Threads: 1})
	if err := q.Resume(id); err == nil || !strings.Contains(err.Error(), "drolab.start(resume=") {
		t.Errorf("a queue says %v", err)
	}
	again := r.well(t, dro.SFK, func(s *script) {
		s.opening = map[string]any{"do": "start", "version": 2, "resume": id}
	})
	events := r.log(t, again)
	if again != id || len(events) < 27 {
		t.Errorf("run %s has %d events", again, len(events))
	}
	fork := r.well(t, dro.SFK, func(s *script) {
		s.spec.Epochs = 1 << 20
		s.trouble = func(int) {
			if s.step > 7 {
				s.spec.Epochs = 0
			}
		}
		s.opening = map[string]any{"do": "start", "version": 2, "from": id + "@5",
			"settings": map[string]any{"rho": 1}}
	})
	run, err = record.Find(string(r), fork)
	if m := run.Meta; err != nil || m.Parent != id+"@5" || m.Spec.Rho != 1 || m.Spec.LR != .003 {
		t.Errorf("%v: parent %s, ρ %v, lr %v", err, m.Parent, m.Spec.Rho, m.Spec.LR)
	}
	_, theirs, _ = r.meet(t, dro.SFK, func(s *script) {
		s.opening["resume"], s.opening["settings"] = again, map[string]any{"rho": 2}
	})
	if theirs == nil || !strings.Contains(theirs.Error(), "continues with rho = 0.5") {
		t.Errorf("a resume with other settings: %v", theirs)
	}
}
