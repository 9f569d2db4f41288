package data

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/data/internal/synthetic"
)

// The hashes below must hold on every machine, because all drawing is in integers. If the drawing
// is meant to change, raise shapesVersion with them.
func TestShapesGolden(t *testing.T) {
	for _, tt := range []struct {
		difficulty float64
		want       string
	}{
		{0, "sha256:dc05e21ca38ced876d361a9597deebf19b2b1bc05133193411262ef06f47080f"},
		{.5, "sha256:d3f417c3c2b224a1f3f118c28bc441323aca2d6ee5778b1747e9b8604d1de627"},
		{1, "sha256:42ddb0c26dc3a6d7ac951d44e606e22174a933db24628794fb024a47d6018fc7"},
	} {
		d, err := Open("shapes", Options{Samples: 200, Difficulty: tt.difficulty, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := dataset.Checksum(d.Train.(*dataset.Images).Data,
			d.Test.(*dataset.Images).Data); got != tt.want {
			t.Errorf("difficulty %v: the images have %s, want %s", tt.difficulty, got, tt.want)
		}
	}
}

// Sample i depends only on seed, split and i, whether it is drawn on demand or in advance, among
// few samples or many.
func TestShapesArePure(t *testing.T) {
	few, err := Open("shapes", Options{Samples: 50, Difficulty: .5})
	if err != nil {
		t.Fatal(err)
	}
	many, err := Open("shapes", Options{Samples: 10_000_000, Difficulty: .5})
	if err != nil {
		t.Fatal(err)
	}
	lazy, ok := many.Train.(*synthetic.Drawn)
	if !ok {
		t.Fatalf("10⁷ samples are held as %T", many.Train)
	}
	buf := make([]byte, lazy.Shape().Len())
	x, y := make([]float32, len(buf)), make([]float32, len(buf))
	for i := range 50 {
		if !bytes.Equal(lazy.Pixels(buf, i), few.Train.(ImageSource).Pixels(nil, i)) {
			t.Fatalf("sample %d differs", i)
		}
		lazy.Read(x, i)
		few.Train.Read(y, i)
		if x[77] != y[77] || x[77] != float32(buf[77])/255 || lazy.Label(i) != i%10 ||
			lazy.Group(i) != few.Train.Group(i) {
			t.Fatalf("sample %d reads otherwise", i)
		}
	}
	lazy.Pixels(buf, lazy.Len()-1)
	if allocs := testing.AllocsPerRun(10, func() { lazy.Pixels(buf, 123) }); allocs != 0 {
		t.Errorf("drawing allocates %v times", allocs)
	}
}

func TestShapesDiffer(t *testing.T) {
	open := func(o Options) *Dataset {
		o.Samples = 10
		d, err := Open("shapes", o)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a, b, c := open(Options{}), open(Options{Seed: 1}), open(Options{Difficulty: .1})
	px := func(s Source) []byte { return s.(ImageSource).Pixels(nil, 0) }
	if bytes.Equal(px(a.Train), px(a.Test)) || bytes.Equal(px(a.Train), px(b.Train)) ||
		bytes.Equal(px(a.Train), px(c.Train)) {
		t.Error("split, seed and difficulty must change the images")
	}
	if a.Checksum == b.Checksum || a.Checksum == c.Checksum {
		t.Error("seed and difficulty must change the checksum")
	}
}

func TestCircleTable(t *testing.T) {
	for i, p := range synthetic.NewCircle() {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / synthetic.FullRot)
		if math.Abs(float64(p.X)-cos*(1<<14)) > .6 || math.Abs(float64(p.Y)-sin*(1<<14)) > .6 {
			t.Fatalf("step %d is (%d, %d), want (%.1f, %.1f)", i, p.X, p.Y, cos*(1<<14),
				sin*(1<<14))
		}
	}
}

// The covered area of an outline, summed over pixels, agrees with the shoelace formula, wherever
// the outline lies.
func TestCoverageArea(t *testing.T) {
	art := synthetic.NewArtist(0)
	for label, g := range art.Glyphs {
		for _, centre := range []synthetic.Point{{X: 16 << synthetic.Fix, Y: 16 << synthetic.Fix},
			{X: 14<<synthetic.Fix + 12345, Y: 17<<synthetic.Fix + 54321}} {
			var acc synthetic.Coverage
			want := 0.0
			for _, c := range g {
				moved := make(synthetic.Contour, len(c))
				for i, p := range c { // 4096 units are 10 pixels
					moved[i] = synthetic.Point{X: centre.X + p.X*160, Y: centre.Y + p.Y*160}
				}
				acc.Add(moved)
				want += shoelace(moved) / (1 << (2 * synthetic.Fix))
			}
			got := 0.0
			for y := range synthetic.Side {
				sum := int32(0)
				for x := range synthetic.Side {
					sum += acc.Cell[y*synthetic.Pitch+x]
					got += float64(sum) / synthetic.Opaque
				}
				end := y*synthetic.Pitch + synthetic.Side
				if sum += acc.Cell[end] + acc.Cell[end+1]; sum != 0 {
					t.Errorf("%s: row %d does not close", synthetic.ShapeClasses()[label], y)
				}
			}
			if math.Abs(math.Abs(got)-math.Abs(want)) > .01*math.Abs(want) {
				t.Errorf("%s covers %.2f pixels, want %.2f", synthetic.ShapeClasses()[label],
					got, want)
			}
		}
	}
}

func shoelace(c synthetic.Contour) float64 {
	sum := 0.0
	for i, p := range c {
		q := c[(i+1)%len(c)]
		sum += float64(p.X)*float64(q.Y) - float64(q.X)*float64(p.Y)
	}
	return sum / 2
}

// The area must not tell the class of a filled figure. Except for outlines with a hole or thin
// arms, all areas are within 20 %.
func TestGlyphAreasAreAlike(t *testing.T) {
	disc := math.Pi * 3400 * 3400
	for label, g := range synthetic.NewGlyphs(synthetic.NewCircle()) {
		area := 0.0
		for _, c := range g {
			area += shoelace(c)
			if len(c) > len(synthetic.Painter{}.Canvas) {
				t.Errorf("%s has a contour of %d vertices, room is for %d",
					synthetic.ShapeClasses()[label], len(c), len(synthetic.Painter{}.Canvas))
			}
		}
		if r := math.Abs(area) / disc; r < .6 || r > 1.2 {
			t.Errorf("%s has %.2f times the area of the disc", synthetic.ShapeClasses()[label], r)
		}
	}
}

// A polygon far outside the image must neither panic nor leave a mark.
func TestCoverageOutside(t *testing.T) {
	for _, centre := range []synthetic.Point{{X: -90 << synthetic.Fix, Y: 0},
		{X: 90 << synthetic.Fix, Y: 0},
		{X: 0, Y: -90 << synthetic.Fix}, {X: 0, Y: 90 << synthetic.Fix}} {
		var acc synthetic.Coverage
		acc.Add([]synthetic.Point{{X: centre.X - 1<<synthetic.Fix, Y: centre.Y},
			{X: centre.X + 1<<synthetic.Fix,
				Y: centre.Y - 3<<synthetic.Fix},
			{X: centre.X, Y: centre.Y + 2<<synthetic.Fix}})
		img := make([]byte, 3*synthetic.Side*synthetic.Side)
		acc.Paint(img, [3]int32{255, 255, 255})
		if !bytes.Equal(img, make([]byte, len(img))) {
			t.Errorf("a polygon at (%d, %d) leaves a mark", centre.X>>synthetic.Fix,
				centre.Y>>synthetic.Fix)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, hard := range []int{0, 51, 128} { // the default, the presets', and a hard set
		b.Run(fmt.Sprintf("difficulty=%d_256ths", hard), func(b *testing.B) {
			s := &synthetic.Drawn{Art: synthetic.NewArtist(hard), Key: 1, N: 1 << 20}
			buf := make([]byte, s.Shape().Len())
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Pixels(buf, i%s.N)
			}
		})
	}
}
