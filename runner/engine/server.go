package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/disk"
)

// maxConns bounds the connections that one socket serves at once. A further connection displaces
// the oldest one that does not wait for an answer. If all wait, the new connection is closed.
const maxConns = 64

// handler carries out one verb.
type handler func(*request) (*reply, error)

// server answers on one socket. Its verbs are the only ones that this socket accepts.
type server struct {
	hello hello
	verbs map[runner.Verb]handler
	// allowed returns an error if the other end of a connection may not ask.
	allowed func(net.Conn) error
	// begin counts a connection in before its hello, and refuses it when the
	// engine is about to end; the function it returns counts it out.
	begin func() (end func(), ok bool)
	logf  func(format string, args ...any)
	conns *sync.WaitGroup // one for each connection

	mu     sync.Mutex
	guests []*guest // in the order in which they came

	// reading says how far the data are that a verb reads now; nil if none reads any.
	reading func() *runner.Reading

	patience time.Duration // limit for a verb; 0 is 8/10 of the protocol's, to leave time to answer
}

// serve answers until the listener is closed. Requests in progress are still answered then; when
// ending is cancelled, nothing more is read.
func (s *server) serve(ending context.Context, l net.Listener) {
	told := false
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of files, most likely
			if !told {
				s.logf("accepting: %v", err)
			}
			told = true
			time.Sleep(100 * time.Millisecond)
			continue
		}
		told = false
		g := &guest{Conn: c}
		if !s.enter(g) {
			c.Close()
			continue
		}
		s.conns.Go(func() {
			defer s.leave(g)
			defer c.Close()
			defer context.AfterFunc(ending, func() { stopReading(c) })()
			s.attend(g)
		})
	}
}

// guest is a connection that is served.
type guest struct {
	net.Conn
	asking bool // it waits for its answer
}

// enter adds a guest and reports whether there is room. To make room, it closes a guest that does
// not wait for an answer.
func (s *server) enter(g *guest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.guests) == maxConns {
		i := slices.IndexFunc(s.guests, func(g *guest) bool { return !g.asking })
		if i < 0 {
			return false
		}
		s.guests[i].Close()
		s.guests = slices.Delete(s.guests, i, i+1)
	}
	s.guests = append(s.guests, g)
	return true
}

// setAsking records whether a guest waits for an answer. It returns false if the guest was
// displaced before; the request is then not carried out.
func (s *server) setAsking(g *guest, asking bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.asking = asking
	return slices.Contains(s.guests, g)
}

func (s *server) leave(g *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guests = slices.DeleteFunc(s.guests, func(o *guest) bool { return o == g })
}

// stopReading closes c for reading, so that an answer that is on its way is still written.
func stopReading(c net.Conn) {
	if u, ok := c.(*net.UnixConn); ok {
		u.CloseRead()
	}
}

// attend serves one connection until it is closed, stays silent, or sends an invalid message.
func (s *server) attend(g *guest) {
	if err := s.allowed(g.Conn); err != nil {
		s.logf("refused: %v", err)
		return
	}
	end, ok := s.begin()
	if !ok {
		return
	}
	defer end()
	w := newWire(g.Conn)
	w.strict = true
	if w.send(s.hello) != nil {
		return
	}
	for {
		var r request
		if err := w.receive(&r, time.Now().Add(patience)); err != nil {
			if !errors.Is(err, errClosed) {
				w.send(failed(err))
			}
			return
		}
		if !s.setAsking(g, true) || s.serveOne(w, &r) != nil || !s.setAsking(g, false) {
			return
		}
	}
}

// serveOne answers a request in time. If the verb is not done by then, the reply says so, and the
// connection keeps its place until the verb is done: a verb that hangs is not forgotten. Verbs that
// take long have no limit, but a blank is sent now and then.
func (s *server) serveOne(w *wire, r *request) error {
	done := make(chan *reply, 1)
	go func() { done <- s.answer(r) }()
	limit := cmp.Or(s.patience, patience*8/10)
	tick := time.NewTicker(limit / 4)
	defer tick.Stop()
	look := time.NewTicker(readingEvery)
	defer look.Stop()
	for begin := time.Now(); ; {
		var err error
		select {
		case out := <-done:
			return w.send(out)
		case <-look.C:
			if now := s.nowReading(r.Verb); now != nil {
				err = w.send(&reply{Reading: now})
			}
		case <-tick.C:
			if takesLong(r.Verb) {
				err = w.blank()
			} else if time.Since(begin) >= limit {
				err = errors.Join(errLate, w.send(failed(errLate)))
			}
		}
		if err != nil {
			<-done
			return err
		}
	}
}

