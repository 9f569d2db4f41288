package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// randomCell returns a cell with one of few values, so that there are ties, or with none, or with
// one that is not finite.
func randomCell(random *rand.Rand) Cell {
	switch random.IntN(12) {
	case 0:
		return Cell{}
	case 1:
		return Cell{Mean: measure.Num(math.NaN())}
	case 2:
		return Cell{Mean: measure.Num(math.Inf(1))}
	}
	return Cell{Mean: measure.Num(float64(random.IntN(6)) / 8)}
}

// sweepFront returns the rows on the front by another way than markFront: from the best X on, a row
// is on the front if its Y is the best of its X and better than that of every better X.
func sweepFront(x, y side) (front []int) {
	sign := func(s side) float64 {
		if s.Higher {
			return 1
		}
		return -1
	}
	at := func(row int) (a, b float64) {
		return sign(x) * x.cells[row].Mean.Float(), sign(y) * y.cells[row].Mean.Float()
	}
	var levels []float64
	for row := range x.cells {
		if a, b := at(row); !math.IsNaN(a-a) && !math.IsNaN(b-b) && !slices.Contains(levels, a) {
			levels = append(levels, a)
		}
	}
	slices.Sort(levels)
	slices.Reverse(levels)
	best := math.Inf(-1)
	for _, level := range levels {
		var here []int
		most := math.Inf(-1)
		for row := range x.cells {
			a, b := at(row)
			if a != level || math.IsNaN(b-b) {
				continue
			}
			if b > most {
				here, most = nil, b
			}
			if b == most {
				here = append(here, row)
			}
		}
		if most > best {
			front, best = append(front, here...), most
		}
	}
	slices.Sort(front)
	return front
}

// TestFrontByBruteForce compares the front of random points with one that is found by another way,
// with ties, equal points, single points, and values that do not apply or are not finite.
func TestFrontByBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 8))
	one := &group{members: []member{newRun(dro.ERM, 1, .5)}}
	points, equal, single, behind := 0, 0, 0, 0
	for range 4000 {
		x := side{Side: Side{Name: "test_accuracy", Higher: random.IntN(2) == 0}}
		y := side{Side: Side{Name: "worst_class_accuracy", Higher: random.IntN(2) == 0}}
		var groups []*group
		for range 1 + random.IntN(9) {
			x.cells = append(x.cells, randomCell(random))
			y.cells = append(y.cells, randomCell(random))
			groups = append(groups, one)
		}
		o, want := newTradeoff(x, y, groups), sweepFront(x, y)
		if o == nil {
			if len(want) > 0 {
				t.Fatalf("no tradeoff, want the front %v", want)
			}
			continue
		}
		var got []int
		seen := map[[2]measure.Number]bool{}
		for _, p := range o.Points {
			if p.Front {
				got = append(got, p.Row)
			} else {
				behind++
			}
			if seen[[2]measure.Number{p.X, p.Y}] {
				equal++
			}
			seen[[2]measure.Number{p.X, p.Y}] = true
			points++
		}
		if len(o.Points) == 1 {
			single++
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%+v\nthe front is %v, want %v", o, got, want)
		}
		if n := len(o.Points) + len(o.Without) + len(o.Other); n != len(groups) {
			t.Fatalf("%d rows have a point or a reason, want %d", n, len(groups))
		}
	}
	if points == 0 || equal == 0 || single == 0 || behind == 0 {
		t.Errorf("%d points, %d of them equal to another, %d alone, %d behind the front: "+
			"want some of each", points, equal, single, behind)
	}
}

// with sets the mean accuracy, the test loss and the sensitivity of a run.
func with(accuracy, loss float64) func(*member) {
	return func(m *member) {
		m.summary.Measures.Set("test_accuracy", measure.Num(accuracy))
		m.summary.Measures.Set("test_loss", measure.Num(loss))
		m.summary.Measures.Set(sensitivity, measure.Num(2*loss))
	}
}

