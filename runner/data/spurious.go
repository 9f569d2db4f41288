package data

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
)

const (
	spuriousWidth   = 64
	spuriousTrain   = 20000 // default training samples
	spuriousTest    = 10000 // test samples
	spuriousVersion = 1     // goes up when any bit of any sample changes

	labelSignal, shortcutSignal = 1, 3
)

func spurious() *Provider {
	return &Provider{
		Name: "spurious", Open: openSpurious, Table: true, Pack: (*Dataset).tabulate,
		Purpose: "a drawn table with a shortcut to the label: good for 97 % of training samples, half of the test",
		Sizes:   Sizes{Shape{spuriousWidth, 1, 1}, 2, spuriousTrain, spuriousTest}, AnySize: true, ByGroup: true,
	}
}

// openSpurious gives "spurious" (see the package comment): y is −1 (round) or 1 (square), s is −1 (red)
// or 1 (blue). Among the classifiers that look at u alone the best is right for Φ(1) =
// 84 % of every group; the one that is best on the training samples looks at v too, and is wrong for most of
// the two small groups. It is the task of Waterbirds (Sagawa, Koh, Hashimoto, Liang 2020, arXiv 1911.08731)
// as a table.
func openSpurious(_ string, o Options) (*Dataset, error) {
	n := cmp.Or(o.Samples, spuriousTrain)
	if uint64(n) > math.MaxUint32 {
		return nil, fmt.Errorf("samples is %d: give at most %d", n, uint32(math.MaxUint32))
	}
	mean := newShortcut(o.Seed)
	return &Dataset{
		Classes: []string{"round", "square"},
		Groups:  []string{"round × red", "round × blue", "square × red", "square × blue"},
		cells:   &cells{label: []int{0, 0, 1, 1}, given: []int{0, 1, 0, 1}, names: []string{"red", "blue"}},
		Train:   &shortcutSplit{mean, mix(purposeDraw, o.Seed, 2), n, .03},
		Test:    &shortcutSplit{mean, mix(purposeDraw, o.Seed, 3), spuriousTest, .5},
		Checksum: checksum(fmt.Appendf(nil, "spurious version %d seed %d train %d test %d",
			spuriousVersion, o.Seed, n, spuriousTest)),
	}, nil
}

// shortcut is what all samples of "spurious" share: the means of the groups.
type shortcut [4][spuriousWidth]float32

func newShortcut(seed uint64) *shortcut {
	rng := pcg{mix(purposeDraw, seed, 4), 0}
	var u, v [spuriousWidth]float64
	for i := range u {
		u[i], v[i] = rng.normal(), rng.normal()
	}
	scale(&u, 1/math.Sqrt(dot(&u, &u)))
	along := dot(&u, &v)
	for i := range v {
		v[i] -= float64(along * u[i])
	}
	scale(&v, 1/math.Sqrt(dot(&v, &v)))
	var mean shortcut
	for g := range mean {
		y, s := float64(2*(g/2)-1), float64(2*(g%2)-1)
		for i := range u {
			mean[g][i] = float32(float64(labelSignal*y*u[i]) + float64(shortcutSignal*s*v[i]))
		}
	}
	return &mean
}

// dot and scale round every product, which a compiler may fuse with a sum: the same bits on every machine.
func dot(a, b *[spuriousWidth]float64) (sum float64) {
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

func scale(a *[spuriousWidth]float64, by float64) {
	for i := range a {
		a[i] = float64(a[i] * by)
	}
}

// shortcutSplit is a split of "spurious". Sample i is a pure function of (key, i), as in "shapes".
type shortcutSplit struct {
	mean   *shortcut
	key    uint64
	n      int
	differ float64 // the part of samples whose attribute is not their label
}

func (s *shortcutSplit) Len() int        { return s.n }
func (s *shortcutSplit) Shape() Shape    { return Shape{spuriousWidth, 1, 1} }
func (s *shortcutSplit) Label(i int) int { return i % 2 }

func (s *shortcutSplit) Group(i int) int {
	y := s.Label(i)
	if draw := mix(s.key, uint64(i)); draw < uint64(s.differ*(1<<32))<<32 {
		return 2*y + (1 - y)
	}
	return 2*y + y
}

func (s *shortcutSplit) Read(dst []float32, i int) {
	rng := pcg{s.key, uint64(i)}
	for j, m := range &s.mean[s.Group(i)] {
		dst[j] = m + float32(rng.normal())
	}
}

// normal draws a number that is standard normal to 10⁻³ in its distribution function: the ones among 256
// random bits and a uniform part of one, standardised. The arithmetic is the same on every machine, which
// logarithms are not.
func (p *pcg) normal() float64 {
	ones := 0
	for range 4 {
		ones += bits.OnesCount64(p.Uint64())
	}
	part := float64(p.Uint64()>>11) / (1 << 53)
	return (float64(ones-128) + (part - .5)) / spreadOfOnes
}

// spreadOfOnes is √(256/4 + 1/12), the standard deviation of that number and of the part.
const spreadOfOnes = 8.005206639015219
