package screen

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui"
	"drolab/tui/cli/console"
	"drolab/tui/cli/machine"
	"drolab/tui/cli/trainer"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"github.com/spf13/cobra"
)

// Screen is the interface, as commands open it.
type Screen struct {
	*trainer.Trainer
	Ring lab.Ring
	// StopSweep stops the sweep in a folder.
	StopSweep func(dir string) error
}

// Commands returns the commands that open the interface.
func (s *Screen) Commands() []*cobra.Command {
	return []*cobra.Command{s.attachCommand(), s.replayCommand(), s.shareCommand()}
}

// Open runs drolab without a command: it opens the interface on a terminal, and prints the help
// elsewhere.
func (s *Screen) Open(c *cobra.Command, _ []string) error {
	if !s.OnTerminal() {
		return c.Help()
	}
	return s.interact(c.Context(), false)
}

// interact opens the interface; with attach it opens on the live runs.
func (s *Screen) interact(ctx context.Context, attach bool) error {
	store, err := record.Open(s.RunsDir)
	if err != nil {
		return err
	}
	runs, ctx, cancel := s.orderly(ctx)
	defer cancel()
	cfg := s.screen(store.Dir(), attach)
	cfg.Programs, cfg.Views = bridge.Approvals(s.Programs), s.Views
	if !s.HasEngine() {
		return s.interactInline(runs, ctx, store, cfg)
	}
	client := func() runner.Verbs { return s.Client(store.Dir()) }
	cfg.Verbs, cfg.RunsGoOn = lazyVerbs(sync.OnceValue(client)), true
	return s.open(ctx, cfg)
}

// look opens the interface on a folder that may belong to another user, without a way to change
// anything.
func (s *Screen) look(ctx context.Context) error {
	dir, err := filepath.Abs(s.RunsDir)
	if err != nil {
		return err
	}
	return s.readOnly(ctx, s.screen(dir, true))
}

// readOnly opens the interface without verbs.
func (s *Screen) readOnly(ctx context.Context, cfg lab.Config) error {
	_, ctx, cancel := s.orderly(ctx)
	defer cancel()
	cfg.Verbs, cfg.RunsGoOn, cfg.ReadOnly = engine.ReadOnly{}, true, true
	return s.open(ctx, cfg)
}

// orderly returns the context of runs in this process, and the context of the interface, which also
// ends when its terminal is closed.
func (s *Screen) orderly(ctx context.Context) (runs, screen context.Context, cancel func()) {
	screen, end := context.WithCancelCause(ctx)
	runs, stop := s.Orderly(ctx, func() { end(tui.ErrHangup) })
	context.AfterFunc(runs, func() { end(nil) })
	return runs, screen, stop
}

// screen returns the configuration of the interface, without verbs.
func (s *Screen) screen(runsDir string, attach bool) lab.Config {
	return lab.Config{Hooks: lab.Hooks{StopSweep: s.StopSweep}, Ring: s.Ring,
		RunsDir: runsDir, DataDir: s.DataDir,
		Remembering: lab.Remembering{Catalogues: s.Catalogues},
		ProgramsDir: s.Programs, CPU: machine.CPU(),
		Cores: s.Threads, Dir: ".", Attach: attach,
		Stdin: s.Stdin, Stdout: s.Env.Stdout, Environ: s.Environ}
}

// open shows the interface over runs of another process, until the user leaves it.
func (s *Screen) open(ctx context.Context, cfg lab.Config) error {
	machine.Calm()
	story := ""
	cfg.Told = func(sentence string) { story = sentence }
	s.Draws(true)
	err := tui.Run(ctx, cfg)
	s.Draws(false)
	if errors.Is(err, tui.ErrHangup) {
		return nil
	}
	s.comeBack(cfg.RunsDir)
	if story != "" { // as the last line, as after a run and in a report
		s.Say("%s", story)
	}
	return err
}

// comeBack prints which runs continue without the interface.
func (s *Screen) comeBack(dir string) {
	runs, _ := record.NewCatalogue(dir, s.Catalogues).List()
	runs = slices.DeleteFunc(runs, func(r *record.Run) bool { return r.Status().Ended() })
	if len(runs) == 0 {
		return
	}
	const most = 8
	goes := "continue"
	if len(runs) == 1 {
		goes = "continues"
	}
	fmt.Fprintf(s.Stderr, "%s %s in the background: drolab attach shows them again, drolab "+
		"stop RUN stops one\n", kit.Plural(len(runs), "run"), goes)
	for _, r := range runs[:min(len(runs), most)] {
		fmt.Fprintf(s.Stderr, "  %s  %s, step %d of %d\n",
			console.Clean(r.Meta.ID), r.Status(), r.Summary().Steps, r.Meta.Steps)
	}
	if len(runs) > most {
		fmt.Fprintf(s.Stderr, "  and %d more\n", len(runs)-most)
	}
	if advice := engine.LogoutAdvice(); advice != "" {
		fmt.Fprintln(s.Stderr, advice)
	}
}

// interactInline opens the interface with the runs in this process.
func (s *Screen) interactInline(
	runs, screen context.Context, store *record.Store, cfg lab.Config,
) error {
	trainings, stop := context.WithCancel(runs)
	defer stop()
	queue := sync.OnceValue(func() *queue.Queue {
		machine.Lean()
		return queue.NewQueue(trainings, s.Settings(store))
	})
	cfg.Verbs = lazyVerbs(func() runner.Verbs { return queue() })
	err := tui.Run(screen, cfg)
	if errors.Is(err, tui.ErrHangup) {
		trainer.SaveAll(queue())
		queue().Wait() // nobody asked the runs to stop, and nobody is there to be told
		return nil
	}
	stop()
	s.farewell(queue().Wait())
	return err
}

// farewell prints which runs of the interface failed or were stopped, and how to continue the
// stopped ones.
func (s *Screen) farewell(outcomes []queue.Outcome) {
	slices.SortFunc(outcomes, func(a, b queue.Outcome) int { return strings.Compare(a.ID, b.ID) })
	for _, o := range outcomes {
		switch {
		case o.Err != nil:
			cause, _, _ := strings.Cut(o.Err.Error(), "\n")
			fmt.Fprintf(s.Stderr, "run %s failed: %s\n", o.ID, console.OneLine(cause))
		case o.Status == runner.Stopped:
			fmt.Fprintf(s.Stderr, "run %s is stopped: continue with drolab resume %s\n", o.ID, o.ID)
		}
	}
}

func (s *Screen) attachCommand() *cobra.Command {
	var readOnly bool
	c := &cobra.Command{
		Use: "attach", Short: "Open the interface on the live runs",
		Long: `Open the interface on the live runs, or on the newest ones. Any number of interfaces may be
open at once, on this machine and on others. With --read-only nothing can be started, stopped
or changed.`,
		Args: console.None,
		RunE: func(c *cobra.Command, _ []string) error {
			if !s.OnTerminal() {
				return errors.New(
					"attach needs a terminal: see drolab runs and drolab show for the figures")
			}
			if readOnly {
				return s.look(c.Context())
			}
			return s.interact(c.Context(), true)
		},
	}
	c.Flags().BoolVar(&readOnly, "read-only", false, "look only")
	return c
}

// lazyVerbs makes its verbs when the first is called, so that the interface shows its first frame
// before that. The function must make them once and return the same ones each time.
type lazyVerbs func() runner.Verbs

func (v lazyVerbs) Start(r runner.Request) ([]string, error) { return v().Start(r) }
func (v lazyVerbs) Do(o runner.Order) (int64, error)         { return v().Do(o) }
