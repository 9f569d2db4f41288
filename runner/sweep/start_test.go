package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "drolab/dro/memtest"
	"drolab/dro/nn"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/internal/atomicfile/atomicfiletest"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
)

// The long form takes 50 pairs of starts, all points at which a start can end, and all
// bytes of a sweep's files:
//
//	DROLAB_LONG=1 go test -run 'AtOnce|Points|Flips' -v -timeout 1h ./runner/sweep

// starter is the environment variable that makes the test binary start the sweep of the file TEXT
// in a folder, and train it to the end.
const starter = "DROLAB_TEST_START"

func TestMain(m *testing.M) {
	if dir := os.Getenv(starter); dir != "" {
		if err := startAndTrain(dir, os.Getenv(starter+"_TEXT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	recordtest.Main(m)
}

func startAndTrain(dir, text string) error {
	file, errs := Parse("sweep.yaml", []byte(text))
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	f, err := Make(dir, []byte(text), file.Expand())
	if err != nil {
		return err
	}
	h := Here{Parallel: 2, Threads: 1}
	if _, err := f.Request(h); err != nil {
		return err
	}
	store, err := record.Open(dir)
	if err != nil {
		return err
	}
	q := queue.NewQueue(context.Background(), queue.Settings{Store: store, Threads: 1, Parallel: 2,
		Host: runner.Host{Kernel: nn.Kernel("fp32")}})
	err = f.Work(context.Background(), q, h, always, func(string, ...any) {})
	q.Wait()
	return err
}

// fewer is a sweep of four runs of one epoch. more has one more seed of each setting.
const fewer = `
preset: csv
grid: {rho: [.1, 1], algo: [sfk]}
seeds: 2
set: {epochs: 1, val_fraction: .3, model: linear, lr_drop_epoch: 0}
select: val_loss
`

var more = strings.Replace(fewer, "seeds: 2", "seeds: 3", 1)

// pairs returns the number of pairs of starts that a test takes.
func pairs(few int) int {
	if testsize.Long() {
		return 50
	}
	return few
}

// TestProcessesStartAtOnce: two processes start a sweep, or one starts it and the other grows it.
// There is one sweep, and every run is in its table and done. Only a start whose file has fewer
// runs than the folder may be refused, with an error.
func TestProcessesStartAtOnce(t *testing.T) {
	testsize.NotShort(t, "waits for seconds")
	for n := range pairs(3) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel() // one of the two mostly waits for the other
			dir := filepath.Join(t.TempDir(), "sweep")
			texts := []string{fewer, []string{fewer, more}[n%2]}
			commands := make([]*exec.Cmd, 2)
			outs := make([]strings.Builder, 2)
			for i := range commands {
				c := exec.Command(os.Args[0])
				c.Env = append(os.Environ(), starter+"="+dir, starter+"_TEXT="+texts[i])
				c.Stderr = &outs[i]
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				commands[i] = c
			}
			for i, c := range commands {
				err := c.Wait()
				refused := strings.Contains(outs[i].String(), "runs that this file lacks")
				if err != nil && !(texts[0] != texts[1] && i == 0 && refused) {
					t.Errorf("start %d: %v, %s", i, err, outs[i].String())
				}
			}
			want := strings.Count(texts[1], "seeds: 3")*2 + 4
			oneSweep(t, dir, want, runner.Done)
		})
	}
}

// oneSweep fails unless the list has this number of different runs, all of them in this state, the
// folder has no other runs, and the sweep's files are sound.
func oneSweep(t *testing.T, dir string, runs int, state runner.Status) {
	t.Helper()
	f := open(t, dir)
	ids := map[string]bool{}
	for _, r := range f.List.Runs {
		ids[r.ID] = true
	}
	if n := len(f.List.Runs); n != runs {
		t.Errorf("the list has %d runs, want %d", n, runs)
	}
	if n := len(ids); n != runs {
		t.Errorf("%d runs have names of their own, want %d", n, runs)
	}
	if got := counts(t, f); got[state] != runs {
		t.Errorf("the states of the runs are %v, want %d %s", got, runs, state)
	}
	recorded, problems := record.List(dir)
	if len(problems) > 0 {
		t.Errorf("the folder has the problems %v, want none", problems)
	}
	for _, r := range recorded {
		if !ids[r.Meta.ID] {
			t.Errorf("%s is in no table", r.Meta.ID)
		}
	}
	expectSound(t, dir)
}

// expectSound expects the files of a sweep to be sound.
func expectSound(t *testing.T, dir string) {
	t.Helper()
	list, err := Examine(dir, false)
	if err != nil {
		t.Fatalf("Examine(%q): %v", dir, err)
	}
	if len(list) > 0 {
		t.Errorf("Examine(%q) finds %v, want nothing", dir, found(list))
	}
}

// found returns findings as an error.
func found(list []*record.Finding) (err error) {
	for _, f := range list {
		err = errors.Join(err, fmt.Errorf("%s %s (mended %v %s)", f.File, f.What, f.Mended,
			f.Failed))
	}
	return err
}

