package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Scatter is points in two measures, each with a cross for its intervals, and the front of the
// points than which no other is better.
type Scatter struct {
	Caption string // for a document; Title stands above the points in a file
	Title   string
	X, Y    ScatterAxis
	Points  []ScatterPoint
}

// ScatterAxis is a measure.
type ScatterAxis struct {
	Name, Unit string
	Percent    bool // values are parts of 1, shown times 100
	Higher     bool // more is better
}

// ScatterPoint is a point with half of its intervals, which are NaN where there are none.
type ScatterPoint struct {
	Name         string
	Mark         int // its look in all figures, counted from 1
	X, Y         float64
	HalfX, HalfY float64
	Front        bool
}

// Label names the measure with its unit.
func (a ScatterAxis) Label() string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + ", " + a.Unit
}

// better says on which side the better values are, of the two that are named.
func (a ScatterAxis) better(less, more string) string {
	if a.Higher {
		return more
	}
	return less
}

// Shown returns a value, or half of an interval, as the axis shows it.
func (a ScatterAxis) Shown(v float64) float64 {
	if a.Percent {
		return 100 * v
	}
	return v
}

// Better says where the better values are.
func (s *Scatter) Better() string {
	return "better: " + s.Y.better("down", "up") + ", " + s.X.better("left", "right")
}

// Bounds returns the ends of both axes, in shown values. The points take a third of an axis at
// least: a cross that is wider than twice that reaches out of the picture.
func (s *Scatter) Bounds() (x0, x1, y0, y1 float64) {
	x0, x1 = s.X.bounds(s.Points, func(p ScatterPoint) (v, half float64) { return p.X, p.HalfX })
	y0, y1 = s.Y.bounds(s.Points, func(p ScatterPoint) (v, half float64) { return p.Y, p.HalfY })
	return x0, x1, y0, y1
}

func (a ScatterAxis) bounds(
	points []ScatterPoint, of func(ScatterPoint) (v, half float64),
) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	crossLo, crossHi := lo, hi
	for _, p := range points {
		v, half := of(p)
		v, half = a.Shown(v), a.Shown(half)
		lo, hi = min(lo, v), max(hi, v)
		if finite(half) {
			crossLo, crossHi = min(crossLo, v-half), max(crossHi, v+half)
		}
	}
	lo, hi = UsableAxis(lo, hi)
	span := hi - lo
	lo, hi = max(lo-span, min(lo, crossLo)), min(hi+span, max(hi, crossHi))
	room := .04 * (hi - lo)
	lo, hi = lo-room, hi+room
	if a.Percent {
		lo, hi = max(lo, 0), min(hi, 100)
	}
	return UsableAxis(lo, hi)
}

// Front returns the corners of the front between the given axes, in shown values: from the end of
// the worse X at the best Y to the end of the worse Y at the best X. Whatever it encloses with
// those ends is behind the front.
func (s *Scatter) Front(x0, x1, y0, y1 float64) (corners [][2]float64) {
	x, y := x0, y0
	if !s.X.Higher {
		x = x1
	}
	if !s.Y.Higher {
		y = y1
	}
	behind := func(p ScatterPoint) bool { return !p.Front }
	front := slices.DeleteFunc(slices.Clone(s.Points), behind)
	slices.SortStableFunc(front, func(a, b ScatterPoint) int {
		if s.X.Higher {
			return cmp.Compare(a.X, b.X)
		}
		return cmp.Compare(b.X, a.X)
	})
	for _, p := range front {
		level := s.Y.Shown(p.Y)
		corners = append(corners, [2]float64{x, level})
		x = s.X.Shown(p.X)
		corners = append(corners, [2]float64{x, level})
	}
	if len(front) > 0 {
		corners = append(corners, [2]float64{x, y})
	}
	return corners
}

// table returns the points as a table, for forms without pictures.
func (s *Scatter) table() *Table {
	t := New("method", s.Y.Label(), s.X.Label(), "front")
	t.Caption = strings.TrimRight(s.Caption, ".")
	for _, p := range s.Points {
		front := ""
		if p.Front {
			front = "yes"
		}
		t.Add(p.Name, s.Y.style().Float(p.Y, p.HalfY), s.X.style().Float(p.X, p.HalfX), front)
	}
	return t
}

func (a ScatterAxis) style() Style {
	if a.Percent {
		return Points()
	}
	return Digits(4).Half(3)
}

// drawing returns the axes of the points.
func (s *Scatter) drawing(l layout) *drawing {
	d := &drawing{layout: l}
	d.x0, d.x1, d.y0, d.y1 = s.Bounds()
	return d
}

// inline draws the points for a page of HTML, whose style sheet has the colours.
func (s *Scatter) inline() string {
	l := inlineLayout()
	l.bottom, l.height = l.bottom+legendLine, l.height+legendLine
	d := s.drawing(l)
	fmt.Fprintf(d, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
		d.width, d.height, escapeHTML(s.Caption))
	s.draw(d)
	d.WriteString("</svg>\n")
	return d.String()
}

