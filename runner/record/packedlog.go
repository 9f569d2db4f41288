package record

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
)

// packedLog is the log of a packed run, unpacked at the first read.
type packedLog struct {
	*bytes.Reader
	*packedRun
}

// Close implements eventlog.LogFile: there is nothing to close.
func (*packedLog) Close() error { return nil }

func (l *packedLog) open() (eventlog.LogFile, int64, error) {
	if l.Reader != nil {
		return l, l.Size(), nil
	}
	_, _, texts, err := packedFiles(l.text, 3)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", l.path, err)
	}
	if hashOf(texts[2]) != l.log.SHA256 {
		return nil, 0, fmt.Errorf("%s: %s differs from the log that %s goes with", l.path,
			eventlog.LogName,
			summaryName)
	}
	l.Reader = bytes.NewReader(texts[2])
	return l, l.Size(), nil
}

const (
	// packedSteps bounds the number of step events in a packed run: more than a chart has columns.
	packedSteps = 200
	// packedDigits is the number of significant digits of the values in step events; evaluations
	// keep all of their digits.
	packedDigits = 5
)

// packLog returns the log of a packed run, how much that is, and how much of it stands before the
// steps after a checkpoint. Its events are numbered anew.
func packLog(of disk.Owner, log *eventlog.Tail, checkpoint int64) (
	text []byte, whole, before disk.Extent, err error,
) {
	events, steps, err := keptEvents(log)
	text = eventlog.HeadLine(of)
	for _, e := range thinSteps(events, steps) {
		if e.Header().Step > checkpoint && before.Bytes == 0 {
			before = extentOf(text, whole.Seq)
		}
		whole.Seq++
		e.Header().Seq = whole.Seq
		line, wrong := runner.EncodeEvent(e)
		err = errors.Join(err, wrong)
		text = append(append(text, disk.SealLine(line)...), '\n')
	}
	whole = extentOf(text, whole.Seq)
	if before.Bytes == 0 {
		before = whole
	}
	return text, whole, before, err
}

func extentOf(text []byte, seq int64) disk.Extent {
	return disk.Extent{Seq: seq, Bytes: int64(len(text)), SHA256: hashOf(text)}
}

// keptEvents reads the events of a log that no resume has taken back, without the checkpoint
// events: a packed run has no checkpoints. steps is the number of step events among them.
func keptEvents(log eventlog.Log) (events []runner.Event, steps int, err error) {
	h, err := eventlog.ReadHistory(log, func(e runner.Event) { events = append(events, e) })
	stands := map[runner.Event]bool{}
	for _, e := range h.Steps {
		stands[e] = true
	}
	for _, e := range h.Evals {
		stands[e] = true
	}
	return slices.DeleteFunc(events, func(e runner.Event) bool {
		switch e.(type) {
		case *runner.CheckpointEvent:
			return true
		case *runner.StepEvent, *runner.EvalEvent:
			return !stands[e]
		}
		return false
	}), len(h.Steps), err
}

// thinSteps keeps the first and the last step event, of so many, and every n-th between them. A
// kept event covers the least and the greatest values since the kept event before it, as an event
// of a larger log_every would.
func thinSteps(events []runner.Event, steps int) (kept []runner.Event) {
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
			kept, since = append(kept, mergeSteps(since)), nil
		}
	}
	return kept
}

// mergeSteps returns the last of several step events, with the least and the greatest values of
// all.
func mergeSteps(events []*runner.StepEvent) *runner.StepEvent {
	e := *events[0]
	for _, next := range events { // the first covers itself, as it may lack Min and Max
		o := *next
		o.Cover(&e)
		e = o
	}
	for _, v := range []*measure.Values{&e.Values, &e.Min, &e.Max} {
		*v = eventlog.RoundValues(*v, packedDigits)
	}
	e.ImagesPerSecond = eventlog.Round(meanSpeed(events), packedDigits)
	return &e
}

// meanSpeed returns the speed over several events that stand for equal numbers of steps: the
// harmonic mean of their speeds.
func meanSpeed(events []*runner.StepEvent) measure.Number {
	times := 0.0
	for _, e := range events {
		times += 1 / e.ImagesPerSecond.Float()
	}
	return measure.NumIf(times > 0 && !math.IsInf(times, 0), float64(len(events))/times)
}
