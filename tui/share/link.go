package share

import (
	"net"
	"sync"
	"sync/atomic"

	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// link is one connection. It has to come to a screen within a time, and to end when that
// is gone; a session is all that it has.
type link struct {
	net.Conn
	s       *server
	begun   func()      // stops the deadline of its beginning
	session atomic.Bool // asked for
	once    sync.Once   // its end
}

// What a connection's context has besides: its link, its session, and the name of a key
// by its fingerprint.
type (
	linkKey   struct{}
	siftedKey struct{}
	nameKey   string
)

// admit takes a connection, if there are not too many.
func (s *server) admit(ctx ssh.Context, c net.Conn) net.Conn {
	select {
	case s.links <- struct{}{}:
	default:
		return nil
	}
	l := &link{Conn: c, s: s}
	l.begun = s.after(handshake, l.cut)
	ctx.SetValue(linkKey{}, l)
	return l
}

// Close implements net.Conn.
func (l *link) Close() error {
	l.once.Do(func() { <-l.s.links })
	return l.Conn.Close()
}

// cut is Close for deadlines.
func (l *link) cut() { l.Close() }

// mayLook tells whether a key is among those that may look.
func (s *server) mayLook(ctx ssh.Context, key ssh.PublicKey) bool {
	keys, err := Keys(s.AuthorizedKeys)
	if err != nil {
		s.log.Printf("nobody can log in: %v", err)
		return false
	}
	for _, k := range keys {
		if ssh.KeysEqual(k.PublicKey, key) {
			ctx.SetValue(nameKey(gossh.FingerprintSHA256(key)), k.Name)
			return true
		}
	}
	return false
}

// session takes the connection's channel for a screen; a second one is refused.
func (s *server) session(srv *ssh.Server, conn *gossh.ServerConn, ch gossh.NewChannel, ctx ssh.Context) {
	l := ctx.Value(linkKey{}).(*link)
	if !l.session.CompareAndSwap(false, true) {
		ch.Reject(gossh.ResourceShortage, "a connection has one screen")
		return
	}
	in := &sifted{NewChannel: ch, resized: make(chan struct{}, 1)}
	ctx.SetValue(siftedKey{}, in)
	ssh.DefaultSessionHandler(srv, conn, in, ctx) // until the client closes its session
	l.Close()
}
