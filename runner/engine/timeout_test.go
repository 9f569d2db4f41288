//go:build darwin || freebsd || linux

package engine

import (
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
)

// hanging registers a dataset that does not open before release is called. The channel opened is
// closed when somebody opens it.
func hanging(t *testing.T) (opened <-chan struct{}, release func()) {
	t.Helper()
	open, go1 := make(chan struct{}), make(chan struct{})
	release = sync.OnceFunc(func() { close(go1) })
	told := sync.OnceFunc(func() { close(open) })
	t.Cleanup(source.Register(data.Provider{Name: "hanging", Purpose: "for a test",
		Open: func(string, data.Options) (*data.Dataset, error) {
			told()
			<-go1
			return nil, errors.New("it was nothing")
		}}))
	t.Cleanup(release)
	return open, release
}

// TestStartThatHangs: while a start reads data without end, every other verb is answered and the
// engine can be ended.
func TestStartThatHangs(t *testing.T) {
	opened, release := hanging(t)
	p := start(t, func(s *Settings) { s.endTimeout = 20 * time.Millisecond })
	id := p.launch(t, 1_000_000)
	r := brief("sfk", 1)
	r.Specs[0].Dataset = "hanging"
	answer := make(chan error, 1)
	go func() { _, err := p.Start(r); answer <- err }()
	<-opened
	var err error
	await(t, func() bool { // until it trains
		_, err = p.Checkpoint(id)
		return !errors.Is(err, runner.ErrNothing)
	})
	must(t, err)
	if _, err := p.Status(); err != nil {
		t.Errorf("Status while a start hangs: %v", err)
	}
	must(t, p.Stop(id))
	p.end()
	if err := <-p.ended; err != nil {
		t.Errorf("the engine ends with %v", err)
	}
	p.ended <- nil
	want := "a start that does not end is left"
	if log := p.log.String(); !strings.Contains(log, want) {
		t.Errorf("the log has no %q:\n%s", want, log)
	}
	release()
	<-answer
}

// TestSlowStart: a start is answered although it takes longer than either side waits for a message.
func TestSlowStart(t *testing.T) {
	s := &server{verbs: map[runner.Verb]handler{}, allowed: func(net.Conn) error { return nil },
		begin: func() (func(), bool) { return func() {}, true }, logf: func(string, ...any) {},
		verbTimeout: 4 * time.Millisecond}
	blanks, done := make(chan struct{}), make(chan struct{})
	s.verbs[verbStart] = func(*request) (*reply, error) {
		<-blanks
		return &reply{IDs: []string{"a"}}, nil
	}
	s.verbs[runner.Pause] = func(*request) (*reply, error) { <-done; return &reply{}, nil }
	here, there := net.Pipe()
	defer here.Close()
	over := make(chan struct{})
	g := &connection{Conn: there}
	s.add(g)
	go func() { defer close(over); s.serveConn(g); there.Close() }()
	w := newMessageConn(&counting{Conn: here, blank: sync.OnceFunc(func() { close(blanks) })})
	var h hello
	must(t, w.receive(&h, soon()))
	out, err := exchange(w, &request{Order: runner.Order{Verb: verbStart}}, soon())
	must(t, err)
	if want := []string{"a"}; !slices.Equal(out.IDs, want) {
		t.Errorf("a slow start is answered %q, want %q", out.IDs, want)
	}
	_, err = exchange(w, &request{Order: runner.Order{Verb: runner.Pause}}, soon())
	wantError(t, "a pause that hangs", err, "in time")
	close(done)
	<-over
}

// counting is a connection that calls blank once it has received three blanks.
type counting struct {
	net.Conn
	n     int
	blank func()
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.n += strings.Count(string(p[:n]), " "); c.n >= 3 {
		c.blank()
	}
	return n, err
}

// TestSilentServer: a client waits for each byte only as long as the gap of its connection.
func TestSilentServer(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	w := newMessageConn(here)
	w.gap = time.Millisecond
	var out reply
	if err := w.receive(&out, time.Time{}); err == nil {
		t.Error("silence is an answer")
	}
}

