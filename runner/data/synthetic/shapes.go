package synthetic

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"drolab/runner/data"
)

const (
	shapesTrain = 10000 // default training samples, before imbalance
	ShapesTest  = 2000  // test samples
	// shapesMost is the maximum number of training samples: more take minutes to count, and
	// gigabytes for their order.
	shapesMost    = 100_000_000
	shapesVersion = 1 // goes up when any byte of any image changes
)

func Shapes() *data.Provider {
	return &data.Provider{
		Name: "shapes", Purpose: "ten classes of 32×32 figures drawn by the program; any number, " +
			"any difficulty",
		Open: openShapes, Pack: Render,
		Sizes: data.Sizes{Shape: data.Shape{C: 3, H: Side, W: Side}, Classes: 10,
			Train: shapesTrain, Test: ShapesTest},
		AnySize: true, Imbalance: data.PaperImbalance(),
	}
}

// openShapes gives "shapes": ten classes of 32×32 RGB images of plane figures on a busy ground,
// drawn by the program. Difficulty (in steps of 1/256) brings turns, stretch, small figures, low
// contrast, clutter and noise. Labels cycle, so classes are of equal size before imbalance; at 10⁷
// samples the generator still needs no memory of its own (an imbalance needs an index of 4 bytes a
// sample).
func openShapes(_ string, o data.Options) (*data.Dataset, error) {
	n := cmp.Or(o.Samples, shapesTrain)
	if n > shapesMost {
		return nil, fmt.Errorf("samples is %d: give at most %d", n, shapesMost)
	}
	hard := int(math.Round(o.Difficulty * 256))
	art := NewArtist(hard)
	return &data.Dataset{
		Classes: ShapeClasses(),
		Train:   &Drawn{art, data.Mix(data.PurposeDraw, o.Seed, 0), n},
		Test:    &Drawn{art, data.Mix(data.PurposeDraw, o.Seed, 1), ShapesTest},
		Checksum: data.Checksum(fmt.Appendf(nil,
			"shapes version %d seed %d difficulty %d/256 train %d test %d",
			shapesVersion, o.Seed, hard, n, ShapesTest)),
		Mean: []float32{.5, .5, .5}, Std: []float32{.25, .25, .25},
		Augment: data.Augment{Pad: 4, Flip: true},
	}, nil
}

// Render draws every split that is small enough into memory.
func Render(d *data.Dataset) {
	data.Store(d, func(src data.ImageSource) bool {
		return src.Len() <= data.DrawnMemory/src.Shape().Len()
	})
}

// Drawn is a split of "shapes". Sample i is a pure function of (Key, i), and Key is a hash of
// (seed, split).
type Drawn struct {
	Art *artist
	Key uint64
	N   int
}

func (s *Drawn) Len() int          { return s.N }
func (s *Drawn) Shape() data.Shape { return data.Shape{C: 3, H: Side, W: Side} }
func (s *Drawn) Label(i int) int   { return i % len(s.Art.Glyphs) }
func (s *Drawn) Group(i int) int   { return s.Label(i) }

func (s *Drawn) Pixels(buf []byte, i int) []byte {
	buf = buf[:3*Side*Side]
	p := Painter{artist: s.Art, rng: data.PCG{Hi: s.Key, Lo: uint64(i)}}
	p.draw(buf, s.Label(i))
	return buf
}

func (s *Drawn) Read(dst []float32, i int) {
	var buf [3 * Side * Side]byte
	data.ReadPixels(dst, s.Pixels(buf[:], i))
}

// artist holds what all images of a dataset share.
type artist struct {
	hard   int // difficulty, 0 to 256
	circle *circle
	Glyphs []glyph
}

func NewArtist(hard int) *artist {
	c := NewCircle()
	return &artist{hard, c, NewGlyphs(c)}
}

// Painter draws one image.
type Painter struct {
	*artist
	rng    data.PCG
	img    []byte
	cover  Coverage
	Canvas [64]Point // room for the contour with most vertices
}

