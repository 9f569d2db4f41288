package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner/data"
)

// A column leaks where its AUROC is .97 or more, whichever way it grows and whatever its values
// are.
func TestLeaks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	normal := func(shift float64) data.Sampled {
		return column("x", func(i int) float64 { return float64(i%2)*shift + rng.NormFloat64() })
	}
	for _, c := range []struct {
		name   string
		column data.Sampled
		want   bool
	}{
		{"noise", normal(0), false},
		{"informative, AUROC .92", normal(2), false},
		{"AUROC .983", normal(3), true},
		{"downwards", normal(-3), true},
		{"both ends", column("x", func(i int) float64 {
			return rng.NormFloat64() + float64(i%2*(6-12*rng.IntN(2)))
		}), true},
		{"a value of each row", column("x", func(i int) float64 { return float64(i) }), false},
	} {
		if got := len(leaks(columns(c.column))) > 0; got != c.want {
			t.Errorf("%s: is the column a leak: %v, want %v", c.name, got, c.want)
		}
	}
}

// binormal makes a column whose AUROC is auroc in truth, for labels of which the first of every so
// many rows is positive: two normal distributions, the shift of which is √2·Φ⁻¹(AUROC).
func binormal(rng *rand.Rand, rows, every int, auroc float64) *evidence {
	shift := 2 * math.Erfinv(2*auroc-1) // √2·Φ⁻¹(p) is 2·erf⁻¹(2p − 1)
	c := data.Sampled{Name: "x"}
	e := &evidence{Dataset: &data.Dataset{Classes: []string{"no", "yes"}}, Sample: &data.Sample{}}
	for i := range rows {
		label := 0
		if i%every == 0 {
			label = 1
		}
		e.Labels = append(e.Labels, uint16(label))
		c.Numbers = append(c.Numbers, rng.NormFloat64()+shift*float64(label))
	}
	e.Columns = []data.Sampled{c}
	return e
}

// Few positives prove nothing: of columns whose AUROC is .844 in truth, none is called a leak,
// however few rows have the class. A column that is the label is one from 22 positives on, in a
// small table as well as in one of a rare class.
func TestLeaksOfFewPositives(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct{ rows, every int }{{4000, 200}, {4000, 160}, {4000, 4},
		{400, 16}, {60, 2}} {
		alarms := 0
		for range testsize.Pick(20, 100, 100) {
			alarms += len(leaks(binormal(rng, c.rows, c.every, .844)))
		}
		if alarms > 0 {
			t.Errorf("%d positives of %d rows: %d alarms in 100, want none", c.rows/c.every,
				c.rows, alarms)
		}
	}
	for _, c := range []struct {
		rows, every int
		want        bool
	}{{4000, 160, true}, {4000, 182, true}, {4000, 191, false}, {50, 2, true}, {400, 100, false}} {
		e := binormal(rng, c.rows, c.every, .5)
		for i, label := range e.Labels {
			e.Columns[0].Numbers[i] = float64(label)
		}
		if got := len(leaks(e)) > 0; got != c.want {
			t.Errorf("the label itself, %d rows, one of %d positive: a leak is %v, want %v", c.rows,
				c.every, got, c.want)
		}
	}
}

// The Wilson interval of a share of as many rows as there are positives holds for the AUROC: at
// least 95 % of such intervals have the true AUROC in them.
func TestIntervalOfAUROC(t *testing.T) {
	testsize.NotShort(t, "draws hundreds of tables, and TestLeaks few")
	const draws = 200
	rng := rand.New(rand.NewPCG(9, 10))
	for _, truth := range []float64{.7, .844, .95} {
		covered := 0
		for range draws {
			e := binormal(rng, 2000, 80, truth)
			var scored []scoreGroup
			for i, label := range e.Labels {
				scored = append(scored, scoreGroup{Score: e.Columns[0].Numbers[i],
					Of: float64(label), Others: 1 - float64(label)})
			}
			in := Wilson(AUROC(scored), newOneColumn(e).fewest)
			if in[0].Float() <= truth && truth <= in[1].Float() {
				covered++
			}
		}
		if covered < draws*95/100 {
			t.Errorf("AUROC %v: %d of %d intervals have it, want at least 95 %%", truth, covered,
				draws)
		}
	}
}
