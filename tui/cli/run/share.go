package run

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
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/share"

	"github.com/spf13/cobra"
)

// shareFlags holds the flags of `share`.
type shareFlags struct {
	listen, hostKeyFile string
	share.Settings
}

func (tr *Trainer) shareCommand() *cobra.Command {
	var f shareFlags
	c := &cobra.Command{
		Use: "share", Short: "Share a read-only view of the interface over SSH",
		Long: `Show the runs over SSH to everyone whose key is listed, until Ctrl-C or until this terminal
closes. Each viewer has an interface of their own, in their own size and colours. Viewers can
change nothing: they cannot start, stop, label or delete runs, they read no files but those of
runs, and they write none. There is no shell, command, file transfer, forwarding or password. A
viewer that stops reading the output is disconnected. No viewer slows a run or another viewer.

The list of viewers is a file of its own, in the format of OpenSSH's authorized_keys. It is
~/.ssh/authorized_keys only if you name that file, because everyone in it has a shell. The list
is read again at each login. The host key is made once, beside the list, and the first line
printed has its fingerprint.

Without --listen only this machine can connect, which includes ssh -J from elsewhere. With
--listen :2222 everyone who reaches the port can try a key.`,
		Example: `cat alice.pub >> ~/.local/state/drolab/share/authorized_keys && drolab share
ssh -p 2222 localhost`,
		Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error { return tr.share(c.Context(), f) },
	}
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:2222", "address and port to listen on")
	c.Flags().StringVar(&f.AuthorizedKeys, "authorized-keys",
		filepath.Join(tr.Keys, "authorized_keys"), "file of the viewers' public keys")
	c.Flags().StringVar(&f.hostKeyFile, "host-key", filepath.Join(tr.Keys, "host_ed25519"),
		"file of the host key; it is made if missing")
	c.Flags().IntVar(&f.Viewers, "viewers", 20, "most viewers at once")
	c.Flags().DurationVar(&f.Idle, "idle", 8*time.Hour,
		"disconnect a viewer that presses no key for this long; 0 never does")
	return c
}

// mostViewers is the largest number of viewers that one process may draw for.
const mostViewers = 1000

func (tr *Trainer) share(ctx context.Context, f shareFlags) error {
	if f.Viewers < 1 || f.Viewers > mostViewers {
		return fmt.Errorf("--viewers %d: expected 1 to %d", f.Viewers, mostViewers)
	}
	if _, err := net.ResolveTCPAddr("tcp", f.listen); err != nil {
		return fmt.Errorf("--listen %s: expected an address and a port, as in :2222", f.listen)
	}
	keys, err := share.Keys(f.AuthorizedKeys)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no viewers allowed: %s is missing: put each viewer's public key "+
			"(.pub) into it, or name another file with --authorized-keys",
			f.AuthorizedKeys)
	}
	if err != nil {
		return err
	}
	var fingerprint string
	if f.HostKey, fingerprint, err = share.HostKey(f.hostKeyFile); err != nil {
		return err
	}
	dir, err := filepath.Abs(tr.RunsDir)
	if err != nil {
		return err
	}
	ctx, closed := context.WithCancel(ctx)
	defer closed()
	// Without its terminal nobody could stop the command.
	ctx, cancel := tr.SignalContext(ctx, closed)
	defer cancel()
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	runtime.GOMAXPROCS(1) // one core for all viewers together; the others are the runs'
	cfg := tr.screen(ctx, dir, true)
	cfg.Verbs, cfg.Ring = engine.ReadOnly{}, lab.Ring{}
	fmt.Fprintf(tr.Stdout, "%s may view %s, with %s\nhost key %s\n", kit.Plural(len(keys), "key"),
		cell.Clean(dir), connectCommand(l.Addr()), fingerprint)
	f.Lab, f.Log = cfg, tr.Stderr
	if err = share.Serve(ctx, l, f.Settings); err == nil {
		fmt.Fprintln(tr.Stdout, "No viewers left. The runs continue.")
	}
	return err
}

// connectCommand returns the command that connects a viewer to an address.
func connectCommand(at net.Addr) string {
	host, port, _ := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "this machine"
	}
	return fmt.Sprintf("ssh -p %s %s", port, cmp.Or(host, "localhost"))
}
