package dro

import (
	"fmt"
	"slices"
)

// jtt is Just Train Twice: ERM for some epochs finds the training samples that
// it gets wrong; then x starts anew and these weigh more (math.md §5).
func jtt() Method {
	return Method{
		Name: "jtt", Doc: "Just Train Twice: samples that ERM got wrong weigh more in a " +
			"second run",
		Source: "Liu, Haghgoo, Chen, Raghunathan, Koh, Sagawa, Liang, Finn 2021 (arXiv 2107.09044)",

		Restarts: true,
		Settings: []Setting{
			{Key: "jtt_epochs", Doc: "epochs of ERM after which the wrong samples are found",
				Default: Fixed(2), Want: "a whole number ≥ 1", Check: atLeast1, Whole: true,
				Below: "epochs"},
			{Key: "jtt_up", Doc: "weight of a wrong sample, before all are scaled to mean 1; " +
				"up_weight + 1 of the authors' code",
				Default: Fixed(20), Want: "a number > 0", Check: above0},
		},
		Measures: []Measure{{Name: "upweighted", Title: "upweighted samples", Scale: Percent,
			Doc: "share of the training samples that Just Train Twice found wrong; 0 until " +
				"then"}},
		New: func(t Task) (Trainer, error) {
			epochs, up := int(t.Number("jtt_epochs")), t.Number("jtt_up")
			return &jttTrainer{epochs: epochs, up: up, samples: t.Samples}, nil
		},
	}
}

// jttTrainer marks the wrong samples, none of which is known in the first run.
type jttTrainer struct {
	flagWeights
	epochs  int
	up      float64
	samples int
	count   int // number of wrong samples
}

// EndEpoch implements Epochal.
func (j *jttTrainer) EndEpoch(epoch int, split func() (Batch, error)) (restart bool, err error) {
	if epoch < j.epochs || j.flags != nil {
		return false, nil
	}
	b, err := split()
	if err != nil {
		return false, err
	}
	wrong := make([]bool, j.samples)
	for i, sample := range b.Index {
		wrong[sample] = !b.Correct[i]
	}
	j.remember(wrong)
	return true, nil
}

// remember sets the wrong samples: the second run begins with them; nil stands for the first run.
// In the second run the weights have mean 1 over the training split.
func (j *jttTrainer) remember(wrong []bool) {
	j.flags, j.count = wrong, 0
	for _, is := range wrong {
		if is {
			j.count++
		}
	}
	share := float64(j.count) / float64(j.samples)
	j.plain = 1 / (1 + share*(j.up-1))
	j.marked = j.plain * j.up
}

// Report implements Trainer.
func (j *jttTrainer) Report(record func(string, float64)) {
	record("upweighted", float64(j.count)/float64(j.samples))
}

// State implements Trainer.
func (j *jttTrainer) State() State {
	if j.flags == nil {
		return State{}
	}
	return State{Flags: map[string][]bool{"wrong": slices.Clone(j.flags)}}
}

// Restore implements Trainer.
func (j *jttTrainer) Restore(s State) error {
	wrong, ok := s.Flags["wrong"]
	if ok && len(wrong) != j.samples {
		return fmt.Errorf("the method's state has flags of %d samples, the training split has %d",
			len(wrong), j.samples)
	}
	j.remember(slices.Clone(wrong))
	return nil
}
