package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode"
)

// maxConns bounds the connections of one socket that are served at once. More
// are closed without a word.
const maxConns = 64

// handler does one verb.
type handler func(*request) (*reply, error)

// server answers on one socket. Its verbs are all that can be asked there.
type server struct {
	hello hello
	verbs map[string]handler
	// allowed looks at who is at the other end.
	allowed func(net.Conn) error
	// begin counts a connection in before its hello, and refuses it when the
	// engine is about to end; the function it returns counts it out.
	begin func() (end func(), ok bool)
	logf  func(format string, args ...any)
	slots chan struct{}
	conns *sync.WaitGroup // one for each connection

	patience time.Duration // for a verb to be done; 0 is the protocol's, less what an answer takes
}

// serve answers until the listener is closed. What is being asked then is
// still answered; when ending is cancelled nothing more is read.
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
		select {
		case s.slots <- struct{}{}:
			s.conns.Go(func() {
				defer func() { <-s.slots }()
				defer c.Close()
				defer context.AfterFunc(ending, func() { stopReading(c) })()
				s.attend(c)
			})
		default:
			c.Close()
		}
	}
}

// stopReading lets an answer that is on its way still be written.
func stopReading(c net.Conn) {
	if u, ok := c.(*net.UnixConn); ok {
		u.CloseRead()
	}
}

// attend serves one connection until it is closed, silent, or says nonsense.
func (s *server) attend(c net.Conn) {
	if err := s.allowed(c); err != nil {
		s.logf("refused: %v", err)
		return
	}
	end, ok := s.begin()
	if !ok {
		return
	}
	defer end()
	w := newWire(c)
	w.strict = true
	if w.send(s.hello) != nil {
		return
	}
	for {
		var r request
		if err := w.receive(&r, patience); err != nil {
			if !errors.Is(err, errClosed) {
				w.send(failed(err))
			}
			return
		}
		if s.serveOne(w, &r) != nil {
			return
		}
	}
}

// serveOne answers a request in time. Where the verb is not done by then, the
// reply says so and the connection keeps its place until it is: what hangs is
// not forgotten.
func (s *server) serveOne(w *wire, r *request) error {
	done := make(chan *reply, 1)
	go func() { done <- s.answer(r) }()
	limit := cmp.Or(s.patience, patience*8/10)
	tick := time.NewTicker(limit / 4)
	defer tick.Stop()
	for begin := time.Now(); ; {
		select {
		case out := <-done:
			return w.send(out)
		case <-tick.C:
		}
		var err error
		if late := time.Since(begin) >= limit; takesLong(r.Verb) {
			err = w.blank()
		} else if late {
			err = errors.Join(errLate, w.send(failed(errLate)))
		}
		if err != nil {
			<-done
			return err
		}
	}
}

var errLate = errors.New("it has not been done in time, and may be done still: " +
	"the disk may hang, see drolab engine status")

// takesLong tells which verbs may take longer than patience: those that read
// data, and the one that waits for runs to end.
func takesLong(verb string) bool {
	return verb == verbStart || verb == verbResume || verb == verbShutdown
}

func (s *server) answer(r *request) *reply {
	h, ok := s.verbs[r.Verb]
	if !ok {
		return &reply{Error: "cannot be asked here: " + printable(r.Verb, 60)}
	}
	out, err := s.do(h, r)
	if err != nil {
		out = failed(err)
	}
	if r.Verb != verbStatus {
		s.logf("%s %s: %s", r.Verb, printable(r.Run, 60), printable(outcome(err), 1000))
	}
	return out
}

// do keeps what goes wrong with one question from ending the runs.
func (s *server) do(h handler, r *request) (out *reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.logf("panic: %v\n%s", p, debug.Stack())
			out, err = nil, fmt.Errorf("internal error: %v: the engine's log has more, please report it", p)
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

// printable is text from the socket, or an error that quotes it, fit for a line of
// a log; what is beyond most runes is cut.
func printable(s string, most int) string {
	out := []rune{}
	for _, r := range strings.ReplaceAll(s, "\n", "; ") {
		if len(out) == most {
			return string(out) + "…"
		}
		if !unicode.IsPrint(r) {
			r = '?'
		}
		out = append(out, r)
	}
	return string(out)
}
