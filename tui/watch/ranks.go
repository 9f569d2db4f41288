package watch

import (
	"cmp"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/tui/cell"
	"drolab/tui/lab"
)

// questions are the keys of what a run can be asked, by kind: runs with the same one can be
// better than each other in a measure of that kind.
type questions [dro.OfObjective + 1]string

func questionsOf(m *runner.Meta) (q questions) {
	for asks := range q {
		q[asks] = compare.Question(dro.Question(asks), m)
	}
	return q
}

// comparable tells whether all runs answer the same question with a measure.
func (w *Page) comparable(m *lab.Measure) bool {
	other := func(t *track) bool { return t.asks[m.Asks] != w.tracks[0].asks[m.Asks] }
	return !slices.ContainsFunc(w.tracks, other)
}

// ranked is a row of the table by its robust risk.
type ranked struct {
	run  *track // its first
	risk float64
}

// byRisk are the rows that have a robust risk, the lowest first; none where they cannot be
// compared.
func (w *Page) byRisk() (list []ranked) {
	if !w.comparable(&w.risk) {
		return nil
	}
	for _, row := range w.rows() {
		if v := ofEval(w.risk.Name).over(w.of(row)); v.Applies() {
			list = append(list, ranked{w.tracks[row[0]], v.Float()})
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.risk, b.risk) })
	return list
}

// rankRows is how many lines of the headline say it: one where there is room for it and
// runs have ended.
func (w *Page) rankRows() int {
	const leastHeight = 30
	ended := !slices.ContainsFunc(w.tracks, func(t *track) bool { return !t.Status.Ended() })
	if w.Body.H < leastHeight || !ended || len(w.byRisk()) < 2 {
		return 0
	}
	return 1
}

// ranks say which method has the lowest robust risk, and how far above it each other is.
func (w *Page) ranks(cells int) string {
	t, list := w.Theme, w.byRisk()
	text := "    " + t.Dim.Paint("  "+w.bySplit("robust risk", "val risk"))
	room := cells - cell.Width(text)
	for i, r := range list {
		figure := decimals(r.risk)
		switch {
		case i > 0:
			figure = "+" + decimals(r.risk-list[0].risk)
		case figure != decimals(list[1].risk): // the best of equals is none
			figure += t.Best
		}
		name := t.Greek(r.run.short)
		if room -= cell.Width("  ● ") + cell.Width(name) + 1 + cell.Width(figure); room < 0 {
			return text + t.More
		}
		text += "  " + t.Series[r.run.number].Paint(string(t.Marks[r.run.number])) + " " + name + " " +
			t.Text.Paint(figure)
	}
	return text
}
