package table

import (
	"hash/maphash"
	"regexp"
	"slices"

	"drolab/runner/data"
	"drolab/runner/lists"
)

// idColumn is a column that is named as identifiers of people are and that keeps nobody together.
type idColumn struct {
	place  int
	hashes []uint64 // of its cells, one for each row; 0: a missing one
}

var (
	// aPerson is in the name of a column of people.
	aPerson = regexp.MustCompile(`(?i)^(patient|subject|user|person|participant)s?([_ .-]?(id|no|nr|nbr|num|number|key|code))?$`)
	// anID is the end of the name of an identifier.
	anID = regexp.MustCompile(`[_ .-](?i:id)$|[a-z]I[Dd]$`)
)

// setIDs finds the columns that are named as identifiers of people are.
func (f *Frame) setIDs() {
	if f.fitted != nil || f.opened.Raw {
		return
	}
	for i, name := range f.header {
		named := aPerson.MatchString(name) || anID.MatchString(name)
		feature := !f.textual(i) && !f.isKey(i) && f.feature(name) == i
		if named && feature {
			f.ids = append(f.ids, &idColumn{place: i})
		}
	}
}

func (f *Frame) idPlaces() []int {
	return lists.Map(f.ids, func(c *idColumn) int { return c.place })
}

// hashSeed is the same for all rows of this process.
var hashSeed = maphash.MakeSeed()

// addIDs notes the identifiers of a row.
func (f *Frame) addIDs(record []string) {
	for _, c := range f.ids {
		h := uint64(0)
		if cell := record[c.place]; cell != "" && !f.isMissing(c.place, cell) {
			h = maphash.String(hashSeed, cell) | 1
		}
		c.hashes = append(c.hashes, h)
	}
}

// sharedIDs counts the test rows whose identifier occurs in training or validation rows, too.
func (f *Frame) sharedIDs(s *data.Splits) (list []data.SharedID) {
	for _, c := range f.ids {
		learned := map[uint64]bool{}
		for _, row := range slices.Concat(s.Train, s.Val()) {
			learned[c.hashes[row]] = true
		}
		out := data.SharedID{Column: f.header[c.place], Dropped: f.columns[c.place] == nil}
		out.Person = aPerson.MatchString(out.Column)
		tested := map[uint64]bool{}
		for _, row := range s.Test {
			h := c.hashes[row]
			if h == 0 {
				continue
			}
			out.Test++
			tested[h] = true
			if learned[h] {
				out.Shared++
			}
		}
		delete(learned, 0)
		for h := range tested {
			learned[h] = true
		}
		out.Rows, out.Values = len(c.hashes), len(learned)
		list = append(list, out)
	}
	return list
}
