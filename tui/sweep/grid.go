package sweep

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/sweep"
)

// grid says where each setting stands on the map. The values of one key run across. Each method,
// with each combination of what else varies, has a row.
type grid struct {
	columns []string // the values, ascending; "" comes last, for a method that does not read it
	rows    []gridRow
	places  [][2]int // row and column of each setting
}

type gridRow struct {
	label string
	cells []int // the setting in each column; −1 for an empty place
}

// layGrid places settings on a map with a key across. A key whose value the key across decides, as
// in settings that were drawn together, gets no rows of its own.
func layGrid(points []sweep.Point, keys []string, key string) *grid {
	g := &grid{columns: valuesOf(points, key), places: make([][2]int, len(points))}
	decided := decidedKeys(points, keys, key)
	for i := range points {
		label := rowLabel(&points[i], keys, key, decided)
		at := slices.IndexFunc(g.rows, func(r gridRow) bool { return r.label == label })
		if at < 0 {
			at = len(g.rows)
			g.rows = append(g.rows, gridRow{label, slices.Repeat([]int{-1}, len(g.columns))})
		}
		column := slices.Index(g.columns, string(points[i].Values[key]))
		g.rows[at].cells[column] = i
		g.places[i] = [2]int{at, column}
	}
	return g
}

func rowLabel(p *sweep.Point, keys []string, key string, decided map[string]bool) string {
	words := []string{string(p.Algorithm)}
	_, across := p.Values[key]
	for _, k := range keys {
		if v, ok := p.Values[k]; ok && k != key && !(across && decided[k]) {
			words = append(words, k+"="+string(v))
		}
	}
	return strings.Join(words, " ")
}

// valuesOf returns a key's values: numbers ascending, other values in the order of the points. ""
// comes last if a setting has no value.
func valuesOf(points []sweep.Point, key string) (list []string) {
	numbers, without := true, false
	for i := range points {
		raw, ok := points[i].Values[key]
		v := string(raw)
		if !ok {
			without = true
			continue
		}
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			numbers = false
		}
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	if numbers {
		slices.SortStableFunc(list,
			func(a, b string) int { return cmp.Compare(numberOf(a), numberOf(b)) })
	}
	if without {
		list = append(list, "")
	}
	return list
}

func numberOf(v string) float64 {
	x, _ := strconv.ParseFloat(v, 64)
	return x
}

// decidedKeys returns the keys that have only one value for each value of another key.
func decidedKeys(points []sweep.Point, keys []string, key string) map[string]bool {
	decided := map[string]bool{}
	for _, k := range keys {
		of := map[string]json.RawMessage{}
		decided[k] = !slices.ContainsFunc(points, func(p sweep.Point) bool {
			across, ok := p.Values[key]
			v, also := p.Values[k]
			if !ok || !also {
				return false
			}
			before, known := of[string(across)]
			of[string(across)] = v
			return known && string(before) != string(v)
		})
	}
	return decided
}

// widestKey returns the key with the most values, which goes across at first.
func widestKey(points []sweep.Point, keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return slices.MaxFunc(keys, func(a, b string) int {
		return cmp.Compare(len(valuesOf(points, a)), len(valuesOf(points, b)))
	})
}

// step returns the setting this many columns or rows away from a setting, skipping empty places;
// the same setting if there is none.
func (g *grid) step(from, columns, rows int) int {
	row, column := g.places[from][0]+rows, g.places[from][1]+columns
	for row >= 0 && row < len(g.rows) && column >= 0 && column < len(g.columns) {
		if at := g.rows[row].cells[column]; at >= 0 {
			return at
		}
		if rows != 0 { // takes the nearest setting in the row
			return g.nearest(row, column)
		}
		column += columns
	}
	return from
}

// nearest returns the setting of a row that is nearest to a column.
func (g *grid) nearest(row, column int) int {
	best, at := len(g.columns)+1, 0
	for c, i := range g.rows[row].cells {
		if far := max(c-column, column-c); i >= 0 && far < best {
			best, at = far, i
		}
	}
	return at
}

// levels returns the level of each setting's value among all values, above 0 for the worst and 1
// for the best. The level depends on the rank, so that a setting that has diverged leaves the
// others their shades. A setting without a value has no level, and none has one where all values
// are written alike.
func levels(points []sweep.Point, written func(int) string, higher bool) map[int]float64 {
	list, different := map[int]float64{}, map[string]bool{}
	for i := range points {
		if v := points[i].Value; v.Applies() {
			list[i], different[written(i)] = v.Float(), true
			if !higher {
				list[i] = -v.Float()
			}
		}
	}
	if len(different) < 2 {
		return nil
	}
	sorted := slices.Compact(slices.Sorted(maps.Values(list)))
	for i, v := range list {
		at, _ := slices.BinarySearch(sorted, v)
		list[i] = (float64(at) + 1) / float64(len(sorted))
	}
	return list
}
