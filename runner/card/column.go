package card

import (
	"fmt"
	"math"
	"strings"

	"drolab/runner/data"
)

// identifiers finds columns of whole numbers or texts that differ in every row, and columns of
// whole numbers that grow with the row.
func identifiers(e *evidence) (list []finding) {
	for _, c := range e.of(data.AsFeature) {
		values, whole, grows, there := map[uint64]bool{}, true, true, 0
		last := math.Inf(-1)
		for row, v := range c.Numbers {
			if text, ok := c.Text(row); ok && text == "" {
				continue
			}
			there++
			values[c.Key(row)] = true
			whole = whole && (v != v || v == math.Trunc(v))
			grows = grows && v >= last
			last = v
		}
		how := ""
		switch {
		case there < enough || !whole:
			continue
		case grows && len(values) > there/2:
			how = "grows with the row"
		case len(values) == there:
			how = "differs in every row"
		default:
			continue
		}
		list = append(list, finding{[]string{c.Name}, []any{c.Name, how, e.drop(c.Name)}})
	}
	return list
}

// empty finds columns without a value.
func empty(e *evidence) (list []finding) {
	for _, c := range e.of(data.AsFeature) {
		if len(c.Texts) == 1 && c.Texts[0] == "" && values(c) == 1 {
			list = append(list, finding{[]string{c.Name}, []any{c.Name, e.drop(c.Name)}})
		}
	}
	return list
}

func values(c *data.Sampled) int {
	all := map[uint64]bool{}
	for row := range c.Numbers {
		all[c.Key(row)] = true
	}
	return len(all)
}

// twins finds features that say the same as a feature before them.
func twins(e *evidence) (list []finding) {
	faces := facesOf(e.of(data.AsFeature))
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

// keptTwins finds features that say the same as a column that is left out, or as the groups'
// column.
func keptTwins(e *evidence) (list []finding) {
	faces := facesOf(e.of(data.AsFeature))
	for _, a := range facesOf(e.of(data.LeftOut, data.AsGroup)) {
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

// face is a column in the form in which columns are compared.
type face struct {
	*data.Sampled
	keys   []uint64
	codes  []uint16 // of the values, in the order in which they first occur
	kinds  int
	common uint64 // the most frequent key
	others int    // number of rows with another key
}

// facesOf returns the faces of columns, of very many columns only the first. It leaves out columns
// in which nearly all rows have one value: many columns of rare events are equal.
func facesOf(columns []*data.Sampled) (list []*face) {
	const rare, most = 10, 1 << 10
	for _, c := range columns {
		if len(list) == most {
			break
		}
		f := &face{Sampled: c}
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
func (a *face) same(b *face) string {
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
		return fmt.Sprintf("are equal in %s of rows", percent(len(a.keys)-differ, len(a.keys)))
	}
	if a.kinds != b.kinds || a.kinds > len(a.keys)/2 {
		return ""
	}
	for row, code := range a.codes {
		if code != b.codes[row] {
			return ""
		}
	}
	return "say the same in other words"
}

// percent is a share that is 100 % only where it is all.
func percent(n, of int) string {
	return fmt.Sprintf("%.4g %%", math.Floor(1e4*float64(n)/float64(of))/100)
}
