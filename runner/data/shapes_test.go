package data

import (
	"bytes"
	"fmt"
	"math"
	"testing"
)

// The hashes below must hold on every machine: all drawing is in integers. If the drawing is meant to change,
// raise shapesVersion with them.
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
		if got := checksum(d.Train.(*images).data, d.Test.(*images).data); got != tt.want {
			t.Errorf("difficulty %v: the images have %s, want %s", tt.difficulty, got, tt.want)
		}
	}
}

// Sample i depends on seed, split and i alone, drawn on demand or in advance, among few samples or many.
func TestShapesArePure(t *testing.T) {
	few, err := Open("shapes", Options{Samples: 50, Difficulty: .5})
	if err != nil {
		t.Fatal(err)
	}
	many, err := Open("shapes", Options{Samples: 10_000_000, Difficulty: .5})
	if err != nil {
		t.Fatal(err)
	}
	lazy, ok := many.Train.(*drawn)
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
	for i, p := range newCircle() {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / fullRot)
		if math.Abs(float64(p.x)-cos*(1<<14)) > .6 || math.Abs(float64(p.y)-sin*(1<<14)) > .6 {
			t.Fatalf("step %d is (%d, %d), want (%.1f, %.1f)", i, p.x, p.y, cos*(1<<14), sin*(1<<14))
		}
	}
}

// The covered area of an outline, summed over pixels, is the area that the shoelace formula gives, wherever
// it lies.
func TestCoverageArea(t *testing.T) {
	art := newArtist(0)
	for label, g := range art.glyphs {
		for _, centre := range []point{{16 << fix, 16 << fix}, {14<<fix + 12345, 17<<fix + 54321}} {
			var acc coverage
			want := 0.0
			for _, c := range g {
				moved := make(contour, len(c))
				for i, p := range c { // 4096 units are 10 pixels
					moved[i] = point{centre.x + p.x*160, centre.y + p.y*160}
				}
				acc.add(moved)
				want += shoelace(moved) / (1 << (2 * fix))
			}
			got := 0.0
			for y := range side {
				sum := int32(0)
				for x := range side {
					sum += acc.cell[y*pitch+x]
					got += float64(sum) / opaque
				}
				if sum += acc.cell[y*pitch+side] + acc.cell[y*pitch+side+1]; sum != 0 {
					t.Errorf("%s: row %d does not close", shapeClasses()[label], y)
				}
			}
			if math.Abs(math.Abs(got)-math.Abs(want)) > .01*math.Abs(want) {
				t.Errorf("%s covers %.2f pixels, want %.2f", shapeClasses()[label], got, want)
			}
		}
	}
}

func shoelace(c contour) float64 {
	sum := 0.0
	for i, p := range c {
		q := c[(i+1)%len(c)]
		sum += float64(p.x)*float64(q.y) - float64(q.x)*float64(p.y)
	}
	return sum / 2
}

// Area must not tell the class of a filled figure: outlines with a hole or thin arms apart, all are within 20
// %.
func TestGlyphAreasAreAlike(t *testing.T) {
	disc := math.Pi * 3400 * 3400
	for label, g := range newGlyphs(newCircle()) {
		area := 0.0
		for _, c := range g {
			area += shoelace(c)
			if len(c) > len(painter{}.canvas) {
				t.Errorf("%s has a contour of %d vertices, room is for %d", shapeClasses()[label], len(c),
					len(painter{}.canvas))
			}
		}
		if r := math.Abs(area) / disc; r < .6 || r > 1.2 {
			t.Errorf("%s has %.2f times the area of the disc", shapeClasses()[label], r)
		}
	}
}

// A polygon far outside the image must neither panic nor leave a mark.
func TestCoverageOutside(t *testing.T) {
	for _, centre := range []point{{-90 << fix, 0}, {90 << fix, 0}, {0, -90 << fix}, {0, 90 << fix}} {
		var acc coverage
		acc.add([]point{{centre.x - 1<<fix, centre.y}, {centre.x + 1<<fix, centre.y - 3<<fix},
			{centre.x, centre.y + 2<<fix}})
		img := make([]byte, 3*side*side)
		acc.paint(img, [3]int32{255, 255, 255})
		if !bytes.Equal(img, make([]byte, len(img))) {
			t.Errorf("a polygon at (%d, %d) leaves a mark", centre.x>>fix, centre.y>>fix)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	for _, hard := range []int{0, 51, 128} { // the loader's default, the presets', and a hard set
		b.Run(fmt.Sprintf("difficulty=%d_256ths", hard), func(b *testing.B) {
			s := &drawn{newArtist(hard), 1, 1 << 20}
			buf := make([]byte, s.Shape().Len())
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Pixels(buf, i%s.n)
			}
		})
	}
}
