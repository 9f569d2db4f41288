//go:build darwin || freebsd || linux

package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/record"
)

// TestCopyOfTheFolder: a copy of the folder of a running engine holds that engine's lock file, but
// no verb in the copy reaches that engine.
func TestCopyOfTheFolder(t *testing.T) {
	p := start(t, nil)
	id := p.launch(t, 1_000_000)
	p.awaitStatus(t, id, runner.Running)
	runs := filepath.Join(short(t), "copy")
	must(t, os.CopyFS(runs, os.DirFS(p.RunsDir)))
	c := spawning(t, runs, p.RuntimeDir, "test")
	_, err := c.Status()
	for verb, err := range map[string]error{"status": err, "pause": c.Pause(id), "stop": c.Stop(id),
		"knob": c.Knob(id, "lr", "1"), "shutdown": c.Shutdown(true)} {
		wantErrorIs(t, verb+" in the copy", err, ErrNone)
	}
	ids, err := c.Start(brief(dro.ERM, 1_000_000))
	must(t, err)
	t.Cleanup(func() { must(t, c.Shutdown(true)) })
	if _, err := record.Find(runs, ids[0]); err != nil {
		t.Errorf("a run of the copy is elsewhere: %v", err)
	}
	own, err := c.Status()
	must(t, err)
	if own.PID == os.Getpid() {
		t.Errorf("the engine of the copy is process %d, want another than the first", own.PID)
	}
	if own.RunsDir != runs {
		t.Errorf("the engine of the copy has the folder %s, want %s", own.RunsDir, runs)
	}
	wantRuns(t, "the first engine", p.Client, id)
	must(t, p.Stop(id))
}

// TestRequestOfAnotherFolder: the engine itself refuses a request about another folder, and also
// one that names no folder, as those of an earlier program did.
func TestRequestOfAnotherFolder(t *testing.T) {
	p := start(t, nil)
	id := p.launch(t, 1_000_000)
	for name, folder := range map[string]runsFolder{"another": at(t, short(t)), "none": {},
		"the path alone": {Path: p.RunsDir}} {
		for _, r := range []request{{Order: runner.Order{Verb: runner.Stop, Run: id}},
			{Order: runner.Order{Verb: verbShutdown}, Force: true}} {
			r.Folder = folder
			say, err := json.Marshal(r)
			must(t, err)
			hello, answer, err := talk(t, p.sockets(t).Control, append(say, '\n'))
			if err != nil {
				t.Errorf("%s: %s is not answered: %v", name, r.Verb, err)
			}
			if want := "this is the engine of " + p.RunsDir; !strings.Contains(answer, want) {
				t.Errorf("%s: %s is answered %q, want an answer with %q", name, r.Verb, answer,
					want)
			}
			want := fmt.Sprintf(`"inode":%d`, at(t, p.RunsDir).Inode)
			if !strings.Contains(hello, want) {
				t.Errorf("the hello is %s, want it to name its folder, %s", hello, want)
			}
		}
	}
	wantRuns(t, "after that", p.Client, id)
	must(t, p.Stop(id))
}

// TestMovedFolder: the engine of a folder that is moved serves nobody any more, even if another
// folder has its path by then. Its runs end with a checkpoint and go on in the engine that is
// started for the new path.
func TestMovedFolder(t *testing.T) {
	for name, replaced := range map[string]bool{"away": false, "and replaced": true} {
		if testing.Short() && !replaced {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir, runtimeDir := short(t), short(t)
			before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
			must(t, os.Mkdir(before, 0o700))
			c := spawning(t, before, runtimeDir, "test")
			ids, err := c.Start(brief(dro.SFK, 1_000_000))
			must(t, err)
			old, err := c.Status()
			must(t, err)
			must(t, os.Rename(before, after))
			if replaced {
				must(t, os.Mkdir(before, 0o700))
				_, err := c.Status()
				wantErrorIs(t, "Status of the folder in its place", err, ErrNone)
				_, err = c.Start(brief(dro.ERM, 1_000_000))
				must(t, err)
				t.Cleanup(func() { must(t, c.Shutdown(true)) })
			}
			moved := spawning(t, after, runtimeDir, "test")
			await(t, func() bool { return moved.Resume(ids[0]) == nil })
			t.Cleanup(func() { must(t, moved.Shutdown(true)) })
			now, err := moved.Status()
			must(t, err)
			if now.PID == old.PID {
				t.Errorf("the moved folder's engine is process %d, want another than before",
					now.PID)
			}
			wantRuns(t, "the moved folder's engine", moved, ids[0])
		})
	}
}

// TestPathsOfOneFolder: a folder has one engine, whichever path names the folder.
func TestPathsOfOneFolder(t *testing.T) {
	p := start(t, nil)
	paths := map[string]string{"link": filepath.Join(short(t), "link"), "bind mount": short(t)}
	must(t, os.Symlink(p.RunsDir, paths["link"]))
	if err := bindMount(t, p.RunsDir, paths["bind mount"]); err != nil {
		t.Logf("without a bind mount: %v", err)
		delete(paths, "bind mount")
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			c := NewClient(*p.Client)
			c.RunsDir = path
			s, err := c.Status()
			must(t, err)
			if s.PID != os.Getpid() {
				t.Errorf("the engine is process %d, want this one, %d", s.PID, os.Getpid())
			}
			ids, err := c.Start(brief(dro.ERM, 1))
			must(t, err)
			p.awaitStatus(t, ids[0], runner.Done)
		})
	}
}

