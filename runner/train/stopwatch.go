package train

import (
	"time"

	"drolab/runner/measure"
)

// stopwatch counts the images trained on, and the time that they took, since the last step event.
// It stands still while the run evaluates, saves or is paused. No computation depends on it: speed
// is the one measure that differs between equal runs.
type stopwatch struct {
	since   time.Time
	elapsed time.Duration
	images  int
	total   struct { // the sums over this process's part of the run
		elapsed time.Duration
		images  int
	}
}

// pause stops the watch until start is called.
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

// perSecond returns images per second. It does not apply if no time has passed, as in a run without
// a step.
func perSecond(images int, in time.Duration) measure.Number {
	return measure.NumIf(in > 0, float64(images)/in.Seconds())
}
