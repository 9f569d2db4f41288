package synthetic_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/data/synthetic"
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
		d, err := source.Open("shapes", data.Options{Samples: 200, Difficulty: tt.difficulty,
			Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := data.Checksum(d.Train.(*data.Images).Data,
			d.Test.(*data.Images).Data); got != tt.want {
			t.Errorf("difficulty %v: the images have %s, want %s", tt.difficulty, got, tt.want)
		}
	}
}

// Sample i depends only on seed, split and i, whether it is drawn on demand or in advance, among
// few samples or many.
func TestShapesArePure(t *testing.T) {
	few, err := source.Open("shapes", data.Options{Samples: 50, Difficulty: .5})
	if err != nil {
		t.Fatal(err)
	}
	many, err := source.Open("shapes", data.Options{Samples: 10_000_000, Difficulty: .5})
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
		if !bytes.Equal(lazy.Pixels(buf, i), few.Train.(data.ImageSource).Pixels(nil, i)) {
			t.Fatalf("sample %d differs", i)
		}
		lazy.Read(x, i)
		few.Train.Read(y, i)
		if want := float32(buf[77]) / 255; x[77] != want || y[77] != want {
			t.Fatalf("sample %d: value 77 is %v of 10⁷ samples and %v of few, want %v", i, x[77],
				y[77], want)
		}
		if got := lazy.Label(i); got != i%10 {
			t.Fatalf("sample %d: label %d, want %d", i, got, i%10)
		}
		if got, want := lazy.Group(i), few.Train.Group(i); got != want {
			t.Fatalf("sample %d: group %d, want %d", i, got, want)
		}
	}
	lazy.Pixels(buf, lazy.Len()-1)
	if allocs := testing.AllocsPerRun(10, func() { lazy.Pixels(buf, 123) }); allocs != 0 {
		t.Errorf("drawing allocates %v times", allocs)
	}
}

