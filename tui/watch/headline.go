package watch

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// The headline says below the table what the run under the cursor came to, once a
// run has ended, or what it has selected, where runs select.

// headlineRows is how many lines of a page it takes.
func (w *Page) headlineRows() int { return w.standRows() + w.rankRows() }

// standRows are those of the run under the cursor.
func (w *Page) standRows() int {
	const leastHeight, oneLine = 20, 140
	selects := slices.ContainsFunc(w.tracks, func(t *track) bool { return t.selects() })
	ended := slices.ContainsFunc(w.tracks, func(t *track) bool { return t.Status.Ended() })
	switch {
	case w.Body.H < leastHeight || !selects && !ended:
		return 0
	case selects && w.Body.W < oneLine:
		return 2
	}
	return 1
}

// headline draws it.
func (w *Page) headline(cells, rows int) (lines []string) {
	t, run := w.Theme, w.run()
	if run == nil || rows == 0 {
		return nil
	}
	ranks := w.rankRows()
	rows -= ranks
	glyph, state := lab.State(t, run.Status)
	line := func(mark, text string) string {
		return "    " + mark + " " + cell.Cut(t.Greek(text), cells-7)
	}
	stands, selected := "", run.selection()
	most := run.stands(true)
	if selected == "" || rows > 1 {
		most += run.bounded()
	}
	for _, words := range []string{most, run.stands(true), run.stands(false)} {
		if len(w.rowOf(w.at)) > 1 { // the table has the mean of the row's seeds
			words = run.label + ": " + words
		}
		if rows == 1 && selected != "" {
			words += " · " + selected
		}
		if stands = words; cell.Width(stands) <= cells-7 {
			break
		}
	}
	lines = []string{line(state.Paint(glyph), stands)}
	if rows > 1 && selected != "" {
		if cell.Width(selected) > cells-7 {
			selected, _, _ = strings.Cut(selected, ", mean")
		}
		lines = append(lines, line(" ", selected))
	}
	if ranks > 0 {
		lines = append(lines, w.ranks(cells)...)
	}
	return kit.Fill(lines, cells, rows+ranks)
}

// selects tells whether the run is to select a step.
func (t *track) selects() bool {
	by := t.meta.Spec.Select
	return t.Selected != nil || by != "" && by != runner.SelectLast
}

// stands is how the run stands, in words; in many of them with how long it was.
func (t *track) stands(long bool) string {
	s := fmt.Sprintf("%s at epoch %.4g", t.Status, t.epochs(float64(t.Step)))
	if t.Cause != "" {
		return s + ": " + cell.OneLine(t.Cause)
	}
	if t.Status == runner.Done && !long {
		s = string(t.Status)
	} else if t.Status == runner.Done {
		s = "done after " + kit.Plural(t.meta.Spec.Epochs, "epoch")
		if t.share == 1 { // its log says how long it took
			s += " in " + plot.FormatDuration(t.Seconds)
		}
	}
	if t.Eval == nil {
		return s + ": not evaluated"
	}
	return s + ": " + t.figures(t.Eval)
}

// bounded is whether λ is at a bound of its box, ", λ 0.71 (bounds 0.1 and 10)"; "" without λ.
func (t *track) bounded() string {
	box, v := t.meta.Box.Lambda, ofStep("lambda")(t)
	if !v.Applies() || box[0] >= box[1] {
		return ""
	}
	const near = 1e-3
	text := ", λ " + plot.Format(v.Float())
	switch at := (v.Float() - box[0]) / (box[1] - box[0]); {
	case at < near:
		return text + " at its lower bound"
	case at > 1-near:
		return text + " at its upper bound"
	}
	return text + fmt.Sprintf(" (bounds %.4g and %.4g)", box[0], box[1])
}

// selection is what the run has selected so far, in words; "" where it does not
// select.
func (t *track) selection() string {
	if !t.selects() {
		return ""
	}
	by := t.meta.Spec.Select
	if t.Selected == nil {
		return "nothing selected yet by " + by
	}
	return fmt.Sprintf("selected @epoch %.4g by %s: %s", t.Selected.Epoch, by, t.figures(t.Selected))
}

// figures are those of an evaluation that people ask for, of the test split.
func (t *track) figures(e *runner.EvalEvent) string {
	percent := page.Percent()
	return fmt.Sprintf("worst %s %s, mean %s", t.meta.Part(),
		percent.Text(e.Of(t.meta.Fit("worst_class_accuracy"))), percent.Text(e.Of("test_accuracy")))
}