// fakeEngine answers every connection with the given words, and counts the connections.
func fakeEngine(t *testing.T, words string) (path string, asked *atomic.Int64) {
	t.Helper()
	path, asked = filepath.Join(short(t), "s"), &atomic.Int64{}
	l, err := listen(path)
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			asked.Add(1)
			fmt.Fprintln(c, words)
			c.(*net.UnixConn).CloseWrite()
		}
	}()
	return path, asked
}

// pointTo makes a lock file say that the engine is elsewhere.
func pointTo(t *testing.T, runs, socket string) {
	t.Helper()
	b, err := json.Marshal(lockInfo{address: address{socket, socket}, PID: 7})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(runs, lockName), b, 0o600))
}

// TestForgedLockFile: the content of a lock file counts only while the lock is held, and then only
// for an engine of this folder.
func TestForgedLockFile(t *testing.T) {
	p := start(t, nil)
	other := start(t, nil)
	id := other.launch(t, 1_000_000)
	t.Run("held by nobody", func(t *testing.T) {
		path, asked := fakeEngine(t, "")
		c := NewClient(Client{RunsDir: short(t), RuntimeDir: short(t), Version: "test"})
		pointTo(t, c.RunsDir, path)
		wantErrorIs(t, "Stop", c.Stop("x"), ErrNone)
		if n := asked.Load(); n != 0 {
			t.Errorf("the socket of the lock file has %d connections, want none", n)
		}
	})
	t.Run("held, and another's", func(t *testing.T) {
		var notes []string
		p.Note = func(text string) { notes = append(notes, text) }
		pointTo(t, p.RunsDir, other.sockets(t).Control)
		wantErrorIs(t, "stopping the other engine's run", p.Stop(id), runner.ErrNotRunning)
		want := "the engine of " + other.RunsDir + ", not of " + p.RunsDir
		if len(notes) != 1 || !strings.Contains(notes[0], want) {
			t.Errorf("notes %q, want one with %q", notes, want)
		}
	})
	t.Run("held by a program before", func(t *testing.T) {
		path, _ := fakeEngine(t, `{"protocol":1,"version":"old","pid":7}`)
		c := NewClient(Client{RunsDir: short(t), RuntimeDir: short(t), Version: "test"})
		l, err := disk.Acquire(filepath.Join(c.RunsDir, lockName))
		must(t, err)
		pointTo(t, c.RunsDir, path)
		wantError(t, "Stop while it lives", c.Stop("x"), "is drolab old, which this one cannot")
		must(t, l.Release())
		wantErrorIs(t, "Stop after its end", c.Stop("x"), ErrNone)
	})
	must(t, other.Stop(id))
}

// TestLockThatIsNoFile: a lock that nobody can hold is named in an error at once, without a wait.
func TestLockThatIsNoFile(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"pipe":      func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"link":      func(path string) error { return os.Symlink("/dev/zero", path) },
		"dangling":  func(path string) error { return os.Symlink("nowhere", path) },
		"socket": func(path string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err == nil {
				l.SetUnlinkOnClose(false)
				err = l.Close()
			}
			return err
		},
		"device": func(path string) error { // zero
			return syscall.Mknod(path, syscall.S_IFCHR|0o600, 1<<8|5)
		},
		"mode 0": func(path string) error { return os.WriteFile(path, nil, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			c := NewClient(Client{RunsDir: short(t), RuntimeDir: short(t), Version: "test"})
			path := filepath.Join(c.RunsDir, lockName)
			if err := put(path); err != nil {
				t.Skip(err) // making a device needs root
			}
			if name == "mode 0" && os.Getuid() == 0 {
				t.Skip("root reads what nobody may")
			}
			_, err := c.Start(brief(dro.ERM, 1))
			for verb, err := range map[string]error{"start": err, "stop": c.Stop("x"),
				"wake": c.Wake()} {
				t.Run(verb, func(t *testing.T) {
					wantError(t, verb, err, lockName)
					const want = "the engine's lock: "
					if err != nil && !strings.HasPrefix(err.Error(), want) {
						t.Errorf("%s: error %v, want it to begin with %q", verb, err, want)
					}
				})
			}
		})
	}
}

// TestNoFolder: a missing folder has no engine.
func TestNoFolder(t *testing.T) {
	c := NewClient(Client{RunsDir: filepath.Join(short(t), "missing"), RuntimeDir: short(t),
		Version: "test"})
	_, err := c.Status()
	for verb, err := range map[string]error{"status": err, "stop": c.Stop("x")} {
		t.Run(verb, func(t *testing.T) {
			wantErrorIs(t, verb, err, ErrNone)
		})
	}
}

// TestHugeLockFile: a huge lock file that nobody holds hinders neither a status nor a start.
func TestHugeLockFile(t *testing.T) {
	c := spawning(t, short(t), short(t), "test")
	for _, name := range []string{lockName, logName} {
		f, err := os.OpenFile(filepath.Join(c.RunsDir, name), os.O_CREATE|os.O_WRONLY, 0o600)
		must(t, err)
		if err := errors.Join(f.Truncate(1<<40), f.Close()); err != nil {
			t.Skip(err) // no file of that size, here
		}
	}
	_, err := c.Status()
	wantErrorIs(t, "Status", err, ErrNone)
	must(t, c.Wake())
	must(t, c.Shutdown(true))
}
