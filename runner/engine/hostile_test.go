//go:build darwin || freebsd || linux

package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/queue"
)

// ask returns the message of a request about the engine's folder.
func (p *inProcess) ask(t *testing.T, r request) []byte {
	t.Helper()
	r.Folder = at(t, p.RunsDir)
	b, err := json.Marshal(r)
	must(t, err)
	return append(b, '\n')
}

func TestViewSocketChangesNothing(t *testing.T) {
	p := start(t, nil)
	id := p.launch(t, 1_000_000)
	spec := brief("sfk", 1)
	var asked []request
	for _, v := range []runner.Verb{runner.Resume, runner.Pause, runner.Stop, runner.Checkpoint,
		runner.Knob, verbStart, verbShutdown, ""} {
		o := runner.Order{Verb: v, Run: id, Key: "lr", Value: "1"}
		asked = append(asked, request{Order: o, Start: &spec, Force: true})
	}
	for _, r := range asked {
		_, answer, err := talk(t, p.sockets(t).View, p.ask(t, r))
		if err != nil {
			t.Errorf("%s is not answered: %v", r.Verb, err)
		}
		if want := "cannot be asked here"; !strings.Contains(answer, want) {
			t.Errorf("%s is answered %q, want an answer with %q", r.Verb, answer, want)
		}
	}
	if n := len((&engine{}).viewVerbs()); n != 1 {
		t.Errorf("the view socket has %d verbs, want status alone", n)
	}
	if got := p.find(t, id).Status(); got != runner.Running && got != runner.Queued {
		t.Errorf("the run is %s, want %s or %s", got, runner.Running, runner.Queued)
	}
	must(t, p.Stop(id))
}

// TestNonsense sends messages that no client sends to both sockets. They have no effect.
func TestNonsense(t *testing.T) {
	p := start(t, nil)
	a := p.sockets(t)
	rng := rand.New(rand.NewPCG(1, 2))
	good := p.ask(t, request{Order: runner.Order{Verb: runner.Knob, Run: "x", Key: "lr",
		Value: "1"}})
	for i := range 400 {
		say := make([]byte, rng.IntN(200))
		for j := range say {
			say[j] = byte(rng.Uint32())
		}
		if i%2 == 0 { // a good message with some bytes changed
			say = bytes.Clone(good)
			for range 1 + rng.IntN(4) {
				say[rng.IntN(len(say))] = byte(rng.Uint32())
			}
		}
		for _, path := range []string{a.Control, a.View} {
			if _, answer, err := talk(t, path, say); err == nil {
				var r reply
				if json.Unmarshal([]byte(answer), &r) != nil || r.Error == "" {
					t.Fatalf("%q is answered %q, want an error", say, answer)
				}
			}
		}
	}
	for _, say := range []string{"null\n", "[]\n", "{}\n", `{"verb":"start"}` + "\n",
		`{"verb":"start","start":{"Specs":[{}]}}` + "\n",
		`{"verb":"resume","run":"../../etc"}` + "\n",
		`{"verb":"stop","run":"` + strings.Repeat("a", 100_000) + `"}` + "\n",
		strings.Repeat(`{"verb":`, 100_000) + "\n", `{"verb":"status","sudo":true}` + "\n"} {
		folder, err := json.Marshal(at(t, p.RunsDir))
		must(t, err)
		say = strings.Replace(say, `{"verb"`, `{"folder":`+string(folder)+`,"verb"`, 1)
		_, answer, err := talk(t, a.Control, []byte(say))
		if err != nil {
			t.Errorf("%.60q is not answered: %v", say, err)
		}
		if !strings.Contains(answer, `"error"`) {
			t.Errorf("%.60q is answered %q, want an error", say, answer)
		}
	}
	wantRuns(t, "after the nonsense", p.Client)
	entries, err := os.ReadDir(p.RunsDir)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("the runs folder has %v, want the lock alone", entries)
	}
}

func TestMessageThatIsTooLong(t *testing.T) {
	p := start(t, nil)
	for _, path := range []string{p.sockets(t).Control, p.sockets(t).View} {
		_, answer, err := talk(t, path, bytes.Repeat([]byte("x"), maxMessage))
		// The server may close the connection before the whole message is sent.
		if err == nil && !strings.Contains(answer, "too long") {
			t.Errorf("a message without an end is answered %q, want that it is too long", answer)
		}
	}
	if _, err := p.Status(); err != nil {
		t.Errorf("Status after a message without an end: %v", err)
	}
}

