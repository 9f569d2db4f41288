package dro

import "testing"

// With output: random, the output of T steps is that of each step alike, for every T: a χ² test
// with 11 degrees of freedom, whose 99.99 % point is 37.4. It keeps z before the step.
func TestRandomOutput(t *testing.T) {
	p, m := testProblems(.5)[0], testRand(27)
	method, err := Find(SFK)
	if err != nil {
		t.Fatal(err)
	}
	const runs, steps = 6000, 12
	chosen := make([]float64, steps+1)
	for seed := range uint64(runs) {
		of := task(method, p, map[string]Auto{"output": Fixed(1)})
		of.Seed = seed
		d, err := method.New(of)
		if err != nil {
			t.Fatal(err)
		}
		var before []Z
		for i := range steps {
			before = append(before, d.(Dual).Z())
			d.After(Batch{Losses: exponential(m, 2)}, Step{T: int64(i + 1), GradNorm: 1})
		}
		got := d.(Picker).Picked()
		if got.Step < 1 || got.Z != before[got.Step-1] {
			t.Fatalf("seed %d: %+v, z was %v", seed, got, before)
		}
		chosen[got.Step]++
	}
	chi := 0.0
	for _, n := range chosen[1:] {
		chi += (n - runs/steps) * (n - runs/steps) / (runs / steps)
	}
	if chi > 37.4 {
		t.Errorf("steps were chosen %v times: χ² = %.1f", chosen[1:], chi)
	}
}
