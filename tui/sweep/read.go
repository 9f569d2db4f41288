package sweep

import (
	"context"
	"time"

	"drolab/runner/record"
	"drolab/runner/sweep"

	tea "charm.land/bubbletea/v2"
)

// foundMsg brings the folders of the sweeps.
type foundMsg struct{ dirs []string }

// lookedMsg brings the state of a sweep, as of a look.
type lookedMsg struct {
	took  time.Duration // of the look
	by    *reader
	name  string
	rule  string // the rule by which settings are chosen
	keys  []string
	all   *sweep.Overview
	table *sweep.Table
	left  time.Duration
	timed bool // whether left is known
	live  []*record.Run
	over  bool // nothing is left to do
	slurm bool // jobs were submitted
	note  string
	err   error
}

// stoppedMsg brings the result of stopping a sweep.
type stoppedMsg struct {
	dir string
	err error
}

// find lists the sweeps under the runs folder.
func find(runs string) tea.Cmd {
	return func() tea.Msg {
		if runs == "" { // the runs are in no folder
			return foundMsg{}
		}
		return foundMsg{sweep.Under(runs)}
	}
}

// reader looks at one sweep again and again. Only commands use it, one at a time.
type reader struct {
	dir   string
	guest bool                 // asks no cluster, because guests may be many, and strangers
	runs  func() []*record.Run // lists the folder's runs, from its catalogue
	look  *sweep.Look
	pace  sweep.Pace
	jobs  sweep.Jobs
	asked time.Time // when Slurm was last asked
	note  string    // why Slurm could not be asked
}

// askSlurm is the least time between two questions to Slurm, because all its users share its
// controller.
const askSlurm = 10 * time.Second

// read looks at the sweep as it is now. The sweep's list of runs is read once, and again after it
// has grown: see page.go.
func (r *reader) read(now time.Time) tea.Cmd {
	return func() tea.Msg {
		m, began := lookedMsg{by: r}, time.Now()
		if m.err = r.open(); m.err != nil {
			return m
		}
		l := r.look.List
		m.name, m.rule, m.keys = l.Name, l.Select, l.Keys
		states, err := r.look.States()
		if err != nil {
			m.err = err
			return m
		}
		r.askJobs(now)
		r.jobs.Mark(states)
		if m.all, m.err = r.look.Overview(states); m.err != nil {
			return m
		}
		if !now.IsZero() { // before the first tick the time is unknown
			r.pace.Add(now, m.all.Done)
		}
		m.left, m.timed = r.pace.Left(m.all.Planned)
		m.live = r.look.Live
		m.over = sweep.Over(states) && !r.jobs.Busy()
		m.table, m.slurm, m.note = r.look.Table(), r.jobs != nil, r.note
		m.took = time.Since(began)
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
	r.look = sweep.NewLook(f)
	r.look.Known(r.runs())
	return nil
}

// askJobs asks Slurm about the sweep's jobs, if it has any. If Slurm cannot be asked, the folders
// say most of what it would say.
func (r *reader) askJobs(now time.Time) {
	if r.guest || !r.asked.IsZero() && now.Sub(r.asked) < askSlurm {
		return
	}
	r.asked, r.note = now, ""
	jobs, err := r.look.Jobs(context.Background(), sweep.Slurm{}, true)
	if err != nil {
		r.note = err.Error()
	}
	r.jobs = jobs
}