// TestTradeoffsAreOfTheTable: the points have the figures of the table's cells, S is there though
// no column has it, and pairs in one unit come first.
func TestTradeoffsAreOfTheTable(t *testing.T) {
	runs := slices.Concat(newRuns(dro.ERM, []float64{.40, .44}, with(.9, .3)),
		newRuns(dro.SFK, []float64{.50, .52}, with(.8, .4)),
		newRuns(dro.PGD, []float64{.30}, with(.7, .5)))
	table := tabulate(runs, Options{})
	names := lists.Map(table.Tradeoffs, func(o Tradeoff) string {
		return o.Y.Name + " " + o.X.Name
	})
	if len(names) < 4 || names[0] != "worst_class_accuracy test_accuracy" ||
		!slices.Contains(names, "risk_sensitivity test_loss") {
		t.Fatalf("the tradeoffs are %v", names)
	}
	compared := 0
	for _, o := range table.Tradeoffs {
		for _, p := range o.Points {
			for c, column := range table.Columns {
				cell := table.Rows[p.Row].Cells[c]
				for _, side := range []struct {
					Side
					mean, half measure.Number
				}{{o.X, p.X, p.HalfX}, {o.Y, p.Y, p.HalfY}} {
					if side.Name != column.Name || side.Class != column.Class {
						continue
					}
					compared++
					if side.mean != cell.Mean || side.half != cell.Half {
						t.Errorf("%s of %s is %v ± %v, want %v ± %v", column.Name,
							table.Rows[p.Row].Label, side.mean, side.half, cell.Mean, cell.Half)
					}
				}
			}
		}
	}
	if compared < 10 {
		t.Errorf("%d figures were compared", compared)
	}
	text := table.FrontText(&table.Tradeoffs[0])
	for _, want := range []string{"sfk and erm are on the front, from the best worst class (sfk, " +
		"51.0 %) to the best mean (erm, 90.0 %).", "Every other method is worse in both than one " +
		"of these.", "pgd has one seed and no cross."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}

// TestUnitsOfLosses: only cross-entropies are in nats.
func TestUnitsOfLosses(t *testing.T) {
	for loss, want := range map[string]string{spec.Defaults().Loss: "test loss, nats",
		"squared": "test loss"} {
		runs := newRuns(dro.ERM, []float64{.4, .5}, with(.9, .3), func(m *member) {
			m.meta.Spec.Loss = loss
		})
		table := tabulate(runs, Options{})
		labels := map[string]bool{}
		for i := range table.Tradeoffs {
			s := table.Scatter(&table.Tradeoffs[i], nil)
			labels[s.X.Label()], labels[s.Y.Label()] = true, true
		}
		if !labels[want] || !labels["mean, %"] || labels["test loss, nats"] != (loss !=
			"squared") {
			t.Errorf("loss %s: the axes are %v, want %q and the mean in percent", loss, labels,
				want)
		}
	}
}

// TestWordsOfTheFront: the sentences say no more than the points do.
func TestWordsOfTheFront(t *testing.T) {
	one := func(method dro.Algorithm, worst, mean float64) member {
		return newRun(method, 1, worst, with(mean, .3))
	}
	const crosses = " One seed has no interval, so there are no crosses."
	for want, runs := range map[string][]member{
		"erm is alone, so there is nothing to choose." + crosses: {one(dro.ERM, .4, .9)},
		"sfk is alone on the front: it has the best worst class (50.0 %) and the best mean " +
			"(95.0 %). Every other method is worse in both." + crosses: {
			one(dro.ERM, .4, .9), one(dro.SFK, .5, .95)},
		"sfk is alone on the front: it has the best worst class (50.0 %) and the best mean " +
			"(95.0 %). Every other method is worse in one of the two, and better in neither." +
			crosses: {one(dro.ERM, .4, .95), one(dro.SFK, .5, .95)},
		"sfk and erm are all on the front, from the best worst class (sfk, 50.0 %) to the best " +
			"mean (erm, 90.0 %): none is better in both than another." + crosses: {
			one(dro.ERM, .4, .9), one(dro.SFK, .5, .8)},
		"9 methods are all on the front, from the best worst class (lr .9, 90.0 %) to the best " +
			"mean (lr .1, 90.0 %): none is better in both than another." + crosses: nine(one),
		"sfk and erm are all on the front, from the best worst class (sfk, 50.0 %) to the best " +
			"mean (erm, 90.0 %): none is better in both than another. pgd has no finite figure " +
			"of both." + crosses: {one(dro.ERM, .4, .9), one(dro.SFK, .5, .8),
			one(dro.PGD, .5, math.NaN())},
		"sfk and erm are all on the front, from the best worst class (sfk, 50.0 %) to the best " +
			"mean (erm, 90.0 %): none is better in both than another. pgd is left out for other " +
			"data, losses or sets." + crosses: {one(dro.ERM, .4, .9), one(dro.SFK, .5, .8),
			newRun(dro.PGD, 1, .5, with(.99, .3), func(m *member) {
				m.meta.Checksum = "sha256:other"
			})},
	} {
		table := tabulate(runs, Options{})
		if got := table.FrontText(&table.Tradeoffs[0]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if n := len(tabulate(nil, Options{}).Tradeoffs); n != 0 {
		t.Errorf("%d tradeoffs without a run", n)
	}
	many, want := tabulate(nine(one), Options{}), "On the front: lr .9, lr .8 and 7 more."
	if got := many.FrontNames(&many.Tradeoffs[0]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// nine returns nine configurations that are all on the front.
func nine(one func(a dro.Algorithm, worst, mean float64) member) (runs []member) {
	for i := range 9 {
		m := one(dro.ERM, float64(i+1)/10, float64(9-i)/10)
		m.meta.Spec.LR = float64(i+1) / 10
		m.meta.ID = fmt.Sprint("erm ", i)
		runs = append(runs, m)
	}
	return runs
}
