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
	"slices"
	"strings"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/share"

	"github.com/spf13/cobra"
)

// Open runs drolab without a command: it opens the interface on a terminal, and prints the help
// elsewhere.
func (tr *Trainer) Open(c *cobra.Command, _ []string) error {
	if !tr.OnTerminal() {
		return c.Help()
	}
	return tr.interact(c.Context(), func(*lab.Config) {})
}

// interact opens the interface; opening says how it begins.
func (tr *Trainer) interact(ctx context.Context, opening func(*lab.Config)) error {
	store, err := record.Open(tr.RunsDir)
	if err != nil {
		return err
	}
	runs, ctx, cancel := tr.orderly(ctx)
	defer cancel()
	cfg := tr.screen(store.Dir(), false)
	cfg.Views = tr.Views
	opening(&cfg)
	if !tr.hasEngine() {
		return tr.interactInline(runs, ctx, store, cfg)
	}
	client := func() runner.Verbs { return tr.client(store.Dir()) }
	cfg.Verbs, cfg.RunsGoOn = lazyVerbs(sync.OnceValue(client)), true
	return tr.open(ctx, cfg)
}

// readOnly opens the interface without verbs.
func (tr *Trainer) readOnly(ctx context.Context, cfg lab.Config) error {
	_, ctx, cancel := tr.orderly(ctx)
	defer cancel()
	cfg.Verbs, cfg.RunsGoOn, cfg.ReadOnly = engine.ReadOnly{}, true, true
	return tr.open(ctx, cfg)
}

// orderly returns the context of runs in this process, and the context of the interface, which also
// ends when its terminal is closed.
func (tr *Trainer) orderly(ctx context.Context) (runs, screen context.Context, cancel func()) {
	screen, end := context.WithCancelCause(ctx)
	runs, stop := tr.Orderly(ctx, func() { end(tui.ErrHangup) })
	context.AfterFunc(runs, func() { end(nil) })
	return runs, screen, stop
}

// screen returns the configuration of the interface, without verbs.
func (tr *Trainer) screen(runsDir string, attach bool) lab.Config {
	return lab.Config{StopSweep: tr.stopSweep, Ring: tr.Ring, RunsDir: runsDir,
		DataDir: tr.DataDir, Remembering: lab.Remembering{Catalogues: tr.Catalogues},
		Programs: bridge.Approvals(tr.Programs), CPU: console.CPU(), Cores: tr.Threads, Dir: ".",
		Opening: lab.Opening{Attach: attach}, Stdin: tr.Stdin, Stdout: tr.Env.Stdout,
		Environ: tr.Environ}
}

// open shows the interface over runs of another process, until the user leaves it.
func (tr *Trainer) open(ctx context.Context, cfg lab.Config) error {
	console.YieldToRuns()
	story := ""
	cfg.Story = func(sentence string) { story = sentence }
	tr.SetDrawing(true)
	err := tui.Run(ctx, cfg)
	tr.SetDrawing(false)
	if errors.Is(err, tui.ErrHangup) {
		return nil
	}
	tr.comeBack(cfg.RunsDir)
	if story != "" { // as the last line, as after a run and in a report
		tr.PrintLine("%s", story)
	}
	return err
}

// comeBack prints which runs continue without the interface.
func (tr *Trainer) comeBack(dir string) {
	runs, _ := tr.CatalogueOf(dir).List()
	runs = slices.DeleteFunc(runs, func(r *record.Run) bool { return r.Status().Ended() })
	if len(runs) == 0 {
		return
	}
	goes := map[bool]string{true: "continues", false: "continue"}[len(runs) == 1]
	fmt.Fprintf(tr.Stderr, "%s %s in the background: drolab attach shows them again, drolab "+
		"stop RUN stops one\n", kit.Plural(len(runs), "run"), goes)
	lines := kit.Map(runs, func(r *record.Run) string {
		return fmt.Sprintf("%s  %s, step %d of %d", console.Clean(r.Meta.ID), r.Status(),
			r.Summary().Steps, r.Meta.Steps)
	})
	fmt.Fprintln(tr.Stderr, strings.Join(kit.Names(lines), "\n"))
	if advice := engine.LogoutAdvice(); advice != "" {
		fmt.Fprintln(tr.Stderr, advice)
	}
}