// nowReading returns how far the data are that a verb reads; nil if it reads none.
func (s *server) nowReading(verb runner.Verb) *runner.Reading {
	if s.reading == nil || verb != verbStart && verb != runner.Resume {
		return nil
	}
	return s.reading()
}

var errLate = errors.New("it was not done in time, and may still be done: the disk may hang, " +
	"see drolab engine status")

// takesLong reports whether a verb may take longer than patience: start and resume read data, and
// shutdown waits for runs to end.
func takesLong(verb runner.Verb) bool {
	return verb == verbStart || verb == runner.Resume || verb == verbShutdown
}

func (s *server) answer(r *request) *reply {
	if !r.Folder.isSame(s.hello.Folder) {
		s.logf("refused: %s of another runs folder", printable(string(r.Verb), 60))
		return &reply{Error: "cannot be asked here: this is the engine of " + s.hello.Folder.Path}
	}
	h, ok := s.verbs[r.Verb]
	if !ok {
		return &reply{Error: "cannot be asked here: " + printable(string(r.Verb), 60)}
	}
	out, err := s.callHandler(h, r)
	if err != nil {
		out = failed(err)
	}
	if r.Verb != verbStatus {
		s.logf("%s %s: %s", r.Verb, printable(r.Run, 60), printable(outcome(err), 1000))
	}
	return out
}

// callHandler calls a handler and turns a panic into an error, so that one request cannot end the
// runs.
func (s *server) callHandler(h handler, r *request) (out *reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, runner.Panicked(s.hello.Folder.Path, p)
		}
	}()
	return h(r)
}

