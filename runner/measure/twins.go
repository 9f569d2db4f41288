package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner/data"
)

// twins finds features that say the same as a feature before them.
func twins(e *evidence) (list []finding) {
	faces := comparedColumns(e.withRoles(data.AsFeature))
	for i, b := range faces {
		for _, a := range faces[:i] {
			if how := a.same(b); how != "" {
				list = append(list, finding{[]string{a.Name, b.Name},
					[]any{a.Name, b.Name, how, e.drop(b.Name)}})
				break
			}
		}
	}
	return list
}

// keptTwins finds features that say the same as a column that is left out, or as a column of
// groups or of split_by=.
func keptTwins(e *evidence) (list []finding) {
	faces := comparedColumns(e.withRoles(data.AsFeature))
	for _, a := range comparedColumns(e.withRoles(data.LeftOut, data.AsGroup, data.AsKey)) {
		if slices.ContainsFunc(faces, func(b *comparedColumn) bool { return b.Name == a.Name }) {
			continue // keep= keeps it
		}
		for _, b := range faces {
			if a.same(b) != "" && !namesake(a.Name, b.Name) {
				list = append(list, finding{[]string{a.Name, b.Name},
					[]any{a.Name, b.Name, e.drop(b.Name)}})
			}
		}
	}
	return list
}

// namesake reports whether two columns have the same name in the file, so that it is clear which
// one was meant to stay.
func namesake(a, b string) bool {
	return strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// comparedColumn is a column in the form in which columns are compared.
type comparedColumn struct {
	*data.Sampled
	keys   []uint64
	codes  []uint16 // of the values, in the order in which they first occur
	kinds  int
	common uint64 // the most frequent key
	others int    // number of rows with another key
}

// comparedColumns returns columns in that form, of very many only the first. It leaves out columns
// in which nearly all rows have one value: many columns of rare events are equal.
func comparedColumns(columns []*data.Sampled) (list []*comparedColumn) {
	const rare, most = 10, 1 << 10
	for _, c := range columns {
		if len(list) == most {
			break
		}
		f := &comparedColumn{Sampled: c}
		place, count := map[uint64]uint16{}, map[uint64]int{}
		for row := range c.Numbers {
			key := c.Key(row)
			code, ok := place[key]
			if !ok {
				code = uint16(len(place))
				place[key] = code
			}
			f.keys, f.codes = append(f.keys, key), append(f.codes, code)
			if count[key]++; count[key] > count[f.common] {
				f.common = key
			}
		}
		f.kinds, f.others = len(place), len(f.keys)-count[f.common]
		if f.others >= rare {
			list = append(list, f)
		}
	}
	return list
}

// same says how two columns say the same, or returns "" if they do not.
func (a *comparedColumn) same(b *comparedColumn) string {
	const share = .001 // of the rows may differ
	most, differ := min(int(share*float64(len(a.keys))), a.others/10), 0
	for row, key := range a.keys {
		if key != b.keys[row] {
			if differ++; differ > most {
				break
			}
		}
	}
	if differ <= most {
		equal, rows := float64(len(a.keys)-differ), float64(len(a.keys))
		percent := math.Floor(1e4*equal/rows) / 100 // 100 only where all are equal
		return fmt.Sprintf("are equal in %.4g %% of rows", percent)
	}
	if a.kinds <= len(a.keys)/2 && slices.Equal(a.codes, b.codes) {
		return "say the same in other words"
	}
	return ""
}
