package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// hold returns the training samples of src that cap, imbalance and hold-out leave of train. The
// held-out ones are the test split of the result.
func (o Options) hold(src Marked, train []uint32, d *Dataset) (Splits, error) {
	keep := o.remaining(d.classCounts(src, train))
	if o.Drawn {
		train = slices.Clone(train)
		rng := rand.New(rand.NewPCG(o.DrawSeed, purposeKeep))
		rng.Shuffle(len(train), func(a, b int) { train[a], train[b] = train[b], train[a] })
	}
	kept := keepFirst(src, train, keep)
	if o.Drawn {
		slices.Sort(kept)
	}
	return d.holdOut(src, kept, "val_fraction", o.ValFraction, o.Seed)
}

// Strata are the sets of samples of which a hold-out takes the same part: the classes, or the
// combinations of a class and a group.
type Strata struct{ Classes, groups int } // groups is 0 if classes are the strata

func (s Strata) stratum(src Marked, i int) int {
	if s.groups == 0 {
		return src.Label(i)
	}
	return src.Label(i)*s.groups + src.Group(i)
}

// holdOut holds a test split out of index, as HoldOut does. Where strata of a class and a group are
// so small that a class would have no sample in one of the two parts, the classes are the strata.
// If that does not help, holdOut fails. The samples of a key of split_by= stay together. setting is
// the name of the fraction.
func (d *Dataset) holdOut(src Marked, index []uint32, setting string, fraction float64,
	seed uint64) (s Splits, err error) {
	if fraction == 0 {
		return Splits{Train: index}, nil
	}
	keys := KeysOf(src)
	kinds := Strata{Classes: len(d.Classes)}
	if d.ByGroup {
		kinds.groups = len(d.Groups)
	}
	for ; ; kinds.groups = 0 {
		if keys == nil {
			s.Train, s.Test = HoldOut(src, kinds, index, fraction, seed)
		} else {
			s.Train, s.Test = HoldOutKeys(src, kinds, index, keys, fraction, seed)
		}
		err = d.checkClasses(src, &s, setting, fraction)
		if err != nil && kinds.groups > 0 {
			s.notes = []string{fmt.Sprintf("%s=%v is a part of each class: of each class and "+
				"group, it would leave a class without a sample", setting, fraction)}
			continue
		}
		if err == nil && keys != nil {
			s.notes = append(s.notes, sizesNote(setting, fraction, d.SplitBy, keys, &s))
		}
		return s, err
	}
}

// checkClasses returns an error if only one part of a hold-out has samples of a class.
func (d *Dataset) checkClasses(src Marked, s *Splits, setting string, fraction float64) error {
	together := ""
	if d.SplitBy != "" {
		together = " while split_by=" + d.SplitBy + " keeps samples together"
	}
	learned := d.classCounts(src, s.Train)
	for c, n := range d.classCounts(src, s.Test) {
		if (n == 0) != (learned[c] == 0) {
			return fmt.Errorf("%s=%v leaves a split without a sample of class %q (n = %d)%s: "+
				"change it, or merge the class with another", setting, fraction, d.Classes[c],
				n+learned[c], together)
		}
	}
	return nil
}

// HoldOut splits index in two, both in the source's order: held has round(fraction·count) samples
// of each stratum, drawn by seed alone.
func HoldOut(src Marked, kinds Strata, index []uint32, fraction float64, seed uint64) (rest,
	held []uint32) {
	members := make([][]uint32, kinds.Classes*max(1, kinds.groups))
	for _, i := range index {
		k := kinds.stratum(src, int(i))
		members[k] = append(members[k], i)
	}
	rng := rand.New(rand.NewPCG(seed, purposeHoldOut))
	for _, members := range members {
		rng.Shuffle(len(members), func(a, b int) {
			members[a], members[b] = members[b], members[a]
		})
		n := Share(fraction, len(members))
		held = append(held, members[:n]...)
		rest = append(rest, members[n:]...)
	}
	slices.Sort(held)
	slices.Sort(rest)
	return rest, held
}

// Share returns the number of samples to hold out of a stratum of n.
func Share(fraction float64, n int) int { return int(math.Round(fraction * float64(n))) }
