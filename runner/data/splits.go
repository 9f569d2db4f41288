package data

import (
	"fmt"
	"strings"
)

// Splits are the samples of the three splits, each in the order of the files.
type Splits struct {
	Train, val, Test []uint32
	notes            []string // of how they were drawn
}

// Val returns the validation samples.
func (s *Splits) Val() []uint32 { return s.val }

// SplitOf returns the split that a word or a number stands for: train, val or test. It is empty for
// any other word.
func SplitOf(word string) string {
	switch strings.ToLower(wholeName(word)) {
	case "0", "train", "training":
		return "train"
	case "1", "val", "valid", "validation", "dev":
		return "val"
	case "2", "test", "testing":
		return "test"
	}
	return ""
}

// SplitBy reads the splits from a column or an array of their names or numbers. Test may be empty.
func SplitBy(f *Factor) (s Splits, err error) {
	splits := map[string]*[]uint32{"train": &s.Train, "val": &s.val, "test": &s.Test}
	to := make([]*[]uint32, len(f.Values))
	for i, v := range f.Values {
		to[i] = splits[SplitOf(v)]
		if to[i] == nil {
			return s, fmt.Errorf(
				"%q has %q for a sample: a split is train, val or test, or 0, 1 or 2", f.name, v)
		}
	}
	for i, c := range f.Codes {
		*to[c] = append(*to[c], uint32(i))
	}
	if len(s.Train) == 0 {
		return s, fmt.Errorf("%q has no training samples (train or 0)", f.name)
	}
	return s, nil
}

// Splits draws the test split of a dataset that is not complete yet.
func (d Draw) Splits(src Marked, set *Dataset) (s Splits, err error) {
	if d.AllTest {
		s.Test = Indices(0, src.Len())
		return s, nil
	}
	return set.holdOut(src, Indices(0, src.Len()), "test_fraction", d.Fraction, d.Seed)
}

func Indices(from, to int) []uint32 {
	out := make([]uint32, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, uint32(i))
	}
	return out
}
