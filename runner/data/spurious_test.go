package data

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/data/internal/synthetic"
)

// The hash must hold on every machine: if the drawing is meant to change, raise spuriousVersion
// with it.
func TestSpuriousGolden(t *testing.T) {
	d, err := Open("spurious", Options{Samples: 300, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, src := range []Source{d.Train, d.Test} {
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
	if got := dataset.Checksum(b); got != want {
		t.Errorf("the samples have %s, want %s", got, want)
	}
}

// The samples are y·u + 3·s·v + N(0, I): the means, shares and spread of the groups agree with the
// formula.
func TestSpuriousIsTheFormula(t *testing.T) {
	d, err := Open("spurious", Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	counts := GroupCounts(d.Train, 4)
	small := float64(counts[1]+counts[2]) / 20000
	if math.Abs(small-.03) > .005 || math.Abs(float64(counts[0]-counts[3])) > 200 {
		t.Errorf("groups of %v training samples", counts)
	}
	if test := GroupCounts(d.Test, 4); slices.Min(test) < 2350 {
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
	if math.Abs(sum) > .005 || math.Abs(square-1) > .006 || math.Abs(right/n-.8413) > .012 {
		t.Errorf("noise of mean %v and square %v; u alone is right for %v, want .8413", sum,
			square, right/n)
	}
}

// The noise has the distribution function of the normal distribution.
func TestNormal(t *testing.T) {
	rng := dataset.PCG{Hi: 1, Lo: 2}
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
	few, err := Open("spurious", Options{Samples: 50})
	if err != nil {
		t.Fatal(err)
	}
	many, err := Open("spurious", Options{Samples: 10_000_000})
	if err != nil {
		t.Fatal(err)
	}
	other, err := Open("spurious", Options{Samples: 50, Seed: 1})
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
	d, err := Open("spurious", Options{ValFraction: .2})
	if err != nil {
		t.Fatal(err)
	}
	train, val := GroupCounts(d.Train, 4), GroupCounts(d.Val, 4)
	for g := range val {
		if want := dataset.Share(.2, train[g]+val[g]); val[g] != want {
			t.Errorf("group %d has %d held out of %d, want %d", g, val[g], train[g]+val[g], want)
		}
	}
	if _, known := KnownSizes("spurious", Options{ValFraction: .2}); known {
		t.Error("what is held out of groups is known without a look")
	}
	if s, err := SizesOf("spurious", Options{ValFraction: .2}); err != nil ||
		s.Train != d.Train.Len() {
		t.Errorf("SizesOf gives %+v, %v", s, err)
	}
}
