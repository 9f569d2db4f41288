package run

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/sweep"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"github.com/spf13/cobra"
)

func (tr *Trainer) sweepStatusCommand() *cobra.Command {
	var follow bool
	c := &cobra.Command{
		Use: "status DIR",
		Short: "Show a sweep's progress: counts by state, and failures with their " +
			"reasons",
		Example:           "drolab sweep status mysweep --follow",
		Args:              console.One("a sweep's folder", "drolab sweep status DIR"),
		ValidArgsFunction: completeFolders,
		RunE: func(c *cobra.Command, args []string) error {
			folder, err := sweep.Open(args[0])
			if err != nil {
				return err
			}
			ctx, cancel := tr.SignalContext(c.Context(), nil)
			defer cancel()
			return tr.sweepStatus(ctx, folder, follow)
		},
	}
	tr.JSONFlag(c, "every run's state")
	c.Flags().BoolVar(&follow, "follow", false, "follow the sweep until it has finished")
	return c
}

// Pauses between two looks at all runs. followPause is for a look at the folders. slurmPause is for
// looks that also ask Slurm, whose controller is shared by all users.
const (
	followPause = 2 * time.Second
	slurmPause  = 10 * time.Second
)

// progressOf returns the progress of a sweep; it takes the finished runs from the catalogue.
func (tr *Trainer) progressOf(folder *sweep.Folder) *sweep.Progress {
	progress := sweep.NewProgress(folder)
	runs, _ := record.NewCatalogue(folder.Dir, tr.Catalogues).List() // the progress reports errors
	progress.AddFinished(runs)
	return progress
}

func (tr *Trainer) sweepStatus(ctx context.Context, folder *sweep.Folder, follow bool) error {
	progress := tr.progressOf(folder)
	tick := time.NewTicker(followPause)
	defer tick.Stop()
	var pace sweep.Pace
	for shown := ""; ; {
		states, err := progress.States()
		if err != nil {
			return err
		}
		jobs, err := folder.Jobs(ctx, true)
		if err != nil {
			tr.Note(err.Error()) // the folders have most of the information
		}
		if jobs != nil {
			tick.Reset(slurmPause)
		}
		jobs.Mark(states)
		over := sweep.Complete(states) && !jobs.Busy()
		if follow && !over {
			if line := countLine(states); line != shown && !tr.AsJSON {
				shown = line
				fmt.Fprintln(tr.Stderr, line+timeLeft(progress, states, &pace))
			}
			select {
			case <-tick.C:
				continue
			case <-ctx.Done():
			}
		}
		tr.printDamage(folder.Dir)
		tr.printDataWarnings(folder)
		if tr.AsJSON {
			return tr.JSON(sweepJSON(folder, states))
		}
		return tr.printStates(folder, states)
	}
}

// printDamage prints what has changed in the sweep's own files since they were written.
func (tr *Trainer) printDamage(dir string) {
	list, err := sweep.Examine(dir, false)
	if err != nil {
		tr.Note(err.Error())
	}
	for _, f := range list {
		tr.Note(fmt.Sprintf("%s: %s; %s", filepath.Join(dir, f.File), f.What, f.Remedy))
	}
}

// printDataWarnings prints the warnings that the first run on each dataset gives at its start.
func (tr *Trainer) printDataWarnings(folder *sweep.Folder) {
	for i := range folder.List.Runs {
		if folder.List.Known(i) {
			continue
		}
		r, err := folder.Find(i)
		if err != nil {
			continue // the run has not begun
		}
		tail := r.Tail()
		tail.Only("warning")
		events, _ := tail.Read() // what can be read is enough
		for _, e := range events {
			if w, ok := e.(*runner.WarningEvent); ok && w.Step == 0 {
				fmt.Fprintf(tr.Stderr, "warning: %s\n", cell.OneLine(w.Message))
			}
		}
	}
}

// timeLeft returns the time that the rest of the sweep takes, in words, once it can be estimated.
func timeLeft(progress *sweep.Progress, states []sweep.State, pace *sweep.Pace) string {
	o, err := progress.Overview(states)
	if err != nil {
		return ""
	}
	pace.Add(time.Now(), o.Done)
	if left, ok := pace.Left(o.Planned); ok {
		return "; about " + kit.Duration(left) + " left"
	}
	return ""
}

// countLine returns the counts of runs by status, in one line.
func countLine(states []sweep.State) string {
	return kit.Plural(len(states), "run") + ": " + strings.Join(lab.Counts(sweep.Count(states),
		runner.Done, runner.Running, runner.Queued, sweep.Waiting, runner.Paused, runner.Stopped,
		runner.Interrupted, sweep.Dropped, sweep.Missing, runner.Failed), ", ")
}

// printStates prints the counts, and the runs that need a person. It returns an error if some runs
// have failed.
func (tr *Trainer) printStates(folder *sweep.Folder, states []sweep.State) error {
	fmt.Fprintln(tr.Stdout, countLine(states))
	for _, t := range folder.List.Troubles(states) {
		fmt.Fprintf(tr.Stdout, "%d  %s  %s: %s\n", t.Run, t.ID, t.Status, cell.OneLine(t.Cause))
	}
	if failed := sweep.Count(states)[runner.Failed]; failed > 0 {
		return fmt.Errorf("%d of %d runs failed: %s trains them again", failed, len(states),
			tr.CommandThere(sweep.HowToStart(folder.Dir)))
	}
	return nil
}

func sweepJSON(folder *sweep.Folder, states []sweep.State) any {
	type one struct {
		Index int `json:"index"`
		sweep.Run
		Status  runner.Status `json:"status"`
		Cause   string        `json:"cause,omitempty"`
		Steps   int64         `json:"steps"`
		Planned int64         `json:"planned"`
	}
	runs := []one{}
	for i, s := range states {
		done, all := s.Steps()
		runs = append(runs, one{i, folder.List.Runs[i], s.Status, s.Cause, done, all})
	}
	return map[string]any{"dir": folder.Dir, "name": folder.List.Name,
		"counts": sweep.Count(states), "runs": runs}
}
