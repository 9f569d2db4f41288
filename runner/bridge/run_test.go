package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// killedEnv is the environment variable for a process that trains a program in a folder, and is
// killed.
const killedEnv = "DROLAB_TEST_DOOMED"

// native returns a brief spec of a method for drolab's own network.
func native(a dro.Algorithm) spec.Spec {
	s := spec.Defaults()
	s.Algorithms, s.Dataset, s.Model = []dro.Algorithm{a}, "csv:example", "linear"
	s.Batch, s.BatchZ, s.Epochs, s.LogEvery, s.CheckpointEvery = 32, 40, 3, 1, 5
	s.WeightDecay, s.Clip, s.Augment, s.ProgramPatience = 1e-3, dro.Fixed(2), false, 60
	s.ValFraction, s.Select = held, spec.SelectValWorst
	if m, _ := dro.Find(a); m != nil && m.ReadsKey("jtt_epochs") {
		s.SetOwn("jtt_epochs", dro.Fixed(1))
	}
	return s
}

// held is the share of the training samples that makes up the validation split, here and in the
// program.
const held = .25

// self returns the path of this binary.
func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// programEnv is the environment variable with the path of a one-line script that stands for this
// binary as a program. Every start of a program hashes its file, and hashing the binary would be
// most of the work of these tests.
const programEnv = "DROLAB_TEST_SCRIPT"

// programFile returns the file of this binary as a program.
func programFile() string {
	if script := os.Getenv(programEnv); script != "" {
		return script
	}
	return self()
}

// bridged returns the spec of the same run with this binary as its program.
func bridged(a dro.Algorithm) spec.Spec {
	s := native(a)
	s.Model, s.Dataset = spec.Program{Path: programFile(),
		Words: []string{"a word", "width=2"}}.String(), spec.ProgramData
	return s
}

// runsFolder is a folder of runs, and the approvals of a user.
type runsFolder struct {
	dir       string
	approvals bridge.Approvals
}

func newRunsFolder(t *testing.T) runsFolder {
	r := runsFolder{t.TempDir(), bridge.Approvals(t.TempDir())}
	if err := r.approvals.Approve(programFile()); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r runsFolder) queue() *queue.Queue {
	store, err := record.Open(r.dir)
	if err != nil {
		panic(err)
	}
	return queue.NewQueue(context.Background(), queue.Settings{Store: store, Threads: 1,
		Programs: r.approvals})
}

// means returns means that tell a program its trouble.
func means(trouble string) runner.Means {
	return runner.Means{Program: &runner.ProgramMeans{Env: append(os.Environ(),
		troubleEnv+"="+trouble)}}
}

// start trains specs to their end, or to the trouble.
func (r runsFolder) start(
	t *testing.T, trouble string, specs ...spec.Spec,
) (ids []string, err error) {
	t.Helper()
	return r.queueUp(means(trouble), specs...)
}

func (r runsFolder) queueUp(m runner.Means, specs ...spec.Spec) (ids []string, err error) {
	q := r.queue()
	m.Dir = r.dir
	ids, err = q.Start(runner.Request{Preset: "test", Specs: specs, Means: m})
	for _, o := range q.Wait() {
		if o.Err != nil {
			err = o.Err
		}
	}
	return ids, err
}

func (r runsFolder) resume(id string) error { return r.resumeBy(means(""), id) }

func (r runsFolder) resumeBy(m runner.Means, id string) error {
	q := r.queue()
	_, err := q.CarryOut(runner.Order{Verb: runner.Resume, Run: id, Means: &m})
	for _, o := range q.Wait() {
		err = o.Err
	}
	return err
}

// log returns the last line of each step and evaluation in a run's log, without times.
func (r runsFolder) log(t *testing.T, id string) map[string]map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, id, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	events := map[string]map[string]any{}
	for line := range strings.Lines(string(text)) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		kind := fmt.Sprint(e["type"])
		if kind != "step" && kind != "eval" {
			continue
		}
		for _, key := range []string{"time", "seq", "images_per_second", "crc"} {
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

// wantLine fails unless an error that was shown is one line, with no control character of a
// terminal.
func wantLine(t *testing.T, what, shown string) {
	t.Helper()
	if strings.ContainsAny(shown, "\n\x1b") {
		t.Errorf("%s: error %q, want one line without control characters", what, shown)
	}
}

// oneOfAKind returns the troubles that are tested: with -short, the first of each kind, which is
// the first word. troubleOf returns the trouble of a case.
func oneOfAKind[T any](cases []T, troubleOf func(T) string) []T {
	if !testing.Short() {
		return cases
	}
	var list []T
	seen := map[string]bool{}
	for _, c := range cases {
		kind, _, _ := strings.Cut(troubleOf(c), " ")
		if !seen[kind] {
			list = append(list, c)
		}
		seen[kind] = true
	}
	return list
}

func must[T any](x T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// wantLog fails unless the numbers of two logs differ by no more than relative. It names the first
// place that differs.
func wantLog(t *testing.T, what string, got, want map[string]map[string]any, relative float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: the log has %d events, want %d", what, len(got), len(want))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if at := differ(got[name], want[name], relative, name); at != "" {
			t.Errorf("%s: the log differs: %s", what, at)
			return
		}
	}
}

