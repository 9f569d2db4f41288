package record

import (
	"math"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record/internal/disk"
	"drolab/runner/record/internal/eventlog"
)

const (
	// packedSteps bounds the number of step events in a packed run: more than a chart has columns.
	packedSteps = 200
	// packedDigits is the number of significant digits of the values in step events; evaluations
	// keep all of their digits.
	packedDigits = 5
)

// packLog returns the log of a packed run, and the number of its last event. Its events are
// numbered anew.
func packLog(of disk.Owner, log *Tail) (text []byte, seq int64, err error) {
	events, err := standing(log)
	if err != nil {
		return nil, 0, err
	}
	text = eventlog.HeadLine(of)
	for _, e := range thin(events) {
		seq++
		e.Header().Seq = seq
		line, err := runner.EncodeEvent(e)
		if err != nil {
			return nil, 0, err
		}
		text = append(append(text, disk.SealLine(line)...), '\n')
	}
	return text, seq, nil
}

// standing reads the events of a log that no resume has taken back, without the checkpoint events:
// a packed run has no checkpoints.
func standing(log Log) (events []runner.Event, err error) {
	var all []runner.Event
	h, err := ReadHistory(log, func(e runner.Event) { all = append(all, e) })
	if err != nil {
		return nil, err
	}
	steps, evals := h.Steps, h.Evals
	for _, e := range all {
		switch e := e.(type) {
		case *runner.CheckpointEvent:
			continue
		case *runner.StepEvent:
			if len(steps) == 0 || steps[0] != e {
				continue
			}
			steps = steps[1:]
		case *runner.EvalEvent:
			if len(evals) == 0 || evals[0] != e {
				continue
			}
			evals = evals[1:]
		}
		events = append(events, e)
	}
	return events, nil
}

// thin keeps the first and the last step event and every n-th between them. A kept event covers the
// least and the greatest values since the kept event before it, as an event of a larger log_every
// would.
func thin(events []runner.Event) (kept []runner.Event) {
	var steps int
	for _, e := range events {
		if _, ok := e.(*runner.StepEvent); ok {
			steps++
		}
	}
	every := max(1, (steps+packedSteps-3)/(packedSteps-2))
	var since []*runner.StepEvent
	seen := 0
	for _, e := range events {
		s, ok := e.(*runner.StepEvent)
		if !ok {
			kept = append(kept, e)
			continue
		}
		since, seen = append(since, s), seen+1
		if seen == 1 || len(since) == every || seen == steps {
			kept, since = append(kept, merged(since)), nil
		}
	}
	return kept
}

// merged returns the last of several step events, with the least and the greatest values of all.
func merged(events []*runner.StepEvent) *runner.StepEvent {
	e := *events[0]
	for _, next := range events { // the first covers itself, as it may lack Min and Max
		o := *next
		o.Cover(&e)
		e = o
	}
	for _, v := range []*measure.Values{&e.Values, &e.Min, &e.Max} {
		*v = eventlog.RoundValues(*v, packedDigits)
	}
	e.ImagesPerSecond = eventlog.Round(speed(events), packedDigits)
	return &e
}

// speed returns the speed over several events that stand for equal numbers of steps: the harmonic
// mean of their speeds.
func speed(events []*runner.StepEvent) measure.Number {
	times := 0.0
	for _, e := range events {
		times += 1 / e.ImagesPerSecond.Float()
	}
	return measure.NumIf(times > 0 && !math.IsInf(times, 0), float64(len(events))/times)
}
