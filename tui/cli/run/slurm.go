package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data/source"
	"drolab/runner/spec"
	"drolab/runner/sweep"
	"drolab/runner/train"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
)

// onSlurm submits the missing runs, or prints how it would. If two starts do so at once, the second
// sees what the first has submitted.
func (tr *Trainer) onSlurm(ctx context.Context, folder *sweep.Folder, f *sweepFlags) error {
	resources, err := tr.sweepResources(ctx, folder, f)
	if err != nil {
		return err
	}
	if f.dry {
		calls, _, err := tr.submit(ctx, folder, resources, nil)
		if err != nil {
			return err
		}
		for _, args := range calls {
			for i := range args {
				args[i] = sweep.Quote(args[i])
			}
			fmt.Fprintln(tr.Stdout, "sbatch", strings.Join(args, " "))
		}
		return nil
	}
	err = folder.WithLock(func() error {
		if err := folder.Adopt(ctx); err != nil {
			return err
		}
		calls, tasks, err := tr.submit(ctx, folder, resources, sweep.Sbatch)
		if err != nil {
			return err
		}
		if len(calls) > 0 {
			tr.PrintLine("%s in %s", kit.Plural(tasks, "task"), kit.Plural(len(calls), "job array"))
		}
		return nil
	})
	if err == nil {
		fmt.Fprintln(tr.Stdout, folder.Dir)
	}
	return err
}

// submit submits the runs that are neither done nor in Slurm's queue.
func (tr *Trainer) submit(
	ctx context.Context, folder *sweep.Folder, resources *sweep.Resources, submit sweep.Submit,
) (calls [][]string, tasks int, err error) {
	jobs, err := folder.Jobs(ctx, false)
	if err != nil {
		return nil, 0, err
	}
	rungs := len(folder.List.Halving.Epochs) > 0
	if jobs.Busy() && rungs {
		tr.PrintLine("%s is already in Slurm's queue, and its rungs follow by themselves",
			folder.Dir)
		return nil, 0, nil
	}
	states, err := sweep.NewProgress(folder).States()
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
		tr.PrintLine("all missing runs are already in Slurm's queue")
		return nil, 0, nil
	default:
		tr.PrintLine("No run is missing")
		return nil, 0, nil
	}
	stages, err := folder.Batches(todo, resources)
	if err != nil {
		return nil, 0, err
	}
	if calls, err = folder.Submit(ctx, stages, resources, submit); err != nil {
		return nil, 0, err
	}
	return calls, len(todo), nil
}

func (tr *Trainer) sweepResources(
	ctx context.Context, folder *sweep.Folder, f *sweepFlags,
) (*sweep.Resources, error) {
	resources := &f.Resources
	var err error
	if resources.Program, err = os.Executable(); err != nil {
		return nil, err
	}
	resources.DataDir = absolutePath(folder.List.Dir, tr.DataDir)
	if resources.Approved, err = folder.List.Approved(bridge.Approvals(tr.Programs)); err != nil {
		return nil, err
	}
	if f.time != "" {
		if resources.Time, err = sweep.ParseTime(f.time); err != nil {
			return nil, fmt.Errorf("--time %w", err)
		}
	}
	w := console.NewStopwatch(ctx, resources.Threads)
	resources.Estimate = func(s *spec.Spec) (n sweep.Need, err error) {
		if s.IsProgram() {
			if resources.Time == 0 {
				err = errors.New("--time: give the time limit of a task, because that of a " +
					"program cannot be estimated")
			}
			return n, err
		}
		name := source.Locate(s.Dataset, folder.List.Dir)
		sizes, err := source.SizesOf(ctx, name, s.DataOptions(resources.DataDir))
		if err != nil {
			return n, err
		}
		if n.Bytes, err = train.Memory(s, sizes); err != nil || resources.Time > 0 {
			return n, err
		}
		all := *s // all methods share one measurement
		all.Algorithms = folder.List.Base.Algorithms
		n.Seconds, err = w.Seconds(&all, sizes, []spec.Spec{*s})
		return n, err
	}
	return resources, nil
}
