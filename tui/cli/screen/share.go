package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"runtime"
	"time"

	"drolab/runner/engine"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/share"

	"github.com/spf13/cobra"
)

// sharing are the flags of drolab share.
type sharing struct {
	listen, keys, hostKey string
	viewers               int
	idle                  time.Duration
}

func (s *Screen) shareCommand() *cobra.Command {
	var f sharing
	c := &cobra.Command{
		Use: "share", Short: "Show the interface to others over SSH, read-only",
		Long: `Show the runs to whoever connects with ssh and has a key that is listed, until Ctrl-C or until this
terminal is closed. Each viewer has
the interface to itself, in its own size and colours, and can change nothing: no run is started, stopped, labelled
or deleted, and no file is read but those of runs, and none written. There is no shell, command, file transfer or
forwarding, and no password. A viewer that no longer takes what is drawn is cut off; none slows a run or another.

Who may look is a file of its own, in the format of OpenSSH's authorized_keys, and never ~/.ssh/authorized_keys
unless it is named: whoever is in that has a shell. It is read anew at each login. The machine's key is made once,
beside it, and the first line printed has its fingerprint.

Without --listen only this machine can connect, as from elsewhere through ssh -J; --listen :2222 lets all who reach
it try their keys.`,
		Example: `cat alice.pub >> ~/.local/state/drolab/share/authorized_keys && drolab share
ssh -p 2222 localhost`,
		Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error { return s.share(c.Context(), f) },
	}
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:2222", "address and port to listen on")
	c.Flags().StringVar(&f.keys, "authorized-keys", filepath.Join(s.Keys, "authorized_keys"),
		"file of the public keys that may look")
	c.Flags().StringVar(&f.hostKey, "host-key", filepath.Join(s.Keys, "host_ed25519"),
		"file of this machine's key; made where it is missing")
	c.Flags().IntVar(&f.viewers, "viewers", 20, "how many may look at once")
	c.Flags().DurationVar(&f.idle, "idle", 8*time.Hour,
		"how long a viewer may press no key before it has to leave; 0 is for ever")
	return c
}

// mostViewers bounds what one process draws for.
const mostViewers = 1000

func (s *Screen) share(ctx context.Context, f sharing) error {
	switch {
	case f.viewers < 1 || f.viewers > mostViewers:
		return fmt.Errorf("--viewers %d: want 1 to %d", f.viewers, mostViewers)
	case f.idle < 0:
		return fmt.Errorf("--idle %s: want a time, or 0 for none", f.idle)
	}
	keys, err := share.Keys(f.keys)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no viewers allowed: %s is missing; put the .pub file of each who may "+
			"into it, or name another file with --authorized-keys", f.keys)
	}
	if err != nil {
		return err
	}
	hostKey, fingerprint, err := share.HostKey(f.hostKey)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(s.RunsDir)
	if err != nil {
		return err
	}
	ctx, closed := context.WithCancel(ctx)
	defer closed()
	ctx, cancel := s.Orderly(ctx, closed) // without its terminal nobody could end it
	defer cancel()
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	runtime.GOMAXPROCS(1) // one core for all viewers together; the others are the runs'
	cfg := s.screen(dir, true)
	cfg.Verbs, cfg.Ring = engine.ReadOnly{}, lab.Ring{}
	fmt.Fprintf(s.Stdout, "%s may look at %s, with %s\nhost key %s\n", kit.Plural(len(keys), "key"),
		console.Clean(dir), connect(l.Addr()), fingerprint)
	err = share.Serve(ctx, l, share.Settings{Lab: cfg, HostKey: hostKey, AuthorizedKeys: f.keys,
		Viewers: f.viewers, Idle: f.idle, Log: s.Stderr})
	if err == nil {
		fmt.Fprintln(s.Stdout, "No viewers left. The runs continue.")
	}
	return err
}

// connect is the command that connects to an address.
func connect(at net.Addr) string {
	host, port, _ := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "this machine"
	}
	return fmt.Sprintf("ssh -p %s %s", port, cmp.Or(host, "localhost"))
}