func outcome(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// printable makes one line for a log from text from the socket, or from an error that quotes it.
func printable(s string, most int) string {
	return bridge.OneLine(strings.ReplaceAll(s, "\n", "; "), most)
}

// viewVerbs returns the verbs of the read-only socket: none changes anything.
func (e *engine) viewVerbs() map[runner.Verb]handler {
	return map[runner.Verb]handler{verbStatus: e.status}
}

func (e *engine) controlVerbs() map[runner.Verb]handler {
	return map[runner.Verb]handler{
		verbStatus: e.status, verbStart: e.start, verbShutdown: e.shutdown,
		runner.Pause: e.order, runner.Resume: e.order, runner.Stop: e.order,
		runner.Checkpoint: e.order, runner.Knob: e.order,
	}
}

func (e *engine) order(r *request) (*reply, error) {
	step, err := e.queue.CarryOut(r.Order)
	return &reply{Step: step}, err
}

func (e *engine) status(*request) (*reply, error) {
	return &reply{Status: &Status{
		PID:     os.Getpid(),
		Version: e.settings.Host.Version,
		Started: e.started,
		RunsDir: e.settings.RunsDir,
		Log:     filepath.Join(e.settings.RunsDir, logName),
		Runs:    e.queue.Live(),
	}}, nil
}

func (e *engine) start(r *request) (*reply, error) {
	if r.Start == nil || len(r.Start.Specs) == 0 {
		return nil, errors.New("start: no run was named")
	}
	for _, s := range r.Start.Specs {
		if len(s.Algorithms) != 1 || s.Seeds != 1 {
			return nil, errors.New("start: want one algorithm and one seed in each spec")
		}
	}
	ids, err := e.queue.Start(*r.Start)
	return &reply{IDs: ids}, err
}

// shutdown answers when every run has ended.
func (e *engine) shutdown(r *request) (*reply, error) {
	if err := e.awaitEnd(r.Force); err != nil {
		return nil, err
	}
	e.lookNow()
	<-e.over.Done()
	return &reply{}, nil
}

// awaitEnd waits until the engine may end, and from then on nobody is served. Without force, the
// engine may end only if no run is live and no other client is connected: that client may be about
// to start a run.
func (e *engine) awaitEnd(force bool) error {
	e.count(&e.enders, 1)
	defer e.count(&e.enders, -1)
	for range looks(patience) {
		if ok, err := e.mayEnd(force); ok || err != nil {
			return err
		}
	}
	return errors.New("somebody asking it for something: try again")
}

func (e *engine) mayEnd(force bool) (bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if live := e.queue.Live(); len(live) > 0 && !force {
		return false, fmt.Errorf("%d of its runs %w (%s ...): stop them first",
			len(live), errLive, live[0].ID)
	}
	if !force && e.asking > e.enders {
		return false, nil
	}
	e.wanted, e.ending = true, true
	return true, nil
}

// count adds by to n, one of the numbers of connections.
func (e *engine) count(n *int, by int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	*n += by
}

// desk holds the two sockets of an engine and the lock file that describes them. It belongs to the
// goroutine of Run.
type desk struct {
	engine  *engine
	lock    *disk.Lock
	address address

	control, view *counter
	problem       string // why there are no sockets, as logged last
}

// counter is one socket with its server.
type counter struct {
	path     string
	listener *net.UnixListener
	made     os.FileInfo    // the file of the socket when it was made
	serving  sync.WaitGroup // until the server accepts no more connections
}

// open makes the sockets and starts their servers.
func (d *desk) open() error {
	e := d.engine
	a, passed, err := newAddress(e.settings.RuntimeDir, e.folder)
	if err != nil {
		return err
	}
	if passed != nil {
		e.logf("sockets elsewhere: %v", passed)
	}
	free := func() (func(), bool) { return func() {}, !e.gone() }
	d.address = a
	if d.control, err = e.open(a.Control, e.controlVerbs(), e.begin); err != nil {
		return err
	}
	if d.view, err = e.open(a.View, e.viewVerbs(), free); err != nil {
		d.control.close()
		return err
	}
	e.describe(d.lock, a)
	return nil
}

func (e *engine) open(
	path string, verbs map[runner.Verb]handler, begin func() (func(), bool),
) (*counter, error) {
	l, err := listen(path)
	if err != nil {
		return nil, err
	}
	c := &counter{path: path, listener: l}
	s := &server{hello: e.hello(), verbs: verbs, allowed: sameUser, begin: begin, logf: e.logf,
		conns: &e.conns, reading: e.queue.Reading}
	if c.made, err = os.Lstat(path); err != nil {
		l.Close()
		return nil, err
	}
	c.serving.Go(func() { s.serve(e.over, l) })
	return c, nil
}

// listen makes the socket at path. It replaces a socket at which nobody answers. An engine that
// died has left that socket, since the caller holds the lock of the runs folder.
func listen(path string) (*net.UnixListener, error) {
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		c.Close()
		return nil, fmt.Errorf("%w: it answers at %s, but its lock file was removed: stop it first",
			errRunning, path)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("engine's socket: %w", err)
	}
	l.SetUnlinkOnClose(false) // by then the file may be another engine's
	return l, os.Chmod(path, 0o600)
}

func (c *counter) inPlace() bool {
	now, err := os.Lstat(c.path)
	return err == nil && os.SameFile(now, c.made)
}

// close removes the socket; requests in progress are still answered.
func (c *counter) close() {
	c.listener.Close()
	if c.inPlace() {
		os.Remove(c.path)
	}
	c.serving.Wait()
}

// vanished reports whether the runs folder is gone or the lock's path has another file.
func (d *desk) vanished() bool {
	return !d.lock.InPlace(filepath.Join(d.engine.settings.RunsDir, lockName))
}

// remakeSockets makes both sockets anew if the file of one is gone: a runtime folder is removed
// when its user logs out. Both are made, since they may have to move.
func (d *desk) remakeSockets() {
	if d.control.inPlace() && d.view.inPlace() {
		return
	}
	d.control.close()
	d.view.close()
	old := *d
	if err := d.open(); err != nil {
		*d = old // try again at the next look
		if d.problem = err.Error(); d.problem != old.problem {
			d.engine.logf("nobody can connect: remaking the sockets: %v", err)
		}
		return
	}
	d.problem = ""
	d.engine.logf("sockets remade: %s", d.address.Control)
}

// close removes the sockets, and returns when every request has its answer, or when patience for
// the answers has run out.
func (d *desk) close() {
	d.control.close()
	d.view.close()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		d.engine.conns.Wait()
	}()
	select {
	case <-answered:
	case <-time.After(d.engine.patience()):
		d.engine.logf("a request is left without an answer")
	}
}