// TestManyConnections opens a thousand connections and keeps them. Each is greeted, because a
// silent one makes way for it. The engine stays small and answers requests all the time.
func TestManyConnections(t *testing.T) {
	p := start(t, nil)
	path := p.sockets(t).Control
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var open []net.Conn
	served := 0
	for range 1000 {
		c, err := net.DialTimeout("unix", path, time.Minute)
		if errors.Is(err, syscall.EAGAIN) {
			continue // the queue in front of the server is full
		}
		must(t, err)
		open = append(open, c)
		must(t, c.SetDeadline(time.Now().Add(time.Minute)))
		if newMessageConn(c).in.Scan() {
			served++
		}
	}
	runtime.ReadMemStats(&during)
	if served != len(open) {
		t.Errorf("%d of %d connections are served, want all", served, len(open))
	}
	if grown := int64(during.HeapInuse) - int64(before.HeapInuse); grown > 64<<20 {
		t.Errorf("%d connections cost %d bytes, want at most %d", len(open), grown, 64<<20)
	}
	wantError(t, "Stop while they are open", p.Stop("nothing"), "not running here")
	for _, c := range open {
		c.Close()
	}
}

// TestDisplaced: a client that waits for an answer keeps its place, and a silent client that had to
// make way gets nothing done.
func TestDisplaced(t *testing.T) {
	s := &server{}
	var all []*connection
	come := func() bool {
		here, there := net.Pipe()
		t.Cleanup(func() { here.Close(); there.Close() })
		all = append(all, &connection{Conn: there})
		return s.add(all[len(all)-1])
	}
	for range maxConns {
		come()
	}
	for _, g := range all[1:] {
		s.setAsking(g, true)
	}
	if !come() {
		t.Error("a further connection is refused, want the silent one to go for it")
	}
	if s.setAsking(all[0], true) {
		t.Error("the silent connection keeps its place, want it to go")
	}
	if !s.setAsking(all[1], true) {
		t.Error("a connection that waits for its answer loses its place")
	}
	s.setAsking(all[maxConns], true)
	if come() {
		t.Error("somebody comes in where all wait for their answers")
	}
	s.setAsking(all[1], false)
	if !come() {
		t.Error("a further connection is refused where one is silent")
	}
	if n := len(s.connections); n != maxConns {
		t.Errorf("%d connections, want %d", n, maxConns)
	}
	for _, g := range all {
		s.remove(g)
	}
	if len(s.connections) != 0 {
		t.Errorf("%d connections are left, want none", len(s.connections))
	}
}

func TestPeer(t *testing.T) {
	dir := short(t)
	l, err := listen(filepath.Join(dir, "s"))
	must(t, err)
	defer l.Close()
	accepted := make(chan net.Conn, 1)
	go func() { c, _ := l.Accept(); accepted <- c }()
	c, err := net.Dial("unix", filepath.Join(dir, "s"))
	must(t, err)
	defer c.Close()
	server := <-accepted
	defer server.Close()
	for _, end := range []net.Conn{c, server} {
		if err := sameUser(end); err != nil {
			t.Errorf("sameUser of an own connection: %v", err)
		}
	}
	if a, _ := net.Pipe(); sameUser(a) == nil {
		t.Error("a connection without a user is let in")
	}
}

// TestOtherUser connects as another user, which needs root. Such a connection is refused.
func TestOtherUser(t *testing.T) {
	if path := os.Getenv("DROLAB_TEST_DIAL"); path != "" {
		c, err := net.Dial("unix", path)
		if err == nil && !newMessageConn(c).in.Scan() {
			err = errClosed
		}
		fmt.Println("outcome:", err)
		return
	}
	if os.Getuid() != 0 {
		t.Skip("becoming another user needs root")
	}
	p := start(t, nil)
	a := p.sockets(t)
	exe, err := os.Executable()
	must(t, err)
	dial := func() string {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestOtherUser$", "-test.v")
		if runtime.GOOS != "linux" {
			cmd.Path = exe
		}
		cmd.Dir = "/"
		cmd.Env = append(os.Environ(), "DROLAB_TEST_DIAL="+a.Control)
		nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("running as another user: %v: %s", err, out)
		}
		return string(out)
	}
	if out := dial(); !strings.Contains(out, "permission denied") {
		t.Errorf("another user reaches the socket, want permission denied: %s", out)
	}
	// as if the folder were open
	for path := a.Control; path != filepath.Clean(os.TempDir()); path = filepath.Dir(path) {
		must(t, os.Chmod(path, 0o777))
	}
	if out := dial(); !strings.Contains(out, errClosed.Error()) {
		t.Errorf("another user is served, want %q: %s", errClosed, out)
	}
	want := "refused: the other end is user 65534"
	if log := p.log.String(); !strings.Contains(log, want) {
		t.Errorf("the log has no %q:\n%s", want, log)
	}
}

