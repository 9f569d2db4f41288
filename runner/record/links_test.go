//go:build darwin || freebsd || linux

package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// recordInterrupted makes a run with a checkpoint of step 10 that nobody records.
func recordInterrupted(t *testing.T, s *Store) (id, dir string) {
	t.Helper()
	m := newMeta(1)
	r := create(t, s, m)
	must(t, r.Append(status(0, runner.Running)))
	appendSteps(t, r, 1, 10)
	save(t, r, newState(10))
	must(t, r.Close())
	return m.ID, filepath.Join(s.Dir(), m.ID)
}

// goOn resumes a run, and writes to every file that a resumed run writes to.
func goOn(s *Store, id string) error {
	r, _, err := s.Reopen(id)
	if err != nil {
		return err
	}
	err = r.Append(&runner.ResumeEvent{Head: head(10)})
	if err == nil {
		_, err = r.Checkpoint(newState(20))
	}
	if err == nil {
		err = r.Finish(&runner.Summary{Status: runner.Stopped})
	}
	return errors.Join(err, r.Close())
}

// foreignFile makes a file of a person who receives a run folder.
func foreignFile(t *testing.T) (path string, unharmed func(when string)) {
	t.Helper()
	path = filepath.Join(t.TempDir(), ".profile")
	const text = "export PATH\n"
	must(t, os.WriteFile(path, []byte(text), 0o644))
	return path, func(when string) {
		t.Helper()
		if got := string(read(t, path)); got != text {
			t.Errorf("%s: the file says %q now", when, got)
		}
	}
}

// TestWritersFollowNoLinks replaces each file that a resume opens, and each file that it makes
// aside, by a link to another person's file.
func TestWritersFollowNoLinks(t *testing.T) {
	for _, c := range []struct {
		name string
		goes bool // goes on all the same: the link is replaced
	}{
		{eventlog.LogName, false}, {metaName, false}, {eventlog.LockName, false}, {summaryName,
			true},
		{".new-" + summaryName, true},
		{filepath.Join(checkpointsName, ".new-"+stateName(20)), true},
		{filepath.Join(checkpointsName, ".new-"+tensorsName(20)), true},
		{filepath.Join(checkpointsName, tensorsName(20)), true},
		{filepath.Join(checkpointsName, stateName(20)), true},
	} {
		s := newStore(t)
		id, dir := recordInterrupted(t, s)
		path, unharmed := foreignFile(t)
		os.Remove(filepath.Join(dir, c.name))
		must(t, os.Symlink(path, filepath.Join(dir, c.name)))
		err := goOn(s, id)
		unharmed(c.name)
		if !c.goes {
			wantError(t, "a link", err, c.name)
		} else if err != nil {
			t.Errorf("a link as %s: %v, want that it goes on", c.name, err)
		}
		if !c.goes || c.name == ".new-"+summaryName { // left to the doctor
			continue
		}
		if info, err := os.Lstat(filepath.Join(dir, c.name)); err == nil &&
			!info.Mode().IsRegular() {
			t.Errorf("%s is a link still", c.name)
		}
	}
}

// TestCheckpointsOfAnother checks that a run whose checkpoints folder is a link to another run's
// removes none of the other's checkpoints.
func TestCheckpointsOfAnother(t *testing.T) {
	s := newStore(t)
	_, good := recordInterrupted(t, s)
	id, dir := recordInterrupted(t, s)
	must(t, os.RemoveAll(filepath.Join(dir, checkpointsName)))
	must(t, os.Symlink(filepath.Join("..", filepath.Base(good), checkpointsName),
		filepath.Join(dir, checkpointsName)))
	wantError(t, "with another run's checkpoints", goOn(s, id), checkpointsName)
	run, err := Find(s.Dir(), id)
	must(t, err)
	if err := run.Pin(10); err == nil {
		t.Error("it pins")
	}
	must(t, Delete(s.Dir(), id))
	run, err = Find(s.Dir(), filepath.Base(good))
	must(t, err)
	if _, err := run.Load(10); err != nil {
		t.Errorf("Load(10) of the other run: %v", err)
	}
}

