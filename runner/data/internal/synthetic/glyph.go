package synthetic

import "slices"

// A glyph is the outline of one class, around the origin, upright. All have about the area of a
// disc of radius 3400, so that area alone does not tell a class.
type glyph []Contour

// ShapeClasses are the classes of "shapes". With the paper's ratios (PaperImbalance), each class
// that loses most stands beside a class that keeps its samples and looks alike. The pairs are
// hexagon (.543) and circle (.804), hexagram (.390) and star (.997), rhombus (.285) and square
// (.959).
func ShapeClasses() []string {
	return []string{
		"circle", "hexagon", "star", "cross", "hexagram",
		"rhombus", "square", "crescent", "ring", "triangle",
	}
}

// NewGlyphs gives the outlines in the order of ShapeClasses.
func NewGlyphs(t *circle) []glyph {
	return []glyph{
		{t.corners(48, 3400)},
		{t.corners(6, 3740)},
		{t.corners(10, 5000, 2300)},
		{cross(4300, 1370)},
		{t.corners(12, 4700, 2700)},
		{{{0, -5500}, {3300, 0}, {0, 5500}, {-3300, 0}}},
		{t.turned(t.corners(4, 4260), FullRot/8)},
		{t.crescent()},
		{t.corners(48, 4096), reversed(t.corners(32, 2300))},
		{t.corners(3, 5290)},
	}
}

// corners gives n corners at equal angles, the first on top, at the given radii in turn: with one
// radius the regular n-gon, with two a star, tips first.
func (t *circle) corners(n int, radii ...int) Contour {
	p := make(Contour, n)
	for i := range p {
		p[i] = t.at(radii[i%len(radii)], i*FullRot/n-FullRot/4)
	}
	return p
}

// cross gives an upright cross with arms of length r and half-width w.
func cross(r, w int32) Contour {
	return Contour{
		{-w, -r}, {w, -r}, {w, -w},
		{r, -w}, {r, w}, {w, w},
		{w, r}, {-w, r}, {-w, w},
		{-r, w}, {-r, -w}, {-w, -w},
	}
}

// crescent gives a disc less a disc that is moved to the right: the outer arc one way round, the
// inner arc back.
func (t *circle) crescent() Contour {
	const outer, steps = 4500, 30
	var p Contour
	// The arcs meet where the outer circle is at ±60° and the inner, of radius outer·sin 60° about
	// (outer/2, 0), at ±90°.
	for i := range steps + 1 {
		p = append(p, t.at(outer, 160+i*(FullRot-320)/steps))
	}
	for i := 1; i < steps; i++ {
		q := t.at(outer*866/1000, -FullRot/4-i*(FullRot/2)/steps)
		p = append(p, Point{q.X + outer/2, q.Y})
	}
	for i := range p { // centre of mass to the origin, about
		p[i].X += 1100
	}
	return p
}

// turned gives c turned by a steps.
func (t *circle) turned(c Contour, a int) Contour {
	out := make(Contour, len(c))
	for i, p := range c {
		out[i] = t.turn(p, a)
	}
	return out
}

// turn turns p about the origin by a steps.
func (t *circle) turn(p Point, a int) Point {
	u, v := t.at(int(p.X), a), t.at(int(p.Y), a)
	return Point{u.X - v.Y, u.Y + v.X}
}

// reversed gives c the other way round: a hole.
func reversed(c Contour) Contour {
	out := slices.Clone(c)
	slices.Reverse(out)
	return out
}
