package runner

import (
	"errors"
	"fmt"
	"slices"

	"drolab/dro/nn"
)

// save puts a checkpoint of this moment on disk.
func (r *run) save() error {
	defer r.stopClock()()
	method := r.method.State()
	state := &State{
		Step: r.step, Batches: r.batches.State(), Draws: r.draws.State(),
		Window: r.window.clone(), Eval: r.eval, Last: r.last, Selected: r.selected, Output: r.iterate,
		Method:     &method,
		Parameters: r.net.Parameters(), Velocities: r.net.Velocities(), Buffers: r.net.Buffers(), Picked: r.picked,
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
// tensors: s itself lives as long as the run. Where s is of a parent that trained
// with another method, it has no state of this run's and no x that its rule has
// chosen.
func (r *run) restore(s *State) error {
	err := errors.Join(
		copyTensors(r.net.Parameters(), s.Parameters),
		copyTensors(r.net.Velocities(), s.Velocities),
		copyTensors(r.net.Buffers(), s.Buffers),
		r.batches.Restore(s.Batches),
		r.draws.Restore(s.Draws))
	if err == nil && len(s.Picked) > 0 {
		err = copyTensors(r.picked, s.Picked)
	}
	if err == nil && s.Method != nil {
		err = r.method.Restore(*s.Method)
	}
	if err != nil {
		return fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
	}
	s.Parameters, s.Velocities, s.Buffers, s.Picked = nil, nil, nil, nil
	r.step, r.window = s.Step, s.Window.like(r.now.Names())
	r.eval, r.last, r.selected, r.iterate = s.Eval, s.Last, s.Selected, s.Output
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
