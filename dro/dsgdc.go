package dro

// dsgdc solves the penalised problem, in which λ is fixed, by two clipped gradient steps. The
// gradients of x and of η are each no longer than the setting clip (math.md §5). The runner clips
// the gradient of x.
func dsgdc() Method {
	const clip = 10 // where the setting is auto
	return Method{
		Name: "dsgdc", Doc: "penalised problem: clipped gradient steps on x and η",
		Source: "our reading of Zhang, Zhou, Khan, Prater-Bennette, Shen, Zou, " +
			"Revisiting Large-Scale Non-convex DRO, ICLR 2025",
		Lambda: true, Penalised: true, Live: []string{"lr_z"}, Clip: clip,
		Reads: dualReads("lr_z"), Measures: dualMeasures(),
		New: func(t Task) (Trainer, error) {
			p, err := newPenalisedDual(t)
			if err != nil {
				return nil, err
			}
			return &penalisedDescent{penalisedDual: p, stepRatio: newStepRatio(t),
				clip: t.Settings["clip"].Or(clip)}, nil
		},
	}
}
