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
