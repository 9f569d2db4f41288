package sweep

import (
	"context"
	"time"

	"drolab/runner/record"
	"drolab/runner/sweep"

	tea "charm.land/bubbletea/v2"
)

// reader looks at one sweep again and again. Only commands use it, one at a time.
type reader struct {
	dir    string
	shared bool                 // asks no cluster, because viewers may be many, and strangers
	runs   func() []*record.Run // lists the folder's runs, from its catalogue
	look   *sweep.Progress
	pace   sweep.Pace
	jobs   sweep.Jobs
	asked  time.Time // when Slurm was last asked
	note   string    // why Slurm could not be asked
}

// askSlurm is the least time between two questions to Slurm, because all its users share its
// controller.
const askSlurm = 10 * time.Second

// read looks at the sweep as it is now. The sweep's list of runs is read once, and again after it
// has grown.
func (r *reader) read(ctx context.Context, now time.Time) tea.Cmd {
	return func() tea.Msg {
		m, began := lookedMsg{reader: r}, time.Now()
		if m.err = r.open(); m.err != nil {
			return m
		}
		m.list = r.look.List
		states, err := r.look.States()
		if err != nil {
			m.err = err
			return m
		}
		r.askJobs(ctx, now)
		r.jobs.Mark(states)
		if m.all, m.err = r.look.Overview(states); m.err != nil {
			return m
		}
		if !now.IsZero() { // before the first tick the time is unknown
			r.pace.Add(now, m.all.Done)
		}
		m.left, m.timed = r.pace.Left(m.all.Planned)
		m.live = r.look.Live
		m.over = sweep.Complete(states) && !r.jobs.Busy()
		m.table, m.slurm, m.note = r.look.Table(), r.jobs != nil, r.note
		m.lookTime = time.Since(began)
		return m
	}
}

func (r *reader) open() error {
	if r.look != nil && !r.look.Grown() {
		return nil
	}
	f, err := sweep.Open(r.dir)
	if err != nil {
		return err
	}
	r.look = sweep.NewProgress(f)
	r.look.AddFinished(r.runs())
	return nil
}

// askJobs asks Slurm about the sweep's jobs, if it has any. If Slurm cannot be asked, the folders
// say most of what it would say.
func (r *reader) askJobs(ctx context.Context, now time.Time) {
	if r.shared || !r.asked.IsZero() && now.Sub(r.asked) < askSlurm {
		return
	}
	r.asked, r.note = now, ""
	var err error
	if r.jobs, err = r.look.Jobs(ctx, true); err != nil {
		r.note = err.Error()
	}
}