// watched is a connection that keeps the last read deadline.
type watched struct {
	net.Conn
	limit time.Time
}

func (w *watched) SetReadDeadline(t time.Time) error {
	w.limit = t
	return w.Conn.SetReadDeadline(t)
}

// TestOneLimit: connecting, the hello and the answer share the patience of a verb. A verb that
// takes long has a limit for each byte instead.
func TestOneLimit(t *testing.T) {
	limit := soon()
	for verb, shared := range map[runner.Verb]bool{runner.Stop: true, verbStatus: true,
		verbStart: false, verbShutdown: false} {
		here, there := net.Pipe()
		go func() {
			newMessageConn(there).in.Scan()
			there.Write([]byte("{}\n"))
			there.Close()
		}()
		c := &watched{Conn: here}
		_, err := exchange(newMessageConn(c), &request{Order: runner.Order{Verb: verb}}, limit)
		if err != nil {
			t.Errorf("exchange(%s): %v", verb, err)
		}
		if c.limit.Equal(limit) != shared {
			t.Errorf("%s: the last limit is %v, want it to be %v: %v", verb, c.limit, limit,
				shared)
		}
		here.Close()
	}
}

// TestEngineThatHangs: every verb gives up on an engine that hangs, and the error says so.
func TestEngineThatHangs(t *testing.T) {
	dir := short(t)
	a, _, err := newAddress(dir, at(t, dir))
	must(t, err)
	for _, path := range []string{a.Control, a.View} {
		l, err := listen(path) // nobody accepts
		must(t, err)
		defer l.Close()
	}
	c := NewClient(Client{RunsDir: dir, RuntimeDir: dir, Version: "test",
		timeout: 20 * time.Millisecond})
	_, status := c.Status()
	for verb, err := range map[string]error{"status": status, "stop": c.Stop("x"),
		"pause": c.Pause("x")} {
		t.Run(verb, func(t *testing.T) {
			wantError(t, verb, err, "the engine does not answer: ")
		})
	}
}

// TestFieldOfTheFuture: an answer may hold unknown fields, and a request may not.
func TestFieldOfTheFuture(t *testing.T) {
	for strict, want := range map[bool]bool{false: true, true: false} {
		here, there := net.Pipe()
		go io.WriteString(there, `{"protocol":2,"pid":7,"later":{"a":[1]}}`+"\n")
		w := newMessageConn(here)
		w.strict = strict
		var h hello
		err := w.receive(&h, soon())
		if (err == nil) != want {
			t.Errorf("strict %v: receive = %v, want no error: %v", strict, err, want)
		}
		if want && h.PID != 7 {
			t.Errorf("strict %v: the process is %d, want 7", strict, h.PID)
		}
		w.Close()
		there.Close()
	}
}

// FuzzClient: whatever an engine says, a client returns an error exactly where the answer holds
// one.
func FuzzClient(f *testing.F) {
	f.Add([]byte(`{"protocol":2,"version":"a","pid":1}` + "\n" +
		` {"ids":["a"],"fault":{"code":"disk"}}`))
	f.Add([]byte(`{"protocol":2}` + "\n" +
		`{"status":{"runs":[{"id":"a"}]},"error":"x","fault":{"code":"setting"}}`))
	f.Fuzz(func(t *testing.T, say []byte) {
		here, there := net.Pipe()
		go func() {
			there.Write(append(say, '\n'))
			there.Close()
		}()
		go io.Copy(io.Discard, there)
		w := newMessageConn(here)
		defer w.Close()
		var h hello
		if w.receive(&h, soon()) != nil {
			return
		}
		var out reply
		if w.receive(&out, soon()) == nil && (out.err() != nil) != (out.Error != "") {
			t.Errorf("%q: err() = %v, want an error exactly for the words %q", say, out.err(),
				out.Error)
		}
	})
}
