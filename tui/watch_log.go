package tui

import (
	"fmt"
	"slices"
)

// logLine is a note with the run that it is of.
type logLine struct {
	note
	run *track
	i   int // the run's number
}

// log draws the log pane: what happened to all runs, the latest below.
func (w *watch) log(r rect, box bool) []string {
	t := w.theme
	var all []logLine
	skipped := 0
	for i, run := range w.tracks {
		for _, n := range run.notes {
			all = append(all, logLine{n, run, i})
		}
		skipped += run.skipped
	}
	slices.SortStableFunc(all, func(a, b logLine) int { return a.at.Compare(b.at) })
	iw, ih := inside(box, r.w, r.h)
	back := max(0, min(w.logBack, len(all)-ih))
	end := len(all) - back
	names := 0
	for _, run := range w.tracks {
		names = max(names, width(run.label))
	}
	var lines []string
	for _, l := range all[max(0, end-ih):end] {
		text := t.text
		if l.bad {
			text = t.warn
		}
		s := fmt.Sprintf(" %8d  ", l.step)
		lines = append(lines, t.dim.paint(s)+t.series[l.i].paint(left(l.run.label, names))+"  "+
			text.paint(cut(t.greek(l.text), iw-width(s)-names-3)))
	}
	if len(all) == 0 {
		lines = []string{t.dim.paint(" nothing happened yet")}
	}
	note := plural(len(all), "line")
	if back > 0 {
		note = fmt.Sprintf("%d more below · ", back) + note
	}
	if skipped > 0 {
		note = fmt.Sprintf("%d unreadable · ", skipped) + note
	}
	return t.panel("Log by step", note, false, box, lines, r.w, r.h)
}
