package train

import (
	"drolab/runner/measure"
	"time"
)

// stopwatch counts the images trained on, and the time it took, since the last step
// event. It stands still while the run evaluates, saves or is paused. Nothing that is
// computed depends on it: speed is the one measure that differs between equal runs.
type stopwatch struct {
	since   time.Time
	elapsed time.Duration
	images  int
	total   struct { // of this process's part of the run
		elapsed time.Duration
		images  int
	}
}

// pause stops the watch until what it returns is called.
func (w *stopwatch) pause() (start func()) {
	w.elapsed += time.Since(w.since)
	return func() { w.since = time.Now() }
}

// speed returns the images a second since the last call.
func (w *stopwatch) speed() measure.Number {
	defer w.pause()()
	n := perSecond(w.images, w.elapsed)
	w.total.elapsed, w.total.images = w.total.elapsed+w.elapsed, w.total.images+w.images
	w.elapsed, w.images = 0, 0
	return n
}

// overall returns the images a second of all calls of speed: what a summary says. It
// does not apply where no step was reported.
func (w *stopwatch) overall() measure.Number { return perSecond(w.total.images, w.total.elapsed) }

// perSecond does not apply where no time has passed, as of a run without a step.
func perSecond(images int, in time.Duration) measure.Number {
	return measure.NumIf(in > 0, float64(images)/in.Seconds())
}
