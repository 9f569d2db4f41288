package dataset

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/internal/room"
)

// Divide sets the splits of a dataset to parts of src. It refuses a class without training samples:
// nothing is learned of such a class, and mostly it is a class of the training samples with another
// spelling.
func Divide(d *Dataset, src Source, s Splits) error {
	if d.keys != nil {
		if err := d.keys.apart(&s); err != nil {
			return err
		}
	}
	d.Train, d.Test = SubsetOf(src, s.Train), SubsetOf(src, s.Test)
	if len(s.val) > 0 {
		d.Val = SubsetOf(src, s.val)
	}
	d.Notes = append(d.Notes, s.notes...)
	if len(s.Train) == 0 {
		return nil // nothing is to be learned here
	}
	learned, others := d.learned()
	if others == nil || len(learned) == 1 { // trainable refuses one class
		return nil
	}
	if same := sameButEnd(others, learned); same != "" {
		return fmt.Errorf("the other samples have classes that the training samples lack, "+
			"but for the end: %s", same)
	}
	return fmt.Errorf("no training sample has class %s, found in %d of the others: write the "+
		"labels alike, or take those samples out", Quoted(others, 5), unlearned(d))
}

// learned returns the classes that have training samples, and the others.
func (d *Dataset) learned() (learned, others []string) {
	for c, n := range ClassCounts(d.Train, len(d.Classes)) {
		if n > 0 {
			learned = append(learned, d.Classes[c])
		} else {
			others = append(others, d.Classes[c])
		}
	}
	return learned, others
}

// bareEnd returns a name without the punctuation and blanks at its end: the test file of UCI's
// Adult has a full stop behind every label, the training file has none.
func bareEnd(name string) string { return strings.TrimRight(name, ".,;:!? \t\u00a0") }

// sameButEnd lists the names that differ from a known name only in bareEnd's characters, with the
// remedy.
func sameButEnd(names, known []string) string {
	var pairs []string
	ends := ""
	for _, name := range names {
		i := slices.IndexFunc(known, func(k string) bool { return bareEnd(k) == bareEnd(name) })
		if i >= 0 {
			pairs = append(pairs, fmt.Sprintf("%q is %q there", name, known[i]))
			ends = cmp.Or(name[len(bareEnd(name)):], known[i][len(bareEnd(known[i])):])
		}
	}
	if pairs == nil {
		return ""
	}
	return fmt.Sprintf("%s: add label_trim=%s, or write them alike", strings.Join(pairs, ", "),
		strings.TrimSpace(ends))
}

