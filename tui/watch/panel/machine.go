package panel

import (
	"fmt"
	"slices"
	"time"

	"drolab/runner/lists"
	"drolab/runner/machine"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"
)

// Machine is what the machine did during one run. The page reads it for the run under the cursor.
type Machine struct {
	ID      string
	Samples []machine.Sample
	Next    int64     // the place in the run's record behind the samples
	Looked  time.Time // when it was read last
	Reading bool
}

// mostPast is the number of samples behind the figures that are shown: about ten minutes.
const mostPast = 60

// Figures returns the latest samples of the run under the cursor. In a replay these are the samples
// up to the last event that it has reached.
func (b *Board) Figures() []machine.Sample {
	t, list := b.Runs.Run(), b.Machine.Samples
	if t == nil || t.ID != b.Machine.ID {
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

// machineFigures is the form of what the machine does: a line for each figure, with its past across
// the panel, on a scale from 0 to the most that there can be. Where these lines have no room, each
// part of the machine has one line.
type machineFigures struct{}

func (machineFigures) draw(b *Board, _ int, _ *View, iw, ih int) (lines []string, warning string) {
	list, t := b.Figures(), b.Theme
	if len(list) == 0 {
		return t.Dim.PaintAll(kit.Wrap(b.noFigures(), iw-2)), ""
	}
	if advice := machine.Advice(list[max(0, len(list)-machine.MinuteSamples):]); advice != "" {
		lines = append(lines, " "+t.Warn.Paint(cell.Cut(cell.Warning+" "+advice, iw-1)))
	}
	figures := machine.Figures(list)
	if iw >= leastFigures && len(lines)+1+len(figures) <= ih {
		lines = append(append(lines, b.figureScale(list, iw)), b.figureLines(figures, iw)...)
	} else {
		lines = append(lines, b.partLines(list, iw)...)
	}
	if hidden := len(lines) - ih; hidden > 0 {
		return lines[:ih], kit.Plural(hidden, "more line")
	}
	return lines, ""
}

func (machineFigures) note(b *Board, _ *View) string { return b.Runs.Run().Label }

// Cells of the columns of figures: the part of the machine, the figure's name, its value and its
// bound. The past has the rest.
const (
	partCells, nameCells, nowCells, boundCells = 8, 12, 10, 12

	fixedCells   = 1 + partCells + nameCells + nowCells + 2 + boundCells
	leastFigures = fixedCells + 10
)

// figureScale is the line above the figures, which says what the past spans.
func (b *Board) figureScale(list []machine.Sample, cells int) string {
	span := list[len(list)-1].Time.Sub(list[0].Time) + machine.Interval
	from, until := plot.FormatDuration(span.Seconds())+" before", "now"
	if b.Runs.Run().Status.Ended() {
		until = "last look"
	}
	past := kit.Justify(from, until, cells-fixedCells)
	return b.Theme.Dim.Paint(kit.Left(kit.Blanks(fixedCells-boundCells)+past+"  of", cells))
}

func (b *Board) figureLines(figures []machine.Figure, cells int) (lines []string) {
	t, before := b.Theme, ""
	for _, f := range figures {
		part := ""
		if f.Part != before {
			before, part = f.Part, f.Part
		}
		lines = append(lines, " "+t.Title.Paint(kit.Left(part, partCells))+
			t.Dim.Paint(kit.Left(f.Name, nameCells))+t.Text.Paint(kit.Right(f.Now, nowCells))+
			"  "+t.Accent.Paint(kit.Left(stretched(f.Past, cells-fixedCells), cells-fixedCells))+
			t.Dim.Paint(kit.Left("  "+f.Bound, boundCells)))
	}
	return lines
}

// stretched draws values from 0 to 1 across so many cells, with several cells for a value where
// there are few.
func stretched(past []float64, cells int) string {
	wide := make([]float64, cells)
	for i := range wide {
		wide[i] = past[i*len(past)/cells]
	}
	return plot.Spark(wide, cells)
}

// partLines returns a line for each part of the machine. The past has few cells, so that all
// figures of a part have room.
func (b *Board) partLines(list []machine.Sample, cells int) []string {
	const key = 7
	spark := func(past []float64) string { return plot.Spark(past, max(0, cells-60)/4) }
	return lists.Map(machine.Lines(list, spark), func(l machine.Line) string {
		return b.settingLine(Setting{Key: l.Part, Value: l.Text}, key, cells)
	})
}

// noFigures says why there are none.
func (b *Board) noFigures() string {
	t := b.Runs.Run()
	switch {
	case t.Tape != nil && len(b.Machine.Samples) > 0:
		return "There are no figures yet: the replay is before the first look at the machine."
	case !t.Status.Ended():
		return "There are no figures yet. drolab looks at the machine every 10 s."
	case t.Share == 1 && t.Seconds < 2*machine.Interval.Seconds(): // the first look brings none
		return fmt.Sprintf("There are no figures. The run took %s, and drolab looks at the "+
			"machine every 10 s.", plot.FormatDuration(t.Seconds))
	}
	return "No figures of the machine were recorded."
}

// machineList returns the figures of the machine as a list, for exports.
func (b *Board) machineList() []Setting {
	spark := func(past []float64) string { return plot.Spark(past, 8) }
	return lists.Map(machine.Lines(b.Figures(), spark), func(l machine.Line) Setting {
		return Setting{Key: l.Part, Value: l.Text}
	})
}
