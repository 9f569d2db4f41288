package panel

import (
	"slices"
	"strings"
	"time"

	"drolab/runner/machine"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// Machine is what the machine did during one run. The page reads it for the run under the cursor.
type Machine struct {
	ID      string
	Samples []machine.Sample
	Next    int64 // the place in the run's record behind the samples
}

// mostPast is the number of samples behind the figures that are shown: about ten minutes.
const mostPast = 60

// Figures returns the latest samples of the run under the cursor. In a replay these are the samples
// up to the last event that it has reached.
func (w *Board) Figures() []machine.Sample {
	t, list := w.Run(), w.Machine.Samples
	if t == nil || t.ID != w.Machine.ID {
		return nil
	}
	if t.Tape != nil {
		n, _ := slices.BinarySearchFunc(list, t.now, func(s machine.Sample, now time.Time) int {
			return s.Time.Compare(now)
		})
		list = list[:n]
	}
	return list[max(0, len(list)-mostPast):]
}

// Watches reports whether the view shows the machine.
func (v *View) Watches() bool { return v.As == onMachine{} }

// onMachine is the form of what the machine does: a sentence if there is one, and a line for each
// of its parts.
type onMachine struct{}

func (onMachine) draw(w *Board, _ int, _ *View, iw, ih int) (lines []string, warning string) {
	list, t := w.Figures(), w.Theme
	rows := machine.Rows(list)
	if a := machine.Advice(list[max(0, len(list)-machine.Recent):]); a != "" {
		lines = append(lines, " "+t.Warn.Paint(cell.Cut(a, iw-2)))
	}
	if hidden := len(lines) + len(rows) - ih; hidden > 0 {
		warning, rows = kit.Plural(hidden, "more line"), rows[:max(0, len(rows)-hidden)]
	}
	gpus := 0
	for gpus < len(rows) && rows[gpus].IsGPU() {
		gpus++
	}
	lines = append(lines, w.machineLines(rows[:gpus], iw)...)
	return append(lines, w.machineLines(rows[gpus:], iw)...), warning
}

// machineLines writes rows with their figures in columns.
func (w *Board) machineLines(rows []machine.Row, iw int) (lines []string) {
	t := w.Theme
	widths, spark := columns(rows, iw)
	for _, r := range rows {
		line := " " + t.Dim.Paint(kit.Left(r.Name, nameCells))
		for i, f := range r.Figures[:min(len(r.Figures), len(widths))] {
			past := t.Greek(plot.Spark(f.Past, spark))
			line += kit.Left(cell.Cut(t.Greek(f.Text), widths[i]), widths[i]+1) +
				t.Accent.Paint(past) + kit.Blanks(spark-cell.Width(past)+1)
		}
		lines = append(lines, cell.Cut(strings.TrimRight(line, " "), iw))
	}
	return lines
}

// The cells of the names of rows, and the least of a figure's past.
const nameCells, leastPast = 8, 4

// columns returns the widths of the figures that have room in so many cells, and of the past of
// each.
func columns(rows []machine.Row, cells int) (widths []int, past int) {
	left := cells - 2 - nameCells
	for i := 0; ; i++ {
		width := 0
		for _, r := range rows {
			if i < len(r.Figures) {
				width = max(width, cell.Width(r.Figures[i].Text))
			}
		}
		if width == 0 || i > 0 && left-width-2 < leastPast*(i+1) {
			return widths, min(mostPast/2, max(0, left)/max(1, i))
		}
		widths, left = append(widths, width), left-width-2
	}
}

func (onMachine) note(w *Board, _ *View) string { return w.Run().Label }
