package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drolab/runner"
	"drolab/runner/engine"
	"drolab/runner/record"
	"drolab/tui"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"github.com/spf13/cobra"
)

// openInterface is what drolab does without a command: the interface where
// there is a terminal, else the help.
func (a *app) openInterface(c *cobra.Command, _ []string) error {
	if !a.onTerminal() {
		return c.Help()
	}
	return a.interact(c.Context(), false)
}

func (a *app) onTerminal() bool {
	_, _, in := terminalSize(a.Stdin)
	_, _, out := terminalSize(a.Env.Stdout)
	return in && out
}

// interact opens the interface, on what is running if it is to attach to that.
func (a *app) interact(ctx context.Context, attach bool) error {
	store, err := record.Open(a.runs)
	if err != nil {
		return err
	}
	ctx, cancel := a.Orderly(ctx, outlive)
	defer cancel()
	cfg := a.screen(store.Dir(), attach)
	if !a.hasEngine() {
		return a.interactInline(ctx, store, cfg)
	}
	client := func() runner.Verbs { return a.client(store.Dir()) }
	cfg.Verbs, cfg.RunsGoOn = later(sync.OnceValue(client)), true
	return a.open(ctx, cfg)
}

// look opens the interface without a way to change anything, on a folder that
// need not be ours.
func (a *app) look(ctx context.Context) error {
	dir, err := filepath.Abs(a.runs)
	if err != nil {
		return err
	}
	ctx, cancel := a.Orderly(ctx, outlive)
	defer cancel()
	cfg := a.screen(dir, true)
	cfg.Verbs, cfg.RunsGoOn, cfg.ReadOnly = engine.ReadOnly{}, true, true
	return a.open(ctx, cfg)
}

// screen is the interface's world, without verbs.
func (a *app) screen(runsDir string, attach bool) lab.Config {
	return lab.Config{StopSweep: a.stopSweep, Ring: a.rings,
		RunsDir: runsDir, DataDir: a.data, CPU: cpu(), Cores: a.threads, Dir: ".", Attach: attach,
		Stdin: a.Stdin, Stdout: a.Env.Stdout, Environ: a.Environ}
}

// open is the interface over runs of another process, until it is left.
func (a *app) open(ctx context.Context, cfg lab.Config) error {
	calm()
	a.draws(true)
	err := tui.Run(ctx, cfg)
	a.draws(false)
	if errors.Is(err, tui.ErrHangup) {
		return nil
	}
	a.comeBack(cfg.RunsDir)
	return err
}

func (a *app) draws(now bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drawing = now
}

// comeBack says what goes on without the interface.
func (a *app) comeBack(dir string) {
	runs, _ := record.List(dir)
	runs = slices.DeleteFunc(runs, func(r *record.Run) bool { return r.Status().Ended() })
	if len(runs) == 0 {
		return
	}
	const most = 8
	goes := "go"
	if len(runs) == 1 {
		goes = "goes"
	}
	fmt.Fprintf(a.Stderr, "%s %s on in the background: come back with drolab attach, "+
		"end one with drolab stop RUN\n", kit.Plural(len(runs), "run"), goes)
	for _, r := range runs[:min(len(runs), most)] {
		fmt.Fprintf(a.Stderr, "  %s  %s, step %d of %d\n",
			clean(r.Meta.ID), r.Status(), r.Summary().Steps, r.Meta.Steps)
	}
	if len(runs) > most {
		fmt.Fprintf(a.Stderr, "  and %d more\n", len(runs)-most)
	}
	if advice := engine.LogoutAdvice(); advice != "" {
		fmt.Fprintln(a.Stderr, advice)
	}
}

// interactInline keeps the runs in this process.
func (a *app) interactInline(ctx context.Context, store *record.Store, cfg lab.Config) error {
	trainings, stop := context.WithCancel(ctx)
	defer stop()
	queue := sync.OnceValue(func() *runner.Queue {
		lean()
		return runner.NewQueue(trainings, a.settings(store))
	})
	cfg.Verbs = later(func() runner.Verbs { return queue() })
	err := tui.Run(ctx, cfg)
	if errors.Is(err, tui.ErrHangup) {
		saveAll(queue())
		queue().Wait() // nobody asked the runs to stop, and nobody is there to be told
		return nil
	}
	stop()
	a.farewell(queue().Wait())
	return err
}

// farewell says how the runs of the interface stand that did not end well, and
// how to go on with them.
func (a *app) farewell(outcomes []runner.Outcome) {
	slices.SortFunc(outcomes, func(a, b runner.Outcome) int { return strings.Compare(a.ID, b.ID) })
	for _, o := range outcomes {
		switch {
		case o.Err != nil:
			cause, _, _ := strings.Cut(o.Err.Error(), "\n")
			fmt.Fprintf(a.Stderr, "run %s failed: %s\n", o.ID, oneLine(cause))
		case o.Status == runner.Stopped:
			fmt.Fprintf(a.Stderr, "run %s is stopped: go on with drolab resume %s\n", o.ID, o.ID)
		}
	}
}
