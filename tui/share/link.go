package share

import (
	"errors"
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// link is one connection. It has to come to a screen within a time, and to end when that
// is gone; a session is all that it has.
type link struct {
	net.Conn
	s       *server
	from    netip.Prefix
	known   bool        // the door's: it has shown a key
	begun   func()      // stops the deadline of its beginning
	session atomic.Bool // asked for
}

// What a connection's context has besides: its link, its session, and the name of a key
// by its fingerprint.
type (
	linkKey   struct{}
	siftedKey struct{}
	nameKey   string
)

// admit takes a connection, for which another may have to go.
func (s *server) admit(ctx ssh.Context, c net.Conn) net.Conn {
	l := &link{Conn: c, s: s, from: addressOf(c)}
	l.begun = s.after(handshake, l.cut)
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

// proved is called when a client has signed with a listed key. One that only names
// such a key, which is no secret, has not.
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

// cut is Close for deadlines.
func (l *link) cut() { l.Close() }

// mayLook tells whether a key is among those that may look.
func (s *server) mayLook(ctx ssh.Context, key ssh.PublicKey) bool {
	keys, err := Keys(s.AuthorizedKeys)
	if err != nil {
		s.log.Printf("no one can log in: %v", err)
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
	ssh.DefaultSessionHandler(srv, conn, in, ctx) // until the client closes its session
	l.Close()
}
