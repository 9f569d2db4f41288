package kit

import (
	"fmt"
	"sort"
	"strings"

	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/plot"

	"github.com/charmbracelet/colorprofile"
)

// Swatch draws a piece of a map, w cells wide, for a value that lies at part, 0 to 1, between the
// ends.
func (t *Theme) Swatch(part float64, w int) string {
	h := plot.HeatMap{Charset: t.Charset(false), Shades: t.Shades()}
	return t.level(part).Paint(strings.Repeat(string(h.Glyph(plot.HeatLevel(part))), w))
}

// level returns the style of a map's cell for a value that lies at part, 0 to 1, between the ends.
func (t *Theme) level(part float64) Style {
	return t.styleOfCell(plot.Style{Role: plot.Heat, Series: uint8(plot.HeatLevel(part))})
}

// Shades reports whether maps are drawn in shades of one colour, because the terminal has too few.
func (t *Theme) Shades() bool { return t.ASCII || t.profile <= colorprofile.ANSI }

// setRoles sets the styles of the parts of charts other than series.
func (t *Theme) setRoles() {
	t.roles = [...]Style{plot.Axis: t.Dim, plot.Ref: t.Dim, plot.Mark: t.Dim, plot.Alert: t.Alarm,
		plot.Worst: t.Title, plot.Better: t.Better, plot.Worse: t.Worse, plot.Hair: t.Accent}
}

// styleOfCell returns the style of a cell of a chart.
func (t *Theme) styleOfCell(s plot.Style) Style {
	switch i := int(s.Series) % Colors; s.Role {
	case plot.Data:
		return t.Series[i]
	case plot.Faint, plot.Shade:
		return t.faint[i]
	case plot.Back:
		return t.back[i]
	case plot.Heat:
		if t.Shades() {
			return t.Text
		}
		return t.heat[int(s.Series)%plot.HeatLevels]
	case plot.BetterTint:
		return t.better[int(s.Series)%plot.TintLevels]
	case plot.WorseTint:
		return t.worse[int(s.Series)%plot.TintLevels]
	}
	return t.roles[s.Role]
}

// Rows paints a chart, one string a row.
func (t *Theme) Rows(f *plot.Frame) []string {
	ends := func(s plot.Style) (start, end string) {
		st := t.styleOfCell(s)
		return st.start, st.end
	}
	lines := make([]string, f.H)
	for y := range lines {
		var b strings.Builder
		b.Grow(4 * f.W)
		f.WriteRow(&b, y, ends)
		lines[y] = b.String()
	}
	return lines
}

// Charset returns the charset of the charts. With dots it is Braille, if the terminal has colours
// and more than ASCII.
func (t *Theme) Charset(dots bool) plot.Charset {
	switch {
	case t.ASCII:
		return plot.ASCII
	case dots && t.color: // dots have no pattern to tell curves apart by
		return plot.Braille
	}
	return plot.Lines
}

// Points draws points in w by h cells: a line with the name of the upward axis and lines with the
// points that have no name in the chart, all without colours, and the chart below them.
func (t *Theme) Points(s *page.Scatter, w, h int) (above []string, chart *plot.Frame) {
	head := " " + cell.Cut(t.Greek(s.Y.Label()), w-2)
	if better := t.Greek(s.Better()); cell.Width(head)+cell.Width(better)+3 <= w {
		head = Left(head, w-cell.Width(better)-1) + better
	}
	points, chart := plot.Scatter{Of: s, Charset: t.Charset(false)}, new(plot.Frame)
	var hidden []string
	const least = 5 // lines of a chart that leaves room for them
	room := max(0, min(h/3, h-1-least))
	for range 4 { // a lower chart may hide more
		most := len(hidden)
		lines := t.hiddenPoints(s, points.DrawTo(chart, w, h-1-most), w, room)
		hidden = append(lines, make([]string, max(0, most-len(lines)))...)
		if len(hidden) == most {
			break
		}
	}
	return append([]string{head}, hidden...), chart
}

// hiddenPoints says which points a drawing of points does not name, in at most so many lines of w
// cells. It counts those for which they have no room.
func (t *Theme) hiddenPoints(s *page.Scatter, hidden plot.Hidden, w, most int) []string {
	var parts []string
	for _, kind := range []struct {
		lead   string
		points []int
	}{{"no room for ", hidden.Unnamed}, {"under another mark: ", hidden.Covered}} {
		for k, i := range kind.points {
			name := t.Greek(cell.Clean(s.Points[i].Name))
			part := t.Mark(uint8(s.Points[i].Mark-1)) + " " + name
			if k == 0 {
				part = kind.lead + part
			}
			parts = append(parts, part)
		}
	}
	lines := func(named int) []string {
		list := parts[:named:named]
		if named < len(parts) {
			list = append(list, fmt.Sprintf("and %d more", len(parts)-named))
		}
		return Flow(" ", list, "  ", w-1)
	}
	if all := lines(len(parts)); len(all) <= most {
		return all
	}
	tooMany := func(named int) bool { return len(lines(named)) > most }
	if named := sort.Search(len(parts), tooMany); named > 0 {
		return lines(named - 1)
	}
	return nil
}
