package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drolab/runner/bridge"
	"drolab/runner/numeral"
	"drolab/runner/sweep"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func (tr *Trainer) sweepTaskCommand() *cobra.Command {
	var rung int
	var programs []string
	c := &cobra.Command{
		Use:   "task DIR I",
		Short: "Train run I of a sweep and exit with its status, as a cluster job does",
		Long: `Train run I of a sweep, from its newest checkpoint if there is one, and exit with its status. A
finished run is left as it is. On USR1 (the time limit is near) the run is saved and, in a
Slurm job, its task requeued. On TERM the run is saved and the task ends. Slurm is not needed:
a loop in a shell works as well.`,
		Example: "for i in $(seq 0 23); do drolab sweep task mysweep $i; done",
		Args: console.Count(2, 2,
			"give a sweep's folder and a run's number: drolab sweep task DIR 0"),
		ValidArgsFunction: completeFolders,
		RunE: func(c *cobra.Command, args []string) error {
			place, ok := numeral.Int(args[1])
			if !ok {
				return fmt.Errorf("%s: expected a run's number, from 0%s", cell.OneLine(args[1]),
					numeral.Remedy(args[1]))
			}
			folder, err := sweep.Open(args[0])
			if err != nil {
				return err
			}
			if err := tr.admit(programs); err != nil {
				return err
			}
			ctx, cancel := tr.SignalContext(c.Context(), nil)
			defer cancel()
			console.CollectEarly()
			t := sweep.Task{Folder: folder, Place: place, Rung: rung, Host: console.Host(),
				DataDir: absolutePath(folder.List.Dir, tr.DataDir), Threads: tr.Threads,
				Programs: bridge.Approvals(tr.Programs)}
			if tr.LimitSignal != nil {
				warned, forget := tr.LimitSignal()
				defer forget()
				t.Limit = warned
			}
			array := tr.environmentVariable("SLURM_ARRAY_JOB_ID")
			task := tr.environmentVariable("SLURM_ARRAY_TASK_ID")
			if array != "" && task != "" {
				t.Requeue = func() error { // also if a TERM follows the USR1
					return sweep.Requeue(context.WithoutCancel(ctx), array, task)
				}
				t.Holder = folder.Holder(ctx, array, task,
					tr.environmentVariable("SLURM_RESTART_COUNT"))
			}
			err = t.Do(ctx)
			if errors.Is(err, context.Canceled) {
				return errors.New("stopped before the run had begun")
			}
			return err
		},
	}
	c.Flags().StringArrayVar(&programs, "program", nil,
		"a program that you have approved, as HASH PATH: sweep start gives it to its jobs")
	c.Flags().IntVar(&rung, "rung", 0, "train run I of those that this rung has kept")
	return c
}

// admit records the approvals of programs that a job passes on from its user.
func (tr *Trainer) admit(programs []string) error {
	for _, text := range programs {
		p, err := bridge.ParseApproval(text)
		if err == nil {
			err = bridge.Approvals(tr.Programs).Admit(p)
		}
		if err != nil {
			return fmt.Errorf("--program: %w", err)
		}
	}
	return nil
}

// environmentVariable returns the value of an environment variable, or "".
func (tr *Trainer) environmentVariable(name string) string {
	for _, v := range slices.Backward(tr.Environ) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
