package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/cli/look"
	"drolab/tui/cli/trainer"
)

// crew trains the runs of one folder, which are followed to their end.
type crew struct {
	runner.Verbs
	dir    string
	live   func() ([]runner.LiveRun, error)
	await  func(ids []string) []queue.Outcome
	end    func(ids []string) []error // stops runs that have begun
	leave  func()
	remedy string // the advice if a run waits for its disk; %s is the run
	// interrupted is closed when the user wants the runs to end; end must then be called. If it is
	// nil, the runs end without that.
	interrupted <-chan struct{}
}

// newCrew returns a crew that trains by the engine of the folder, or by a queue of this process.
func newCrew(ctx context.Context, tr *trainer.Trainer, store *record.Store, inline bool) *crew {
	dir := store.Dir()
	if inline || !tr.HasEngine() {
		q, cancel := tr.Queue(ctx, store)
		return &crew{Verbs: q, dir: dir, leave: cancel,
			live:  func() ([]runner.LiveRun, error) { return q.Live(), nil },
			await: func([]string) []queue.Outcome { return q.Wait() },
			end:   func([]string) []error { cancel(); q.Wait(); return nil },
			remedy: "it continues when this is fixed; " +
				"Ctrl-C loses nothing, and drolab resume %s continues it later"}
	}
	client := tr.Client(dir)
	ctx, cancel := tr.Orderly(ctx, nil)
	return &crew{Verbs: client, dir: dir, leave: cancel, interrupted: ctx.Done(),
		live: func() ([]runner.LiveRun, error) {
			s, err := client.Status()
			if err != nil {
				return nil, err
			}
			return s.Runs, nil
		},
		await:  func(ids []string) []queue.Outcome { return awaitEnd(dir, ids) },
		end:    func(ids []string) []error { return stopAll(client, ids) },
		remedy: "continue with drolab resume %s"}
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

// stopping returns the line that says what happens after an interrupt.
func stopping(problems []error) string {
	if len(problems) > 0 {
		return "stopping: " + console.OneLine(errors.Join(problems...).Error())
	}
	return "Stopping with a checkpoint. Press Ctrl-C again to leave the runs alone."
}

// awaitEnd returns when no process holds any of the runs' directories. That is the last thing to
// happen to a run, however it ends.
func awaitEnd(dir string, ids []string) (list []queue.Outcome) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for _, id := range ids {
		r, err := record.Find(dir, id)
		for err == nil && r.Held() {
			<-tick.C
		}
		if err == nil {
			r, err = record.Find(dir, id)
		}
		if err != nil {
			list = append(list, queue.Outcome{ID: id, Status: runner.Failed, Err: err})
			continue
		}
		o := queue.Outcome{ID: id, Status: r.Status()}
		if o.Status == runner.Failed {
			o.Err = errors.New(r.Summary().Cause)
		}
		list = append(list, o)
	}
	return list
}

// troubles sends a line for each new trouble of the runs, and for its end, until end is called.
func (c *crew) troubles(ids []string) (lines <-chan string, end func()) {
	tell, over := make(chan string), make(chan struct{})
	go func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		told := map[string]string{}
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			now, err := c.live()
			if err != nil {
				continue
			}
			for _, line := range troubles(now, ids, told, c.remedy) {
				select {
				case tell <- line:
				case <-over:
					return
				}
			}
		}
	}()
	return tell, func() { close(over) }
}

// troubles returns a line for each run whose trouble has changed since it was last told.
func troubles(
	live []runner.LiveRun, ids []string, told map[string]string, remedy string,
) (lines []string) {
	for _, r := range live {
		if !slices.Contains(ids, r.ID) || told[r.ID] == r.Trouble {
			continue
		}
		told[r.ID] = r.Trouble
		if r.Trouble == "" {
			lines = append(lines, fmt.Sprintf("run %s continues", r.ID))
		} else {
			lines = append(lines,
				fmt.Sprintf("run %s waits: %s (%s)", r.ID, console.OneLine(r.Trouble),
					fmt.Sprintf(remedy, r.ID)))
		}
	}
	return lines
}

// follow shows runs until all have ended, and prints their results. With exports it also writes
// event files.
func (c *crew) follow(tr *trainer.Trainer, ids []string, exports bool) error {
	outcomes := watch(tr, c, ids, exports)
	c.leave() // from here on a signal ends the command, which only prints
	runs, err := findAll(c.dir, ids)
	if err != nil {
		return err
	}
	if err := look.Results(tr.Console, runs); err != nil {
		return err
	}
	return notDone(runs, outcomes)
}

func findAll(dir string, ids []string) ([]*record.Run, error) {
	var runs []*record.Run
	for _, id := range ids {
		r, err := record.Find(dir, id)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// notDone returns an error that names the runs that are not done, with the cause and how to
// continue them. The cause is taken from the outcome, because a full disk keeps it out of the
// record.
func notDone(runs []*record.Run, outcomes []queue.Outcome) error {
	ended := map[string]queue.Outcome{}
	for _, o := range outcomes {
		ended[o.ID] = o
	}
	var list console.Failures
	for _, r := range runs {
		id := r.Meta.ID
		switch o := ended[id]; {
		case o.Err != nil:
			cause, _, _ := strings.Cut(o.Err.Error(), "\n") // the others follow from it
			list = append(list, fmt.Errorf("run %s failed: %s", id, cause))
		case o.Status != runner.Done:
			list = append(list, fmt.Errorf("run %s is %s at step %d of %d: "+
				"continue with drolab resume %s", id, o.Status, r.Summary().Steps,
				r.Meta.Steps, id))
		}
	}
	return list.OrNil()
}
