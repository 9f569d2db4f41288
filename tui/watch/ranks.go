package watch

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/tui/cell"
	"drolab/tui/kit"
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

// rankRows is how many lines of the headline say it: where there is room for them and runs have
// ended.
func (w *Page) rankRows() int {
	const leastHeight = 30
	ended := !slices.ContainsFunc(w.tracks, func(t *track) bool { return !t.Status.Ended() })
	if w.Body.H < leastHeight || !ended {
		return 0
	}
	return len(w.ranks(w.Body.W))
}

// ranks say which method has the lowest robust risk, and how far above it each other is: in
// one line of so many cells where that can be, else in two, in fewer letters.
func (w *Page) ranks(cells int) (lines []string) {
	list := w.byRisk()
	if len(list) < 2 {
		return nil
	}
	for _, brief := range []bool{false, true} {
		lead := "      " + w.bySplit("robust risk", "val risk")
		if brief {
			lead = "      risk"
		}
		if lines = w.rankLines(lead, brief, list, cells); len(lines) == 1 {
			break
		}
	}
	const most = 2
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] += w.Theme.More
	}
	return lines
}

// rankLines break where the next method does not fit.
func (w *Page) rankLines(lead string, brief bool, list []ranked, cells int) (lines []string) {
	t := w.Theme
	line, room := t.Dim.Paint(lead), cells-cell.Width(lead)-cell.Width(t.More)
	for i, r := range list {
		figure := rankFigure(list, i, brief)
		if i == 0 && strings.ContainsAny(rankFigure(list, 1, false), "123456789") { // the best of equals is none
			figure += t.Best
		}
		name := t.Greek(r.run.short)
		if n := cell.Width("  ● ") + cell.Width(name) + 1 + cell.Width(figure); n > room {
			lines = append(lines, line)
			line, room = kit.Blanks(cell.Width(lead)), cells-cell.Width(lead)-cell.Width(t.More)-n
		} else {
			room -= n
		}
		line += "  " + t.Series[r.run.number].Paint(string(t.Marks[r.run.number])) + " " + name + " " +
			t.Text.Paint(figure)
	}
	return append(lines, line)
}

// rankFigure is the least risk, or how far another is above it, in brief without a third decimal and the 0
// before the point.
func rankFigure(list []ranked, i int, brief bool) string {
	v, sign := list[i].risk, ""
	if i > 0 {
		v, sign = v-list[0].risk, "+"
	}
	text := decimals(v)
	if brief {
		text = strings.TrimPrefix(strconv.FormatFloat(v, 'f', 2, 64), "0")
	}
	return sign + text
}
