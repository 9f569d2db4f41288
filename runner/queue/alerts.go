package queue

import (
	"time"

	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/machine"
	"drolab/runner/train"
)

// observer returns what is done with each sample of the machine during a run. It is called on the
// goroutine that watches the machine: the run itself is only sent what its log is to say.
func (q *Queue) observer(j *job, to runner.Observer) func(*machine.Sample) {
	concerns := lookout{}
	return func(s *machine.Sample) {
		to.Observe(s)
		for _, e := range concerns.add(*s) {
			j.gate.Send(train.Order{Alert: e}) // a run that is busy for long has no room for it
		}
		if q.settings.Look != nil {
			q.settings.Look(j.meta.ID)
		}
	}
}

// lookout finds what deserves an alert in the samples of a run.
type lookout struct {
	recent []machine.Sample     // of the last minute
	raised map[string]time.Time // by the name of a concern
}

// raiseAgain is the time after which a concern that lasts is logged again.
const raiseAgain = time.Hour

// add takes in the next sample, and returns the alerts that follow.
func (l *lookout) add(s machine.Sample) (events []*runner.AlertEvent) {
	l.recent = append(l.recent, s)
	l.recent = l.recent[max(0, len(l.recent)-machine.MinuteSamples):]
	for _, c := range machine.Concerns(l.recent) {
		if at, ok := l.raised[c.Name]; ok && s.Time.Sub(at) < raiseAgain {
			continue
		}
		if l.raised == nil {
			l.raised = map[string]time.Time{}
		}
		l.raised[c.Name] = s.Time
		events = append(events, alert.New(runner.Head{}, c.Name, c.Text))
	}
	return events
}
