package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/internal/atomicfile"
)

// TestPowerCutInLog cuts the log at every byte of its last line, and with -short at
// every third. Readers see the whole lines, and a
// resume continues after them.
func TestPowerCutInLog(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	must(t, r.Append(status(0, runner.Running)))
	appendSteps(t, r, 1, 3)
	must(t, r.Close())
	log := read(t, r.log.Path)
	lines := bytes.SplitAfter(log, []byte{'\n'})
	first := len(log) - len(lines[4]) // lines[5] is empty
	for cut := first; cut <= len(log); cut += testsize.Pick(3, 1, 1) {
		for _, torn := range [][]byte{log[:cut], append(log[:cut:cut], make([]byte, 5000)...)} {
			whole := bytes.Count(log[:cut], []byte{'\n'}) - 1 // events
			if len(torn) == len(log)-1 {                      // lacks only its newline
				whole++
			}
			write(t, torn, r.log.Path)
			run, err := Find(s.Dir(), m.ID)
			must(t, err)
			if got := run.Summary().Steps; got != int64(whole-1) {
				t.Fatalf("cut at %d: listed at step %d, want %d", cut, got, whole-1)
			}
			tail := run.Tail()
			if h := history(t, tail); len(h.Steps) != whole-1 {
				t.Fatalf("cut at %d: %d steps, want %d", cut, len(h.Steps), whole-1)
			}
			again, _ := reopen(t, s, m.ID)
			must(t, again.Append(stepEvent(99)))
			must(t, again.Close())
			events, err := tail.Read() // the place in the log is still right
			must(t, err)
			if len(events) != 1 {
				t.Fatalf("cut at %d: then %d events, want 1", cut, len(events))
			}
			if h := events[0].Header(); h.Seq != int64(whole+1) || h.Step != 99 {
				t.Fatalf("cut at %d: then event %d of step %d, want %d of 99", cut, h.Seq, h.Step,
					whole+1)
			}
			if tail.Skipped() != 0 {
				t.Fatalf("cut at %d: %d lines skipped", cut, tail.Skipped())
			}
		}
	}
}

// TestPowerCutInCheckpoint cuts each file of the newest checkpoint at every byte. The run goes on
// from the checkpoint before, and a warning says so.
func TestPowerCutInCheckpoint(t *testing.T) {
	t.Parallel()
	cutCheckpoint(t, newState, tensorsName(20), stateName(20))
	cutCheckpoint(t, newOpaqueState, opaqueName(20))
}

func cutCheckpoint(t *testing.T, state func(step int64) *runner.State, names ...string) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	save(t, r, state(10))
	save(t, r, state(20))
	must(t, r.Close())
	log := read(t, r.log.Path)
	whole := func(s *runner.State) bool {
		if s.Opaque != nil {
			return inBytes(t, s) == inBytes(t, newOpaqueState(s.Step))
		}
		return s.Parameters[0].Data[0] == float32(s.Step)
	}
	for _, name := range names {
		path := filepath.Join(r.in.Path, checkpointsName, name)
		good := read(t, path)
		// The last byte of the JSON is a newline.
		for cut := 0; cut < len(good)-1; cut += everyByte() {
			write(t, good[:cut], path)
			write(t, log, r.log.Path)
			again, from := reopen(t, s, m.ID)
			must(t, again.Close())
			if from == nil || from.Step != 10 {
				t.Fatalf("%s cut at %d: resumed from %+v, want step 10", name, cut, from)
			}
			if !whole(from) {
				t.Fatalf("%s cut at %d: the state of step 10 has changed: %+v", name, cut, from)
			}
			run, err := Find(s.Dir(), m.ID)
			must(t, err)
			h := history(t, run.Tail())
			if len(h.Warnings) != 1 {
				t.Fatalf("%s cut at %d: %d warnings, want 1", name, cut, len(h.Warnings))
			}
			if w := h.Warnings[0]; !strings.Contains(w.Message, name) || w.Step != 10 {
				t.Fatalf("%s cut at %d: at step %d the warning %q, want one of %s at step 10", name,
					cut, w.Step, w.Message, name)
			}
		}
		write(t, good, path)
	}
	if _, from := reopen(t, s, m.ID); from.Step != 20 || !whole(from) {
		t.Errorf("mended, it resumed from step %d, unchanged: %v, want 20, unchanged", from.Step,
			whole(from))
	}
}

