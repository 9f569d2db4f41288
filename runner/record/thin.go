package record

import (
	"math"
	"slices"
	"strconv"

	"drolab/runner"
)

const (
	// packedSteps is how many step events a packed run has, at most: more than a
	// chart has columns.
	packedSteps = 200
	// packedDigits are the significant digits of their values; evaluations keep
	// all of theirs.
	packedDigits = 5
)

// packLog returns the log of a packed run.
func packLog(log *Tail) ([]byte, error) {
	var all []runner.Event
	for {
		events, err := log.Read()
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			break
		}
		all = append(all, events...)
	}
	var text []byte
	for _, e := range thin(standing(all)) {
		line, err := runner.EncodeEvent(e)
		if err != nil {
			return nil, err
		}
		text = append(append(text, line...), '\n')
	}
	return text, nil
}

// standing drops what a resume has discarded, and word of checkpoints, which a
// packed run has none of.
func standing(all []runner.Event) (events []runner.Event) {
	for _, e := range all {
		switch e := e.(type) {
		case *runner.CheckpointEvent:
			continue
		case *runner.ResumeEvent:
			gone := func(o runner.Event) bool { return measured(o) && o.Header().Step > e.Step }
			events = slices.DeleteFunc(events, gone)
		}
		events = append(events, e)
	}
	return events
}

// measured tells whether a resume can discard an event.
func measured(e runner.Event) bool {
	switch e.(type) {
	case *runner.StepEvent, *runner.EvalEvent:
		return true
	}
	return false
}

// thin keeps the first and the last step event and, of those between, every n-th:
// with the least and the greatest values since the one that was kept before, as
// the events of a larger log_every would have them.
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

// merged is the last of several step events, with the extent of all.
func merged(events []*runner.StepEvent) *runner.StepEvent {
	e := *events[len(events)-1]
	least, most := runner.Values{}, runner.Values{}
	for _, o := range events {
		lows, highs := o.Min, o.Max
		if len(lows) == 0 { // of a program before there were any
			lows, highs = o.Values, o.Values
		}
		widen(&least, lows, math.Min)
		widen(&most, highs, math.Max)
	}
	e.Values, e.Min, e.Max = rounded(e.Values), rounded(least), rounded(most)
	e.ImagesPerSecond = round(speed(events))
	return &e
}

// speed is of all of several events, which are of equally many steps: the harmonic
// mean.
func speed(events []*runner.StepEvent) runner.Number {
	times := 0.0
	for _, e := range events {
		times += 1 / e.ImagesPerSecond.Float()
	}
	return runner.NumIf(times > 0 && !math.IsInf(times, 0), float64(len(events))/times)
}

// widen takes values into the extremes so far. A NaN, once in, stays, so that it
// is seen.
func widen(to *runner.Values, with runner.Values, pick func(a, b float64) float64) {
	for _, v := range with {
		n := v.Number
		if old := to.Of(v.Name); old.Applies() {
			n = old
			if v.Applies() {
				n = runner.Num(pick(old.Float(), v.Float()))
			}
		}
		to.Set(v.Name, n)
	}
}

func rounded(values runner.Values) runner.Values {
	values = slices.Clone(values)
	for i := range values {
		values[i].Number = round(values[i].Number)
	}
	return values
}

func round(n runner.Number) runner.Number {
	x, err := strconv.ParseFloat(strconv.FormatFloat(n.Float(), 'g', packedDigits, 64), 64)
	return runner.NumIf(n.Applies() && err == nil, x)
}
