package card

import (
	"slices"

	"drolab/runner/data"
	"drolab/runner/measure"
)

// leaks finds the columns that predict the label by themselves. A row's score for a class is the
// share of the class among the training rows with the same value, or in the same interval of
// values. Its AUROC is measured on the validation rows, or else on a fourth of the training rows.
func leaks(e *evidence) (list []finding) {
	const suspicious = .97
	m := newOneColumn(e)
	if len(m.classes) == 0 {
		return nil
	}
	for _, c := range e.of(data.AsFeature) {
		if v := m.auroc(c); v >= suspicious {
			list = append(list, finding{[]string{c.Name}, []any{c.Name, v, e.drop(c.Name)}})
		}
	}
	return list
}

// oneColumn predicts the label from one column.
type oneColumn struct {
	labels     []uint16
	train, val []int
	classes    []int // the classes whose AUROC is measured; of two only the second
	kinds      int
}

func newOneColumn(e *evidence) *oneColumn {
	const mostClasses, rows = 20, 5
	m := &oneColumn{labels: e.Labels, kinds: len(e.Classes)}
	own := slices.Contains(e.Held, true)
	count := make([]int, m.kinds)
	for i, held := range e.Held {
		const spread = 2654435769 // by the golden ratio: no order of the file is in step with it
		if held || !own && uint32(i)*spread>>30 == 3 {
			m.val = append(m.val, i)
			count[e.Labels[i]]++
		} else {
			m.train = append(m.train, i)
		}
	}
	for c, n := range count {
		if n >= rows && len(m.val)-n >= rows && len(m.classes) < mostClasses {
			m.classes = append(m.classes, c)
		}
	}
	if m.kinds == 2 && len(m.classes) == 2 {
		m.classes = m.classes[1:]
	}
	return m
}

// auroc returns the mean over the classes of the AUROC of each class against the rest.
func (m *oneColumn) auroc(c *data.Sampled) (mean float64) {
	bin, n := m.bins(c)
	of, all := make([][]float64, n), make([]float64, n)
	prior := make([]float64, m.kinds)
	for i := range of {
		of[i] = make([]float64, m.kinds)
	}
	for _, row := range m.train {
		of[bin(row)][m.labels[row]]++
		all[bin(row)]++
		prior[m.labels[row]] += 1 / float64(len(m.train))
	}
	val := make([][]float64, n)
	for i := range val {
		val[i] = make([]float64, m.kinds+1) // the last is their sum
	}
	for _, row := range m.val {
		val[bin(row)][m.labels[row]]++
		val[bin(row)][m.kinds]++
	}
	for _, class := range m.classes {
		var scored []measure.Scored
		for i := range n {
			scored = append(scored, measure.Scored{
				Score: (of[i][class] + prior[class]) / (all[i] + 1),
				Of:    val[i][class], Others: val[i][m.kinds] - val[i][class]})
		}
		mean += measure.AUROC(scored).Float() / float64(len(m.classes))
	}
	return mean
}

// bins returns a function that gives each row one of n places: by its value or, if there are many
// values, by the interval of its number. Place 0 is for values that training has not seen and, with
// intervals, for cells that are no numbers.
func (m *oneColumn) bins(c *data.Sampled) (bin func(row int) int, n int) {
	const most = 32
	place := map[uint64]int{}
	var numbers []float64
	for _, row := range m.train {
		if key := c.Key(row); place[key] == 0 {
			place[key] = len(place) + 1
		}
		if v := c.Numbers[row]; v == v {
			numbers = append(numbers, v)
		}
	}
	if len(place) <= most || len(numbers) < len(m.train)/2 {
		return func(row int) int { return place[c.Key(row)] }, len(place) + 1
	}
	slices.Sort(numbers)
	var edges []float64
	for i := 1; i < most; i++ {
		edges = append(edges, numbers[i*len(numbers)/most])
	}
	return func(row int) int {
		v := c.Numbers[row]
		if v != v {
			return 0
		}
		at, _ := slices.BinarySearch(edges, v)
		return 1 + at
	}, most + 1
}