// TestStrangeServers: a client does not talk to an engine that is somebody else's, and not to one
// that says nothing or nonsense.
func TestStrangeServers(t *testing.T) {
	for want, words := range map[string]string{
		"ending":         "",
		"cannot be read": "hello\n",
		"cannot talk to": `{"protocol":99,"version":"9.9","pid":1}` + "\n",
		// An older server names no folder.
		"is drolab older":      `{"protocol":1,"version":"older","pid":1}` + "\n",
		"the engine's answer:": `{"protocol":2,"version":"test","pid":1,FOLDER}` + "\n",
		"as it is now": `{"protocol":2,"version":"test","pid":1,"new":2,FOLDER}` + "\n" +
			`{"error":"as it is now","fault":{"code":"new","x":1},"y":2}` + "\n",
	} {
		dir := short(t)
		a, _, err := newAddress(dir, at(t, dir))
		must(t, err)
		folder, err := json.Marshal(at(t, dir))
		must(t, err)
		say := strings.Replace(words, "FOLDER", `"folder":`+string(folder), 1)
		l, err := listen(a.Control)
		must(t, err)
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c.Write([]byte(say))
				c.(*net.UnixConn).CloseWrite()
				newMessageConn(c).in.Scan()
				c.Close()
			}
		})
		c := NewClient(Client{RunsDir: dir, RuntimeDir: dir, Version: "test"})
		wantError(t, fmt.Sprintf("a server that says %q", say), c.Stop("x"), want)
		l.Close()
		wg.Wait()
	}
}

func TestAddress(t *testing.T) {
	dir := short(t)
	a, _, err := newAddress(dir, at(t, dir))
	must(t, err)
	if got, want := filepath.Dir(a.Control), filepath.Join(dir, "drolab"); got != want {
		t.Errorf("the control socket is in %s, want %s", got, want)
	}
	link := filepath.Join(short(t), "link")
	must(t, os.Symlink(dir, link))
	b, _, err := newAddress(dir, at(t, link))
	must(t, err)
	if a != b {
		t.Errorf("another name of the folder has the address %v, want %v", b, a)
	}
	b, _, err = newAddress(dir, at(t, short(t)))
	must(t, err)
	if a == b {
		t.Errorf("another folder has the same address, %v", b)
	}
	long := filepath.Join(dir, strings.Repeat("a", 90))
	must(t, os.Mkdir(long, 0o700))
	for _, runtimeDir := range []string{"", "relative", filepath.Join(dir, "missing"), long} {
		b, _, err := newAddress(runtimeDir, at(t, dir))
		if err != nil || !strings.HasPrefix(b.View, "/tmp/drolab-") {
			t.Errorf("with runtime folder %.20s: %v, %v, want one below /tmp", runtimeDir, b, err)
		}
	}
	if _, err := folderAt(filepath.Join(dir, "missing")); err == nil {
		t.Error("a runs folder that is not there has an address")
	}
}

func TestPrivate(t *testing.T) {
	dir := short(t)
	open, file := filepath.Join(dir, "open"), filepath.Join(dir, "file")
	link := filepath.Join(dir, "link")
	must(t, os.Mkdir(open, 0o700))
	must(t, os.Chmod(open, 0o750))
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, os.Symlink(dir, link))
	for _, path := range []string{open, file, link, filepath.Join(file, "below")} {
		if err := disk.MakeOwnFolder(path); err == nil {
			t.Errorf("%s passes for private", path)
		}
	}
	for range 2 { // made, and found
		must(t, disk.MakeOwnFolder(filepath.Join(dir, "mine")))
	}
}

func TestKillsAtLogout(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	yes, no := file("yes", "[Login]\nKillUserProcesses = yes\n"),
		file("no", "[Login]\n#KillUserProcesses=yes\nKillUserProcesses=no\n")
	none := file("none", "[Login]\n#KillUserProcesses=yes\n")
	for _, test := range []struct {
		files []string
		want  bool
	}{{nil, false}, {[]string{none}, false}, {[]string{yes}, true}, {[]string{yes, no}, false},
		{[]string{no, yes, none, "missing"}, true}} {
		if got := killsAtLogout(test.files); got != test.want {
			t.Errorf("killsAtLogout(%v) = %v, want %v", test.files, got, test.want)
		}
	}
}

// FuzzServer sends messages to the server of the control socket, with the view socket's verbs.
func FuzzServer(f *testing.F) {
	f.Add([]byte(`{"verb":"status"}`))
	f.Add([]byte("{\"verb\":\"stop\",\"run\":\"a\"}\n{\"verb\":\"stop\"}\n"))
	f.Add([]byte(`{"verb":"start","start":{"Preset":"p",` +
		`"Specs":[{"algorithms":["sfk"],"seeds":1}]}}`))
	f.Fuzz(func(t *testing.T, say []byte) {
		e := &engine{settings: Settings{Log: &buffer{}},
			queue: queue.NewQueue(context.Background(), queue.Settings{})}
		s := &server{verbs: e.viewVerbs(), allowed: func(net.Conn) error { return nil },
			begin: func() (func(), bool) { return func() {}, true }, logf: e.logf}
		here, there := net.Pipe()
		done := make(chan struct{})
		g := &connection{Conn: there}
		s.add(g)
		go func() { defer close(done); s.serveConn(g); there.Close() }()
		go func() {
			here.Write(say)
			here.Write([]byte("\n"))
			time.AfterFunc(time.Millisecond, func() { here.Close() })
		}()
		buf := make([]byte, 4096)
		for {
			if _, err := here.Read(buf); err != nil {
				break
			}
		}
		<-done
	})
}
