package tui

import "strings"

// point is something to say: a name and a text.
type point struct {
	name, text string
	style      style
	whole      bool // wrapped, even where others have no room then; a no-break space breaks nowhere
}

// points draws as many points as h lines of w cells have room for, each in a
// line or, as far as there is room, wrapped. The texts are indented.
func (t *theme) points(points []point, indent, w, h int) (lines []string) {
	texts, rows := make([][]string, len(points)), make([]int, len(points))
	room := h
	take := func(i, n int) {
		n = min(n, room)
		rows[i] += n
		room -= n
	}
	for i, p := range points {
		cells := w - indent - 1
		if p.name == "" {
			cells = w - 2
		}
		texts[i] = wrap(t.greek(p.text), cells)
		if p.whole {
			take(i, len(texts[i]))
		}
	}
	for i, p := range points {
		if !p.whole {
			take(i, 1)
		}
	}
	for i, p := range points {
		take(i, len(texts[i])-rows[i])
		lines = append(lines, t.point(p, texts[i], rows[i], indent, w)...)
	}
	return lines
}

// point draws a point in some lines; the last of them is cut where the text
// has more.
func (t *theme) point(p point, text []string, rows, indent, w int) (lines []string) {
	for j := range rows {
		s, head := text[j], " "
		if j == rows-1 {
			s = strings.Join(text[j:], " ")
		}
		s = strings.ReplaceAll(s, "\u00a0", " ")
		if p.name != "" {
			head += left(p.name, indent-1)
			p.name = " "
		}
		lines = append(lines, t.dim.paint(head)+p.style.paint(cut(s, w-width(head)-1)))
	}
	return lines
}