// differ returns the place where two JSON values differ by more than relative, with both values;
// "" if there is none.
func differ(got, want any, relative float64, path string) string {
	difference := func() string { return fmt.Sprintf("%s = %v, want %v", path, got, want) }
	switch x := got.(type) {
	case float64:
		y, ok := want.(float64)
		if !ok || math.Abs(x-y) > relative*(1e-3+math.Abs(y)) {
			return difference()
		}
	case map[string]any:
		y, _ := want.(map[string]any)
		if len(x) != len(y) {
			return difference()
		}
		for key := range x {
			if at := differ(x[key], y[key], relative, path+"."+key); at != "" {
				return at
			}
		}
	case []any:
		y, _ := want.([]any)
		if len(x) != len(y) {
			return difference()
		}
		for i := range x {
			if at := differ(x[i], y[i], relative, fmt.Sprint(path, ".", i)); at != "" {
				return at
			}
		}
	default:
		if got != want {
			return difference()
		}
	}
	return ""
}

// TestSameNumbers: with every method, a network behind the bridge trains as it does within drolab.
// It gives the same losses, so all that follows is the same.
func TestSameNumbers(t *testing.T) {
	methods := dro.Algorithms()
	if testing.Short() {
		methods = []dro.Algorithm{dro.SFK, "dfr"}
	}
	for _, a := range methods {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel()
			r := newRunsFolder(t)
			own := must(r.start(t, "", native(a)))(t)[0]
			ids := must(r.start(t, "", bridged(a)))(t)
			want, got := r.log(t, own), r.log(t, ids[0])
			if len(got) < 36 { // 33 steps, and an evaluation each epoch
				t.Fatalf("%d events, want 36 or more", len(got))
			}
			wantLog(t, "the run of the program", got, want, 1e-6)
			leavesARecord(t, r, ids[0])
		})
	}
}

// leavesARecord fails unless the run records its program, has no damaged file, and has left no
// scratch folder.
func leavesARecord(t *testing.T, r runsFolder, id string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(r.dir, id, "scratch")); err == nil {
		t.Error("the scratch folder is left")
	}
	run := must(record.Find(r.dir, id))(t)
	p := run.Meta.Program
	if p == nil {
		t.Fatal("run.json has no program")
	}
	if p.Path != programFile() {
		t.Errorf("run.json has the program %q, want %q", p.Path, programFile())
	}
	if len(p.SHA256) != 64 {
		t.Errorf("run.json has the checksum %q of the program, want 64 digits", p.SHA256)
	}
	if got, want := p.Packages["gorgonia"], "?[31mred"; got != want {
		t.Errorf("run.json has the version %q of gorgonia, want %q", got, want)
	}
	if want := []string{"a word", "width=2"}; !slices.Equal(p.Arguments, want) {
		t.Errorf("run.json has the arguments %q, want %q", p.Arguments, want)
	}
	wrong, _, err := record.Examine(r.dir, false)
	if err != nil {
		t.Errorf("record.Examine: %v", err)
	}
	if len(wrong) > 0 {
		t.Errorf("record.Examine finds %v, want nothing", wrong)
	}
}

// TestExact: whatever is killed, at any question, the resumed run has the same bits.
func TestExact(t *testing.T) {
	r := newRunsFolder(t)
	whole := must(r.start(t, "", logging(bridged(dro.SFK), 1)))(t)[0]
	want := r.log(t, whole)
	points := []string{"kill losses 1", "kill losses 23", "kill gradient 17", "kill step 18",
		"kill save 2", "kill outputs 4", "kill norm 1", "orphan losses 31", "orphan save 3",
		"both step 21", "hang losses 30"}
	if testsize.Long() {
		for i := range 100 {
			question, at := []string{"losses", "gradient", "step", "save"}[i%4], 1+i*7%40
			if question == "save" {
				at = 1 + i*7%8
			}
			points = append(points, fmt.Sprintf("%s %s %d",
				[]string{"kill", "orphan", "both"}[i%3], question, at))
		}
	}
	points = oneOfAKind(points, func(point string) string { return point })
	for i, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			id := fmt.Sprint("run-", i)
			if point[0] == 'k' || point[0] == 'h' {
				killed(t, r, point, id)
			} else {
				cmd := exec.Command(self())
				cmd.Env = append(os.Environ(), killedEnv+"="+r.dir+"\n"+string(r.approvals)+"\n"+
					id+"\n"+point)
				if out, err := cmd.CombinedOutput(); err == nil {
					t.Fatalf("it lives: %s", out)
				}
			}
			if err := r.resume(id); err != nil {
				t.Fatal(err)
			}
			wantLog(t, "the run that was resumed", r.log(t, id), want, 0)
			if _, err := os.Stat(filepath.Join(r.dir, id, "scratch")); err == nil {
				t.Error("the scratch folder is left")
			}
		})
	}
}

// killed trains until the program is killed, which must be reported in one line.
func killed(t *testing.T, r runsFolder, point, id string) {
	s := logging(bridged(dro.SFK), 1)
	if point[0] == 'h' {
		s.ProgramPatience = 1
	}
	q := r.queue()
	m := means(point)
	_, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}, IDs: []string{id},
		Means: m})
	for _, o := range q.Wait() {
		err = o.Err
	}
	if err == nil {
		t.Fatalf("the run whose program meets %q has no error", point)
	}
	wantLine(t, point, err.Error())
}

// trainKilled is a drolab that trains one program until it is killed.
func trainKilled(what string) int {
	parts := strings.Split(what, "\n")
	r := runsFolder{parts[0], bridge.Approvals(parts[1])}
	q := r.queue()
	specs := []spec.Spec{withWords(logging(bridged(dro.SFK), 1), parts[4:]...)}
	_, err := q.Start(runner.Request{Preset: "test", Specs: specs, IDs: parts[2:3],
		Means: means(parts[3])})
	fmt.Println(err, q.Wait())
	return 0
}
