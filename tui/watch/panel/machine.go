package panel

import (
	"slices"
	"time"

	"drolab/runner/lists"
	"drolab/runner/machine"
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

// machineLines returns what the machine does, for so many cells: a sentence if there is one, and a
// line for each of its parts.
func (b *Board) machineLines(cells int) (lines []Setting) {
	list := b.Figures()
	if len(list) == 0 {
		return []Setting{{Key: "There are no figures yet. They come every 10 s."}}
	}
	if advice := machine.Advice(list[max(0, len(list)-machine.MinuteSamples):]); advice != "" {
		lines = append(lines, Setting{Key: advice, Differs: true})
	}
	spark := func(past []float64) string { return plot.Spark(past, cells/16) }
	set := func(l machine.Line) Setting { return Setting{Key: l.Part, Value: l.Text} }
	return append(lines, lists.Map(machine.Lines(list, spark), set)...)
}
