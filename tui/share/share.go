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
)

// Settings say what is shown to whom.
type Settings struct {
	// Lab is the world of the interface: RunsDir, CPU, Cores and Verbs, which refuse
	// everything. The rest is each viewer's own, or nothing.
	Lab lab.Config
	// HostKey is the server's key in PEM, see HostKey.
	HostKey []byte
	// AuthorizedKeys is the file of the keys that may look, see Keys. It is read anew for
	// every connection: a key that is taken out is out, but for who looks already.
	AuthorizedKeys string
	// Viewers is how many may look at once, at least 1.
	Viewers int
	// Idle is how long a viewer may press no key; 0 is for ever.
	Idle time.Duration
	// Log gets a line for each who comes and goes. What clients say is in it as it came:
	// it has to be cleaned before it is shown.
	Log io.Writer

	// after is time.AfterFunc; its stop says nothing. Tests have their own.
	after func(d time.Duration, do func()) (stop func())
}

// How long a client may take.
const (
	handshake = 30 * time.Second // from its connection to its screen
	patience  = 10 * time.Second // to take a piece of what is drawn, of pieceSize bytes
	farewell  = 5 * time.Second  // to close the connection, its screen being gone
)

// spare is how many connections there may be beyond the places: of those who log in, and
// of those who are told that there is no place. See door.
const spare = 16

// server is what viewers share.
type server struct {
	Settings
	ctx    context.Context
	log    *log.Logger   // serialises lines
	places chan struct{} // one element a viewer
	door   *door
}

// Serve shows the runs to whoever connects to l and has a key, until ctx is cancelled;
// then viewers are told so, l is closed and nil returned. An error is the listener's.
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
	srv.RequestHandlers = map[string]ssh.RequestHandler{} // not the library's
	srv.SubsystemHandlers = map[string]ssh.SubsystemHandler{}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	err = srv.Serve(l)
	if ctx.Err() == nil {
		return errors.Join(fmt.Errorf("waiting for viewers: %w", err), srv.Close())
	}
	last, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	srv.Shutdown(last) // viewers go by themselves; who does not is cut off
	srv.Close()
	return nil
}

func newServer(ctx context.Context, settings Settings) *server {
	s := &server{Settings: settings, ctx: ctx, log: log.New(settings.Log, "", 0),
		places: make(chan struct{}, settings.Viewers), door: newDoor(settings.Viewers)}
	if s.after == nil {
		s.after = func(d time.Duration, do func()) func() {
			t := time.AfterFunc(d, do)
			return func() { t.Stop() }
		}
	}
	s.Lab.ReadOnly, s.Lab.Guest, s.Lab.RunsGoOn, s.Lab.Attach = true, true, true, true
	s.Lab.Programs, s.Lab.ProgramsDir, s.Lab.StopSweep = nil, "", nil
	s.Lab.Dir, s.Lab.DataDir, s.Lab.Stdin = "", "", nil
	return s
}
