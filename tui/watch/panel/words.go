package panel

import (
	"fmt"
	"math"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// The forms of StatusText, of which each says what the one before says. The headline takes the last
// one that fits.
const (
	Brief      = iota
	Long       // how long a run that is done took
	WithEpochs // of which epochs the figures are
)

// TrainingTime returns the seconds that runs have trained for, of several the longest; ok is false
// unless all are done and their logs say so.
func TrainingTime(runs []*Track) (seconds float64, ok bool) {
	for _, t := range runs {
		if t.Status != runner.Done || t.Share < 1 {
			return 0, false
		}
		seconds = max(seconds, t.Seconds)
	}
	return seconds, seconds > 0
}

// StatusText says in words how the run stands, with its figures by a clock.
func (t *Track) StatusText(clock compare.Clock, form int) string {
	const hundredths = 100 // a run may end anywhere within an epoch
	at := math.Round(hundredths*t.Epochs(float64(t.Step))) / hundredths
	s := fmt.Sprintf("%s at epoch %g", t.Status, at)
	length := kit.Plural(t.Meta.Spec.Epochs, "epoch")
	switch {
	case t.Meta.StepsPerEpoch <= 0: // a log of another program may have no epochs
		s = fmt.Sprintf("%s at step %d", t.Status, t.Step)
		length = kit.Plural(int(t.Step), "step")
	case t.Meta.Spec.Epochs == 0: // or not say how many are planned
		length = fmt.Sprintf("%g epochs", at)
	}
	if t.Cause != "" {
		return s + ": " + cell.OneLine(t.Cause)
	}
	if t.Status == runner.Done && form == Brief {
		s = string(t.Status)
	} else if t.Status == runner.Done {
		s = "done after " + length
		if t.Share == 1 && t.Timed() { // its log says how long it took
			s += " in " + plot.FormatDuration(t.Seconds)
		}
	}
	if fit := t.Refitting(); fit != nil {
		s += ", " + fit.Brief() + " of the last layer"
	}
	switch newest := t.Newest(); {
	case newest == nil:
		return s + ": not evaluated"
	case len(t.At(clock)) == 0 && newest.Epoch == 0 && t.Meta.Imported != nil:
		return s + fmt.Sprintf(": at step %d, ", newest.Step) + t.accuracies(EvalFigure)
	case len(t.At(clock)) == 0: // the clock is that of other runs
		return s + fmt.Sprintf(": at epoch %.4g, ", newest.Epoch) + t.accuracies(EvalFigure)
	}
	if form == WithEpochs {
		s += ", " + clock.OfRun(t.Meta).String()
	}
	return s + ": " + t.accuracies(func(name string) Figure { return ClockFigure(name, clock) })
}

// BoundsText says in words where λ is in its box, as in ", λ 0.71 (bounds 0.1 and 10)", or at which
// bound it is; "" without λ.
func (t *Track) BoundsText() string {
	box, v := t.Meta.Box.Lambda, StepFigure("lambda")(t)
	if !v.Applies() || box[0] >= box[1] {
		return ""
	}
	const near = 1e-3 // of the box's width: a projection leaves λ at a bound up to rounding
	text := ", λ " + plot.Format(v.Float())
	switch at := (v.Float() - box[0]) / (box[1] - box[0]); {
	case at < near:
		return text + " at its lower bound"
	case at > 1-near:
		return text + " at its upper bound"
	}
	return text + fmt.Sprintf(" (bounds %.4g and %.4g)", box[0], box[1])
}

// SelectionText says in words what the run has selected so far; "" for a run that selects no step.
func (t *Track) SelectionText() string {
	if !t.Selects() {
		return ""
	}
	by := t.Meta.Spec.Select
	if t.Selected == nil && t.Status.Ended() {
		return fmt.Sprintf("no step was selected: no evaluation had a %s", by)
	}
	if t.Selected == nil {
		return fmt.Sprintf("no step selected yet by %s", by)
	}
	return fmt.Sprintf("selected epoch %.4g by %s: %s", t.Selected.Epoch, by,
		t.accuracies(func(name string) Figure {
			return func(t *Track) measure.Number { return t.valueIn(t.Selected, name) }
		}))
}

// accuracies writes the accuracies that people ask for, worst and mean, on the test split. The
// split that is shown does not matter here: a selection is made on validation and judged on test.
func (t *Track) accuracies(figure func(name string) Figure) string {
	percent := page.Percent()
	return fmt.Sprintf("worst %s %s, mean %s", t.Meta.Part(),
		percent.Text(figure("worst_class_accuracy")(t)), percent.Text(figure("test_accuracy")(t)))
}

// ShortName returns the short name of a run or, if it is wider than most cells, the name of its
// method.
func (t *Track) ShortName(most int) string {
	if cell.Width(t.Short) > most {
		return string(t.Meta.Spec.Algorithm())
	}
	return t.Short
}

// clockNote names the epochs of a panel's figures for its note. Bars do not move with the curves,
// and without the epochs they would be taken for the figures of the current step.
func (r *Runs) clockNote() string {
	clock := r.PanelClock()
	switch len(clock.Epochs) {
	case 0:
		return ""
	case 1:
		return atEpoch(clock.Epoch())
	}
	return fmt.Sprintf(" · epochs %.4g–%.4g", clock.Epochs[0], clock.Epoch())
}

// runNote names the epochs of figures of the run under the cursor alone, which may refit.
func (r *Runs) runNote() string {
	if of := r.Run().At(r.PanelClock()); len(of) == 1 {
		return atEpoch(of[0].Epoch)
	}
	return r.clockNote()
}

// atEpoch names one epoch.
func atEpoch(epoch float64) string { return fmt.Sprintf(" · epoch %.4g", epoch) }

// Name returns the label with the mark of what the run's method uses or, where an old log turned
// the run into another method, with that method.
func (t *Track) Name() string {
	if now := t.Spec.Algorithm(); now != t.Meta.Spec.Algorithm() {
		return t.Label + "→" + string(now)
	}
	return t.Label + t.Uses
}
