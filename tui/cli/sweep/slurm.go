package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/spec"
	"drolab/runner/sweep"
	"drolab/runner/train"
	"drolab/tui/cli/machine"
	"drolab/tui/cli/trainer"
	"drolab/tui/kit"
)

// onSlurm submits the missing runs, or prints how it would. If two starts do so at once, the second
// sees what the first has submitted.
func (sw *Sweeps) onSlurm(ctx context.Context, folder *sweep.Folder, f *sweepFlags) error {
	ask, err := sw.sweepAsk(ctx, folder, f)
	if err != nil {
		return err
	}
	if f.dry {
		calls, _, err := sw.submit(ctx, folder, ask, nil)
		for _, args := range calls {
			for i := range args {
				args[i] = sweep.Quote(args[i])
			}
			fmt.Fprintln(sw.Stdout, "sbatch", strings.Join(args, " "))
		}
		return err
	}
	err = folder.Alone(func() error {
		var slurm sweep.Slurm
		if err := folder.Adopt(ctx, slurm); err != nil {
			return err
		}
		calls, tasks, err := sw.submit(ctx, folder, ask, slurm.Submit)
		if len(calls) > 0 {
			sw.Say("%s in %s", kit.Plural(tasks, "task"), kit.Plural(len(calls), "job array"))
		}
		return err
	})
	if err == nil {
		fmt.Fprintln(sw.Stdout, folder.Dir)
	}
	return err
}

// submit submits the runs that are neither done nor in Slurm's queue.
func (sw *Sweeps) submit(
	ctx context.Context, folder *sweep.Folder, ask *sweep.Ask, submit sweep.Submit,
) (calls [][]string, tasks int, err error) {
	jobs, err := folder.Jobs(ctx, sweep.Slurm{}, false)
	if err != nil {
		return nil, 0, err
	}
	rungs := len(folder.List.Halving.Epochs) > 0
	if jobs.Busy() && rungs {
		sw.Say("%s is already in Slurm's queue, and its rungs follow by themselves", folder.Dir)
		return nil, 0, nil
	}
	states, err := sweep.NewLook(folder).States()
	if err != nil {
		return nil, 0, err
	}
	var todo []int
	for i := range states {
		s := states[i].Status
		if s != runner.Done && s != sweep.Dropped && s != sweep.Waiting && !jobs.Live(i) {
			todo = append(todo, i)
		}
	}
	switch {
	case len(todo) > 0 || rungs:
	case jobs.Busy():
		sw.Say("all missing runs are already in Slurm's queue")
		return nil, 0, nil
	default:
		sw.Say("No run is missing")
		return nil, 0, nil
	}
	stages, err := folder.Batches(todo, ask)
	if err != nil {
		return nil, 0, err
	}
	calls, err = folder.Submit(ctx, stages, ask, submit)
	return calls, len(todo), err
}

func (sw *Sweeps) sweepAsk(
	ctx context.Context, folder *sweep.Folder, f *sweepFlags,
) (*sweep.Ask, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ask := &sweep.Ask{Partition: f.partition, Constraint: f.constraint, Parallel: f.parallel,
		Threads: f.cpus, DataDir: trainer.Absolute(folder.List.Dir, sw.DataDir), Program: program}
	if ask.Approved, err = folder.List.Approved(bridge.Approvals(sw.Programs)); err != nil {
		return nil, err
	}
	if f.time != "" {
		if ask.Time, err = sweep.ParseTime(f.time); err != nil {
			return nil, fmt.Errorf("--time %w", err)
		}
	}
	w := machine.NewStopwatch(ctx, f.cpus)
	ask.Estimate = func(s *spec.Spec) (n sweep.Need, err error) {
		if s.IsProgram() {
			if ask.Time == 0 {
				err = errors.New("--time: give the time limit of a task, because that of a " +
					"program cannot be estimated")
			}
			return n, err
		}
		name := data.Locate(s.Dataset, folder.List.Dir)
		sizes, err := data.SizesOf(name, s.DataOptions(ask.DataDir))
		if err != nil {
			return n, err
		}
		if n.Bytes, err = train.Memory(s, sizes); err != nil || ask.Time > 0 {
			return n, err
		}
		all := *s // all methods share one measurement
		all.Algorithms = folder.List.Base.Algorithms
		n.Seconds, err = w.Seconds(&all, sizes, []spec.Spec{*s})
		return n, err
	}
	return ask, nil
}