// TestFlippedBits checks that the checksum covers the whole file beside the JSON.
func TestFlippedBits(t *testing.T) {
	for _, state := range []*runner.State{newState(10), newOpaqueState(10)} {
		s := newStore(t)
		r := create(t, s, newMeta(1))
		save(t, r, state)
		folder, name := filepath.Join(r.in.Path, checkpointsName), tensorsName(10)
		if state.Opaque != nil {
			name = opaqueName(10)
		}
		good := read(t, folder, name)
		for i := 0; i < len(good); i += testsize.Pick(7, 1, 1) {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << (i % 8)
			write(t, bad, folder, name)
			if _, err := readCheckpoint(in(t, folder), 10); err == nil {
				t.Fatalf("%s: byte %d flipped: nobody noticed", name, i)
			}
		}
	}
}

func TestNoReadableCheckpoint(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	r := create(t, s, m)
	save(t, r, newState(10))
	write(t, []byte("garbage"), r.in.Path, checkpointsName, stateName(10))
	must(t, r.Close())
	r, from := reopen(t, s, m.ID)
	if from != nil {
		t.Errorf("resumed from %+v, want the start", from)
	}
	must(t, r.Append(&runner.ResumeEvent{}))
	save(t, r, newState(5))
	steps, _ := checkpointSteps(in(t, filepath.Join(r.in.Path, checkpointsName)))
	if len(steps) != 1 || steps[0] != 5 {
		t.Errorf("checkpoints %v, want 5 only", steps)
	}
}

// fullDisk lets the log grow by room bytes; then a write is short and fails.
type fullDisk struct {
	atomicfile.Disk
	room        *int
	cannotTrunc *bool
}

func (d fullDisk) Folder(name string) (atomicfile.Disk, error) {
	in, err := d.Disk.Folder(name)
	return fullDisk{in, d.room, d.cannotTrunc}, err
}

func (d fullDisk) OpenFile(name string, flag int, mode os.FileMode) (atomicfile.File, error) {
	f, err := d.Disk.OpenFile(name, flag, mode)
	if err != nil || name != eventlog.LogName {
		return f, err
	}
	return fullFile{f, d}, nil
}

type fullFile struct {
	atomicfile.File
	disk fullDisk
}

func (f fullFile) Write(b []byte) (int, error) {
	if n := *f.disk.room; n < len(b) {
		*f.disk.room = 0
		n, _ = f.File.Write(b[:n])
		return n, syscall.ENOSPC
	}
	*f.disk.room -= len(b)
	return f.File.Write(b)
}

func (f fullFile) Truncate(size int64) error {
	if *f.disk.cannotTrunc {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}

// TestDiskFull fills the disk at many bytes of a line. The log stays whole, even where the torn
// line can only be cut later, and the run goes on once there is room.
func TestDiskFull(t *testing.T) {
	if fault := new(runner.DiskError); !errors.As(disk.Explain(syscall.ENOSPC, ""), &fault) {
		t.Skip("this system has another error for a full disk")
	}
	for room := 0; room < 200; room += 7 {
		s := newStore(t)
		var left int
		var stuck bool
		s.open = func(path string) (atomicfile.Disk, error) {
			d, err := atomicfile.Open(path)
			return fullDisk{d, &left, &stuck}, err
		}
		r := create(t, s, newMeta(1))
		left = 1 << 20
		appendSteps(t, r, 1, 2)
		left, stuck = room, room%2 == 1
		err := r.Append(stepEvent(3))
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("room for %d bytes: error %v, want ENOSPC", room, err)
		}
		wantError(t, fmt.Sprintf("room for %d bytes", room), err, r.log.Path,
			"disk full: free space and resume")
		if stuck {
			if err := r.Append(stepEvent(3)); !errors.Is(err, syscall.EIO) {
				t.Fatalf("torn line not cut: error %v, want EIO", err)
			}
		}
		left, stuck = 1<<20, false
		appendSteps(t, r, 3, 4)
		must(t, r.Close())
		tail := (&Run{Dir: r.in.Path}).Tail()
		h := history(t, tail)
		if len(h.Steps) != 4 || h.Steps[3].Seq != 4 {
			t.Fatalf("room for %d bytes: %d steps, want 4 with seq 1 to 4", room, len(h.Steps))
		}
		if n := tail.Skipped(); n != 0 {
			t.Fatalf("room for %d bytes: %d lines skipped, want none", room, n)
		}
	}
}

