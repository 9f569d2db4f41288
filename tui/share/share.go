package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"drolab/tui/lab"

	"charm.land/wish/v2"
	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// Settings says what is shown to whom.
type Settings struct {
	// Lab is the configuration of the interface: RunsDir, CPU, Cores and Verbs, which refuse
	// everything. The other fields are set for each viewer, or cleared.
	Lab lab.Config
	// HostKey is the server's key in PEM. See the function HostKey.
	HostKey []byte
	// AuthorizedKeys is the path of the file of keys whose owners may look. See Keys. It is read
	// anew for every connection, so a removed key can log in no more; a viewer who already looks
	// stays.
	AuthorizedKeys string
	// Viewers is the greatest number of viewers at a time, at least 1.
	Viewers int
	// Idle is the time that a viewer may go without pressing a key; 0 sets no limit.
	Idle time.Duration
	// Log gets a line for each viewer who comes or goes. Text from clients is in it as it came, and
	// must be cleaned before it is shown.
	Log io.Writer

	// after is time.AfterFunc, with a stop that returns nothing. Tests replace it.
	after func(d time.Duration, do func()) (stop func())
}

// The time limits of a client.
const (
	handshake = 30 * time.Second // from its connection to its screen
	patience  = 10 * time.Second // to take a piece of the output, of pieceSize bytes
	farewell  = 5 * time.Second  // to close the connection after its screen has gone
)

// spare is the number of connections beyond the places: clients that log in, and clients that are
// told that there is no place. See door.
const spare = 16

// server is the state that viewers share.
type server struct {
	Settings
	ctx    context.Context
	log    *log.Logger   // serialises lines
	places chan struct{} // one element for each viewer
	door   *door
}

// Serve shows the runs to anyone who connects to l and has a listed key, until ctx is cancelled. It
// then tells the viewers, closes l and returns nil. It returns an error if the server cannot be
// made or l fails.
func Serve(ctx context.Context, l net.Listener, settings Settings) error {
	s := newServer(ctx, settings)
	srv, err := wish.NewServer(
		wish.WithVersion("drolab"),
		wish.WithHostKeyPEM(s.HostKey),
		wish.WithPublicKeyAuth(s.mayLook),
		ssh.WrapConn(s.admit),
		wish.WithMiddleware(func(ssh.Handler) ssh.Handler { return s.show }),
	)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	srv.ServerConfigCallback = s.proved
	srv.ChannelHandlers = map[string]ssh.ChannelHandler{"session": s.session}
	srv.RequestHandlers = map[string]ssh.RequestHandler{} // none of the library's
	srv.SubsystemHandlers = map[string]ssh.SubsystemHandler{}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	err = srv.Serve(l)
	if ctx.Err() == nil {
		return errors.Join(fmt.Errorf("waiting for viewers: %w", err), srv.Close())
	}
	last, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	srv.Shutdown(last) // viewers leave by themselves; the others are cut off
	srv.Close()
	return nil
}

func newServer(ctx context.Context, settings Settings) *server {
	s := &server{Settings: settings, ctx: ctx, log: log.New(settings.Log, "", 0),
		places: make(chan struct{}, settings.Viewers), door: &door{room: settings.Viewers + spare}}
	if s.after == nil {
		s.after = func(d time.Duration, do func()) func() {
			t := time.AfterFunc(d, do)
			return func() { t.Stop() }
		}
	}
	s.Lab.ReadOnly, s.Lab.Guest, s.Lab.RunsGoOn, s.Lab.Attach = true, true, true, true
	s.Lab.Programs, s.Lab.StopSweep = "", nil
	s.Lab.Dir, s.Lab.DataDir, s.Lab.Stdin = "", "", nil
	return s
}

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

// mayLook reports whether the owner of a key may look, and notes the name of the key.
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

// door counts connections. A stranger is a client that has not shown a listed key. Strangers hold
// no place against others: where there are too many, the one that came first has to go, and a login
// is over long before that many others have come. Strangers of one address give way to each other
// before anybody else does. Clients that have shown a key are counted apart.
type door struct {
	room int // the most strangers of one address, and the most clients that have shown a key

	mu        sync.Mutex
	strangers []*link // in the order in which they came
	known     int
}

// mostAddresses is the number of addresses that it takes to fill the door with strangers.
const mostAddresses = 4

// enter takes in a stranger, and returns the stranger that has to go for it, or nil.
func (d *door) enter(l *link) (goes *link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.strangers = append(d.strangers, l)
	neighbour := func(s *link) bool { return s.from == l.from }
	beside := 0
	for _, s := range d.strangers {
		if neighbour(s) {
			beside++
		}
	}
	switch {
	case beside > d.room:
		return d.remove(slices.IndexFunc(d.strangers, neighbour))
	case len(d.strangers) > mostAddresses*d.room:
		return d.remove(0)
	}
	return nil
}

// remove removes a stranger from the list, and returns it.
func (d *door) remove(i int) *link {
	l := d.strangers[i]
	d.strangers = slices.Delete(d.strangers, i, i+1)
	return l
}

// pass lets in a stranger that has shown a key. It returns false if the stranger had to go
// meanwhile, or if there are too many clients that have shown a key.
func (d *door) pass(l *link) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.strangers, l)
	if i < 0 || d.known == d.room {
		return false
	}
	d.remove(i)
	l.known = true
	d.known++
	return true
}

// leave ends the connection of a stranger or of a client that has shown a key.
func (d *door) leave(l *link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.strangers, l); i >= 0 {
		d.remove(i)
	} else if l.known {
		l.known = false
		d.known--
	}
}

// addressOf returns the address that a connection comes from. For IPv6 it returns the network,
// because whoever has one address of a network has all of it.
func addressOf(c net.Conn) netip.Prefix {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Prefix{} // all unknown addresses count as one
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // the address has at least this many bits
	return p
}
