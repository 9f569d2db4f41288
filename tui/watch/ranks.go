package watch

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/track"
)

// The ranking is the last part of the headline: which method is best, in one look, without the
// reader having to compare a column of figures. It comes once all runs have ended, since an
// order that changes at every evaluation misleads.

// ranked is a row of the table by its robust risk.
type ranked struct {
	run  *track.Track // its first
	risk float64      // in nats; of a row of seeds the mean
}

// byRisk are the rows that have a robust risk, the lowest first, for each question that is asked of
// several: at other radii they cannot be compared. Groups are in the order of the table, each with
// two rows or more, as there is nothing to rank in one.
func (w *Page) byRisk() (groups [][]ranked) {
	at := map[string]int{}
	for _, row := range w.Rows() {
		first := w.Tracks[row[0]]
		v, asks := track.OfEval(w.risk.Name).Over(w.Of(row)), first.Asks[w.risk.Asks]
		if !v.Applies() {
			continue
		}
		i, there := at[asks]
		if !there {
			i = len(groups)
			at[asks], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], ranked{first, v.Float()})
	}
	groups = slices.DeleteFunc(groups, func(list []ranked) bool { return len(list) < 2 })
	for _, list := range groups {
		slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.risk, b.risk) })
	}
	return groups
}

// rankRows is how many lines of the headline say it: where there is room for them and runs have
// ended. The layout asks before ranks are drawn, so both have to come to the same number, and
// both ask ranks.
func (w *Page) rankRows() int {
	const leastHeight = 30 // of the page: below, panels need the rows more
	ended := !slices.ContainsFunc(w.Tracks, func(t *track.Track) bool { return !t.Status.Ended() })
	if w.Body.H < leastHeight || !ended {
		return 0
	}
	return len(w.ranks(w.Body.W))
}

// ranks say which method has the lowest robust risk, and how far above it each other is. Each
// question has one line of so many cells where that can be, else two, in fewer letters. A third
// line is never taken: what does not fit is cut, and a sign says so.
func (w *Page) ranks(cells int) (all []string) {
	const most = 2 // lines of a question, and questions: four lines are all that panels can spare
	groups := w.byRisk()
	for _, list := range groups[:min(most, len(groups))] {
		// Where all were asked the same, short names do, and the radius need not be said.
		about, names := "", []string{}
		for _, r := range list {
			names = append(names, r.run.Short)
		}
		if !w.Comparable(&w.risk) {
			about, names = " "+list[0].run.Meta.Spec.Radius(), namesOf(list)
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

// namesOf tells the runs of one question apart. Their short names tell all watched runs apart, and
// may repeat the radius that the line says already.
func namesOf(list []ranked) []string {
	var runs []*runner.Meta
	for _, r := range list {
		runs = append(runs, r.run.Meta)
	}
	return compare.Names(runs)
}

// rankLines break where the next method does not fit. lead is what the line is about, and later
// lines are indented by as much; names belong to list by index. Room for the sign that more
// follows is kept on every line, as the one that is cut is not known beforehand.
func (w *Page) rankLines(lead string, brief bool, list []ranked, names []string,
	cells int) (lines []string) {
	t := w.Theme
	lead = "      " + t.Greek(lead)
	line, room := t.Dim.Paint(lead), cells-cell.Width(lead)-cell.Width(t.More)
	for i, r := range list {
		figure := rankFigure(list, i, brief)
		// the best of equals is none
		if i == 0 && strings.ContainsAny(rankFigure(list, 1, false), "123456789") {
			figure += t.Best
		}
		name := t.Greek(names[i])
		if n := cell.Width("  ● ") + cell.Width(name) + 1 + cell.Width(figure); n > room {
			lines = append(lines, line)
			line, room = kit.Blanks(cell.Width(lead)), cells-cell.Width(lead)-cell.Width(t.More)-n
		} else {
			room -= n
		}
		mark := t.Series[r.run.Number].Paint(string(t.Marks[r.run.Number]))
		line += "  " + mark + " " + name + " " + t.Text.Paint(figure)
	}
	return append(lines, line)
}

// rankFigure is the least risk, or how far another is above it, in brief without a third
// decimal and the 0 before the point. Differences are what a ranking is read for; the values
// themselves stand in the table above.
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
