package track

import (
	"fmt"

	"drolab/runner"
	"drolab/runner/page"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// Selects tells whether the run is to select a step.
func (t *Track) Selects() bool {
	by := t.Meta.Spec.Select
	return t.Selected != nil || by != "" && by != spec.SelectLast
}

// Stands is how the run stands, in words; in many of them with how long it was. The headline
// tries the long form first and takes the short one where the screen is narrow.
func (t *Track) Stands(long bool) string {
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
	return s + ": " + t.figures(t.Eval)
}

// Bounded is whether λ is at a bound of its box, ", λ 0.71 (bounds 0.1 and 10)"; "" without λ.
func (t *Track) Bounded() string {
	box, v := t.Meta.Box.Lambda, OfStep("lambda")(t)
	if !v.Applies() || box[0] >= box[1] {
		return ""
	}
	const near = 1e-3 // of the box's width: a projection leaves λ at a bound but for rounding
	text := ", λ " + plot.Format(v.Float())
	switch at := (v.Float() - box[0]) / (box[1] - box[0]); {
	case at < near:
		return text + " at its lower bound"
	case at > 1-near:
		return text + " at its upper bound"
	}
	return text + fmt.Sprintf(" (bounds %.4g and %.4g)", box[0], box[1])
}

// Selection is what the run has selected so far, in words; "" where it does not
// select.
func (t *Track) Selection() string {
	if !t.Selects() {
		return ""
	}
	by := t.Meta.Spec.Select
	if t.Selected == nil {
		return "nothing selected yet by " + by
	}
	return fmt.Sprintf("selected @epoch %.4g by %s: %s", t.Selected.Epoch, by,
		t.figures(t.Selected))
}

// figures are those of an evaluation that people ask for, of the test split. The split that is
// shown does not matter here: a selection is made on validation and judged on test.
func (t *Track) figures(e *runner.EvalEvent) string {
	percent := page.Percent()
	return fmt.Sprintf("worst %s %s, mean %s", t.Meta.Part(),
		percent.Text(e.Of(t.Meta.Fit("worst_class_accuracy"))), percent.Text(e.Of("test_accuracy")))
}

// Calls is a run's name in most cells or, where it is longer, that of its method.
func (t *Track) Calls(most int) string {
	if cell.Width(t.Short) > most {
		return string(t.Meta.Spec.Algorithm())
	}
	return t.Short
}

// Evaluated is when the run was last evaluated, for a panel's note. Bars do not move with the
// curves, and without the epoch they would be taken for the figures of the current step.
func (t *Track) Evaluated() string {
	if t.Eval == nil {
		return ""
	}
	return fmt.Sprintf(" · epoch %.4g", t.Eval.Epoch)
}
