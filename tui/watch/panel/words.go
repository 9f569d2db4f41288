package panel

import (
	"fmt"

	"drolab/runner"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// StatusText says in words how the run stands. The long form also says how long a run that is done
// took. The headline tries it first, and takes the short form where the screen is narrow.
func (t *Track) StatusText(long bool) string {
	s := fmt.Sprintf("%s at epoch %.4g", t.Status, t.Epochs(float64(t.Step)))
	if t.Cause != "" {
		return s + ": " + cell.OneLine(t.Cause)
	}
	if t.Status == runner.Done && !long {
		s = string(t.Status)
	} else if t.Status == runner.Done {
		s = "done after " + kit.Plural(t.Meta.Spec.Epochs, "epoch")
		if t.Share == 1 { // its log says how long it took
			s += " in " + plot.FormatDuration(t.Seconds)
		}
	}
	if t.Eval == nil {
		return s + ": not evaluated"
	}
	return s + ": " + t.accuracies(t.Eval)
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
	return fmt.Sprintf("selected @epoch %.4g by %s: %s", t.Selected.Epoch, by,
		t.accuracies(t.Selected))
}

// accuracies writes the accuracies of an evaluation that people ask for, worst and mean, on the
// test split. The split that is shown does not matter here: a selection is made on validation and
// judged on test.
func (t *Track) accuracies(e *runner.EvalEvent) string {
	percent := page.Percent()
	return fmt.Sprintf("worst %s %s, mean %s", t.Meta.Part(),
		percent.Text(e.Named(t.Meta.MeasureFor("worst_class_accuracy"))),
		percent.Text(e.Named("test_accuracy")))
}

// ShortName returns the short name of a run or, if it is wider than most cells, the name of its
// method.
func (t *Track) ShortName(most int) string {
	if cell.Width(t.Short) > most {
		return string(t.Meta.Spec.Algorithm())
	}
	return t.Short
}

// lastEpochNote returns the epoch of the run's last evaluation in words, for a panel's note.
func (t *Track) lastEpochNote() string {
	if t.Eval == nil {
		return ""
	}
	return atEpoch(t.Eval.Epoch)
}

// atEpoch names the epoch of a panel's figures for its note. Bars do not move with the curves, and
// without the epoch they would be taken for the figures of the current step.
func atEpoch(epoch float64) string { return fmt.Sprintf(" · epoch %.4g", epoch) }

// Name returns the label with the mark of what the run's method uses or, where an old log turned
// the run into another method, with that method.
func (t *Track) Name() string {
	if now := t.Spec.Algorithm(); now != t.Meta.Spec.Algorithm() {
		return t.Label + "→" + string(now)
	}
	return t.Label + t.Uses
}
