package engine

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
)

// sockets holds the two sockets of an engine and the lock file that describes them. It belongs to
// the goroutine of Run.
type sockets struct {
	engine  *engine
	lock    *disk.Lock
	address address

	control, view *socket
	problem       string // why there are no sockets, as logged last
}

// socket is one socket with its server.
type socket struct {
	path     string
	listener *net.UnixListener
	made     os.FileInfo    // the file of the socket when it was made
	serving  sync.WaitGroup // until the server accepts no more connections
}

// open makes the sockets and starts their servers.
func (s *sockets) open() error {
	e := s.engine
	a, passed, err := newAddress(e.settings.RuntimeDir, e.folder)
	if err != nil {
		return err
	}
	if passed != nil {
		e.logf("sockets elsewhere: %v", passed)
	}
	free := func() (func(), bool) { return func() {}, !e.gone() }
	s.address = a
	if s.control, err = e.open(a.Control, e.controlVerbs(), e.begin); err != nil {
		return err
	}
	if s.view, err = e.open(a.View, e.viewVerbs(), free); err != nil {
		s.control.close()
		return err
	}
	e.describe(s.lock, a)
	return nil
}

func (e *engine) open(
	path string, verbs map[runner.Verb]handler, begin func() (func(), bool),
) (*socket, error) {
	l, err := listen(path)
	if err != nil {
		return nil, err
	}
	c := &socket{path: path, listener: l}
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

func (c *socket) inPlace() bool {
	now, err := os.Lstat(c.path)
	return err == nil && os.SameFile(now, c.made)
}

// close removes the socket; requests in progress are still answered.
func (c *socket) close() {
	c.listener.Close()
	if c.inPlace() {
		os.Remove(c.path)
	}
	c.serving.Wait()
}

// vanished reports whether the runs folder is gone or the lock's path has another file.
func (s *sockets) vanished() bool {
	return !s.lock.InPlace(filepath.Join(s.engine.settings.RunsDir, lockName))
}

// remakeSockets makes both sockets anew if the file of one is gone: a runtime folder is removed
// when its user logs out. Both are made, since they may have to move.
func (s *sockets) remakeSockets() {
	if s.control.inPlace() && s.view.inPlace() {
		return
	}
	s.control.close()
	s.view.close()
	old := *s
	if err := s.open(); err != nil {
		*s = old // try again at the next look
		s.problem = err.Error()
		if s.problem != old.problem {
			s.engine.logf("nobody can connect: remaking the sockets: %v", err)
		}
		return
	}
	s.problem = ""
	s.engine.logf("sockets remade: %s", s.address.Control)
}

// close removes the sockets, and returns when every request has its answer, or after endTimeout.
func (s *sockets) close() {
	s.control.close()
	s.view.close()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		s.engine.conns.Wait()
	}()
	select {
	case <-answered:
	case <-time.After(s.engine.endTimeout()):
		s.engine.logf("a request is left without an answer")
	}
}
