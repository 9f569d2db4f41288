package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui"

	"github.com/spf13/cobra"
)

// openInterface is what drolab does without a command: the interface where
// there is a terminal, else the help.
func (a *app) openInterface(c *cobra.Command, _ []string) error {
	_, _, in := terminalSize(a.Stdin)
	_, _, out := terminalSize(a.Stdout)
	if !in || !out {
		return c.Help()
	}
	store, err := record.Open(a.runs)
	if err != nil {
		return err
	}
	ctx, cancel := a.Orderly(c.Context())
	defer cancel()
	trainings, stop := context.WithCancel(ctx)
	defer stop()
	settings := a.settings(store)
	q := runner.NewQueue(trainings, settings)
	err = tui.Run(ctx, tui.Config{Verbs: q, RunsDir: store.Dir(), DataDir: a.data, Host: settings.Host,
		Stdin: a.Stdin, Stdout: a.Stdout, Environ: a.Environ})
	if errors.Is(err, tui.ErrHangup) {
		q.Wait() // nobody asked the runs to stop, and nobody is there to be told
		return nil
	}
	stop()
	a.farewell(q.Wait())
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
