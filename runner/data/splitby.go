package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/lists"
)

// Keys are the values by which split_by= keeps samples together, such as patients: no split that
// is drawn has samples with a value of which another split has samples, too.
type Keys struct {
	asked string // as the option gives the columns
	list  []*key
}

// key is a column, or several columns whose combinations of values count.
type key struct {
	name    string
	columns []string
	values  []string
	place   map[string]uint32 // of a value in values
	codes   []uint32          // one a sample: the place of its value
}

// NewKeys returns the keys that the option split_by names, without samples: columns separated by
// commas, or by plus signs where their combination is the key. known reports whether there is a
// column of a name; a name that is not known is returned by Columns as it stands.
func NewKeys(asked string, known func(name string) bool) *Keys {
	combined := func(name string) bool {
		for _, part := range Names(name, "+", known) {
			if !known(part) {
				return false
			}
		}
		return true
	}
	k := &Keys{asked: asked}
	for _, name := range Names(asked, ",", combined) {
		k.list = append(k.list, &key{name: name, columns: Names(name, "+", known),
			place: map[string]uint32{}})
	}
	return k
}

// Columns returns the columns of each key.
func (k *Keys) Columns() [][]string {
	return lists.Map(k.list, func(one *key) []string { return one.columns })
}

// Add adds the next sample to key i. cells are its values in the key's columns. A whole number has
// one form, as in a Factor: 1.0 is 1.
func (k *Keys) Add(i int, cells ...string) {
	one := k.list[i]
	value := wholeName(cells[0])
	if len(cells) > 1 {
		whole := lists.Map(cells, wholeName)
		value = strings.Join(lists.Map(whole, strconv.Quote), " + ")
	}
	code, seen := one.place[value]
	if !seen {
		code = uint32(len(one.values))
		value = strings.Clone(value)
		one.place[value], one.values = code, append(one.values, value)
	}
	one.codes = append(one.codes, code)
}

// together numbers the sets of samples that must stay together, and returns the number of each
// sample. Two samples are in one set if they share a value in any column, or if a chain of such
// samples leads from one to the other.
func (k *Keys) together() []uint32 {
	if len(k.list) == 1 {
		return k.list[0].codes
	}
	n := len(k.list[0].codes)
	parent := Indices(0, n) // of a forest with a tree for each set
	root := func(i uint32) uint32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, one := range k.list {
		first := make([]int, len(one.values)) // of the samples with a value, from 1
		for i, code := range one.codes {
			if first[code] == 0 {
				first[code] = i + 1
				continue
			}
			parent[root(uint32(i))] = root(uint32(first[code] - 1))
		}
	}
	number := map[uint32]uint32{}
	sets := make([]uint32, n)
	for i := range sets {
		r := root(uint32(i))
		if _, known := number[r]; !known {
			number[r] = uint32(len(number))
		}
		sets[i] = number[r]
	}
	return sets
}

// apart returns an error if a value has samples in two splits.
func (k *Keys) apart(s *Splits) error {
	parts := []struct {
		name string
		of   []uint32
	}{{"train", s.Train}, {"val", s.val}, {"test", s.Test}}
	for _, one := range k.list {
		in := make([]int, len(one.values)) // the split in which a value was found, from 1
		both, example := map[uint32]bool{}, ""
		for p, part := range parts {
			for _, i := range part.of {
				code := one.codes[i]
				before := in[code]
				if before > 0 && before != p+1 {
					if len(both) == 0 {
						example = fmt.Sprintf("the first is %.40s, in %s and %s", one.shown(code),
							parts[before-1].name, part.name)
					}
					both[code] = true
					continue
				}
				in[code] = p + 1
			}
		}
		if len(both) > 0 {
			return fmt.Errorf("%d of the %d values of %q have samples in two splits (%s): "+
				"split_by= wants each in one: mend the splits, or leave split_by= out",
				len(both), len(one.values), one.name, example)
		}
	}
	return nil
}

// shown returns a value for a message.
func (one *key) shown(code uint32) string {
	if len(one.columns) > 1 {
		return one.values[code] // the parts are quoted
	}
	return strconv.Quote(one.values[code])
}

// KeysOf returns the number of the set of each sample that split_by= keeps together. It is nil for
// samples that may be divided in any way.
func KeysOf(src Marked) []uint32 {
	if m, ok := src.(*Marks); ok {
		return m.Keys
	}
	s, ok := src.(Source)
	if !ok || src.Len() == 0 {
		return nil
	}
	base, _ := origin(s, 0)
	marked, ok := base.(interface{ keys() []uint32 })
	if !ok || marked.keys() == nil {
		return nil
	}
	keys := make([]uint32, src.Len())
	for i := range keys {
		_, at := origin(s, i)
		keys[i] = marked.keys()[at]
	}
	return keys
}

func (m *Marks) keys() []uint32 { return m.Keys }

// HoldOutKeys is HoldOut for samples of which all with one key stay together. keys has the key of
// each sample of src. The numbers of held samples are as near to fraction·count in every stratum
// as the keys allow: see keySides.
func HoldOutKeys(src Marked, kinds Strata, index, keys []uint32, fraction float64, seed uint64) (
	rest, held []uint32,
) {
	sides := newKeySides(src, kinds, index, keys, fraction)
	sides.draw(rand.New(rand.NewPCG(seed, purposeHoldOut)))
	for _, i := range index {
		if sides.blocks[sides.place[keys[i]]].held {
			held = append(held, i)
		} else {
			rest = append(rest, i)
		}
	}
	return rest, held
}

