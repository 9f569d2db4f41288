package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
)

// executor trains the runs of one folder, which are followed to their end.
type executor struct {
	runner.Verbs
	dir     string
	live    func() []runner.LiveRun // none if that is not known
	reading func() *runner.Reading  // of the data of a start or a resume under way
	await   func(ids []string) []queue.Outcome
	end     func(ids []string) []error // stops runs that have begun
	release func()
	remedy  func(id string) string // the advice if a run waits for its disk
	// interrupted is closed when the user wants the runs to end; end must then be called. If it is
	// nil, the runs end without that.
	interrupted <-chan struct{}
}

// newExecutor returns an executor that trains by the engine of the folder, or by a queue of this
// process.
func newExecutor(ctx context.Context, tr *Trainer, store *record.Store, inline bool) *executor {
	dir := store.Dir()
	resume := func(id string) string { return tr.PlaceOf(dir).Command("drolab resume " + id) }
	if inline || !tr.hasEngine() {
		q, cancel := tr.queue(ctx, store)
		return &executor{Verbs: q, dir: dir, release: cancel,
			live: q.Live, reading: q.Reading,
			await: func([]string) []queue.Outcome { return q.Wait() },
			end:   func([]string) []error { cancel(); q.Wait(); return nil },
			remedy: func(id string) string {
				return "it continues when this is fixed; Ctrl-C loses nothing, and " + resume(id) +
					" continues it later"
			}}
	}
	client := tr.client(dir)
	ctx, cancel := tr.SignalContext(ctx, nil)
	return &executor{Verbs: client, dir: dir, release: cancel, interrupted: ctx.Done(),
		reading: client.Reading,
		live: func() (runs []runner.LiveRun) {
			if s, err := client.Status(); err == nil {
				runs = s.Runs
			}
			return runs
		},
		await:  func(ids []string) []queue.Outcome { return awaitEnd(dir, ids) },
		end:    func(ids []string) []error { return stopAll(client, ids) },
		remedy: func(id string) string { return "continue with " + resume(id) }}
}

// showReading shows how far the data are read while do starts or resumes runs. An engine that reads
// cannot be interrupted, and the note says so.
func (e *executor) showReading(tr *Trainer, do func()) {
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-ended:
		case <-e.interrupted:
			select {
			case <-ended: // and released since, which also closes interrupted
			default:
				tr.Note("the data are still being read; then the runs stop. Press Ctrl-C again " +
					"to leave them alone")
			}
		}
	}()
	defer tr.Readings("samples").Follow(e.reading)()
	do()
}

// stopAll asks the runs that have not ended to stop.
func stopAll(c *engine.Client, ids []string) (problems []error) {
	for _, id := range ids {
		r, err := record.Find(c.RunsDir, id)
		if err == nil && !r.Status().Ended() {
			err = c.Stop(id)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

// stopNotice returns the line that says what happens after an interrupt.
func stopNotice(problems []error) string {
	if len(problems) > 0 {
		return "stopping: " + cell.OneLine(errors.Join(problems...).Error())
	}
	return "Stopping with a checkpoint. Press Ctrl-C again to leave the runs alone."
}

// awaitEnd returns when no process holds any of the runs' directories. That is the last thing to
// happen to a run, however it ends. Its outcome is in its directory.
func awaitEnd(dir string, ids []string) []queue.Outcome {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for _, id := range ids {
		r, err := record.Find(dir, id)
		for err == nil && r.Held() {
			<-tick.C
		}
	}
	return nil
}

// newTroubles returns a line for each run whose trouble has changed since it was last told.
func newTroubles(
	live []runner.LiveRun, ids []string, known map[string]string,
	remedy func(id string) string,
) (lines []string) {
	for _, r := range live {
		if !slices.Contains(ids, r.ID) || known[r.ID] == r.Trouble {
			continue
		}
		known[r.ID] = r.Trouble
		if r.Trouble == "" {
			lines = append(lines, fmt.Sprintf("run %s continues", r.ID))
		} else {
			lines = append(lines,
				fmt.Sprintf("run %s waits: %s (%s)", r.ID, cell.OneLine(r.Trouble), remedy(r.ID)))
		}
	}
	return lines
}

// find returns a run of the folder.
func (e *executor) find(id string) (*record.Run, error) { return record.Find(e.dir, id) }

func findAll(
	names []string, find func(string) (*record.Run, error),
) (runs []*record.Run, err error) {
	for _, name := range names {
		r, err := find(name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// printDetached prints the runs that were started.
func (e *executor) printDetached(tr *Trainer, ids []string) error {
	runs, err := findAll(ids, e.find)
	if err != nil {
		return err
	}
	return tr.Result(console.Summaries(runs), func() {
		for _, r := range runs {
			fmt.Fprintln(tr.Stdout, cell.Clean(r.Meta.ID))
		}
		fmt.Fprintf(tr.Stderr, "%s shows them again; %s stops one\n", tr.Command("drolab attach"),
			tr.Command("drolab stop RUN"))
	})
}
