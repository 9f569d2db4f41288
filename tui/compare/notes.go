package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

func (p *Page) viewNotes(w, h int) []string {
	lines := p.noteLines(w)
	return kit.Fill(lines[min(p.scroll, max(0, len(lines)-h)):], w, h)
}

// noteLines returns the lines of the notes: the notes of the table, the settings that differ, and
// the definitions of the figures.
func (p *Page) noteLines(w int) (lines []string) {
	t := p.Theme
	bullet := func(mark, text string) {
		lines = append(lines, t.Hang(" "+mark+" ", t.Text, text, w)...)
	}
	for _, d := range p.damageTexts() {
		bullet(t.Alarm.Paint(cell.Warning), cell.OneLine(
			fmt.Sprintf("%s. Its curve lacks that part. The table is of its summary", d)))
	}
	for _, note := range p.Silent.Notes(p.runs) {
		bullet(t.Warn.Paint(cell.Warning), note)
	}
	for _, n := range p.table.Notes {
		bullet(t.Warn.Paint(cell.Warning), n.Text)
	}
	if len(p.table.Notes) == 0 && len(p.damageTexts()) == 0 {
		bullet(" ", "Same data, budget, program and seeds.")
	}
	lines = append(lines, "", " "+t.Title.Paint("Settings that differ"))
	differ := slices.DeleteFunc(slices.Clone(p.diffs),
		func(d compare.KeyDiff) bool { return d.Key == "seed" }) // rows are over seeds
	for _, d := range differ {
		values := t.Greek(strings.Join(lists.Map(d.Values, settingText), ", "))
		lines = append(lines, "   "+t.Dim.Paint(kit.Left(d.Key, 15))+cell.Cut(values, w-19))
	}
	if len(differ) == 0 {
		lines = append(lines, "   none")
	}
	lines = append(lines, "", " "+t.Title.Paint("Definitions"))
	for _, text := range p.definitions() {
		bullet(" ", text)
	}
	return lines
}

// definitions says what the figures of the table are, and what its signs mean.
func (p *Page) definitions() (texts []string) {
	step, elsewhere := "last epoch alone", "Watch shows means of the last epochs, as s does here. "
	if p.table.At != compare.Last {
		texts = append(texts, p.table.Head())
	}
	switch p.table.At {
	case compare.Mean:
		step, elsewhere = "last epochs, as on Watch,", ""
	case compare.Selected:
		step = "selected step"
	}
	part := "class"
	if len(p.runs) > 0 {
		part = p.runs[0].Meta.Part()
	}
	texts = append(texts, "Accuracies are of the "+step+" on the test split; worst "+part+
		" is each run's lowest. "+elsewhere+"Losses are mean cross-entropies in nats, or what the "+
		"setting loss says.",
		"Robust risk is the largest mean test loss over all reweightings within ρ; dual gap "+
			"is F(x; λ, η) minus the robust risk of the training split.")
	texts = append(texts, p.table.Legend()...)
	if len(p.table.Tradeoffs) > 0 {
		texts = append(texts, p.table.FrontDefinition())
	}
	return texts
}

// settingText returns the value of a setting in six digits, or a dash if the method does not read
// the setting.
func settingText(value string) string {
	x, err := strconv.ParseFloat(value, 64)
	switch {
	case value == "":
		return "–"
	case err == nil && x != math.Trunc(x):
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	return value
}