// interactInline opens the interface with the runs in this process.
func (tr *Trainer) interactInline(
	runs, screen context.Context, store *record.Store, cfg lab.Config,
) error {
	trainings, stop := context.WithCancel(runs)
	defer stop()
	queue := sync.OnceValue(func() *queue.Queue {
		console.CollectEarly()
		return queue.NewQueue(trainings, tr.settings(store))
	})
	cfg.Verbs = lazyVerbs(func() runner.Verbs { return queue() })
	err := tui.Run(screen, cfg)
	if errors.Is(err, tui.ErrHangup) {
		saveAll(queue())
		queue().Wait() // nobody asked the runs to stop, and nobody is there to be told
		return nil
	}
	stop()
	tr.farewell(queue().Wait())
	return err
}

// farewell prints which runs of the interface failed or were stopped, and how to continue the
// stopped ones.
func (tr *Trainer) farewell(outcomes []queue.Outcome) {
	slices.SortFunc(outcomes, func(a, b queue.Outcome) int { return strings.Compare(a.ID, b.ID) })
	for _, o := range outcomes {
		switch {
		case o.Err != nil:
			cause, _, _ := strings.Cut(o.Err.Error(), "\n")
			fmt.Fprintf(tr.Stderr, "run %s failed: %s\n", o.ID, console.OneLine(cause))
		case o.Status == runner.Stopped:
			fmt.Fprintf(tr.Stderr, "run %[1]s is stopped: continue with drolab resume %[1]s\n",
				o.ID)
		}
	}
}

func (tr *Trainer) attachCommand() *cobra.Command {
	var readOnly bool
	c := &cobra.Command{
		Use: "attach", Short: "Open the interface on the live runs",
		Long: `Open the interface on the live runs, or on the newest ones. Any number of interfaces may be
open at once, on this machine and on others. With --read-only nothing can be started, stopped
or changed.`,
		Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if !tr.OnTerminal() {
				return errors.New(
					"attach needs a terminal: see drolab runs and drolab show for the figures")
			}
			if readOnly {
				dir, err := filepath.Abs(tr.RunsDir) // it may belong to another user
				if err != nil {
					return err
				}
				return tr.readOnly(c.Context(), tr.screen(dir, true))
			}
			return tr.interact(c.Context(), func(cfg *lab.Config) { cfg.Attach = true })
		},
	}
	c.Flags().BoolVar(&readOnly, "read-only", false, "look only")
	return c
}

// lazyVerbs makes its verbs when the first is called, so that the interface shows its first frame
// before that. The function must make them once and return the same ones each time.
type lazyVerbs func() runner.Verbs

func (v lazyVerbs) Start(r runner.Request) ([]string, error) { return v().Start(r) }
func (v lazyVerbs) Reading() *runner.Reading {
	if by, ok := v().(lab.Reader); ok {
		return by.Reading()
	}
	return nil
}
func (v lazyVerbs) CarryOut(o runner.Order) (int64, error) { return v().CarryOut(o) }

func (tr *Trainer) replayCommand() *cobra.Command {
	var r lab.Replay
	var from, by string
	c := &cobra.Command{
		Use: "replay RUN...", Short: "Replay recorded runs as if they were training now",
		Long: `Replay recorded runs as if they were training now, 1 to 1000 times as fast. The interface shows
the log as it was at each moment, and changes nothing. Space plays and pauses, { and } change
the speed, comma and full stop scrub. u, y and J go to the next evaluation, checkpoint and
warning; U, Y and K go to the previous one. RUN is as in drolab compare.

recorded:paper are the paper's runs, which come with the program and need no dataset. Alone it
stands for those of the preset paper, since runs at one radius can be compared on one page;
recorded:paper/paper-gentle has the smaller radius.

Runs are aligned by step. With --by time they are aligned by training time since their own
start, without pauses. If a run's log has more than about a thousand lines, several lines are
shown as one, with their least and greatest values.`,
		Example: `drolab replay recorded:paper
drolab replay latest --speed 60 --from 40%`,
		Args:              console.OneOrMore("some runs", "drolab replay recorded:paper"),
		ValidArgsFunction: tr.CompleteRead,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if s := r.Speed; c.Flags().Changed("speed") &&
				!(s >= lab.LeastSpeed && s <= lab.MostSpeed) {
				return fmt.Errorf("--speed %g: want %d to %d", s, lab.LeastSpeed, lab.MostSpeed)
			}
			if r.From, err = lab.ParsePlace(from); err != nil {
				return fmt.Errorf("--from %w", err)
			}
			r.Steps = by == "step"
			find := func() ([]*record.Run, error) {
				runs, err := tr.FindSeveral(args)
				return console.OfOneProblem(args, runs), err
			}
			if tr.OnTerminal() {
				return tr.replay(c.Context(), find, r)
			}
			if _, err := find(); err != nil {
				return err
			}
			return errors.New("replay needs a terminal: see drolab compare for the figures")
		},
	}
	c.Flags().Float64Var(&r.Speed, "speed", 0,
		"speed, in multiples of the original (default: all in about a minute)")
	c.Flags().StringVar(&from, "from", "0%",
		"where to begin: a share, a time or a step, as in 40%, 3m20s, 1200")
	c.Flags().StringVar(&by, "by", "step", "align the runs by step or by time")
	console.Choices(c, "by", "step", "time")
	return c
}

