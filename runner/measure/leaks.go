package measure

import (
	"slices"

	"drolab/runner/data"
)

// leaks finds the columns that predict the label by themselves. A row's score for a class is the
// share of the class among other rows with the same value, or in the same interval of values: the
// rows are in folds, and each fold is scored by the rows of the others. The AUROC is that of all
// rows. A column leaks if its AUROC is suspicious, and if the lower end of its 95 % interval
// is above that of a good but plain predictor.
func leaks(e *evidence) (list []finding) {
	const suspicious, plain = .97, .85
	m := newOneColumn(e)
	if len(m.classes) == 0 {
		return nil
	}
	for _, c := range e.withRoles(data.AsFeature) {
		v := m.auroc(c)
		if v >= suspicious && Wilson(Num(v), m.fewest)[0].Float() >= plain {
			list = append(list, finding{[]string{c.Name}, []any{c.Name, v, e.drop(c.Name)}})
		}
	}
	return list
}

// oneColumn predicts the label from one column.
type oneColumn struct {
	labels  []uint16
	classes []int // the classes whose AUROC is measured; of two only the second
	place   []int // of each class among classes; −1: none
	prior   []float64
	// fewest is the number of rows with, or without, the scarcest of classes. An AUROC is the mean
	// over these rows of numbers from 0 to 1, which vary at most as much as right and wrong answers
	// with the same mean do: the Wilson interval of a share of that many rows holds for it.
	fewest int
}

func newOneColumn(e *evidence) *oneColumn {
	const mostClasses, rows = 20, 20
	m := &oneColumn{labels: e.Labels, fewest: len(e.Labels)}
	count := make([]int, len(e.Classes))
	for _, label := range e.Labels {
		count[label]++
	}
	for c, n := range count {
		if scarce := min(n, len(e.Labels)-n); scarce >= rows && len(m.classes) < mostClasses {
			m.classes = append(m.classes, c)
			m.fewest = min(m.fewest, scarce)
		}
	}
	if len(e.Classes) == 2 && len(m.classes) == 2 {
		m.classes = m.classes[1:]
	}
	for c, n := range count {
		m.place = append(m.place, slices.Index(m.classes, c))
		if m.place[c] >= 0 {
			m.prior = append(m.prior, float64(n)/float64(len(e.Labels)))
		}
	}
	return m
}

// folds is the number of parts of the rows. Each is scored by the others.
const folds = 4

// foldOf returns the fold of a row, by the golden ratio: no order of the file is in step with it.
func foldOf(row int) int {
	const spread = 2654435769
	return int(uint32(row) * spread >> 30)
}

// auroc returns the mean over the classes of the AUROC of each class against the rest.
func (m *oneColumn) auroc(c *data.Sampled) (mean float64) {
	bin, n := m.bins(c)
	rows := len(m.classes) // the place of the number of rows, behind that of each class
	counts := make([][]float64, (folds+1)*n)
	for i := range counts {
		counts[i] = make([]float64, rows+1)
	}
	of := func(fold, bin int) []float64 { return counts[fold*n+bin] } // the last fold is all rows
	for row, label := range m.labels {
		at := of(foldOf(row), bin(row))
		at[rows]++
		if class := m.place[label]; class >= 0 {
			at[class]++
		}
	}
	for i := range n {
		for fold := range folds {
			for k, count := range of(fold, i) {
				of(folds, i)[k] += count
			}
		}
	}
	for class, prior := range m.prior {
		var scored []scoreGroup
		for fold := range folds {
			for i := range n {
				own, all := of(fold, i), of(folds, i)
				others := all[rows] - own[rows]
				share := (all[class] - own[class] + prior) / (others + 1)
				if own[rows] > 0 {
					scored = append(scored, scoreGroup{Score: share, Of: own[class],
						Others: own[rows] - own[class]})
				}
			}
		}
		mean += AUROC(scored).Float() / float64(rows)
	}
	return mean
}

// bins returns a function that gives each row one of n places: by its value or, if there are many
// values, by the interval of its number. Place 0 is for cells that are no numbers among intervals.
func (m *oneColumn) bins(c *data.Sampled) (bin func(row int) int, n int) {
	const most = 32
	place := map[uint64]int{}
	var numbers []float64
	for row := range m.labels {
		if key := c.Key(row); place[key] == 0 {
			place[key] = len(place) + 1
		}
		if v := c.Numbers[row]; v == v {
			numbers = append(numbers, v)
		}
	}
	if len(place) <= most || len(numbers) < len(m.labels)/2 {
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
