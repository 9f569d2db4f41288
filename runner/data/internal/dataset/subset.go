package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
)

// Subset is the samples of a source that Index lists, in its order.
type Subset struct {
	Source
	Index []uint32
}

func (s *Subset) Len() int                  { return len(s.Index) }
func (s *Subset) Label(i int) int           { return s.Source.Label(int(s.Index[i])) }
func (s *Subset) Group(i int) int           { return s.Source.Group(int(s.Index[i])) }
func (s *Subset) Read(dst []float32, i int) { s.Source.Read(dst, int(s.Index[i])) }

// ImageSubset is a subset of an image source.
type ImageSubset struct {
	Subset
	images ImageSource
}

func (s *ImageSubset) Pixels(buf []byte, i int) []byte {
	return s.images.Pixels(buf, int(s.Index[i]))
}

func SubsetOf(src Source, index []uint32) Source {
	if img, ok := src.(ImageSource); ok {
		return &ImageSubset{Subset{src, index}, img}
	}
	return &Subset{src, index}
}

// ClassCounts counts the samples of each of the first classes labels.
func ClassCounts(src Source, classes int) []int { return counts(src.Len(), classes, src.Label) }

// GroupCounts counts the samples of each of the first groups groups.
func GroupCounts(src Source, groups int) []int { return counts(src.Len(), groups, src.Group) }

func counts(n, kinds int, of func(i int) int) []int {
	counts := make([]int, kinds)
	for i := range n {
		counts[of(i)]++
	}
	return counts
}

// Restrict replaces Train by the part of it that the options ask for, and sets Val.
func (d *Dataset) Restrict(o Options) error {
	if err := o.suits(len(d.Classes)); err != nil {
		return err
	}
	if d.Val != nil && o.ValFraction > 0 {
		return ErrTwoVals
	}
	all := d.Train
	capped := o.Samples > 0 && o.Samples < all.Len()
	if !capped && o.Imbalance == nil && o.ValFraction == 0 {
		return nil
	}
	s, err := o.hold(all, d)
	switch {
	case err != nil:
		return err
	case len(s.Train) == 0:
		return errNoTrain
	}
	d.Train = SubsetOf(all, s.Train)
	if len(s.Test) > 0 {
		d.Val = SubsetOf(all, s.Test)
	}
	d.Notes = append(d.Notes, s.notes...)
	return nil
}

// hold returns the training samples that cap, imbalance and hold-out leave. The held-out ones are
// the test split of the result.
func (o Options) hold(train Marked, d *Dataset) (Splits, error) {
	kept := keepFirst(train, o.keep(counts(train.Len(), len(d.Classes), train.Label)))
	return d.holdOut(train, kept, "val_fraction", o.ValFraction, o.Seed)
}

// FittedTo returns the training samples of src to which scales, means and categories are fitted:
// those before cap and imbalance, without the samples that will be held out. A validation split is
// for samples that training has not seen.
func FittedTo(o Options, src Marked, train []uint32, d *Dataset) []uint32 {
	if o.ValFraction == 0 || o.Encoder != nil || o.suits(len(d.Classes)) != nil {
		return train
	}
	s, err := o.hold(&markedPart{src, train}, d)
	if err != nil {
		return train // Restrict refuses it
	}
	var rest []uint32
	held := s.Test
	for i, row := range train {
		if len(held) > 0 && int(held[0]) == i {
			held = held[1:]
			continue
		}
		rest = append(rest, row)
	}
	return rest
}

// markedPart is the samples of others that index lists.
type markedPart struct {
	Marked
	index []uint32
}

func (p *markedPart) Len() int        { return len(p.index) }
func (p *markedPart) Label(i int) int { return p.Marked.Label(int(p.index[i])) }
func (p *markedPart) Group(i int) int { return p.Marked.Group(int(p.index[i])) }

// trainable refuses a training split of a single class, from which nothing can be learned.
func (d *Dataset) trainable() error {
	var there []string
	for c, n := range ClassCounts(d.Train, len(d.Classes)) {
		if n > 0 {
			there = append(there, d.Classes[c])
		}
	}
	if len(there) == 1 {
		return fmt.Errorf(
			"all %d training samples are of class %q: a training split needs two classes",
			d.Train.Len(), there[0])
	}
	return nil
}

