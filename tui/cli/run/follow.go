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
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/cli/look"
	"drolab/tui/cli/trainer"
)

// following is some runs of one folder that are watched to their end.
type following struct {
	dir   string
	ids   []string
	ended <-chan []runner.Outcome // gives how they ended
	// interrupted is closed when the user wants them to end; stop asks for it
	// and says what happens now. Where it is nil, they see to that themselves.
	interrupted <-chan struct{}
	stop        func() string
	// trouble gives why a run waits when the disk keeps that from its log.
	trouble <-chan string
	exports bool // event files are written
}

// followQueue watches runs of this process, which goes on alone where its
// terminal is lost.
func followQueue(
	tr *trainer.Trainer, q *runner.Queue, dir string, ids []string, asJSON, exports bool,
) error {
	ended := make(chan []runner.Outcome, 1)
	go func() { ended <- q.Wait() }()
	live := func() ([]runner.LiveRun, error) { return q.Live(), nil }
	trouble, end := watchTrouble(live, ids, "it goes on by itself when that is mended; "+
		"Ctrl-C loses nothing, drolab resume %s goes on later")
	defer end()
	return follow(tr, following{dir: dir, ids: ids, ended: ended, trouble: trouble, exports: exports},
		asJSON)
}

// followEngine watches runs of another process. When ctx is cancelled they are
// asked to stop.
func followEngine(
	tr *trainer.Trainer, ctx context.Context, c *engine.Client, ids []string, asJSON, exports bool,
) error {
	ended := make(chan []runner.Outcome, 1)
	go func() { ended <- awaitEnd(c.RunsDir, ids) }()
	live := func() ([]runner.LiveRun, error) {
		s, err := c.Status()
		if err != nil {
			return nil, err
		}
		return s.Runs, nil
	}
	trouble, end := watchTrouble(live, ids, "go on with drolab resume %s")
	defer end()
	return follow(tr, following{dir: c.RunsDir, ids: ids, ended: ended, interrupted: ctx.Done(),
		trouble: trouble,
		exports: exports,
		stop: func() string {
			if problems := stopAll(c, ids); len(problems) > 0 {
				return "stopping: " + console.OneLine(errors.Join(problems...).Error())
			}
			return "stopping with a checkpoint; Ctrl-C once more leaves the runs alone"
		}}, asJSON)
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

// awaitEnd returns when nobody holds any of the runs' directories: the last
// thing that happens to a run, however it ends.
func awaitEnd(dir string, ids []string) (list []runner.Outcome) {
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
			list = append(list, runner.Outcome{ID: id, Status: runner.Failed, Err: err})
			continue
		}
		o := runner.Outcome{ID: id, Status: r.Status()}
		if o.Status == runner.Failed {
			o.Err = errors.New(r.Summary().Cause)
		}
		list = append(list, o)
	}
	return list
}

// watchTrouble tells of each new trouble of the runs, and of its end, until end
// is called. The remedy has a %s for the run.
func watchTrouble(
	live func() ([]runner.LiveRun, error), ids []string, remedy string,
) (lines <-chan string, end func()) {
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
			now, err := live()
			if err != nil {
				continue
			}
			for _, line := range troubles(now, ids, told, remedy) {
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

// troubles returns a line for each of the runs whose trouble is another one
// than was told before.
func troubles(live []runner.LiveRun, ids []string, told map[string]string, remedy string) (lines []string) {
	for _, r := range live {
		if !slices.Contains(ids, r.ID) || told[r.ID] == r.Trouble {
			continue
		}
		told[r.ID] = r.Trouble
		if r.Trouble == "" {
			lines = append(lines, fmt.Sprintf("run %s goes on", r.ID))
		} else {
			lines = append(lines,
				fmt.Sprintf("run %s waits: %s (%s)", r.ID, console.OneLine(r.Trouble),
					fmt.Sprintf(remedy, r.ID)))
		}
	}
	return lines
}

// follow shows the runs until all have ended, and reports.
func follow(tr *trainer.Trainer, f following, asJSON bool) error {
	outcomes := watch(tr, f)
	runs, err := findAll(f.dir, f.ids)
	if err != nil {
		return err
	}
	if err := look.Results(tr.Console, runs, asJSON); err != nil {
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

// notDone says which runs are not done, why, and how to go on. The cause is
// the outcome's own: a full disk keeps it from the record.
func notDone(runs []*record.Run, outcomes []runner.Outcome) error {
	ended := map[string]runner.Outcome{}
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
			list = append(list, fmt.Errorf("run %s is %s at step %d of %d: go on with drolab resume %s",
				id, o.Status, r.Summary().Steps, r.Meta.Steps, id))
		}
	}
	return list.OrNil()
}
