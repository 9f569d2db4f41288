package train

import (
	"fmt"

	"drolab/runner/measure"
	"drolab/runner/spec"
)

// The greatest losses and ratios that count as sound: far from any loss that a network trains with,
// and far from 1, the mean ratio at the best z. They only choose between two cures, so their
// exact size matters little.
const (
	maxSoundLoss  = 1e6
	maxSoundRatio = 1e3
)

// cure returns advice that keeps the numbers finite: shorter steps of z or of the weights. It names
// only settings that this run reads, so that the advice can be followed.
func (r *Run) cure() string {
	if r.Method.Dual() == nil || !r.brokenByZ() {
		return "lower lr, or check the data"
	}
	reads := func(key string) bool {
		t, ok := spec.FindSetting(key)
		return ok && t.ReadIn(&r.spec)
	}
	switch {
	case reads("c"):
		return "raise c, take sfk-auto, or narrow the box (lambda_max, eta_min, eta_max)"
	case reads("lr_z"):
		return "lower lr_z, start from a larger lambda, " +
			"or narrow the box (lambda0, eta_min, eta_max)"
	}
	return "start from a larger lambda, or lower lr"
}

// brokenByZ reports whether the ratios were beyond their limit before the losses were.
func (r *Run) brokenByZ() bool {
	beyond := func(v measure.Values) bool { return v.Named("mean_ratio").Float() > maxSoundRatio }
	if beyond(r.window.Max) || r.last != nil && beyond(r.last.Max) { // at steps before
		return true
	}
	own := !r.Method.Fresh() || measure.Mean(r.drawn) <= maxSoundLoss
	return measure.Mean(r.losses) <= maxSoundLoss && (own || beyond(r.current))
}

// BrokenError is the error of a run whose numbers are no longer finite. It fails the run, since
// further steps cannot make them finite again.
type BrokenError struct {
	Step  int64
	What  string  // the title of the measure
	Value float64 // a NaN or an infinity
	Cure  string  // settings to change, for a new run
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("step %d: %s is %v: %s", e.Step, e.What, e.Value, e.Cure)
}
