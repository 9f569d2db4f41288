package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/lists"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/lab"

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
	runs, ctx, cancel := tr.signalContexts(ctx)
	defer cancel()
	cfg := tr.screen(ctx, store.Dir(), false)
	cfg.Views, cfg.Note = tr.Views, tr.notKept()
	cfg.Interrupted = func(runs []*record.Run) error {
		return tr.tellInterrupted(store.Dir(), runs...)
	}
	if cfg.Boxes, err = tr.LinkBoxes(ctx); err != nil {
		return err
	}
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
	_, ctx, cancel := tr.signalContexts(ctx)
	defer cancel()
	cfg.Verbs, cfg.RunsGoOn, cfg.ReadOnly = engine.ReadOnly{}, true, true
	return tr.open(ctx, cfg)
}

// signalContexts returns the context of runs in this process, and the context of the interface,
// which also ends when its terminal is closed.
func (tr *Trainer) signalContexts(
	ctx context.Context,
) (runs, screen context.Context, cancel func()) {
	screen, end := context.WithCancelCause(ctx)
	runs, stop := tr.SignalContext(ctx, func() { end(tui.ErrHangup) })
	context.AfterFunc(runs, func() { end(nil) })
	return runs, screen, stop
}

// screen returns the configuration of the interface, without verbs.
func (tr *Trainer) screen(ctx context.Context, runsDir string, attach bool) lab.Config {
	stop := func(dir string) error { return tr.stopSweep(ctx, dir) }
	var debug func(format string, args ...any)
	if tr.Debug != nil {
		debug = tr.Debug.Printf
	}
	return lab.Config{
		Outside: lab.Outside{Place: tr.PlaceOf(runsDir), StopSweep: stop},
		Reports: lab.Reports{Debug: debug}, Ring: tr.Ring, RunsDir: runsDir, DataDir: tr.DataDir,
		Remembering: lab.Remembering{Catalogues: tr.Catalogues},
		Programs:    bridge.Approvals(tr.Programs),
		Processor:   lab.Processor{CPU: console.CPU(), Cores: tr.Threads},
		Dir:         ".",
		Opening:     lab.Opening{Attach: attach}, Stdin: tr.Stdin, Stdout: tr.Env.Stdout,
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
	tr.printContinuing(cfg.RunsDir)
	if story != "" { // as the last line, as after a run and in a report
		tr.PrintLine("%s", story)
	}
	return err
}

// printContinuing prints which runs continue without the interface.
func (tr *Trainer) printContinuing(dir string) {
	runs, _ := tr.CatalogueOf(dir).List()
	runs = slices.DeleteFunc(runs, func(r *record.Run) bool { return r.Status().Ended() })
	if len(runs) == 0 {
		return
	}
	goes := "continue"
	if len(runs) == 1 {
		goes = "continues"
	}
	at := tr.PlaceOf(dir)
	fmt.Fprintf(tr.Stderr, "%s %s in the background: %s shows them again, %s stops one\n",
		kit.Plural(len(runs), "run"), goes, at.Command("drolab attach"),
		at.Command("drolab stop RUN"))
	lines := lists.Map(runs, func(r *record.Run) string {
		return fmt.Sprintf("%s  %s, step %d of %d", cell.Clean(r.Meta.ID), r.Status(),
			r.Summary().Steps, r.Meta.Steps)
	})
	fmt.Fprintln(tr.Stderr, strings.Join(kit.RunNames(lines), "\n"))
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
	tr.printOutcomes(queue().Wait())
	return err
}

// printOutcomes prints which runs of the interface failed or were stopped, and how to continue the
// stopped ones.
func (tr *Trainer) printOutcomes(outcomes []queue.Outcome) {
	slices.SortFunc(outcomes, func(a, b queue.Outcome) int { return strings.Compare(a.ID, b.ID) })
	for _, o := range outcomes {
		switch {
		case o.Err != nil:
			cause, _, _ := strings.Cut(o.Err.Error(), "\n")
			fmt.Fprintf(tr.Stderr, "run %s failed: %s\n", o.ID, cell.OneLine(cause))
		case o.Status == runner.Stopped:
			fmt.Fprintf(tr.Stderr, "run %s is stopped: continue with %s\n", o.ID,
				tr.Command("drolab resume "+o.ID))
		}
	}
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