func TestShapesDiffer(t *testing.T) {
	open := func(o data.Options) *data.Dataset {
		o.Samples = 10
		d, err := source.Open("shapes", o)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a, b, c := open(data.Options{}), open(data.Options{Seed: 1}), open(data.Options{Difficulty: .1})
	px := func(s data.Source) []byte { return s.(data.ImageSource).Pixels(nil, 0) }
	for of, split := range map[string]data.Source{
		"the test split": a.Test, "another seed": b.Train, "another difficulty": c.Train,
	} {
		if bytes.Equal(px(split), px(a.Train)) {
			t.Errorf("%s has the first image of the training split", of)
		}
	}
	for of, sum := range map[string]string{
		"another seed": b.Checksum, "another difficulty": c.Checksum,
	} {
		if sum == a.Checksum {
			t.Errorf("%s has the same checksum, %s", of, sum)
		}
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

// The hash must hold on every machine: if the drawing is meant to change, raise spuriousVersion
// with it.
func TestSpuriousGolden(t *testing.T) {
	d, err := source.Open("spurious", data.Options{Samples: 300, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, src := range []data.Source{d.Train, d.Test} {
		x := make([]float32, d.Shape.Len())
		for i := range src.Len() {
			src.Read(x, i)
			for _, v := range x {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
			}
			b = append(b, byte(src.Label(i)), byte(src.Group(i)))
		}
	}
	const want = "sha256:6b8d908d85700cfd0fc8759e83761dd1b93cd0c45c276f809b578c1da982a997"
	if got := data.Checksum(b); got != want {
		t.Errorf("the samples have %s, want %s", got, want)
	}
}

// The samples are y·u + 3·s·v + N(0, I): the means, shares and spread of the groups agree with the
// formula.
func TestSpuriousIsTheFormula(t *testing.T) {
	d, err := source.Open("spurious", data.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	counts := data.GroupCounts(d.Train, 4)
	small := float64(counts[1]+counts[2]) / 20000
	if math.Abs(small-.03) > .005 || math.Abs(float64(counts[0]-counts[3])) > 200 {
		t.Errorf("groups of %v training samples", counts)
	}
	if test := data.GroupCounts(d.Test, 4); slices.Min(test) < 2350 {
		t.Errorf("groups of %v test samples", test)
	}
	art, n := synthetic.NewShortcut(1), float64(d.Test.Len())
	var u, v [synthetic.SpuriousWidth]float64
	for j := range u { // of the means, y·u + 3·s·v
		u[j] = (float64(art[3][j]) + float64(art[2][j])) / 2
		v[j] = (float64(art[3][j]) - float64(art[2][j])) / 6
	}
	for name, tt := range map[string][2]float64{
		"u·u": {synthetic.Dot(&u, &u), 1}, "v·v": {synthetic.Dot(&v, &v), 1},
		"u·v": {synthetic.Dot(&u, &v),
			0}} {
		if math.Abs(tt[0]-tt[1]) > 1e-6 {
			t.Errorf("%s is %v, want %v", name, tt[0], tt[1])
		}
	}
	x, right, sum, square, along := make([]float32, synthetic.SpuriousWidth), 0.0, 0.0, 0.0, 0.0
	for i := range d.Test.Len() {
		d.Test.Read(x, i)
		before, g := along, d.Test.Group(i)
		if g/2 != d.Test.Label(i) {
			t.Fatalf("sample %d of class %d is of group %d", i, d.Test.Label(i), g)
		}
		dotU := 0.0
		for j, value := range x {
			z := float64(value - art[g][j])
			sum += z / n / synthetic.SpuriousWidth
			square += z * z / n / synthetic.SpuriousWidth
			dotU += float64(value) * u[j]
		}
		if along = dotU; (dotU > 0) == (g >= 2) {
			right++
		}
		if before == along {
			t.Fatalf("samples %d and %d are the same", i-1, i)
		}
	}
	if math.Abs(sum) > .005 {
		t.Errorf("the mean of the noise is %v, want 0 ± .005", sum)
	}
	if math.Abs(square-1) > .006 {
		t.Errorf("the mean square of the noise is %v, want 1 ± .006", square)
	}
	if got := right / n; math.Abs(got-.8413) > .012 {
		t.Errorf("u alone is right for a share of %v, want .8413 ± .012", got)
	}
}

// The noise has the distribution function of the normal distribution.
func TestNormal(t *testing.T) {
	rng := data.PCG{Hi: 1, Lo: 2}
	x := make([]float64, 200_000)
	for i := range x {
		x[i] = synthetic.Normal(&rng)
	}
	slices.Sort(x)
	most := 0.0
	for i, v := range x {
		most = max(most, math.Abs(float64(i)/float64(len(x))-(1+math.Erf(v/math.Sqrt2))/2))
	}
	if most > .004 { // by chance .0036 once in a hundred times
		t.Errorf("the distribution function differs by %v", most)
	}
}

// A sample is the same when it is drawn on demand, among many samples or few. Another seed draws
// other samples.
func TestSpuriousIsPure(t *testing.T) {
	few, err := source.Open("spurious", data.Options{Samples: 50})
	if err != nil {
		t.Fatal(err)
	}
	many, err := source.Open("spurious", data.Options{Samples: 10_000_000})
	if err != nil {
		t.Fatal(err)
	}
	other, err := source.Open("spurious", data.Options{Samples: 50, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, drawn := many.Train.(*synthetic.ShortcutSplit); !drawn {
		t.Fatalf("10⁷ samples are held as %T", many.Train)
	}
	x, y := make([]float32, synthetic.SpuriousWidth), make([]float32, synthetic.SpuriousWidth)
	for i := range 50 {
		many.Train.Read(x, i)
		if few.Train.Read(y, i); !slices.Equal(x, y) || many.Train.Group(i) != few.Train.Group(i) {
			t.Fatalf("sample %d differs", i)
		}
		if other.Train.Read(y, i); slices.Equal(x, y) {
			t.Fatalf("sample %d has no seed", i)
		}
	}
	if few.Checksum == other.Checksum || few.Checksum == many.Checksum {
		t.Error("seed and samples must change the checksum")
	}
}

// A hold-out takes its share of every group, however small.
func TestHoldOutKeepsGroups(t *testing.T) {
	d, err := source.Open("spurious", data.Options{ValFraction: .2})
	if err != nil {
		t.Fatal(err)
	}
	train, val := data.GroupCounts(d.Train, 4), data.GroupCounts(d.Val, 4)
	for g := range val {
		if want := data.Share(.2, train[g]+val[g]); val[g] != want {
			t.Errorf("group %d has %d held out of %d, want %d", g, val[g], train[g]+val[g], want)
		}
	}
	if _, known := source.KnownSizes("spurious", data.Options{ValFraction: .2}); known {
		t.Error("what is held out of groups is known without a look")
	}
	s, err := source.SizesOf(t.Context(), "spurious", data.Options{ValFraction: .2})
	if err != nil || s.Train != d.Train.Len() {
		t.Errorf("SizesOf gives %+v, %v", s, err)
	}
}
