//go:build darwin || freebsd || linux

package engine

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"drolab/runner/disk"
)

// TestSquattedAddress: a client passes over a socket in a folder that others may enter, with a
// note, and uses the engine's own.
func TestSquattedAddress(t *testing.T) {
	p := start(t, nil)
	real := p.sockets(t)
	squatted := filepath.Join(short(t), "open")
	must(t, os.Mkdir(squatted, 0o700))
	must(t, os.Chmod(squatted, 0o777))
	l, err := net.Listen("unix", filepath.Join(squatted, "s"))
	must(t, err)
	defer l.Close()
	go func() { // it would answer
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			fmt.Fprintln(c, `{"protocol":2,"version":"test","pid":1}`+"\n"+`{"status":{"pid":1}}`)
		}
	}()
	path := filepath.Join(p.RunsDir, lockName)
	good, err := os.ReadFile(path)
	must(t, err)
	bad := strings.NewReplacer(real.View, l.Addr().String(), real.Control, l.Addr().String()).
		Replace(string(good))
	must(t, os.WriteFile(path, []byte(bad), 0o600))
	defer os.WriteFile(path, good, 0o600)
	var notes []string
	p.Note = func(text string) { notes = append(notes, text) }
	s, err := p.Status()
	if err != nil {
		t.Fatalf("the engine is not found behind a stranger's socket: %v", err)
	}
	if s.PID != os.Getpid() {
		t.Errorf("the engine is process %d, want this one, %d", s.PID, os.Getpid())
	}
	if len(notes) != 1 || !strings.Contains(notes[0], squatted) {
		t.Errorf("notes %q, want one with %q", notes, squatted)
	}
}

// TestNowhereButBesideTheRuns: where another user can write to the usual folder of sockets, the
// engine's sockets are beside its runs.
func TestNowhereButBesideTheRuns(t *testing.T) {
	runtimeDir, runs := short(t), short(t)
	must(t, os.Mkdir(filepath.Join(runtimeDir, "drolab"), 0o700))
	must(t, os.Chmod(filepath.Join(runtimeDir, "drolab"), 0o777))
	a, passed, err := newAddress(runtimeDir, at(t, runs))
	must(t, err)
	if passed == nil {
		t.Errorf("no place is passed over, want %s", runtimeDir)
	}
	if strings.HasPrefix(a.Control, runtimeDir) {
		t.Errorf("the control socket is %s, want none below %s", a.Control, runtimeDir)
	}
	last := folders(runtimeDir, runs)
	if got := last[len(last)-1]; filepath.Dir(got) != runs {
		t.Errorf("the last place is %s, want one in %s", got, runs)
	}
}

// TestSecondUser runs as another user of the machine, who tries to read, to write, to hold locks
// and to send requests. It needs root, because only root can become another user.
func TestSecondUser(t *testing.T) {
	if dir := os.Getenv("DROLAB_TEST_STRANGER"); dir != "" {
		fmt.Println("did:", strings.Join(mischief(dir, os.Getenv("DROLAB_TEST_SOCKET")), ", "))
		return
	}
	if os.Getuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("becoming another user needs root, and a program that needs no file")
	}
	runs := filepath.Join(short(t), "runs") // made by the engine
	must(t, os.Chmod(filepath.Dir(runs), 0o755))
	p := start(t, func(s *Settings) { s.RunsDir = runs })
	id := p.launch(t, 1_000_000)
	dir := filepath.Join(p.RunsDir, id)
	attack := func() string {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestSecondUser$", "-test.v")
		cmd.Dir = "/"
		cmd.Env = append(os.Environ(),
			"DROLAB_TEST_STRANGER="+dir, "DROLAB_TEST_SOCKET="+p.sockets(t).Control)
		nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("running as another user: %v: %s", err, out)
		}
		return string(out)
	}
	if out := attack(); !strings.Contains(out, "did: \n") {
		t.Errorf("another user %s, want that it does nothing", out)
	}
	must(t, os.Chmod(p.RunsDir, 0o755)) // the owner shows the runs to others
	must(t, os.Chmod(dir, 0o755))
	out := attack()
	for _, never := range []string{"wrote", "held", "asked", "removed"} {
		if strings.Contains(out, never) {
			t.Errorf("in an open folder another user has %s something, want nothing: %s", never,
				out)
		}
	}
	must(t, p.Stop(id))
	p.awaitStatus(t, id, "stopped")
	must(t, p.Resume(id))
	must(t, p.Stop(id))
}

// TestLinksBesideTheRuns: in a folder that others can write to, neither the engine nor the program
// that starts it writes through a link, and no pipe blocks them.
func TestLinksBesideTheRuns(t *testing.T) {
	runs, runtimeDir := short(t), short(t)
	victim := filepath.Join(short(t), ".profile")
	// The file is so long that a log of this length would begin anew.
	text := []byte(strings.Repeat("export PATH\n", maxLog/10))
	must(t, os.WriteFile(victim, text, 0o600))
	must(t, os.Symlink(victim, filepath.Join(runs, logName)))
	must(t, syscall.Mkfifo(filepath.Join(runs, lockName), 0o600))
	c := spawning(t, runs, runtimeDir, "test")
	if _, ok := readLockInfo(runs); ok {
		t.Error("a pipe says where the engine is")
	}
	must(t, os.Remove(filepath.Join(runs, lockName)))
	must(t, os.Symlink(victim, filepath.Join(runs, lockName)))
	l, err := disk.Acquire(filepath.Join(runs, lockName))
	if err == nil {
		l.Release()
		t.Error("an engine has a link for its lock")
	}
	must(t, os.Remove(filepath.Join(runs, lockName)))
	_, err = c.Start(brief("sfk", 1)) // the engine's log is lost
	must(t, err)
	must(t, c.Shutdown(true))
	got, err := os.ReadFile(victim)
	must(t, err)
	if !bytes.Equal(got, text) {
		t.Errorf("the victim's file has %d bytes, want its %d as before", len(got), len(text))
	}
}

// mischief returns the things that a stranger could do.
func mischief(dir, socket string) (did []string) {
	note := func(what string, err error) {
		if err == nil {
			did = append(did, what)
		}
	}
	_, err := os.ReadFile(filepath.Join(dir, "run.json"))
	note("read", err)
	note("wrote", os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600))
	_, err = os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	note("wrote the log", err)
	note("removed", os.Remove(filepath.Join(dir, "run.json")))
	for _, path := range []string{filepath.Join(dir, "lock"),
		filepath.Join(filepath.Dir(dir), lockName)} {
		f, err := os.Open(path)
		note("held "+path, err) // who opens it can lock it
		if err == nil {
			f.Close()
		}
	}
	c, err := net.Dial("unix", socket)
	if err == nil && newMessageConn(c).in.Scan() {
		note("asked", nil)
	}
	return did
}
