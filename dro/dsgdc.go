package dro

// dsgdc solves the penalised problem, in which λ is fixed, by two clipped gradient steps. The
// gradients of x and of η are each no longer than the setting clip (math.md §5).
func dsgdc() Method {
	const clip = 10 // where the setting is auto
	return Method{
		Name: "dsgdc", Doc: "penalised problem: clipped gradient steps on x and η",
		Source: "our reading of Zhang, Zhou, Khan, Prater-Bennette, Shen, Zou, " +
			"Revisiting Large-Scale Non-convex DRO, ICLR 2025",
		Lambda: true, Penalised: true, Live: []string{"lr_z"}, Clip: clip,
		Reads: dualReads("lr_z"), Measures: dualMeasures(),
		New: func(t Task) (Trainer, error) {
			p, err := newPenalised(t)
			return &clipped{penalised: p, pace: newPace(t), clip: t.Settings["clip"].Or(clip)}, err
		},
	}
}

// clipped is a penalised dual whose η moves by at most clip times the step size.
// The runner clips the gradient of x.
type clipped struct {
	penalised
	pace pace
	clip float64
}

// After implements Trainer.
func (c *clipped) After(b Batch, s Step) {
	slope := clamp(c.gradient(b.Losses).Eta, [2]float64{-c.clip, c.clip})
	c.place(c.problem.Box.Project(c.z.along(-c.pace.of(s), Z{Eta: slope})))
}