// suits returns an error if the options do not suit this number of classes.
func (o Options) suits(classes int) error {
	if o.Imbalance != nil && len(o.Imbalance) != classes {
		return fmt.Errorf("imbalance has %d ratios for %d classes: give one per class",
			len(o.Imbalance), classes)
	}
	return nil
}

// keep returns the number of samples of each class that cap and imbalance leave of counts.
func (o Options) keep(counts []int) []int {
	total := 0
	for _, n := range counts {
		total += n
	}
	keep := slices.Clone(counts)
	for c := range keep {
		if o.Samples > 0 && o.Samples < total {
			keep[c] = int(float64(keep[c]) * float64(o.Samples) / float64(total))
		}
		if o.Imbalance != nil {
			keep[c] = int(math.Round(o.Imbalance[c] * float64(keep[c])))
		}
	}
	return keep
}

// Compact copies the images of Train and Val out of a larger source in memory, and frees that
// source. A network takes its memory later, and the peak of the process is what counts.
func Compact(d *Dataset) {
	Store(d, func(src ImageSource) bool {
		_, part := src.(*ImageSubset)
		return part
	})
	debug.FreeOSMemory() // the collector would wait until as much again is allocated
}

// keepFirst gives the indices of the first keep[c] samples of each class c, in the source's order.
func keepFirst(src Marked, keep []int) []uint32 {
	total := 0
	for _, k := range keep {
		total += k
	}
	index := make([]uint32, 0, total)
	seen := make([]int, len(keep))
	for i := range src.Len() {
		if c := src.Label(i); seen[c] < keep[c] {
			seen[c]++
			index = append(index, uint32(i))
		}
	}
	return index
}

// Marked is a list of samples with labels and groups.
type Marked interface {
	Len() int
	Label(i int) int
	Group(i int) int
}

// Strata are the sets of samples of which a hold-out takes the same part: the classes, or the
// combinations of a class and a group.
type Strata struct{ Classes, groups int } // groups is 0 if classes are the strata

func (s Strata) of(src Marked, i int) int {
	if s.groups == 0 {
		return src.Label(i)
	}
	return src.Label(i)*s.groups + src.Group(i)
}

// strata returns the strata of the hold-outs of d.
func (d *Dataset) strata() Strata {
	if d.ByGroup {
		return Strata{len(d.Classes), len(d.Groups)}
	}
	return Strata{Classes: len(d.Classes)}
}

// holdOut holds a test split out of index, as HoldOut does. Where strata of a class and a group are
// so small that a class would have no sample in one of the two parts, the classes are the strata.
// If that does not help, holdOut fails. key is the setting of the fraction.
func (d *Dataset) holdOut(src Marked, index []uint32, key string, fraction float64,
	seed uint64) (s Splits, err error) {
	if fraction == 0 {
		return Splits{Train: index}, nil
	}
	for kinds := d.strata(); ; kinds.groups = 0 {
		s.Train, s.Test = HoldOut(src, kinds, index, fraction, seed)
		if err = d.lacking(src, &s, key, fraction); err == nil || kinds.groups == 0 {
			return s, err
		}
		s.notes = []string{fmt.Sprintf("%s=%v is a part of each class: of each class and group, "+
			"it would leave a class without a sample", key, fraction)}
	}
}

// lacking returns an error if only one part of a hold-out has samples of a class.
func (d *Dataset) lacking(src Marked, s *Splits, key string, fraction float64) error {
	rest, held := &markedPart{src, s.Train}, &markedPart{src, s.Test}
	learned := counts(rest.Len(), len(d.Classes), rest.Label)
	for c, n := range counts(held.Len(), len(d.Classes), held.Label) {
		if (n == 0) != (learned[c] == 0) {
			return fmt.Errorf("%s=%v leaves a split without a sample of class %q (n = %d): "+
				"change it, or merge the class with another", key, fraction, d.Classes[c],
				n+learned[c])
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
		k := kinds.of(src, int(i))
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