// TestAtOnce: starts that grow the sweep, stops, engines that end and looks of viewers happen all
// at once in one folder. None fails, and the last list has the runs of all starts.
func TestAtOnce(t *testing.T) {
	for n := range pairs(6) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "sweep")
			var all sync.WaitGroup
			gate := make(chan struct{})
			do := func(what string, act func() error) {
				all.Go(func() {
					<-gate
					if err := act(); err != nil {
						t.Errorf("%s: %v", what, err)
					}
				})
			}
			for i := range 6 {
				text := strings.Replace(fewer, "seeds: 2", fmt.Sprintf("seeds: %d", 2+i%3), 1)
				do("start", func() error { return startOnly(disk.Files{}, dir, text) })
				do("look", func() error { return lookOnly(dir) })
				do("stop", func() error { return stopOnly(dir) })
			}
			close(gate)
			all.Wait()
			oneSweep(t, dir, 8, Missing)
		})
	}
}

// startOnly starts a sweep, and leaves the training to others. It returns no error for a file with
// fewer runs than the folder, which a start rightly refuses.
func startOnly(files disk.Files, dir, text string) error {
	file, errs := Parse("sweep.yaml", []byte(text))
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	f, err := makeBy(files, dir, []byte(text), file.Expand())
	if err == nil {
		_, err = f.Request(Here{Parallel: 2, Threads: 1})
	}
	if err != nil && strings.Contains(err.Error(), "runs that this file lacks") {
		return nil
	}
	return err
}

func lookOnly(dir string) error {
	f, err := Open(dir)
	if errors.Is(err, fs.ErrNotExist) { // not yet
		return nil
	}
	if err != nil {
		return err
	}
	_, err = NewProgress(f).States()
	list, also := Examine(dir, false)
	return errors.Join(err, also, found(slices.DeleteFunc(list, leftAside)))
}

// leftAside reports whether the finding may be a file that somebody is writing at this moment.
func leftAside(f *record.Finding) bool { return f.What == "was left by a crash" }

func stopOnly(dir string) error {
	f, err := Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, h := Wanted(dir)
	if h != nil {
		err = f.Finish(h)
	}
	return errors.Join(err, f.Stop())
}

// TestAnEngineSeesGrowth: an engine that has done a list looks again if another start has added
// runs meanwhile, or if the sweep was stopped and started.
func TestAnEngineSeesGrowth(t *testing.T) {
	dir := t.TempDir()
	start := func(text string) {
		if err := startOnly(disk.Files{}, dir, text); err != nil {
			t.Fatal(err)
		}
	}
	through := func(f *Folder, h *Here) {
		if err := f.Finish(h); err != nil {
			t.Fatal(err)
		}
	}
	start(fewer)
	f, h := Wanted(dir)
	start(more)
	if !f.StillWants(h) {
		t.Error("a start that adds runs ends the work on those before")
	}
	through(f, h)
	grown, h2 := Wanted(dir)
	if grown == nil || len(grown.List.Runs) != 6 {
		t.Fatalf("the runs that were added are nobody's: %v", grown)
	}
	if err := grown.Stop(); err != nil {
		t.Fatal(err)
	}
	start(more)
	if grown.StillWants(h2) {
		t.Error("a stop and a start are not seen")
	}
	through(grown, h2)
	again, h3 := Wanted(dir)
	if again == nil {
		t.Fatal("the start after a stop is nobody's")
	}
	through(again, h3)
	if f, _ := Wanted(dir); f != nil {
		t.Error("what is done is worked on still")
	}
}

// pointSteps returns the step between the points that a test takes.
func pointSteps(few int) int {
	if testsize.Long() {
		return 1
	}
	return few
}

// TestStartPoints: a start fails, or its process or machine ends, at each of its operations on the
// disk. The folder then holds the sweep as it was or as it will be, and the next start ends as if
// nothing had happened.
func TestStartPoints(t *testing.T) {
	testsize.NotShort(t, "trains a sweep: TestHalving trains one, too")
	for _, c := range []struct {
		name, before string
		had          int
	}{{"new", "", 0}, {"grown", fewer, 4}} {
		t.Run(c.name, func(t *testing.T) {
			once := func(at string, x *atomicfiletest.Faults) {
				dir := filepath.Join(t.TempDir(), "sweep")
				if c.before != "" {
					if err := startOnly(disk.Files{}, dir, c.before); err != nil {
						t.Fatal(err)
					}
				}
				startOnly(disk.Files{Open: x.Open}, dir, more)
				f, err := Open(dir)
				switch {
				case c.had == 0 && errors.Is(err, fs.ErrNotExist):
				case err != nil:
					t.Errorf("%s: Open() after the start that fails: %v", at, err)
				case len(f.List.Runs) != c.had && len(f.List.Runs) != 6:
					t.Errorf("%s: the list has %d runs after the start that fails, want %d or 6",
						at, len(f.List.Runs), c.had)
				}
				for range 2 {
					if err := startOnly(disk.Files{}, dir, more); err != nil {
						t.Errorf("%s: the next start: %v", at, err)
					}
				}
				if _, err := Examine(dir, true); err != nil { // files left aside
					t.Errorf("%s: %v", at, err)
				}
				oneSweep(t, dir, 6, Missing)
				if f, _ := Wanted(dir); f == nil {
					t.Errorf("%s: nobody is to work on it", at)
				}
				text, err := os.ReadFile(filepath.Join(dir, fileName))
				if err != nil {
					t.Fatalf("%s: %v", at, err)
				}
				if string(text) != more {
					t.Errorf("%s: %s is %q, want the person's text %q", at, fileName, text, more)
				}
			}
			whole := &atomicfiletest.Faults{}
			once("whole", whole)
			points := 0
			for at, x := range atomicfiletest.Points(whole.Trace(), pointSteps(2),
				errors.New("fails")) {
				points++
				once(at, x)
			}
			t.Logf("%d points of %v", points, whole.Trace())
		})
	}
}
