package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// Key is a value that the records of a table are sorted by: numbers come before words, and words
// before nothing.
type Key struct {
	Number float64 // NaN for none
	Word   string
}

// KeyOf returns the key of a text: its number, or the text as a word.
func KeyOf(text string) Key {
	if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) {
		return Key{Number: x}
	}
	return Key{math.NaN(), text}
}

// Compare compares two keys, as cmp.Compare does; down turns the order of numbers and of words.
func (k Key) Compare(o Key, down bool) int {
	sign := 1
	if down {
		sign = -1
	}
	return cmp.Or(cmp.Compare(k.kind(), o.kind()), sign*cmp.Compare(k.Number, o.Number),
		sign*cmp.Compare(k.Word, o.Word))
}

func (k Key) kind() int {
	switch {
	case !math.IsNaN(k.Number):
		return 0
	case k.Word != "":
		return 1
	}
	return 2
}

// Sort sorts records by their keys, each of which it computes once.
func Sort[R any](records []R, down bool, key func(R) Key) {
	type keyed struct {
		record R
		Key
	}
	list := make([]keyed, len(records))
	for i, r := range records {
		list[i] = keyed{r, key(r)}
	}
	slices.SortStableFunc(list, func(a, b keyed) int { return a.Compare(b.Key, down) })
	for i, k := range list {
		records[i] = k.record
	}
}