// TestLinkedRun checks that a link with a run's name is read, but neither resumed nor deleted.
func TestLinkedRun(t *testing.T) {
	s, other := newStore(t), newStore(t)
	id, dir := recordInterrupted(t, other)
	must(t, os.Symlink(dir, filepath.Join(s.Dir(), id)))
	if _, err := Find(s.Dir(), id); err != nil {
		t.Errorf("Find of a linked run: %v", err)
	}
	for what, err := range map[string]error{"resumed": goOn(s, id),
		"deleted": Delete(s.Dir(), id)} {
		wantError(t, what, err, "not a link")
	}
	if _, err := os.Stat(filepath.Join(dir, metaName)); err != nil {
		t.Errorf("the run behind the link: %v", err)
	}
}

// TestHardLink checks that a file with another name elsewhere is not written to.
func TestHardLink(t *testing.T) {
	for _, name := range []string{eventlog.LogName, eventlog.LockName} {
		s := newStore(t)
		id, dir := recordInterrupted(t, s)
		elsewhere := filepath.Join(t.TempDir(), name)
		must(t, os.Link(filepath.Join(dir, name), elsewhere))
		before := string(read(t, elsewhere))
		wantError(t, name, goOn(s, id), "hard link")
		if string(read(t, elsewhere)) != before {
			t.Errorf("%s was written to", name)
		}
	}
}

// TestPipes checks that nobody waits for the other end of a pipe.
func TestPipes(t *testing.T) {
	for _, name := range []string{metaName, eventlog.LogName, eventlog.LockName, summaryName} {
		s := newStore(t)
		id, dir := recordInterrupted(t, s)
		os.Remove(filepath.Join(dir, name))
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o644))
		Find(s.Dir(), id)
		if err := goOn(s, id); (err == nil) != (name == summaryName) {
			t.Errorf("a pipe as %s: error %v, want it to go on: %v", name, err, name == summaryName)
		}
	}
}

// TestLockIsNoLink checks that no link is locked, in a folder to which others can write.
func TestLockIsNoLink(t *testing.T) {
	path, unharmed := foreignFile(t)
	link := filepath.Join(t.TempDir(), ".engine.lock")
	must(t, os.Symlink(path, link))
	if l, err := disk.Acquire(link); err == nil {
		l.Write([]byte("pid"))
		l.Release()
		t.Error("a link was locked")
	}
	unharmed("locked")
}

// TestPlain checks that the file that an engine writes and reads beside the runs is a file of its
// own. The file begins anew when it has grown.
func TestPlain(t *testing.T) {
	path, unharmed := foreignFile(t)
	link := filepath.Join(t.TempDir(), ".engine.log")
	must(t, os.Symlink(path, link))
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	for _, name := range []string{link, pipe} {
		if f, _, err := disk.AppendPlain(name, 0); err == nil {
			f.Close()
			t.Errorf("%s is written to", name)
		}
		if _, _, err := disk.OpenRegular(name); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	unharmed("opened")
	own := filepath.Join(t.TempDir(), "own")
	for i, want := range []string{"aaaa", "aaaabbbb", "cccc"} {
		f, size, err := disk.AppendPlain(own, 7)
		must(t, err)
		if size != int64(len(want)-4) {
			t.Errorf("%d bytes are before %q", size, want)
		}
		_, err = f.WriteString(strings.Repeat(string('a'+rune(i)), 4))
		must(t, errors.Join(err, f.Close()))
		if got := string(read(t, own)); got != want {
			t.Errorf("the file says %q, want %q", got, want)
		}
	}
	info, err := os.Stat(own)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o, want 600", info.Mode().Perm())
	}
}

// TestModes checks that no other user can enter a run or hold its lock.
func TestModes(t *testing.T) {
	s := newStore(t)
	id, dir := recordInterrupted(t, s)
	must(t, os.Chmod(filepath.Join(dir, eventlog.LockName), 0o644)) // as a copy may have it
	r, _ := reopen(t, s, id)
	must(t, r.Close())
	for name, want := range map[string]os.FileMode{"": 0o700, checkpointsName: 0o700,
		eventlog.LockName: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q has mode %o, want %o", name, got, want)
		}
	}
}