// between draws an integer of [lo, hi], uniform to 2⁻³².
func (p *Painter) between(lo, hi int) int {
	return lo + int((p.rng.Uint64()>>32)*uint64(hi-lo+1)>>32)
}

// eased returns a value that goes from easy to hard as the difficulty increases.
func (p *Painter) eased(easy, hard int) int { return easy + (hard-easy)*p.hard/256 }

func (p *Painter) draw(img []byte, label int) {
	p.img = img
	ground := p.ground()
	for range p.between(0, p.eased(1, 5)) {
		p.clutter()
	}
	p.figure(label, p.contrast(ground))
	if p.between(0, 255) < p.eased(0, 160) {
		p.scratch()
	}
	p.noise(p.eased(5, 34))
}

// colour draws a colour.
func (p *Painter) colour() [3]int32 {
	return [3]int32{int32(p.between(16, 239)), int32(p.between(16, 239)), int32(p.between(16, 239))}
}

// contrast draws a colour that differs from ground, in the sum over channels, by at least an amount
// that shrinks as the difficulty increases.
func (p *Painter) contrast(ground [3]int32) [3]int32 {
	for {
		c, sum := p.colour(), int32(0)
		for i := range c {
			sum += max(c[i]-ground[i], ground[i]-c[i])
		}
		if int(sum) >= p.eased(230, 130) {
			return c
		}
	}
}

// ground fills the image with a linear change between two similar colours, and returns the colour
// in the middle.
func (p *Painter) ground() [3]int32 {
	mid := p.colour()
	dir := p.circle.point(1<<10, p.between(0, FullRot-1))
	for c := range 3 {
		swing := p.between(-40, 40)
		for y := range Side {
			first := (1-Side)*int(dir.X) + (2*y-Side+1)*int(dir.Y) // ±45·2¹⁰, as is the last
			ramp(p.img[(c*Side+y)*Side:][:Side], int(mid[c])<<15+first*swing, 2*int(dir.X)*swing)
		}
	}
	return mid
}

// ramp fills a row with values that begin at v and change by step, both with 15 fraction bits. The
// length of the row is a multiple of four.
func ramp(row []byte, v, step int) {
	if last := v + (len(row)-1)*step; min(v, last) >= 0 && max(v, last) < 256<<15 {
		for x := 0; x+4 <= len(row); x += 4 {
			r := row[x : x+4 : x+4]
			r[0], r[1], r[2], r[3] = byte(v>>15), byte((v+step)>>15), byte((v+2*step)>>15),
				byte((v+3*step)>>15)
			v += 4 * step
		}
		return
	}
	for x := range row {
		row[x] = byte(min(max(v>>15, 0), 255))
		v += step
	}
}

// figure draws the class's outline: turned, stretched, scaled and moved.
func (p *Painter) figure(label int, colour [3]int32) {
	turn := p.eased(FullRot/24, FullRot/4)
	angle := p.between(-turn, turn)
	stretch := p.eased(20, 90) // ‰
	wide := p.between(1000-stretch, 1000+stretch)
	radius := p.between(p.eased(9<<8, 7<<8), 12<<8) // of 4096 glyph units, in 1/256 pixel
	reach := p.eased(2<<Fix, 5<<Fix)
	cx, cy := Side<<(Fix-1)+p.between(-reach, reach), Side<<(Fix-1)+p.between(-reach, reach)
	for _, c := range p.Glyphs[label] {
		for i, v := range c {
			v = p.circle.turn(v, angle)
			x := int(v.X) * wide / 1000
			y := int(v.Y) * 1000 / wide
			// The shift leaves 12 + 8 − 16 fraction bits.
			p.Canvas[i] = Point{int32(cx + x*radius>>4), int32(cy + y*radius>>4)}
		}
		p.cover.Add(p.Canvas[:len(c)])
	}
	p.cover.Paint(p.img, colour)
}

