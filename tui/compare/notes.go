package compare

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/compare"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

func (p *Page) viewNotes(w, h int) []string {
	lines := p.noteLines(w)
	from := min(p.scroll, max(0, len(lines)-h))
	return kit.Fill(lines[from:], w, h)
}

// noteLines returns the lines of the notes: the notes of the table, the settings that differ, and
// the definitions of the figures.
func (p *Page) noteLines(w int) (lines []string) {
	t := p.Theme
	bullet := func(mark, text string) {
		for i, s := range kit.Wrap(t.Greek(text), w-4) {
			if i > 0 {
				mark = " "
			}
			lines = append(lines, " "+mark+" "+s)
		}
	}
	for _, n := range p.table.Notes {
		bullet(t.Warn.Paint("!"), n.Text)
	}
	if len(p.table.Notes) == 0 {
		bullet(" ", fair)
	}
	lines = append(lines, "", " "+t.Title.Paint("Settings that differ"))
	differ := slices.DeleteFunc(slices.Clone(p.diffs),
		func(d compare.KeyDiff) bool { return d.Key == "seed" }) // rows are over seeds
	for _, d := range differ {
		var words []string
		for _, v := range d.Values {
			words = append(words, stated(v))
		}
		values := t.Greek(strings.Join(words, ", "))
		lines = append(lines, "   "+t.Dim.Paint(kit.Left(d.Key, 15))+cell.Cut(values, w-19))
	}
	if len(differ) == 0 {
		lines = append(lines, "   none")
	}
	lines = append(lines, "", " "+t.Title.Paint("Definitions"))
	step := "last iterate"
	if p.table.At == compare.Selected {
		step = "selected step"
	}
	part := "class"
	if len(p.runs) > 0 {
		part = p.runs[0].Meta.Part()
	}
	for _, s := range append([]string{
		"Accuracies are of the " + step + " on the test split; worst " + part + " is each run's " +
			"lowest. Losses are mean cross-entropies in nats, or what the setting loss says.",
		"Robust risk is the largest mean test loss over all reweightings within ρ; dual gap " +
			"is F(x; λ, η) minus the robust risk of the training split.",
	}, p.table.Legend()...) {
		bullet(" ", s)
	}
	return lines
}

// stated returns the value of a setting in six digits, or a dash if the method does not read the
// setting.
func stated(value string) string {
	x, err := strconv.ParseFloat(value, 64)
	switch {
	case value == "":
		return "–"
	case err == nil && x != math.Trunc(x):
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	return value
}
