package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// passProblem is a linear layer, its loss, and a batch of rows.
type passProblem struct {
	p      *convProblem
	x      Images
	labels []int
}

func newPassProblem(t *testing.T, images, units int) passProblem {
	rng := rand.New(rand.NewPCG(1, uint64(images)))
	p := newConvProblem(t, rng, images, Linear(Shape{80, 1, 1}, units, false))
	labels := make([]int, images)
	for i := range labels {
		labels[i] = rng.IntN(units)
	}
	return passProblem{p, p.scatter(), labels}
}

// weighing gives each sample a weight of its own.
func weighing(weights, losses []float64) {
	for i, l := range losses {
		weights[i] = 1 + l*l
	}
}

// call returns the arguments and the memory of a pass.
func (q passProblem) call(t *testing.T, b Batch) PassCall {
	c := PassCall{Images: q.x, Labels: q.labels, W: q.p.w, B: q.p.bias,
		Y: guarded(t, b.Len(q.p.out)), DY: guarded(t, b.Len(q.p.out)),
		Losses: make([]float64, len(q.labels)), Weights: make([]float64, len(q.labels)),
		DW: guarded(t, len(q.p.w)), DB: guarded(t, len(q.p.bias))}
	c.Weigh = func(from, to int) { weighing(c.Weights[from:to], c.Losses[from:to]) }
	return c
}

// inTurn computes the pass operation by operation.
func (q passProblem) inTurn(r *Rows, l *Loss, c PassCall) {
	r.Forward(nil, c.Y, c.Images, c.W, c.B)
	l.Losses(nil, c.Losses, c.DY, c.Y, c.Labels)
	c.Weigh(0, len(c.Labels))
	l.Gradient(c.DY, c.DY, c.Labels, c.Weights)
	r.BackwardWeights(nil, c.DW, c.DB, c.Images, c.DY, false)
}

// One pass gives the bits of the separate operations, on any number of threads.
func TestRowsPassIsTheSame(t *testing.T) {
	for _, images := range []int{5, 64, 67, 130, 300} {
		for _, units := range []int{2, 7, 13} {
			q, b := newPassProblem(t, images, units), NewBatch(max(images, 100))
			eachRows(t, q.p.cfg, func(t *testing.T, isa ISA) {
				for kind := CrossEntropy; kind <= ErrorProbability; kind++ {
					r, l := must(NewRows(isa, b, q.p.cfg)), NewLoss(isa, b, units, kind)
					want := q.call(t, b)
					q.inTurn(r, l, want)
					for _, threads := range []int{1, 3} {
						team := NewTeam(threads)
						got := q.call(t, b)
						pass := must(NewRowsPass(r, l))
						pass.Run(team, got)
						got.Next = q.x.At[:images/2]
						pass.Run(team, got)
						team.Close()
						name := fmt.Sprintf("%d images, %d units, %d threads: ", images,
							units, threads)
						sameBits(t, name+"y", want.Y, got.Y)
						sameBits(t, name+"dw", want.DW, got.DW)
						sameBits(t, name+"db", want.DB, got.DB)
						for i, loss := range want.Losses {
							if got.Losses[i] != loss {
								t.Fatalf("%s loss %d is %v, in turn %v", name, i,
									got.Losses[i], loss)
							}
						}
					}
				}
			})
		}
	}
}

func TestRowsPassRefuses(t *testing.T) {
	isa, b := Detect(), NewBatch(64)
	if isa == Generic {
		t.Skip("no assembly")
	}
	rows := func(b Batch, units int) *Rows {
		return must(NewRows(isa, b, Linear(Shape{16, 1, 1}, units, false)))
	}
	loss := NewLoss(isa, b, 3, CrossEntropy)
	for name, r := range map[string]*Rows{
		"other units": rows(b, 4), "many units": rows(b, maxPartUnits+1),
		"a small batch": rows(NewBatch(16), 3),
		"another batch": rows(NewBatch(128), 3),
	} {
		if _, err := NewRowsPass(r, loss); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	p := must(NewRowsPass(rows(b, 3), loss))
	if panicOf(func() { p.Run(nil, PassCall{Labels: []int{0}}) }) == nil {
		t.Error("a call without memory is taken")
	}
}
