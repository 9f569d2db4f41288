package synthetic

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"drolab/runner/data"
)

const (
	SpuriousWidth   = 64
	spuriousTrain   = 20000 // default training samples
	spuriousTest    = 10000 // test samples
	spuriousVersion = 1     // goes up when any bit of any sample changes

	labelSignal, shortcutSignal = 1, 3
)

func Spurious() *data.Provider {
	return &data.Provider{
		Name: "spurious", Open: openSpurious, Table: true, Pack: data.Tabulate,
		Purpose: "a drawn table with a shortcut to the label: good for 97 % of training samples, " +
			"half of the test",
		Sizes: data.Sizes{Shape: data.Shape{C: SpuriousWidth, H: 1, W: 1}, Classes: 2,
			Train: spuriousTrain, Test: spuriousTest}, AnySize: true, ByGroup: true,
	}
}

// openSpurious gives "spurious" (see the package comment): y is −1 (round) or 1 (square), s is −1
// (red) or 1 (blue). Among the classifiers that look at u alone, the best is right for Φ(1) = 84 %
// of every group. The classifier that is best on the training samples looks at v too, and is wrong
// for most of the two small groups. It is the task of Waterbirds (Sagawa, Koh, Hashimoto, Liang
// 2020, arXiv 1911.08731) as a table.
func openSpurious(_ string, o data.Options) (*data.Dataset, error) {
	n := cmp.Or(o.Samples, spuriousTrain)
	if uint64(n) > math.MaxUint32 {
		return nil, fmt.Errorf("samples is %d: give at most %d", n, uint32(math.MaxUint32))
	}
	mean := NewShortcut(o.Seed)
	return &data.Dataset{
		Classes: []string{"round", "square"},
		Groups:  []string{"round × red", "round × blue", "square × red", "square × blue"},
		Cells: &data.Cells{Label: []int{0, 0, 1, 1}, Given: []int{0, 1, 0, 1},
			Names: []string{"red", "blue"}},
		Train: &ShortcutSplit{mean, data.Mix(data.PurposeDraw, o.Seed, 2), n, .03},
		Test:  &ShortcutSplit{mean, data.Mix(data.PurposeDraw, o.Seed, 3), spuriousTest, .5},
		Checksum: data.Checksum(fmt.Appendf(nil, "spurious version %d seed %d train %d test %d",
			spuriousVersion, o.Seed, n, spuriousTest)),
	}, nil
}

// shortcut is what all samples of "spurious" share: the means of the groups.
type shortcut [4][SpuriousWidth]float32

func NewShortcut(seed uint64) *shortcut {
	rng := data.PCG{Hi: data.Mix(data.PurposeDraw, seed, 4), Lo: 0}
	var u, v [SpuriousWidth]float64
	for i := range u {
		u[i], v[i] = Normal(&rng), Normal(&rng)
	}
	scale(&u, 1/math.Sqrt(Dot(&u, &u)))
	along := Dot(&u, &v)
	for i := range v {
		v[i] -= float64(along * u[i])
	}
	scale(&v, 1/math.Sqrt(Dot(&v, &v)))
	var mean shortcut
	for g := range mean {
		y, s := float64(2*(g/2)-1), float64(2*(g%2)-1)
		for i := range u {
			mean[g][i] = float32(float64(labelSignal*y*u[i]) + float64(shortcutSignal*s*v[i]))
		}
	}
	return &mean
}

// Dot and scale round every product, which a compiler might otherwise fuse with a sum. So they give
// the same bits on every machine.
func Dot(a, b *[SpuriousWidth]float64) (sum float64) {
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

func scale(a *[SpuriousWidth]float64, by float64) {
	for i := range a {
		a[i] = float64(a[i] * by)
	}
}

// ShortcutSplit is a split of "spurious". Sample i is a pure function of (key, i), as in "shapes".
type ShortcutSplit struct {
	mean   *shortcut
	key    uint64
	n      int
	differ float64 // the part of samples whose attribute differs from their label
}

func (s *ShortcutSplit) Len() int { return s.n }

func (s *ShortcutSplit) Shape() data.Shape { return data.Shape{C: SpuriousWidth, H: 1, W: 1} }

func (s *ShortcutSplit) Label(i int) int { return i % 2 }

func (s *ShortcutSplit) Group(i int) int {
	y := s.Label(i)
	if draw := data.Mix(s.key, uint64(i)); draw < uint64(s.differ*(1<<32))<<32 {
		return 2*y + (1 - y)
	}
	return 2*y + y
}

func (s *ShortcutSplit) Read(dst []float32, i int) {
	rng := data.PCG{Hi: s.key, Lo: uint64(i)}
	for j, m := range &s.mean[s.Group(i)] {
		dst[j] = m + float32(Normal(&rng))
	}
}

// Normal draws a number that is standard normal to 10⁻³ in its distribution function: the number of
// ones among 256 random bits plus a uniform fraction, standardised. The arithmetic is the same on
// every machine; logarithms are not.
func Normal(p *data.PCG) float64 {
	ones := 0
	for range 4 {
		ones += bits.OnesCount64(p.Uint64())
	}
	part := float64(p.Uint64()>>11) / (1 << 53)
	return (float64(ones-128) + (part - .5)) / spreadOfOnes
}

// spreadOfOnes is √(256/4 + 1/12), the standard deviation of the number of ones plus the fraction.
const spreadOfOnes = 8.005206639015219
