package train

import (
	"drolab/runner"
	"drolab/runner/alert"
)

// alert logs an alert at the present step. As a warning, one that cannot be written is lost.
func (r *Run) alert(e *runner.AlertEvent) {
	e.Head = r.Head()
	r.append(e)
}

// watchWorst logs if the worst class, or group, has fallen behind its best with this evaluation.
func (r *Run) watchWorst(e *runner.EvalEvent) {
	if r.addWorst(e) {
		f := &r.fall
		r.alert(alert.New(r.Head(), alert.WorstClass, r.Meta.Part(), 100*f.Mean, 100*f.Best,
			100*f.Least, f.Since))
	}
}

// addWorst adds an evaluation to the fall of the worst class, and reports whether that is an alert.
// Where several parts are the worst, the smallest of them counts, whose interval is the widest.
func (r *Run) addWorst(e *runner.EvalEvent) bool {
	worst := e.Named(r.Meta.MeasureFor("worst_class_accuracy"))
	if !worst.Applies() {
		return false
	}
	counts := r.Meta.Counts(r.Meta.Main()).Test
	samples := 0
	for i, of := range e.ByGroup.Named(r.Meta.MeasureFor("class_accuracy")) {
		if of == worst && i < len(counts) && (samples == 0 || counts[i] < samples) {
			samples = counts[i]
		}
	}
	return r.fall.Add(e.Step, r.Meta.Steps, worst, samples)
}

// recallWorst takes in the evaluations up to a step, at which the run goes on. A log that cannot be
// read again costs an alert, and no run.
func (r *Run) recallWorst(step int64) {
	log, ok := r.Record.(runner.Reread)
	if !ok {
		return
	}
	evals, _ := log.Evaluations()
	for _, e := range evals {
		if e.Step <= step {
			r.addWorst(e)
		}
	}
}
