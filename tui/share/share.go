package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
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
	handshakeTimeout = 30 * time.Second // from its connection to its screen
	writeTimeout     = 10 * time.Second // to take a piece of the output, of pieceSize bytes
	closeTimeout     = 5 * time.Second  // to close the connection after its screen has gone
)

// spareConnections is the number of connections beyond the places: clients that log in, and clients
// that are told that there is no place. See connectionLimiter.
const spareConnections = 16

// server is the state that viewers share.
type server struct {
	Settings
	ctx     context.Context
	log     *log.Logger   // serialises lines
	places  chan struct{} // one element for each viewer
	limiter *connectionLimiter
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
	srv.ServerConfigCallback = s.serverConfig
	srv.ChannelHandlers = map[string]ssh.ChannelHandler{"session": s.session}
	srv.RequestHandlers = map[string]ssh.RequestHandler{} // none of the library's
	srv.SubsystemHandlers = map[string]ssh.SubsystemHandler{}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	err = srv.Serve(l)
	if ctx.Err() == nil {
		return errors.Join(fmt.Errorf("waiting for viewers: %w", err), srv.Close())
	}
	last, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	srv.Shutdown(last) // viewers leave by themselves; the others are cut off
	srv.Close()
	return nil
}

func newServer(ctx context.Context, settings Settings) *server {
	s := &server{Settings: settings, ctx: ctx, log: log.New(settings.Log, "", 0),
		places:  make(chan struct{}, settings.Viewers),
		limiter: &connectionLimiter{limit: settings.Viewers + spareConnections}}
	if s.after == nil {
		s.after = func(d time.Duration, do func()) func() {
			t := time.AfterFunc(d, do)
			return func() { t.Stop() }
		}
	}
	s.Lab.ReadOnly = true
	s.Lab.Shared = true
	s.Lab.RunsGoOn = true
	s.Lab.Attach = true
	s.Lab.Programs = ""
	s.Lab.StopSweep = nil
	s.Lab.Dir = ""
	s.Lab.DataDir = ""
	s.Lab.Stdin = nil
	return s
}

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