func (tr *Trainer) demoCommand() *cobra.Command {
	var live, loop bool
	c := &cobra.Command{
		Use: "demo", Short: "Show in a minute what robust training does",
		Long: `Play a film of 60 seconds: recorded runs of the preset shapes, with captions that are computed
from their figures. It needs no data and no network, and starts nothing. Space pauses, the arrow
keys go by chapter, and Enter leaves the film for Watch at the same moment. At its end, F trains
a branch of a recorded run with ρ = 1, and Enter starts the preset.

With --live, the runs of convex are trained now, and then those of shapes.`,
		Example: "drolab demo\ndrolab demo --loop",
		Args:    console.None,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case !tr.OnTerminal():
				return errors.New("demo needs a terminal: see drolab compare recorded:shapes")
			case live && loop:
				return errors.New("--live and --loop exclude each other: the film loops")
			}
			return tr.interact(c.Context(), func(cfg *lab.Config) {
				cfg.Film, cfg.Live, cfg.Loop = !live, live, loop
			})
		},
	}
	c.Flags().BoolVar(&live, "live", false, "train instead of playing the film")
	c.Flags().BoolVar(&loop, "loop", false, "play the film again and again")
	return c
}

// replay opens the interface on runs that may lie outside the runs folder.
func (tr *Trainer) replay(
	ctx context.Context, runs func() ([]*record.Run, error), r lab.Replay,
) error {
	cfg := tr.screen(tr.RunsDir, false)
	cfg.Replay, cfg.Kept = &r, lab.NewKept(runs)
	return tr.readOnly(ctx, cfg)
}

// sharing holds the flags of `share`.
type sharing struct {
	listen, hostKeyFile string
	share.Settings
}

func (tr *Trainer) shareCommand() *cobra.Command {
	var f sharing
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

func (tr *Trainer) share(ctx context.Context, f sharing) error {
	switch {
	case f.Viewers < 1 || f.Viewers > mostViewers:
		return fmt.Errorf("--viewers %d: want 1 to %d", f.Viewers, mostViewers)
	case f.Idle < 0:
		return fmt.Errorf("--idle %s: want a time, or 0 for none", f.Idle)
	}
	if _, err := net.ResolveTCPAddr("tcp", f.listen); err != nil {
		return fmt.Errorf("--listen %s: want an address and a port, as in :2222", f.listen)
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
	ctx, cancel := tr.Orderly(ctx, closed) // without its terminal nobody could stop the command
	defer cancel()
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	runtime.GOMAXPROCS(1) // one core for all viewers together; the others are the runs'
	cfg := tr.screen(dir, true)
	cfg.Verbs, cfg.Ring = engine.ReadOnly{}, lab.Ring{}
	fmt.Fprintf(tr.Stdout, "%s may view %s, with %s\nhost key %s\n", kit.Plural(len(keys), "key"),
		console.Clean(dir), connect(l.Addr()), fingerprint)
	f.Lab, f.Log = cfg, tr.Stderr
	if err = share.Serve(ctx, l, f.Settings); err == nil {
		fmt.Fprintln(tr.Stdout, "No viewers left. The runs continue.")
	}
	return err
}

// connect returns the command that connects a viewer to an address.
func connect(at net.Addr) string {
	host, port, _ := net.SplitHostPort(at.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "this machine"
	}
	return fmt.Sprintf("ssh -p %s %s", port, cmp.Or(host, "localhost"))
}