// clutter draws a small polygon of three to five corners, anywhere, behind the figure.
func (p *Painter) clutter() {
	n := p.between(3, 5)
	cx, cy := p.between(0, Side<<Fix), p.between(0, Side<<Fix)
	start := p.between(0, FullRot-1)
	for i := range n {
		v := p.circle.point(p.between(2<<Fix, 6<<Fix), start+i*FullRot/n)
		p.Canvas[i] = Point{int32(cx) + v.X, int32(cy) + v.Y}
	}
	p.cover.Add(p.Canvas[:n])
	p.cover.Paint(p.img, p.colour())
}

// scratch draws a thin bar across the image, over the figure.
func (p *Painter) scratch() {
	a := p.between(0, FullRot-1)
	along := p.circle.point(48<<Fix, a)
	across := p.circle.point(p.between(3<<(Fix-3), 5<<(Fix-3)), a+FullRot/4)
	cx := int32(p.between(6<<Fix, 26<<Fix))
	cy := int32(p.between(6<<Fix, 26<<Fix))
	p.cover.Add([]Point{
		{cx + along.X + across.X, cy + along.Y + across.Y},
		{cx + along.X - across.X, cy + along.Y - across.Y},
		{cx - along.X - across.X, cy - along.Y - across.Y},
		{cx - along.X + across.X, cy - along.Y + across.Y},
	})
	p.cover.Paint(p.img, p.colour())
}

// noise adds ⌊(a−b)·amplitude/256⌋ to every value, where a and b are uniform bytes and amplitude is
// below 128: four values at a time, in the 16-bit lanes of words. It takes half of the time of an
// image.
func (p *Painter) noise(amplitude int) {
	const (
		each = 0x0001_0001_0001_0001
		low  = 0xff * each
	)
	rng, img, amp := p.rng, p.img, uint64(amplitude)
	bias := 0x8000*each - amp*each
	for i := 0; i+4 <= len(img); i += 4 {
		var bits uint64
		rng, bits = rng.Next()
		// This is larger by amplitude than the change to add, so it is never below 0.
		change := (bits&low - bits>>8&low + 256*each) * amp >> 8 & low

		four := img[i : i+4 : i+4]
		v := uint64(binary.LittleEndian.Uint32(four))
		v = (v | v<<16) & 0x0000_ffff_0000_ffff
		v = (v|v<<8)&low + change + bias    // a lane's top bit is set unless it is below 0
		if v&(0x8100*each) != 0x8000*each { // below 0 or above 255
			v &= v >> 15 & each * 0x1ff
			v |= v >> 8 & each * 0xff
		}
		v &= low
		v = (v | v>>8) & 0x0000_ffff_0000_ffff
		binary.LittleEndian.PutUint32(four, uint32(v|v>>16))
	}
	p.rng = rng
}

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
		{{{3012, -3012}, {3012, 3012}, {-3012, 3012}, {-3012, -3012}}},
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
		p[i] = t.point(radii[i%len(radii)], i*FullRot/n-FullRot/4)
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
		p = append(p, t.point(outer, 160+i*(FullRot-320)/steps))
	}
	for i := 1; i < steps; i++ {
		q := t.point(outer*866/1000, -FullRot/4-i*(FullRot/2)/steps)
		p = append(p, Point{q.X + outer/2, q.Y})
	}
	for i := range p { // centre of mass to the origin, about
		p[i].X += 1100
	}
	return p
}

// turn turns p about the origin by a steps.
func (t *circle) turn(p Point, a int) Point {
	u, v := t.point(int(p.X), a), t.point(int(p.Y), a)
	return Point{u.X - v.Y, u.Y + v.X}
}

// reversed gives c the other way round: a hole.
func reversed(c Contour) Contour {
	out := slices.Clone(c)
	slices.Reverse(out)
	return out
}
