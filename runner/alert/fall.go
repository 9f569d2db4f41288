package alert

import (
	"drolab/runner/measure"
)

// Window is the number of evaluations whose mean a Fall compares, as the paper does.
const Window = 5

// share is the part of a run for which its worst class is to be behind: one in so many.
const share = 5

// Fall finds out that the worst class, or group, of a run falls behind its best: the mean of its
// accuracy over five evaluations is below the best such mean by more than the 95 % interval of that
// best, at every evaluation of a fifth of the run. It allocates nothing.
type Fall struct {
	Mean, Best, Least float64 // now, the best so far, and the lower end of its interval
	Since             int64   // the step of the first evaluation below Least

	recent [Window]float64
	n      int   // evaluations so far
	step   int64 // of the last one
	below  bool  // since Since
	told   bool  // of this fall
}

// Add takes in the next evaluation: the accuracy of the worst class, 0 to 1, and on how many test
// samples it is measured. It reports whether the worst class has now been behind for a fifth of the
// steps of the run, once for each fall.
func (f *Fall) Add(step, steps int64, worst measure.Number, samples int) bool {
	if !worst.Applies() || f.n > 0 && step <= f.step {
		return false
	}
	f.recent[f.n%Window] = worst.Float()
	f.n++
	f.step = step
	if f.n < Window {
		return false
	}
	f.Mean = 0
	for _, v := range f.recent {
		f.Mean += v / Window
	}
	interval := measure.Wilson(measure.Num(f.Mean), samples)
	switch {
	case !interval[0].Applies():
		return false
	case f.n == Window || f.Mean > f.Best:
		f.Best, f.Least = f.Mean, interval[0].Float()
	}
	if f.Mean >= f.Least {
		f.below, f.told = false, false
		return false
	}
	if !f.below {
		f.below, f.Since = true, step
	}
	if f.told || share*(step-f.Since) < steps {
		return false
	}
	f.told = true
	return true
}
