package runs

import (
	"cmp"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/record"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// evals holds the evaluations of a run as of a step.
type evals struct {
	step   int64 // -1: they are to be read again
	list   []*runner.EvalEvent
	damage string // what the log has lost, as Run.Damage says it
}

// damage says what a run's files have lost, as far as they were read; "" for nothing.
func (p *Page) damage(r *record.Run) string {
	return cmp.Or(r.Damage(), p.evals[r.Meta.ID].damage)
}

// doubtDamaged has damaged logs read again: lost bytes may have come.
func (p *Page) doubtDamaged() {
	for id, known := range p.evals {
		if known.damage != "" {
			known.step = -1
			p.evals[id] = known
		}
	}
}

// readEvals reads the evaluations of the runs that have trained on since they were last read.
func (p *Page) readEvals() tea.Cmd {
	if p.value == (moment{}) {
		return nil
	}
	var runs []*record.Run
	for _, r := range p.all {
		if known, ok := p.evals[r.Meta.ID]; !ok || known.step != r.Steps() {
			runs = append(runs, r)
		}
	}
	return p.readEvalsOf(runs)
}

// readEvalsOf reads the evaluations of some runs.
func (p *Page) readEvalsOf(runs []*record.Run) tea.Cmd {
	if len(runs) == 0 {
		return nil
	}
	source := p.Source
	return func() tea.Msg {
		m := evalsMsg{evals: map[string]evals{}}
		for _, r := range runs {
			h, err := eventlog.ReadHistory(lab.Evaluations(source, r), dropLists)
			e := evals{step: r.Steps(), list: h.Evals}
			if h.Gap != nil {
				e.damage = h.Gap.Brief()
			}
			m.evals[r.Meta.ID] = e
			m.err = cmp.Or(err, m.err)
		}
		return m
	}
}

// dropLists drops what an evaluation says of each class or group: columns have one number.
func dropLists(e runner.Event) {
	if eval, ok := e.(*runner.EvalEvent); ok {
		eval.ByGroup = nil
	}
}
