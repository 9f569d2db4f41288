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
		batches, queue, err := tr.missing(ctx, folder, resources)
		if err != nil {
			return err
		}
		for _, args := range folder.Calls(batches, queue, resources) {
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
		notKept, err := folder.KeepOptions(f.options())
		if err != nil {
			return err
		}
		for _, option := range notKept {
			tr.Note(fmt.Sprintf("--sbatch %s does more than ask for resources, so it is not kept: "+
				"give it again at the next start", option))
		}
		batches, queue, err := tr.missing(ctx, folder, resources)
		if err != nil {
			return err
		}
		submitted, err := folder.Submit(ctx, batches, queue, resources, sweep.Sbatch)
		if len(submitted) > 0 {
			tasks := 0
			for _, b := range submitted {
				tasks += len(b.Tasks)
			}
			tr.PrintLine("%s in %s", kit.Plural(tasks, "task"),
				kit.Plural(len(submitted), "job array"))
		}
		return err
	})
	if err == nil {
		fmt.Fprintln(tr.Stdout, folder.Dir)
	}
	return err
}

// missing returns the batches for the runs that are neither done nor in Slurm's queue, and what is
// in the queue. If there are none, it says why.
func (tr *Trainer) missing(
	ctx context.Context, folder *sweep.Folder, resources *sweep.Resources,
) (batches []sweep.Batch, queue sweep.Queue, err error) {
	if queue, err = folder.Queue(ctx); err != nil {
		return nil, nil, err
	}
	states, err := sweep.NewProgress(folder).States()
	if err != nil {
		return nil, nil, err
	}
	var todo []int
	for i := range states {
		s := states[i].Status
		if s != runner.Done && s != sweep.Dropped && s != sweep.Waiting {
			todo = append(todo, i)
		}
	}
	rungs := len(folder.List.Halving.Epochs) > 0
	if len(todo) == 0 && !rungs {
		tr.PrintLine("No run is missing")
		return nil, nil, nil
	}
	if batches, err = folder.Batches(todo, queue, resources); err != nil || len(batches) > 0 {
		return batches, queue, err
	}
	switch {
	case len(queue) > 0 && rungs:
		tr.PrintLine("%s is already in Slurm's queue, and its rungs follow by themselves",
			folder.Dir)
	case len(queue) > 0:
		tr.PrintLine("all missing runs are already in Slurm's queue")
	default:
		tr.PrintLine("No run is missing")
	}
	return nil, nil, nil
}

func (tr *Trainer) sweepResources(
	ctx context.Context, folder *sweep.Folder, f *sweepFlags,
) (*sweep.Resources, error) {
	resources := &f.Resources
	kept, err := folder.KeptOptions()
	if err != nil {
		return nil, err
	}
	resources.Options = sweep.MergeOptions(resources.Options, kept, f.options())
	if err := sweep.CheckMemory(resources.Options); err != nil {
		return nil, err
	}
	resources.MostTasks = sweep.MostTasks(ctx)
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
