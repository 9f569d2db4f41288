//go:build darwin || freebsd || linux

package engine

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/memtest"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data/source"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// asEngine is the environment variable that makes the test binary an engine, as Client.Command
// starts one.
const asEngine = "DROLAB_TEST_ENGINE"

// asReader is the environment variable that makes the test binary a process that reads a data set.
const asReader = "DROLAB_TEST_READER"

// Acts are what this program may do in place of its tests, each if it is asked to. Then it ends.
var Acts []func()

func TestMain(m *testing.M) {
	for _, act := range Acts {
		act()
	}
	if os.Getenv(asReader) != "" {
		if err := source.Serve(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString("drolab: " + err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(asEngine); dir != "" {
		source.ReadApart(func() *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asReader+"=1")
			return cmd
		})
		err := Run(context.Background(), Settings{
			Settings: queue.Settings{
				Threads:  1,
				Host:     runner.Host{Version: os.Getenv("DROLAB_TEST_VERSION")},
				Programs: bridge.Approvals(os.Getenv("DROLAB_TEST_PROGRAMS")),
			},
			RunsDir:    dir,
			RuntimeDir: os.Getenv("DROLAB_TEST_RUNTIME"),
			Idle:       time.Hour, // a test may be slow
			Log:        os.Stderr,
		})
		if err != nil {
			os.Stderr.WriteString("drolab: " + err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The tests hold only a few megabytes. Engines and readers have the collector that users have.
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// short returns a folder with a short path, private to this test.
func short(t *testing.T) string { return memtest.Short(t) }

// buffer is a log that two goroutines may use.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// inProcess is an engine in this process, with a client.
type inProcess struct {
	*Client
	log   buffer
	ended chan error
	end   context.CancelFunc
}

func start(t *testing.T, change func(*Settings)) *inProcess {
	t.Helper()
	runs, runtimeDir := short(t), short(t)
	p := &inProcess{ended: make(chan error, 1)}
	p.Client = NewClient(Client{RunsDir: runs, RuntimeDir: runtimeDir, Version: "test",
		Command: func() *exec.Cmd {
			t.Error("an engine is started")
			return exec.Command("false")
		}})
	s := Settings{
		Settings:   queue.Settings{Threads: 1, Host: runner.Host{Version: "test"}},
		RunsDir:    runs,
		RuntimeDir: runtimeDir,
		Log:        &p.log,
	}
	if change != nil {
		change(&s)
	}
	p.RunsDir, p.RuntimeDir = s.RunsDir, s.RuntimeDir
	ctx, cancel := context.WithCancel(context.Background())
	p.end = cancel
	go func() { p.ended <- Run(ctx, s) }()
	t.Cleanup(func() {
		cancel()
		if err := <-p.ended; err != nil {
			t.Errorf("the engine ends with %v", err)
		}
		p.ended <- nil
	})
	await(t, func() bool { _, ok := readLockInfo(s.RunsDir); return ok })
	return p
}

// await waits until so returns true, and fails shortly before the test's own deadline.
func await(t *testing.T, so func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end, bounded := t.Deadline(); !so(); {
		if bounded && time.Until(end) < 10*time.Second {
			t.Fatal("it does not come to be so")
		}
		<-tick.C
	}
}

// at returns a runs folder as an engine names it.
func at(t *testing.T, dir string) runsFolder {
	t.Helper()
	f, err := folderAt(dir)
	must(t, err)
	return f
}

// soon returns the time by which an answer must come.
func soon() time.Time { return time.Now().Add(replyTimeout) }

// brief returns a request for a run on a small table.
func brief(a dro.Algorithm, epochs int) runner.Request {
	s := spec.Defaults()
	s.Algorithms, s.Dataset, s.Model = []dro.Algorithm{a}, "csv:example", "linear"
	s.Batch, s.Epochs, s.LogEvery = 32, epochs, 3
	return runner.Request{Preset: "test", Specs: []spec.Spec{s}}
}

// wantError fails unless err is an error that contains want.
func wantError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want one with %q", what, err, want)
	}
}

// wantPlainLine fails unless the words of an error that foreseeable input has caused are one line,
// with no control character of a terminal and no internal error.
func wantPlainLine(t *testing.T, what, words string) {
	t.Helper()
	if strings.ContainsAny(words, "\n\x1b") {
		t.Errorf("%s: error %q, want one line without control characters", what, words)
	}
	if strings.Contains(words, "please report it") {
		t.Errorf("%s: error %q, want no internal error", what, words)
	}
}

// wantErrorIs fails unless err is an error of this kind.
func wantErrorIs(t *testing.T, what string, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: error %v, want %q", what, err, kind)
	}
}

// wantRuns fails unless these runs are live in an engine.
func wantRuns(t *testing.T, what string, c *Client, ids ...string) {
	t.Helper()
	s, err := c.Status()
	if err != nil {
		t.Errorf("%s: Status: %v", what, err)
		return
	}
	live := []string{}
	for _, r := range s.Runs {
		live = append(live, r.ID)
	}
	if diff := cmp.Diff(ids, live, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: the live runs differ (-want +got):\n%s", what, diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// launch starts a brief run, and returns its name.
func (p *inProcess) launch(t *testing.T, epochs int) string {
	t.Helper()
	ids, err := p.Start(brief(dro.SFK, epochs))
	must(t, err)
	return ids[0]
}

func (p *inProcess) find(t *testing.T, id string) *record.Run {
	t.Helper()
	r, err := record.Find(p.RunsDir, id)
	must(t, err)
	return r
}

func (p *inProcess) awaitStatus(t *testing.T, id string, want runner.Status) {
	t.Helper()
	await(t, func() bool { return p.find(t, id).Status() == want })
}

// talk connects to a socket, sends say, and returns the server's hello and answer, or the error of
// reading them.
func talk(t *testing.T, path string, say []byte) (hello, answer string, err error) {
	t.Helper()
	c, err := net.Dial("unix", path)
	must(t, err)
	defer c.Close()
	must(t, c.SetDeadline(time.Now().Add(time.Minute)))
	w := newMessageConn(c)
	if !w.in.Scan() {
		return "", "", errors.Join(errClosed, w.in.Err())
	}
	hello = w.in.Text()
	if _, err := c.Write(say); err != nil {
		return hello, "", err
	}
	if u, ok := c.(*net.UnixConn); ok {
		u.CloseWrite()
	}
	if !w.in.Scan() {
		return hello, "", errors.Join(errClosed, w.in.Err())
	}
	return hello, w.in.Text(), nil
}

func (p *inProcess) sockets(t *testing.T) address {
	t.Helper()
	i, ok := readLockInfo(p.RunsDir)
	if !ok {
		t.Fatal("the lock file says nothing")
	}
	return i.address
}

// engineCommand returns a command that runs a program as an engine's process.
func engineCommand(path, runs, runtimeDir, version string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(path)
		cmd.Env = append(os.Environ(), asEngine+"="+runs, "DROLAB_TEST_RUNTIME="+runtimeDir,
			"DROLAB_TEST_VERSION="+version)
		return cmd
	}
}
