package share

import (
	"errors"
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// link is a connection. It has to get a screen within a time limit, and ends when the screen is
// gone. A session is all that it has.
type link struct {
	net.Conn
	s            *server
	from         netip.Prefix
	known        bool        // the door's: it has shown a listed key
	stopDeadline func()      // stops the deadline for the first screen
	session      atomic.Bool // a session was asked for
}

// The keys of the further values of a connection's context: its link, its session, and by the
// fingerprint of a key the name of that key.
type (
	linkKey   struct{}
	siftedKey struct{}
	nameKey   string
)

// admit takes in a connection. Another one may have to go for it.
func (s *server) admit(ctx ssh.Context, c net.Conn) net.Conn {
	l := &link{Conn: c, s: s, from: addressOf(c)}
	l.stopDeadline = s.after(handshake, l.cut)
	ctx.SetValue(linkKey{}, l)
	if goes := s.door.enter(l); goes != nil {
		goes.cut()
	}
	return l
}

// Close implements net.Conn.
func (l *link) Close() error {
	l.s.door.leave(l)
	return l.Conn.Close()
}

// proved returns a configuration that notes when a client has signed with a listed key. A client
// that only names such a key, which is no secret, has not shown it.
func (s *server) proved(ctx ssh.Context) *gossh.ServerConfig {
	return &gossh.ServerConfig{VerifiedPublicKeyCallback: func(
		_ gossh.ConnMetadata, _ gossh.PublicKey, p *gossh.Permissions, _ string,
	) (*gossh.Permissions, error) {
		l := ctx.Value(linkKey{}).(*link)
		if !s.door.pass(l) {
			l.cut()
			return nil, errFull
		}
		return p, nil
	}}
}

var errFull = errors.New("too many connections")

// cut closes the connection at a deadline.
func (l *link) cut() { l.Close() }

// session gives the connection's channel a screen; a second channel is refused.
func (s *server) session(
	srv *ssh.Server, conn *gossh.ServerConn, ch gossh.NewChannel, ctx ssh.Context,
) {
	l := ctx.Value(linkKey{}).(*link)
	if !l.session.CompareAndSwap(false, true) {
		ch.Reject(gossh.ResourceShortage, "a connection has one screen")
		return
	}
	in := &sifted{NewChannel: ch, resized: make(chan struct{}, 1)}
	ctx.SetValue(siftedKey{}, in)
	ssh.DefaultSessionHandler(srv, conn, in, ctx) // returns when the client closes its session
	l.Close()
}
