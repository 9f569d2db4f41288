package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Threads make no difference. A bootstrap interval is close to the normal limit's, where there is
// one: for accuracy p ± 1.96 √(p (1 − p)/n), for AUROC that of Hanley and McNeil 1982.
func TestBootstrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	e := labelled(make([]int, 600), make([]int, 600))
	p := e.Test
	for i := range p.Labels {
		p.Labels[i] = rng.IntN(2)
		x := rng.ExpFloat64() // a negative's score; a positive's is twice as large: A = 2/3
		x *= float64(1 + p.Labels[i])
		score := x / (1 + x)
		p.Correct[i] = (score > .5) == (p.Labels[i] == 1)
		p.Confidences = append(p.Confidences, max(score, 1-score))
	}
	rows := []Measure{}
	for _, name := range []string{"test_accuracy", "auroc", "demographic_parity"} {
		m, _ := FindMeasure(name)
		rows = append(rows, m)
	}
	got := e.Bootstrap(rows, 400, 1, 3)
	if other := e.Bootstrap(rows, 400, 3, 3); !slices.Equal(got, other) {
		t.Errorf("on one thread %v, on three %v", got, other)
	}
	accuracy, area := rows[0].Value(e).Float(), rows[1].Value(e).Float()
	n := 0.
	for _, l := range p.Labels {
		n += float64(l)
	}
	m := 600 - n
	q1, q2 := area/(2-area), 2*area*area/(1+area)
	variance := (area*(1-area) + (n-1)*(q1-area*area) + (m-1)*(q2-area*area)) / (n * m)
	for k, half := range []float64{z95 * math.Sqrt(accuracy*(1-accuracy)/600),
		z95 * math.Sqrt(variance)} {
		low, high := got[k][0].Float(), got[k][1].Float()
		value := rows[k].Value(e).Float()
		if math.Abs(high-low-2*half) > .15*2*half || math.Abs((low+high)/2-value) > .3*half {
			t.Errorf("%s: %v in [%v, %v], the limit has ± %v", rows[k].Name, value, low, high, half)
		}
	}
	if got[2] != (Interval{}) {
		t.Errorf("an interval of what does not apply: %v", got[2])
	}
	if e.Bootstrap(rows, 0, 1, 3)[0] != (Interval{}) {
		t.Error("an interval of no resample")
	}
}
