package record

import (
	"bufio"
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// forkMeta returns the meta of a run that goes on from step 7 of another run.
func forkMeta() *runner.Meta {
	m := newMeta(1)
	m.Parent = "other@7"
	return m
}

// large returns a checkpoint that takes a while to write.
func large(step int64) *runner.State {
	s := newState(step)
	s.Parameters = []nn.Tensor{{Name: "w", Shape: []int{1 << 19}, Data: make([]float32, 1<<19)}}
	return s
}

// TestForkIsComplete checks that a fork has its checkpoint as soon as it has a name, and that its
// log says so.
func TestForkIsComplete(t *testing.T) {
	s := newStore(t)
	m := forkMeta()
	r, err := s.Create(m, newState(7))
	must(t, err)
	must(t, r.Close())
	events, err := (&Run{Dir: filepath.Join(s.Dir(), m.ID)}).Tail().Read()
	must(t, err)
	if len(events) != 1 {
		t.Fatalf("%d events, want 1: %+v", len(events), events)
	}
	e, ok := events[0].(*runner.CheckpointEvent)
	if !ok {
		t.Fatalf("the event is %+v, want a checkpoint", events[0])
	}
	if want := "checkpoints/" + stateName(7); e.Step != 7 || e.File != want {
		t.Errorf("a checkpoint of step %d in %s, want 7 in %s", e.Step, e.File, want)
	}
	if _, from := reopen(t, s, m.ID); from.Step != 7 || from.Parameters[0].Data[0] != 7 {
		t.Errorf("resumed from %+v, want the state of step 7", from)
	}
}

// noLog is a disk whose log cannot be opened, or cannot be written.
type noLog struct {
	atomicfile.Disk
	open bool
}

var errReadOnly = errors.New("read-only file system")

func (d noLog) Folder(name string) (atomicfile.Disk, error) {
	in, err := d.Disk.Folder(name)
	return noLog{in, d.open}, err
}

func (d noLog) OpenFile(name string, flag int, mode os.FileMode) (atomicfile.File, error) {
	f, err := d.Disk.OpenFile(name, flag, mode)
	if err != nil || name != eventlog.LogName || flag&os.O_APPEND == 0 {
		return f, err
	}
	if !d.open {
		f.Close()
		return nil, errReadOnly
	}
	return noWrite{f}, nil
}

type noWrite struct{ atomicfile.File }

func (noWrite) Write([]byte) (int, error) { return 0, errReadOnly }

// TestForkThatCannotBeMade checks that a fork that fails leaves nothing.
func TestForkThatCannotBeMade(t *testing.T) {
	logless := func(open bool) func(*Store, *runner.State) {
		return func(s *Store, _ *runner.State) {
			s.open = func(path string) (atomicfile.Disk, error) {
				d, err := atomicfile.Open(path)
				return noLog{d, open}, err
			}
		}
	}
	failing := map[string]func(*Store, *runner.State){
		"tensors": func(_ *Store, from *runner.State) {
			from.Parameters[0].Name = "velocity.w" // the prefix of another list
		},
		"state":           func(_ *Store, from *runner.State) { from.Eval.Epoch = math.NaN() },
		"opening the log": logless(false),
		"the log":         logless(true),
	}
	for name, fail := range failing {
		s, from := newStore(t), newState(7)
		fail(s, from)
		if _, err := s.Create(forkMeta(), from); err == nil {
			t.Errorf("%s: a fork was made", name)
		}
		entries, err := os.ReadDir(s.Dir())
		must(t, err)
		if len(entries) != 0 {
			t.Errorf("%s: left %v, want nothing", name, entries)
		}
	}
}

// TestForkKilled kills a process at some point while it makes forks. Every run that is there goes
// on from its checkpoint.
func TestForkKilled(t *testing.T) {
	if dir, ok := os.LookupEnv("RECORD_FORK_DIR"); ok {
		makeForks(dir)
	}
	t.Parallel()
	kills := 20
	if testing.Short() {
		kills = 4
	}
	for range kills {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run=^TestForkKilled$")
		cmd.Env = append(os.Environ(), "RECORD_FORK_DIR="+dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		_, err = bufio.NewReader(out).ReadString('\n')
		must(t, err)
		must(t, cmd.Process.Kill())
		cmd.Wait()
		runs, problems := List(dir)
		if len(runs) == 0 || problems != nil {
			t.Fatalf("%d runs, problems %v, want some without problems", len(runs), problems)
		}
		s, err := Open(dir)
		must(t, err)
		for _, run := range runs {
			if _, from := reopen(t, s, run.Meta.ID); from == nil || from.Step != 7 {
				t.Errorf("run %s goes on from %+v, want step 7", run.Meta.ID, from)
			}
		}
	}
}

// makeForks is the process that gets killed.
func makeForks(dir string) {
	s, err := Open(dir)
	if err != nil {
		panic(err)
	}
	for {
		m := forkMeta()
		r, err := s.Create(m, large(7))
		if err != nil {
			panic(err)
		}
		r.Close()
		os.Stdout.WriteString(m.ID + "\n")
	}
}

// TestForkWithoutCheckpoint checks that a fork that lost its checkpoint is not started anew,
// because that would be another run. Its log stays as it is.
func TestForkWithoutCheckpoint(t *testing.T) {
	for _, lose := range []func(path string) error{
		os.Remove,
		func(path string) error { return os.WriteFile(path, []byte("garbage"), 0o644) },
	} {
		s := newStore(t)
		m := forkMeta()
		r, err := s.Create(m, newState(7))
		must(t, err)
		must(t, r.Close())
		dir := filepath.Join(s.Dir(), m.ID)
		must(t, lose(filepath.Join(dir, checkpointsName, stateName(7))))
		log := read(t, dir, eventlog.LogName)
		_, _, err = s.Reopen(m.ID)
		if !errors.Is(err, errOrphan) {
			t.Errorf("reopened: %v, want %v", err, errOrphan)
		} else if strings.HasSuffix(err.Error(), "\n") {
			t.Errorf("the error %q ends with a newline", err)
		}
		if !bytes.Equal(read(t, dir, eventlog.LogName), log) {
			t.Error("the log has changed")
		}
		if disk.Held(filepath.Join(dir, eventlog.LockName)) {
			t.Error("the lock is held")
		}
	}
}
