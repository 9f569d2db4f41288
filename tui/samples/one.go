package samples

import (
	"fmt"
	"math"
	"strings"

	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// oneTitle names the sample under the cursor.
func (p *Page) oneTitle() string {
	if s := p.current(); s != nil {
		return fmt.Sprintf("Row %d", s.Row)
	}
	return "Sample"
}

// weight returns the ratio of the sample under the cursor at the chosen radius, as text.
func (p *Page) weight() string {
	s := p.current()
	switch {
	case s == nil:
		return ""
	case !p.pick.Set.HasRadius():
		return "ratio " + figure(s.Ratios[0])
	}
	return fmt.Sprintf("%s at ρ = %g", figure(s.Ratios[p.rho]), p.pick.Radii[p.rho])
}

// viewOne draws the sample under the cursor: its picture above what is known of it, or beside it
// where there are few lines.
func (p *Page) viewOne(w, h int) []string {
	s := p.current()
	if s == nil {
		return nil
	}
	const few, beside = 6, 18
	facts := p.facts(w)
	if s.Picture == nil {
		return append(facts[:min(len(facts), h)], p.values(w, max(0, h-len(facts)-1))...)
	}
	if h >= 2*few+2 {
		picture := p.middle(p.picture(s, w, h-min(len(facts), max(few, h/4))), w)
		return append(picture, facts[:min(len(facts), h-len(picture))]...)
	}
	picture := p.picture(s, min(2*h, w-beside), h)
	wide := cell.Width(picture[0])
	facts = p.facts(w - wide - 1)
	return kit.Compose(w, h, []kit.Placed{
		{Rect: kit.Area(0, 0, wide, h), Lines: picture},
		{Rect: kit.Area(wide+1, 0, w-wide-1, h), Lines: facts[:min(len(facts), h)]},
	})
}

// middle centres lines of equal width in w cells.
func (p *Page) middle(lines []string, w int) []string {
	for i := range lines {
		lines[i] = kit.Blanks((w-cell.Width(lines[i]))/2) + lines[i]
	}
	return lines
}

// facts returns what is known of the sample under the cursor, one fact to a line, the most
// important first. The names of the facts have a column of their own where there is room for one.
func (p *Page) facts(w int) (lines []string) {
	s, t, pick := p.current(), p.Theme, p.pick
	const names, least = 11, 28
	say := func(name, text string, st kit.Style) {
		head := kit.Left(" "+name, names)
		if w < least {
			head = strings.TrimRight(" "+name, " ") + " "
		}
		text = cell.Cut(t.Greek(text), w-cell.Width(head)-1)
		lines = append(lines, kit.Left(t.Dim.Paint(head)+st.Paint(text), w))
	}
	say("label", pick.Classes[s.Label], t.Text)
	mark, style := "✓ ", t.Good
	if s.Wrong() {
		mark, style = "✗ ", t.Bad
	}
	say("predicted", mark+pick.Classes[s.Prediction], style)
	say("loss", fmt.Sprintf("%s, p = %.2g", figure(s.Loss), math.Exp(-s.Loss)), t.Text)
	if pick.Groups != nil {
		say("group", pick.Groups[s.Group], t.Text)
	}
	if !pick.Set.HasRadius() {
		say("ratio", figure(s.Ratios[0])+", "+pick.Set.Label(), t.Text)
		return lines
	}
	for k, rho := range pick.Radii {
		name, mark, st := "", " ", t.Text
		if k == 0 && w >= least {
			name = "ratio"
		}
		if k == p.rho {
			mark, st = t.Cursor, t.Accent
		}
		say(name, fmt.Sprintf("%s%6s at ρ = %g", mark, figure(s.Ratios[k]), rho), st)
	}
	return lines
}

// values returns the sample's columns in h lines, side by side in several blocks where one block
// has no room for all.
func (p *Page) values(w, h int) []string {
	list := p.pick.Encoder.Values(p.current().Features)
	if len(list) == 0 || h < 1 {
		return nil
	}
	const wide, most = 30, 50
	across := max(1, min(w/wide, (len(list)+h-1)/h))
	cells := min(most, w/across)
	var blocks []kit.Placed
	for k := range across {
		var lines []string
		for i := k * h; i < min(len(list), (k+1)*h); i++ {
			lines = append(lines, p.value(list[i].Column, list[i].Text, cells))
		}
		blocks = append(blocks, kit.Placed{Rect: kit.Area(k*cells, 0, cells, h), Lines: lines})
	}
	lines := kit.Compose(w, h, blocks)
	if more := len(list) - across*h; more > 0 {
		lines[h-1] = p.Theme.Dim.Paint(fmt.Sprintf(" … and %d more columns: z", more+across))
	}
	return append([]string{""}, lines...)
}

// value draws one column in w cells.
func (p *Page) value(name, text string, w int) string {
	t := p.Theme
	if text == "" {
		text = "–"
	}
	head := max(4, w/2-1)
	return t.Dim.Paint(kit.Left(" "+cell.Cut(t.Greek(name), head-2), head)) +
		kit.Left(t.Greek(text), w-head)
}

func (p *Page) define() tea.Cmd {
	var lines []string
	for i, text := range p.defines() {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, kit.Wrap(p.Theme.Greek(text), min(76, p.Body.W-6))...)
	}
	return kit.Show(&kit.Overlay{Title: "Samples", Lines: lines})
}
