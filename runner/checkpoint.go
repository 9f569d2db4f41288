package runner

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"drolab/dro/nn"
	"drolab/runner/data"
)

// rarely is how long a run trains, at least, between checkpoints that nobody asked
// for: an epoch of a small table takes less than to bring one to the disk.
const rarely = 5 * time.Second

// due tells whether a checkpoint at the end of an epoch is worth its time.
func (r *run) due() bool { return r.wall().Sub(r.savedAt) >= rarely }

// save puts a checkpoint of this moment on disk, behind the selected one's.
func (r *run) save() error {
	defer r.stopClock()()
	if err := r.savePending(); err != nil {
		return err
	}
	err := r.saveState(r.state())
	r.savedAt = r.wall()
	return err
}

// hold keeps what was selected at this moment until the next checkpoint. A crash
// before that loses both, and the run selects again.
func (r *run) hold() {
	s := r.state()
	for _, list := range []*[]nn.Tensor{&s.Parameters, &s.Velocities, &s.Buffers, &s.Picked} {
		*list = cloneTensors(*list)
	}
	r.pending = s
}

// savePending saves what hold keeps. It comes before every later checkpoint, so that a
// run which goes on from one has its selection.
func (r *run) savePending() error {
	if p := r.pending; p != nil && p.Step != r.step {
		if err := r.saveState(p); err != nil {
			return err
		}
	}
	r.pending = nil
	return nil
}

// rescue saves what hold keeps of a run that failed, and waits for nothing.
func (r *run) rescue() error {
	if r.pending == nil {
		return nil
	}
	file, err := r.record.Checkpoint(r.pending)
	r.pending = nil
	if err != nil {
		return err
	}
	return r.record.Append(&CheckpointEvent{Head: r.head(), File: file})
}

// state is this moment; its tensors are the network's own.
func (r *run) state() *State {
	method := r.method.State()
	return &State{
		Step: r.step, Batches: r.batches.State(), Draws: r.draws.State(),
		Window: r.window.clone(), Eval: r.eval, Last: r.last, Selected: r.selected, Output: r.iterate,
		Method:     &method,
		Parameters: r.net.Parameters(), Velocities: r.net.Velocities(), Buffers: r.net.Buffers(), Picked: r.picked,
	}
}

// saveState puts a checkpoint on disk and says so in the log.
func (r *run) saveState(state *State) error {
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
		r.restoreNetwork(s),
		copyTensors(r.net.Velocities(), s.Velocities),
		r.batches.Restore(s.Batches),
		r.draws.Restore(s.Draws))
	if err == nil {
		err = r.restoreMethod(s)
	}
	if err != nil {
		return fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
	}
	s.Parameters, s.Velocities, s.Buffers, s.Picked = nil, nil, nil, nil
	r.step, r.window = s.Step, s.Window.like(r.now.Names())
	r.eval, r.last, r.selected, r.iterate = s.Eval, s.Last, s.Selected, s.Output
	return nil
}

func (r *run) restoreNetwork(s *State) error {
	return errors.Join(copyTensors(r.net.Parameters(), s.Parameters), copyTensors(r.net.Buffers(), s.Buffers))
}

func (r *run) restoreMethod(s *State) error {
	if len(s.Picked) > 0 {
		if err := copyTensors(r.picked, s.Picked); err != nil {
			return err
		}
	}
	if s.Method == nil {
		return nil
	}
	return r.method.Restore(*s.Method)
}

// measuring returns a run that has the network of a checkpoint, to use it on data that
// need not be its own, and that does not train. The caller closes it.
func measuring(m *Meta, d *data.Dataset, s *State, threads int) (*run, error) {
	r := &run{meta: m, data: d, spec: m.Spec, record: discard{}, gate: &gate{retry: time.Second},
		warned: map[string]bool{}, ahead: threads > 1, step: s.Step}
	err := r.addNetwork(standardNetwork, max(1, threads))
	if err == nil {
		err = r.restoreNetwork(s)
	}
	if err != nil {
		r.close()
		return nil, fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
	}
	return r, nil
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
