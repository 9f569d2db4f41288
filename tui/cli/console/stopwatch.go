package console

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drolab/runner/data"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Stopwatch measures steps once of each kind.
type Stopwatch struct {
	ctx     context.Context
	threads int
	known   map[string]train.StepTimes // by everything that the time of a step depends on
}

// NewStopwatch returns a Stopwatch that measures until ctx is cancelled.
func NewStopwatch(ctx context.Context, threads int) *Stopwatch {
	return &Stopwatch{ctx, threads, map[string]train.StepTimes{}}
}

func (w *Stopwatch) measure(
	s *spec.Spec, shape data.Shape, classes int, budget time.Duration,
) (train.StepTimes, error) {
	key := fmt.Sprintln(s.Model, s.Precision, s.Convolution, s.Batch, shape, classes)
	if t, ok := w.known[key]; ok {
		return t, nil
	}
	t, err := train.MeasureSteps(w.ctx, *s, shape, classes, w.threads, budget)
	switch {
	case err == nil:
		w.known[key] = t
	case errors.Is(err, context.Canceled):
		err = errors.New("bench was interrupted")
	}
	return t, err
}

// Seconds estimates the time of runs on data of some sizes from the steps of all methods of s.
func (w *Stopwatch) Seconds(s *spec.Spec, n data.Sizes, runs []spec.Spec) (float64, error) {
	t, err := w.measure(s, n.Shape, n.Classes, benchEstimate)
	if err != nil {
		return 0, err
	}
	return t.Pace(s.Batch).Seconds(runs, float64(n.Train), float64(n.Test)), nil
}
