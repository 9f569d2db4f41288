package runner

import (
	"fmt"
	"slices"
	"time"

	"drolab/dro/nn"
)

// save puts a checkpoint of this moment on disk.
func (r *run) save() error {
	r.pauseClock()
	defer func() { r.clock = time.Now() }()
	state := &State{
		Step: r.step, Z: r.dual.Z(), Batches: r.batches.State(), Draws: r.draws.State(),
		Window: r.window, Iterate: r.iterate, Eval: r.eval,
		Parameters: r.net.Parameters(), Velocities: r.net.Velocities(), IterateParameters: r.kept,
	}
	var file string
	told, err := r.write(func() (err error) {
		file, err = r.record.Checkpoint(state)
		return err
	})
	if err == nil && told {
		err = r.mark(Running)
	}
	if err != nil {
		return err
	}
	return r.append(&CheckpointEvent{Head: r.head(), File: file})
}

// restore makes the run what it was when s was saved, and lets go of s's
// tensors: s itself lives as long as the run.
func (r *run) restore(s *State) error {
	for _, pair := range []struct{ to, from []nn.Tensor }{
		{r.net.Parameters(), s.Parameters}, {r.net.Velocities(), s.Velocities}, {r.kept, s.IterateParameters},
	} {
		if err := copyTensors(pair.to, pair.from); err != nil {
			return fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
		}
	}
	if err := r.batches.Restore(s.Batches); err != nil {
		return fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
	}
	if err := r.draws.Restore(s.Draws); err != nil {
		return fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
	}
	s.Parameters, s.Velocities, s.IterateParameters = nil, nil, nil
	r.step, r.window, r.eval, r.iterate = s.Step, s.Window, s.Eval, s.Iterate
	r.dual.SetZ(s.Z)
	if i := s.Iterate; i != nil {
		r.rule.Observe(int(i.Step), i.GradNorm.Float(), i.Gap.Float())
	}
	return nil
}

func copyTensors(to, from []nn.Tensor) error {
	if len(to) != len(from) {
		return fmt.Errorf("has %d tensors, want %d: it is of another model", len(from), len(to))
	}
	for i, t := range to {
		f := from[i]
		if f.Name != t.Name || !slices.Equal(f.Shape, t.Shape) || len(f.Data) != len(t.Data) {
			return fmt.Errorf("tensor %q %v, want %q %v: it is of another model", f.Name, f.Shape, t.Name, t.Shape)
		}
		copy(t.Data, f.Data)
	}
	return nil
}

func cloneTensors(list []nn.Tensor) []nn.Tensor {
	clones := slices.Clone(list)
	for i := range clones {
		clones[i].Data = slices.Clone(clones[i].Data)
	}
	return clones
}
