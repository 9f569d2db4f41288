package data

import (
	"cmp"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/internal/memory"
	"drolab/runner/lists"
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
			ends = cmp.Or(strings.TrimPrefix(name, bareEnd(name)),
				strings.TrimPrefix(known[i], bareEnd(known[i])))
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
	text := strings.Join(lists.Map(names[:min(few, len(names))], strconv.Quote), ", ")
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

// Finish completes a dataset that a provider has opened, as the options ask for.
func Finish(d *Dataset, p *Provider, o Options) error {
	d.Shape = d.Train.Shape()
	d.ByGroup = d.ByGroup || p.ByGroup
	d.Grouped = d.Groups != nil
	if !d.Grouped {
		d.Groups = d.Classes
	}
	// The order is the indices of the samples as kept, held out and shuffled.
	err := memory.Ask(12*float64(d.Train.Len()), "the order of the samples")
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
	d.Ungrouped = o.Encoder == nil && d.onlyOthersGrouped()
	if d.Ungrouped {
		d.Notes = append(d.Notes, "no training sample has a known group: other samples are "+
			"measured by group, and methods that read the groups of training samples are refused")
	}
	if p.Pack != nil && !o.Rows && !o.Glance {
		p.Pack(d)
	}
	d.Mislabel(o.LabelNoise, o.Seed)
	return nil
}