// keySides divides keys between two sides. The distance of a division from what is wanted is the
// sum over the strata of (held − fraction·n)²/n, where n is the number of the stratum's samples.
type keySides struct {
	blocks []keyBlock
	place  map[uint32]int // of a key in blocks
	size   []float64      // the number of samples of each stratum
	excess []float64      // the number of held samples above fraction·size
}

// keyBlock is the samples of one key.
type keyBlock struct {
	counts []stratumCount
	held   bool
}

type stratumCount struct {
	stratum int
	n       float64
}

func newKeySides(src Marked, kinds Strata, index, keys []uint32, fraction float64) *keySides {
	strata := kinds.Classes * max(1, kinds.groups)
	s := &keySides{place: map[uint32]int{}, size: make([]float64, strata),
		excess: make([]float64, strata)}
	for _, i := range index {
		k := kinds.stratum(src, int(i))
		s.size[k]++
		at, known := s.place[keys[i]]
		if !known {
			at = len(s.blocks)
			s.place[keys[i]] = at
			s.blocks = append(s.blocks, keyBlock{})
		}
		b := &s.blocks[at]
		c := slices.IndexFunc(b.counts, func(c stratumCount) bool { return c.stratum == k })
		if c < 0 {
			c = len(b.counts)
			b.counts = append(b.counts, stratumCount{stratum: k})
		}
		b.counts[c].n++
	}
	for k, n := range s.size {
		s.excess[k] = -fraction * n
	}
	return s
}

const (
	// mostExchanged is the number of keys up to which pairs of keys are exchanged. More keys are
	// small beside their sum, so that moves of single keys come near enough.
	mostExchanged = 1000
	// mostRedrawn is the number of keys up to which there are several draws, since the nearest
	// division may be found from one order alone.
	mostRedrawn = 100
	redraws     = 20
)

// draw divides the keys at random, or takes the nearest of several random divisions.
func (s *keySides) draw(rng *rand.Rand) {
	draws := 1
	if len(s.blocks) <= mostRedrawn {
		draws = redraws
	}
	nearest := math.Inf(1)
	var best []bool
	for range draws {
		s.drawOnce(rng)
		if d := s.distance(); d < nearest-leastGain {
			nearest, best = d, lists.Map(s.blocks, func(b keyBlock) bool { return b.held })
		}
	}
	for b := range s.blocks {
		if s.blocks[b].held != best[b] {
			s.move(b)
		}
	}
}

// distance returns the distance from what is wanted.
func (s *keySides) distance() (sum float64) {
	for k, n := range s.size {
		if n > 0 {
			sum += s.excess[k] * s.excess[k] / n
		}
	}
	return sum
}

// drawOnce takes the keys in a random order and holds those that bring the held side nearer to what
// is wanted. Then it moves single keys, and exchanges pairs, as long as that brings it nearer
// still.
func (s *keySides) drawOnce(rng *rand.Rand) {
	for b := range s.blocks {
		if s.blocks[b].held {
			s.move(b)
		}
	}
	order := rng.Perm(len(s.blocks))
	for _, b := range order {
		s.moveIfNearer(b)
	}
	for moved := true; moved; {
		moved = false
		for _, b := range order {
			moved = s.moveIfNearer(b) || moved
		}
		if moved || len(order) > mostExchanged {
			continue
		}
		for i, a := range order {
			for _, b := range order[:i] {
				moved = s.exchangeIfNearer(a, b) || moved
			}
		}
	}
}

// leastGain is the least change of the distance that counts: less may be the error of its sums.
const leastGain = 1e-9

// moveIfNearer moves a key to the other side if the distance falls.
func (s *keySides) moveIfNearer(b int) (moved bool) {
	if s.move(b) < -leastGain {
		return true
	}
	s.move(b) // back
	return false
}

// exchangeIfNearer moves two keys of different sides, each to the other side, if the distance
// falls.
func (s *keySides) exchangeIfNearer(a, b int) (moved bool) {
	if s.blocks[a].held == s.blocks[b].held {
		return false
	}
	if s.move(a)+s.move(b) < -leastGain {
		return true
	}
	s.move(a)
	s.move(b)
	return false
}

// move moves a key to the other side and returns the change of the distance.
func (s *keySides) move(b int) (change float64) {
	block := &s.blocks[b]
	block.held = !block.held
	for _, c := range block.counts {
		n := c.n
		if !block.held {
			n = -n
		}
		change += n * (2*s.excess[c.stratum] + n) / s.size[c.stratum]
		s.excess[c.stratum] += n
	}
	return change
}

// sizesNote says how near the held side of a hold-out by keys comes to what was asked for.
func sizesNote(setting string, fraction float64, name string, keys []uint32, s *Splits) string {
	different := func(index []uint32) int {
		seen := map[uint32]bool{}
		for _, i := range index {
			seen[keys[i]] = true
		}
		return len(seen)
	}
	held, all := len(s.Test), len(s.Test)+len(s.Train)
	heldKeys := different(s.Test)
	return fmt.Sprintf("%s=%v by split_by=%s holds out %d of %d samples (%.3g %%) with %d of %d "+
		"keys", setting, fraction, name, held, all, 100*float64(held)/float64(all), heldKeys,
		heldKeys+different(s.Train))
}