// TestTwoOpeners checks that, of many who resume a run at once, exactly one gets it. Readers that
// look at the lock meanwhile turn nobody away.
func TestTwoOpeners(t *testing.T) {
	s := newStore(t)
	s.now = time.Now
	m := newMeta(1)
	must(t, create(t, s, m).Close())
	for range testsize.Pick(3, 10, 10) {
		var wg sync.WaitGroup
		got := make([]runner.Recorder, 8)
		refused := make([]error, len(got))
		for i := range got {
			wg.Go(func() { got[i], _, refused[i] = s.Reopen(m.ID) })
			wg.Go(func() { disk.Held(filepath.Join(s.Dir(), m.ID, eventlog.LockName)) })
		}
		wg.Wait()
		owners := 0
		for i, r := range got {
			if refused[i] == nil {
				owners++
				must(t, r.Close())
			} else if !strings.Contains(refused[i].Error(), "running elsewhere") {
				t.Errorf("refused with %v, want an error with %q", refused[i], "running elsewhere")
			}
		}
		if owners != 1 {
			t.Fatalf("%d owners, want 1", owners)
		}
	}
}

// TestKilledProcess checks that the lock ends with the process that held it.
func TestKilledProcess(t *testing.T) {
	if dir, ok := os.LookupEnv("RECORD_TEST_DIR"); ok {
		recordAndWait(dir)
		return
	}
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
	cmd.Env = append(os.Environ(), "RECORD_TEST_DIR="+dir)
	in, err := cmd.StdinPipe() // open until the process is gone
	must(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	id, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	id = strings.TrimSpace(id)
	see := func(want runner.Status) {
		t.Helper()
		run, err := Find(dir, id)
		must(t, err)
		if run.Status() != want {
			t.Errorf("status %s, want %s", run.Status(), want)
		}
	}
	see(runner.Running)
	s, err := Open(dir)
	must(t, err)
	_, _, err = s.Reopen(id)
	wantError(t, "what another process records", err, "running elsewhere")
	must(t, cmd.Process.Kill())
	cmd.Wait()
	see(runner.Interrupted)
	reopen(t, s, id)
}

// recordAndWait is the process that gets killed.
func recordAndWait(dir string) {
	s, err := Open(dir)
	if err != nil {
		panic(err)
	}
	m := newMeta(1)
	r, err := s.Create(m, nil)
	if err != nil {
		panic(err)
	}
	if err := r.Append(status(0, runner.Running)); err != nil {
		panic(err)
	}
	os.Stdout.WriteString(m.ID + "\n")
	io.Copy(io.Discard, os.Stdin)
}

func TestLeftovers(t *testing.T) {
	s := newStore(t)
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	leave := func(name string, at time.Time) string {
		dir := filepath.Join(s.Dir(), name)
		must(t, os.Mkdir(dir, 0o755))
		write(t, nil, dir, eventlog.LockName)
		must(t, os.Chtimes(dir, at, at))
		return dir
	}
	crashed, young, used := leave(atomicfile.Prefix+"crashed", old),
		leave(atomicfile.Prefix+"young", s.now()), leave(atomicfile.Prefix+"used", old)
	deleted := leave(deletedPrefix+"half", old)
	l, err := disk.Acquire(filepath.Join(used, eventlog.LockName))
	must(t, err)
	defer l.Release()
	if runs, problems := List(s.Dir()); len(runs) != 0 || problems != nil {
		t.Errorf("List shows %d runs and the problems %v, want neither", len(runs), problems)
	}
	create(t, s, newMeta(1))
	for dir, want := range map[string]bool{crashed: false, deleted: false, young: true,
		used: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", filepath.Base(dir), err == nil, want)
		}
	}
}

// TestFullDiskOfWholeRuns: where the disk is full, a run that was to appear whole says so without
// the names of its files aside, and nothing is to be resumed. Nothing of it is left.
func TestFullDiskOfWholeRuns(t *testing.T) {
	s := newStore(t)
	old := recordLabelled(t, s, 3)
	left, stuck := 700, false
	s.open = func(path string) (atomicfile.Disk, error) {
		d, err := atomicfile.Open(path)
		return fullDisk{d, &left, &stuck}, err
	}
	again := *old
	for what, err := range map[string]error{"Add": s.Add(newMeta(2), fillSteps(5)),
		"Replace": s.Replace(&again, fillSteps(5))} {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%s: error %v, want ENOSPC", what, err)
		}
		want := fmt.Sprintf("writing into %s: disk full: free space and try again: %v", s.Dir(),
			syscall.ENOSPC)
		if err.Error() != want {
			t.Errorf("%s: %q, want %q", what, err, want)
		}
	}
	if steps := wantLabelled(t, s.Dir(), old.ID); steps != 3 {
		t.Errorf("the run that was to be replaced has %d steps, want 3", steps)
	}
}
