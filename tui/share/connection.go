package share

import (
	"errors"
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// connection is the connection of a client. It has to get a screen within a time limit, and ends
// when the screen is gone. A session is all that it has.
type connection struct {
	net.Conn
	s             *server
	from          netip.Prefix
	authenticated bool        // the limiter's: its client has shown a listed key
	stopDeadline  func()      // stops the deadline for the first screen
	session       atomic.Bool // a session was asked for
}

// The keys of the further values of a connection's context: the connection, its channel, and by the
// fingerprint of a key the name of that key.
type (
	connectionKey struct{}
	channelKey    struct{}
	nameKey       string
)

// admit admits a new connection. Another one may be closed for it.
func (s *server) admit(ctx ssh.Context, conn net.Conn) net.Conn {
	c := &connection{Conn: conn, s: s, from: addressOf(conn)}
	c.stopDeadline = s.after(handshakeTimeout, c.cut)
	ctx.SetValue(connectionKey{}, c)
	if closes := s.limiter.add(c); closes != nil {
		closes.cut()
	}
	return c
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.s.limiter.release(c)
	return c.Conn.Close()
}

// serverConfig returns a configuration that notes when a client has signed with a listed key. A
// client that only names such a key, which is no secret, has not shown it.
func (s *server) serverConfig(ctx ssh.Context) *gossh.ServerConfig {
	return &gossh.ServerConfig{VerifiedPublicKeyCallback: func(
		_ gossh.ConnMetadata, _ gossh.PublicKey, p *gossh.Permissions, _ string,
	) (*gossh.Permissions, error) {
		c := ctx.Value(connectionKey{}).(*connection)
		if !s.limiter.authenticate(c) {
			c.cut()
			return nil, errFull
		}
		return p, nil
	}}
}

var errFull = errors.New("too many connections")

// cut closes the connection at a deadline.
func (c *connection) cut() { c.Close() }

// session gives the connection's channel a screen; a second channel is refused.
func (s *server) session(
	srv *ssh.Server, conn *gossh.ServerConn, ch gossh.NewChannel, ctx ssh.Context,
) {
	c := ctx.Value(connectionKey{}).(*connection)
	if !c.session.CompareAndSwap(false, true) {
		ch.Reject(gossh.ResourceShortage, "a connection has one screen")
		return
	}
	in := &screenChannel{NewChannel: ch, resized: make(chan struct{}, 1)}
	ctx.SetValue(channelKey{}, in)
	ssh.DefaultSessionHandler(srv, conn, in, ctx) // returns when the client closes its session
	c.Close()
}
