package watch

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/panel"
)

// The ranking is the last part of the headline: which method is best, in one look, without the
// reader having to compare a column of figures. It comes once all runs have ended, since an
// order that changes at every evaluation misleads.

// rankedRow is a row of the table with its robust risk.
type rankedRow struct {
	run  *panel.Track // the first run of the row
	risk float64      // in nats; the mean of a row of seeds
}

// byRisk returns the rows that have a robust risk, the lowest first, in a group for each question:
// risks at different radii cannot be compared. Groups are in the order of the table, each with two
// rows or more, because one row alone cannot be ranked.
func (w *Page) byRisk() (groups [][]rankedRow) {
	var all []rankedRow
	risk := w.risk()
	for _, row := range w.Runs.Rows() {
		if v := w.clockFigure(risk.Name)(w.Runs.InRow(row)); v.Applies() {
			all = append(all, rankedRow{w.Runs.Tracks[row[0]], v.Float()})
		}
	}
	groups = lists.GroupBy(all, func(r rankedRow) string { return r.run.Asks[risk.Asks] })
	groups = slices.DeleteFunc(groups, func(list []rankedRow) bool { return len(list) < 2 })
	for _, list := range groups {
		slices.SortStableFunc(list, func(a, b rankedRow) int { return cmp.Compare(a.risk, b.risk) })
	}
	return groups
}

// leastForRanks is the least height of a page with a ranking, and leastForBoth that of one with
// large numbers, too: below them, panels need the rows more.
const leastForRanks, leastForBoth = 30, 44

// rankRows returns the number of lines of the ranking: 0 unless there is room and all runs have
// ended. The layout asks before the ranking is drawn, and both must come to the same number, so
// both call ranks.
func (w *Page) rankRows() int {
	live := func(t *panel.Track) bool { return !t.Status.Ended() }
	beside := w.tileRows() > 0 && w.Body.H < leastForBoth
	if w.Body.H < leastForRanks || beside || slices.ContainsFunc(w.Runs.Tracks, live) {
		return 0
	}
	return len(w.ranks(w.Body.W))
}

// ranks returns the lines that say which method has the lowest robust risk, and how far above it
// each other method is. Each question has one line of so many cells where that can be, else two, in
// fewer letters. A third line is never taken: the rest is cut, and a sign says so.
func (w *Page) ranks(cells int) (all []string) {
	const most = 2 // lines of a question, and questions: four lines are all that panels can spare
	groups, risk := w.byRisk(), w.risk()
	for _, list := range groups[:min(most, len(groups))] {
		// Where all were asked the same, short names do, and the radius need not be said.
		about, names := "", lists.Map(list, func(r rankedRow) string { return r.run.Short })
		// Short names tell apart all watched runs, and may repeat the radius that is said.
		if !w.Runs.Comparable(&risk) {
			runs := lists.Map(list, func(r rankedRow) *runner.Meta { return r.run.Meta })
			about, names = " "+list[0].run.Meta.Spec.Radius(), compare.Names(runs)
		}
		lines := w.rankLines(w.bySplit("robust risk", "val risk")+about, false, list, names, cells)
		if len(lines) > 1 {
			lines = w.rankLines("risk"+about, true, list, names, cells)
		}
		if len(lines) > most {
			lines = lines[:most]
			lines[most-1] += w.Theme.More
		}
		all = append(all, lines...)
	}
	return all
}

// rankLines returns the lines of one question, broken where the next method does not fit. lead says
// what they are about, and later lines are indented by its width; names belong to list by index.
// Every line keeps room for the sign that more follows, because it is not known beforehand which
// line is cut.
func (w *Page) rankLines(lead string, brief bool, list []rankedRow, names []string,
	cells int) []string {
	t := w.Theme
	var parts []string
	for i, r := range list {
		figure := rankFigure(list, i, brief)
		// among equals none is the best
		if i == 0 && strings.ContainsAny(rankFigure(list, 1, false), "123456789") {
			figure += t.Best
		}
		mark := t.Line(r.run.Number).Paint(t.Mark(r.run.Number))
		parts = append(parts, "  "+mark+" "+t.Greek(names[i])+" "+t.Text.Paint(figure))
	}
	lead = t.Dim.Paint("      " + t.Greek(lead))
	return kit.Flow(lead, parts, "", cells-cell.Width(t.More))
}

// rankFigure writes the least risk, or how far risk i is above it; in brief, without a third
// decimal and the 0 before the point. A ranking is read for differences; the values themselves
// stand in the table above.
func rankFigure(list []rankedRow, i int, brief bool) string {
	v, sign := list[i].risk, ""
	if i > 0 {
		v, sign = v-list[0].risk, "+"
	}
	text := formatLoss(v)
	if brief {
		text = strings.TrimPrefix(strconv.FormatFloat(v, 'f', 2, 64), "0")
	}
	return sign + text
}
