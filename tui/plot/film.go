package plot

import "sort"

// filmColumns is the maximum number of moments in a film, which bounds its memory: more evaluations
// than a large screen has columns.
const filmColumns = 1 << 9

// Film is a list of values at each of many moments, such as the accuracy of every class at every
// evaluation. At most 512 moments are kept (see boundedList). The zero value is empty.
type Film struct{ boundedList[moment] }

// moment is the values at x.
type moment struct {
	x      float64
	values []float32
}

// Append adds the values at x, which does not decrease. They are copied.
func (f *Film) Append(x float64, values []float64) {
	list := make([]float32, len(values))
	for i, v := range values {
		list[i] = float32(v)
	}
	f.add(moment{x, list}, filmColumns)
}

// Rewind discards the moments above x, as a resume does.
func (f *Film) Rewind(x float64) {
	n := sort.Search(len(f.items), func(i int) bool { return f.items[i].x > x })
	if n < len(f.items) {
		f.items, f.loose = f.items[:n], false
	}
}

// Each calls do for every value, moment by moment; a nil film has no values.
func (f *Film) Each(do func(x float64, place int, value float64)) {
	if f == nil {
		return
	}
	for _, m := range f.items {
		for place, v := range m.values {
			do(m.x, place, float64(v))
		}
	}
}

// Range returns the range of all values.
func (f *Film) Range() Range {
	r := EmptyRange()
	f.Each(func(_ float64, _ int, v float64) { r = r.Add(v) })
	return r
}