// Quoted lists names in quotation marks, only the first few of many.
func Quoted(names []string, few int) string {
	text := strings.Join(Map(names[:min(few, len(names))], strconv.Quote), ", ")
	if more := len(names) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// unlearned counts the samples whose class no training sample has.
func unlearned(d *Dataset) (n int) {
	learned := ClassCounts(d.Train, len(d.Classes))
	for _, split := range []Source{d.Val, d.Test} {
		if split == nil {
			continue
		}
		for c, there := range ClassCounts(split, len(d.Classes)) {
			if learned[c] == 0 {
				n += there
			}
		}
	}
	return n
}

// Subset is the samples of a source that Index lists, in its order.
type Subset struct {
	Source
	Index []uint32
}

func (s *Subset) Len() int                  { return len(s.Index) }
func (s *Subset) Label(i int) int           { return s.Source.Label(int(s.Index[i])) }
func (s *Subset) Group(i int) int           { return s.Source.Group(int(s.Index[i])) }
func (s *Subset) Read(dst []float32, i int) { s.Source.Read(dst, int(s.Index[i])) }

// under returns the source of sample i, and its place there.
func (s *Subset) under(i int) (Source, int) { return s.Source, int(s.Index[i]) }

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
func ClassCounts(src Marked, classes int) []int { return counts(src.Len(), classes, src.Label) }

// GroupCounts counts the samples of each of the first groups groups.
func GroupCounts(src Marked, groups int) []int { return counts(src.Len(), groups, src.Group) }

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
	s, err := o.hold(all, Indices(0, all.Len()), d)
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

// classCounts counts the samples of each class among those of src that index lists.
func (d *Dataset) classCounts(src Marked, index []uint32) []int {
	label := func(i int) int { return src.Label(int(index[i])) }
	return counts(len(index), len(d.Classes), label)
}

// FittedTo returns the training samples of src to which scales, means and categories are fitted:
// those before cap and imbalance, without the samples that will be held out. A validation split is
// for samples that training has not seen.
func FittedTo(o Options, src Marked, train []uint32, d *Dataset) []uint32 {
	if o.ValFraction == 0 || o.Encoder != nil || o.suits(len(d.Classes)) != nil {
		return train
	}
	s, err := o.hold(src, train, d)
	if err != nil {
		return train // Restrict refuses it
	}
	return slices.DeleteFunc(slices.Clone(train), func(row uint32) bool {
		_, held := slices.BinarySearch(s.Test, row)
		return held
	})
}

// onlyOthersGrouped reports whether samples of other splits have a known group, and no training
// sample has.
func (d *Dataset) onlyOthersGrouped() bool {
	if d.Unknown == nil {
		return false
	}
	known := func(src Source) bool {
		for i := range src.Len() {
			if !d.Unknown[src.Group(i)] {
				return true
			}
		}
		return false
	}
	return !known(d.Train) && (d.Val != nil && known(d.Val) || known(d.Test))
}

// trainable refuses a training split of a single class, from which nothing can be learned.
func (d *Dataset) trainable() error {
	if learned, _ := d.learned(); len(learned) == 1 {
		return fmt.Errorf(
			"all %d training samples are of class %q: a training split needs two classes",
			d.Train.Len(), learned[0])
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

// remaining returns the number of samples of each class that cap and imbalance leave of counts.
func (o Options) remaining(counts []int) []int {
	total, keep := Sum(counts), slices.Clone(counts)
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

// Sum returns the sum of counts.
func Sum[T int | int64](counts []T) (total T) {
	for _, n := range counts {
		total += n
	}
	return total
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

// keepFirst gives the first keep[c] samples of each class c among those of src that index lists.
func keepFirst(src Marked, index []uint32, keep []int) []uint32 {
	kept := make([]uint32, 0, Sum(keep))
	left := slices.Clone(keep)
	for _, i := range index {
		if c := src.Label(int(i)); left[c] > 0 {
			left[c]--
			kept = append(kept, i)
		}
	}
	return kept
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

// Purposes keep random streams of one seed apart.
const (
	PurposeShuffle = 0x73687566 // the order of an epoch
	PurposeBatch   = 0x62617463 // draws and augmentation of a batch
	purposeHoldOut = 0x686f6c64 // the members of a hold-out
	purposeKeep    = 0x6b656570 // the samples that an imbalance keeps
	PurposeDraw    = 0x64726177 // the images of "shapes"

	purposeMislabel = 0x6d69736c // label noise
)

// Mix hashes words to 64 bits, each of which depends on every bit of the words: the finaliser of
// SplitMix64 (Steele, Lea, Flood 2014) over a chain. It turns coordinates such as (seed, epoch,
// step) into a generator's seed.
func Mix(words ...uint64) uint64 {
	const golden = 0x9e3779b97f4a7c15
	h := uint64(golden)
	for _, w := range words {
		h += w + golden
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// PCG generates the numbers of rand.PCG (PCG-DXSM, 128 bits of state). Its state is a value, which
// a loop keeps in registers; the state of rand.PCG goes through memory at every number.
type PCG struct{ Hi, Lo uint64 }

// Next returns the next number and the state after it.
func (p PCG) Next() (PCG, uint64) {
	const (
		mulHi, mulLo = 2549297995355413924, 4865540595714422341
		incHi, incLo = 6364136223846793005, 1442695040888963407
		mulOut       = 0xda942042e4dd58b5
	)
	hi, lo := bits.Mul64(p.Lo, mulLo)
	hi += p.Hi*mulLo + p.Lo*mulHi
	lo, carry := bits.Add64(lo, incLo, 0)
	hi, _ = bits.Add64(hi, incHi, carry)
	out := (hi ^ hi>>32) * mulOut
	return PCG{hi, lo}, (out ^ out>>48) * (lo | 1)
}

// Uint64 returns the next number.
func (p *PCG) Uint64() (v uint64) {
	*p, v = p.Next()
	return v
}

// Finish completes a dataset that a provider has opened, as the options ask for.
func Finish(d *Dataset, p *Provider, o Options) error {
	d.Shape = d.Train.Shape()
	d.ByGroup = d.ByGroup || p.ByGroup
	if d.Grouped = d.Groups != nil; !d.Grouped {
		d.Groups = d.Classes
	}
	// The order is the indices of the samples as kept, held out and shuffled.
	err := room.Ask(12*float64(d.Train.Len()), "the order of the samples")
	if err == nil {
		err = d.encoded(o.Encoder)
	}
	if err == nil {
		err = d.Restrict(o)
	}
	if err == nil && o.Encoder == nil {
		err = d.trainable()
	}
	if err != nil {
		return err
	}
	if d.Ungrouped = o.Encoder == nil && d.onlyOthersGrouped(); d.Ungrouped {
		d.Notes = append(d.Notes, "no training sample has a known group: other samples are "+
			"measured by group, and methods that read the groups of training samples are refused")
	}
	if p.Pack != nil && !o.Rows && !o.Glance {
		p.Pack(d)
	}
	d.Mislabel(o.LabelNoise, o.Seed)
	return nil
}
