package table

import (
	"math"
	"slices"

	"drolab/runner/data"
)

// sample returns the rows that the sampler took, with the roles of the columns and the numbers of
// repeated rows.
func (f *Frame) sample(s *data.Splits, m *data.Marks) *data.Sample {
	out := f.sampler.Sample(s, m.Label)
	if out == nil {
		return nil
	}
	for i := range out.Columns {
		role := &out.Columns[i].Role
		if c := f.columns[i]; c != nil {
			out.Columns[i].Forms, out.Columns[i].Declared = c.forms(), c.declared
		}
		switch {
		case i == f.label:
			*role = data.AsLabel
		case i == f.split:
			*role = data.AsSplit
		case f.textual(i):
			*role = data.AsGroup
		case f.isKey(i):
			*role = data.AsKey
		case f.columns[i] == nil:
			*role = data.LeftOut
		}
	}
	f.repeated(out, s)
	out.SharedIDs, out.GivenSplits = f.sharedIDs(s), f.split >= 0 || f.Options["test"] != ""
	return out
}

// mostHashes bounds the test rows that are looked for among the training rows.
const mostHashes = 1 << 16

// repeated counts the test rows that are training rows too. Of many test rows it takes those whose
// hash is a multiple of out.Every, so that equal rows of both splits are taken alike.
func (f *Frame) repeated(out *data.Sample, s *data.Splits) {
	out.Every = 1 + len(s.Test)/mostHashes
	every := uint64(out.Every)
	test := map[uint64]int{}
	for _, row := range s.Test {
		if h := f.hash(row); h%every == 0 {
			out.Test++
			test[h]++
		}
	}
	own := 1 + uint64(len(s.Train)/mostHashes)
	blocks := slices.Collect(slices.Chunk(s.Train, 1<<14))
	found := make([][2][]uint64, len(blocks)) // of test rows, and of training rows
	data.OnEveryCore(len(found), func(i int) {
		for _, row := range blocks[i] {
			h := f.hash(row)
			if h%every == 0 && test[h] > 0 {
				found[i][0] = append(found[i][0], h)
			}
			if h%own == 0 {
				found[i][1] = append(found[i][1], h)
			}
		}
	})
	train, rows, twice := map[uint64]int{}, 0, 0
	for _, list := range found {
		for _, h := range list[0] {
			out.Repeated += test[h]
			test[h] = 0
		}
		for _, h := range list[1] {
			train[h]++
			rows++
		}
	}
	for _, n := range train {
		if n > 1 {
			twice += n
		}
	}
	out.Twice = float64(twice) / float64(max(1, rows))
}

// hash returns a hash of all cells of a row except its split: FNV-1a by words, mixed at the end.
func (f *Frame) hash(row uint32) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	cells := f.words.Row(int(row))
	for i, c := range f.columns {
		if c == nil || i == f.split {
			continue
		}
		word := uint64(cells[c.place])
		if c.Dict == nil { // the same number may be several words
			word = math.Float64bits(c.Value(cells[c.place]))
		}
		h = (h ^ word) * prime
		h ^= h >> 29
	}
	return h ^ h>>32
}
