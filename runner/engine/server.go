package engine

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"drolab/runner"
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

	mu          sync.Mutex
	connections []*connection // in the order in which they came

	// reading says how far the data are that a verb reads now; nil if none reads any.
	reading func() *runner.Reading

	// verbTimeout is the limit for a verb; 0 is 8/10 of replyTimeout, to leave time to answer.
	verbTimeout time.Duration
}

// serve answers until the listener is closed. Requests in progress are still answered then; when
// ending is cancelled, nothing more is read.
func (s *server) serve(ending context.Context, l net.Listener) {
	told := false
	for {
		accepted, err := l.Accept()
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
		c := &connection{Conn: accepted}
		if !s.add(c) {
			c.Close()
			continue
		}
		s.conns.Go(func() {
			defer s.remove(c)
			defer c.Close()
			defer context.AfterFunc(ending, func() { stopReading(accepted) })()
			s.serveConn(c)
		})
	}
}

// connection is a connection that is served.
type connection struct {
	net.Conn
	asking bool // it waits for its answer
}

// add adds a connection, unless there are too many. It then closes one that does not wait for an
// answer; if all wait, it reports false.
func (s *server) add(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.connections) == maxConns {
		i := slices.IndexFunc(s.connections, func(c *connection) bool { return !c.asking })
		if i < 0 {
			return false
		}
		s.connections[i].Close()
		s.connections = slices.Delete(s.connections, i, i+1)
	}
	s.connections = append(s.connections, c)
	return true
}

// setAsking records whether a connection waits for an answer. It returns false if the connection
// was displaced before; the request is then not carried out.
func (s *server) setAsking(c *connection, asking bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.asking = asking
	return slices.Contains(s.connections, c)
}

func (s *server) remove(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections = slices.DeleteFunc(s.connections, func(o *connection) bool { return o == c })
}

// stopReading closes c for reading, so that an answer that is on its way is still written.
func stopReading(c net.Conn) {
	if u, ok := c.(*net.UnixConn); ok {
		u.CloseRead()
	}
}

// serveConn serves one connection until it is closed, stays silent, or sends an invalid message.
func (s *server) serveConn(c *connection) {
	if err := s.allowed(c.Conn); err != nil {
		s.logf("refused: %v", err)
		return
	}
	end, ok := s.begin()
	if !ok {
		return
	}
	defer end()
	w := newMessageConn(c.Conn)
	w.strict = true
	if w.send(s.hello) != nil {
		return
	}
	for {
		var r request
		if err := w.receive(&r, time.Now().Add(replyTimeout)); err != nil {
			if !errors.Is(err, errClosed) {
				w.send(errorReply(err))
			}
			return
		}
		if !s.setAsking(c, true) || s.serveOne(w, &r) != nil || !s.setAsking(c, false) {
			return
		}
	}
}

// serveOne answers a request in time. If the verb is not done by then, the reply says so, and the
// connection keeps its place until the verb is done: a verb that hangs is not forgotten. Verbs that
// take long have no limit, but a blank is sent now and then.
func (s *server) serveOne(w *messageConn, r *request) error {
	done := make(chan *reply, 1)
	go func() { done <- s.answer(r) }()
	limit := cmp.Or(s.verbTimeout, replyTimeout*8/10)
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
				err = errors.Join(errLate, w.send(errorReply(errLate)))
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

// takesLong reports whether a verb may take longer than replyTimeout: start and resume read data,
// and shutdown waits for runs to end.
func takesLong(verb runner.Verb) bool {
	return verb == verbStart || verb == runner.Resume || verb == verbShutdown
}

func (s *server) answer(r *request) *reply {
	if !r.Folder.isSame(s.hello.Folder) {
		s.logf("refused: %s of another runs folder", logLine(string(r.Verb), 60))
		return &reply{Error: "cannot be asked here: this is the engine of " + s.hello.Folder.Path}
	}
	h, ok := s.verbs[r.Verb]
	if !ok {
		return &reply{Error: "cannot be asked here: " + logLine(string(r.Verb), 60)}
	}
	out, err := s.callHandler(h, r)
	if err != nil {
		out = errorReply(err)
	}
	if r.Verb != verbStatus {
		s.logf("%s %s: %s", r.Verb, logLine(r.Run, 60), logLine(outcomeText(err), 1000))
	}
	return out
}

// callHandler calls a handler and turns a panic into an error, so that one request cannot end the
// runs.
func (s *server) callHandler(h handler, r *request) (out *reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, runner.ReportPanic(s.hello.Folder.Path, p)
		}
	}()
	return h(r)
}

func outcomeText(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// logLine makes one line for a log from text from the socket, or from an error that quotes it.
func logLine(s string, most int) string {
	return runner.OneLine(strings.ReplaceAll(s, "\n", "; "), most)
}