// ScatterSVG draws pictures of points below each other, as a file of its own. The note stands below
// the title.
func ScatterSVG(title, note string, pictures []*Scatter) string {
	const head = 40
	l := fileLayout()
	l.width, l.height, l.bottom = 560, 360, l.bottom+6
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `+
		`width="%[1]d" height="%[2]d" font-family="sans-serif" font-size="11">`+
		"\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"+
		"<text x=\"10\" y=\"16\" font-size=\"12\" font-weight=\"bold\">%s</text>\n"+
		"<text x=\"10\" y=\"31\" font-size=\"10\">%s</text>\n",
		l.width, len(pictures)*l.height+head, escapeHTML(title), escapeHTML(note))
	for i, s := range pictures {
		d := s.drawing(l)
		fmt.Fprintf(d, "<g transform=\"translate(0,%d)\">\n", i*l.height+head)
		s.draw(d)
		d.WriteString("</g>\n")
		b.WriteString(d.String())
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// draw draws axes and their names, the front, crosses, and points with their names. What is behind
// the front is faint.
func (s *Scatter) draw(d *drawing) {
	d.axes()
	fmt.Fprintf(d, "<text x=\"%d\" y=\"%d\">%s, %s is better</text>\n", d.left, d.top-10,
		escapeHTML(s.Y.Label()), s.Y.better("down", "up"))
	fmt.Fprintf(d, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %s is better</text>\n",
		d.width-d.right, d.height-5, escapeHTML(s.X.Label()), s.X.better("left", "right"))
	var front []string
	for _, c := range s.Front(d.x0, d.x1, d.y0, d.y1) {
		front = append(front, d.point(c[0], c[1]))
	}
	fmt.Fprintf(d, "<polyline fill=\"none\" stroke=\"#888\" stroke-dasharray=\"2 3\" "+
		"points=\"%s\"/>\n", strings.Join(front, " "))
	sides := s.sides(d)
	if text := nameless(sides); text != "" {
		fmt.Fprintf(d, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
			d.width-d.right, d.top-10, text)
	}
	for i, p := range s.Points {
		x, y, colour := s.X.Shown(p.X), s.Y.Shown(p.Y), d.colour(p.Mark-1)
		opacity := ""
		if !p.Front {
			opacity = ` opacity=".45"`
		}
		fmt.Fprintf(d, "<g%s stroke=\"%s\"><title>%s</title>", opacity, colour,
			escapeHTML(p.Name))
		line := func(ax, ay, bx, by float64) {
			fmt.Fprintf(d, "<path d=\"M%s L%s\"/>", d.point(ax, ay), d.point(bx, by))
		}
		if h := s.X.Shown(p.HalfX); finite(h) {
			line(x-h, y, x+h, y)
		}
		if h := s.Y.Shown(p.HalfY); finite(h) {
			line(x, y-h, x, y+h)
		}
		at := sides[i].place(d.pixelX(x), d.pixelY(y))
		if sides[i].isFar() {
			fmt.Fprintf(d, "<path stroke-width=\".5\" d=\"M%s L%.1f,%.1f\"/>", d.point(x, y), at.x,
				at.y-4)
		}
		fmt.Fprintf(d, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>",
			d.pixelX(x), d.pixelY(y), colour)
		for _, ink := range d.inks() {
			if sides[i].none {
				break
			}
			fmt.Fprintf(d, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>%s</text>",
				at.x, at.y, sides[i].choose("end", "start"), ink, escapeHTML(p.Name))
		}
		d.WriteString("</g>\n")
	}
}

// inks returns the attributes of a name that is legible on lines: those of its ground, and its own.
func (d *drawing) inks() [2]string {
	ground, own := "var(--paper)", `stroke="none"`
	if d.alone {
		ground, own = "white", `stroke="none" fill="#222"`
	}
	return [2]string{fmt.Sprintf(`stroke="%s" stroke-width="3" fill="none"`, ground), own}
}

// nameSide is where a name stands beside its point: left or right of it, and how many lines lower;
// or that it stands nowhere.
type nameSide struct {
	left  bool
	lower int
	none  bool
}

// nameless says how many points have no name beside them; "" if all have one.
func nameless(sides []nameSide) string {
	n := 0
	for _, side := range sides {
		if side.none {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "1 point has no room for its name"
	}
	return fmt.Sprintf("%d points have no room for their names", n)
}

const (
	nameGap  = 7  // between a point and its name
	nameLine = 12 // from line to line
)

// nameSides returns the sides in the order in which they are tried: the nearest come first.
func nameSides() (list []nameSide) {
	for _, lower := range [...]int{0, -1, 1, -2, 2, -3, 3, -4, 4} {
		list = append(list, nameSide{lower: lower}, nameSide{left: true, lower: lower})
	}
	return list
}

type pixel struct{ x, y float64 }

// place returns where the text begins or, left of the point, ends.
func (n nameSide) place(x, y float64) pixel {
	at := pixel{x + nameGap, y + 4 + float64(nameLine*n.lower)}
	if n.left {
		at.x = x - nameGap
	}
	return at
}

// choose returns one of the words for a name on the left and on the right of its point.
func (n nameSide) choose(left, right string) string {
	if n.left {
		return left
	}
	return right
}

// isFar reports whether a name needs a line to its point.
func (n nameSide) isFar() bool { return n.lower < -1 || n.lower > 1 }

// box is an area of a drawing, in pixels.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) covers(o box) bool {
	return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1
}

// nameBox returns the area of the name of a point on one of its sides.
func (s *Scatter) nameBox(d *drawing, p ScatterPoint, side nameSide) box {
	const letter, high = 6.6, 10
	at := side.place(d.pixelX(s.X.Shown(p.X)), d.pixelY(s.Y.Shown(p.Y)))
	w := 0.0
	for _, r := range p.Name {
		w += letter
		if unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			w += letter
		}
	}
	if side.left {
		at.x -= w
	}
	return box{at.x, at.y - high, at.x + w, at.y + 2}
}

// sides chooses the side of each name: the first on which it is inside the axes and covers no other
// name and no point. A name without such a side stands nowhere. Names on the front choose first.
func (s *Scatter) sides(d *drawing) []nameSide {
	const dot = 4
	var taken []box
	for _, p := range s.Points {
		x, y := d.pixelX(s.X.Shown(p.X)), d.pixelY(s.Y.Shown(p.Y))
		taken = append(taken, box{x - dot, y - dot, x + dot, y + dot})
	}
	all, list := nameSides(), make([]nameSide, len(s.Points))
	for _, front := range [...]bool{true, false} {
		for i, p := range s.Points {
			if p.Front != front {
				continue
			}
			free := func(side nameSide) bool {
				b := s.nameBox(d, p, side)
				return b.x0 >= float64(d.left) && b.x1 <= float64(d.width-d.right) &&
					b.y0 >= float64(d.top) && b.y1 <= float64(d.height-d.bottom) &&
					!slices.ContainsFunc(taken, b.covers)
			}
			at := slices.IndexFunc(all, free)
			if at < 0 {
				list[i].none = true
				continue
			}
			list[i] = all[at]
			taken = append(taken, s.nameBox(d, p, list[i]))
		}
	}
	return list
}

// PGFPlots writes the points as a picture that the package pgfplots draws.
func (s *Scatter) PGFPlots() string {
	var b strings.Builder
	l := fileLayout()
	d := s.drawing(l)
	sides := s.sides(d)
	fmt.Fprintf(&b, "\\begin{tikzpicture}\n\\begin{axis}[width=12cm, height=8cm, "+
		"xlabel={%s, %s is better}, ylabel={%s, %s is better}, xmin=%.6g, xmax=%.6g, ymin=%.6g, "+
		"ymax=%.6g, title={%s}]\n", escapeLaTeX(s.X.Label()), s.X.better("left", "right"),
		escapeLaTeX(s.Y.Label()), s.Y.better("down", "up"), d.x0, d.x1, d.y0, d.y1,
		nameless(sides))
	b.WriteString("\\addplot[gray, densely dotted, mark=none] coordinates {")
	for _, c := range s.Front(d.x0, d.x1, d.y0, d.y1) {
		fmt.Fprintf(&b, " (%.6g,%.6g)", c[0], c[1])
	}
	b.WriteString(" };\n")
	for i, p := range s.Points {
		colour := "black"
		if !p.Front {
			colour = "gray"
		}
		half := func(a ScatterAxis, h float64) float64 {
			if h = a.Shown(h); finite(h) {
				return h
			}
			return 0
		}
		x, y := s.X.Shown(p.X), s.Y.Shown(p.Y)
		fmt.Fprintf(&b, "\\addplot[%s, only marks, mark=*, error bars/.cd, x dir=both, "+
			"x explicit, y dir=both, y explicit] coordinates { (%.6g,%.6g) +- (%.6g,%.6g) };\n",
			colour, x, y, half(s.X, p.HalfX), half(s.Y, p.HalfY))
		if sides[i].none {
			continue
		}
		pin := ""
		if sides[i].isFar() {
			pin = fmt.Sprintf(" edge[very thin, %s] (axis cs:%.6g,%.6g)", colour, x, y)
		}
		fmt.Fprintf(&b, "\\path (axis cs:%.6g,%.6g) node[%s, anchor=%s, xshift=%spt, yshift=%dpt, "+
			"inner sep=1pt, fill=white, fill opacity=.7, text opacity=1, font=\\footnotesize] "+
			"{%s}%s;\n", x, y, colour,
			sides[i].choose("east", "west"), sides[i].choose("-4", "4"), -10*sides[i].lower,
			escapeLaTeX(p.Name), pin)
	}
	b.WriteString("\\end{axis}\n\\end{tikzpicture}\n\n")
	return b.String()
}
