package runner

import (
	"fmt"
	"io"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
)

// State is a checkpoint: all that the rest of the run depends on.
type State struct {
	Step    int64        `json:"step"`
	Batches loader.State `json:"batches"`
	Draws   loader.State `json:"draws"`
	// Window holds the running minima and maxima that the next step event reports.
	Window Window `json:"window"`
	// Eval is the last evaluation, and Last the last step event, for the summary of a run that
	// continues from here only to end.
	Eval *EvalEvent `json:"eval"`
	Last *StepEvent `json:"last,omitempty"`
	// User holds the latest values of the program's own.
	User measure.Values `json:"user,omitempty"`
	// Output is the method's own output, measured at the end of the run.
	Output *PaperIterate `json:"output,omitempty"`
	// Selected is the run's selection so far, the evaluation of a step whose checkpoint is kept as
	// long as the step stays selected; nil: there is none.
	Selected *EvalEvent `json:"selected,omitempty"`
	// Waited counts the evaluations since the last one that was better than all before it, for the
	// setting patience.
	Waited int `json:"waited,omitempty"`
	// Tied counts the evaluations if all of them have the same value of the measure by which the
	// run selects; 0: they differ, or a program made the checkpoint that did not count.
	Tied int `json:"tied,omitempty"`
	// Method is the method's own state; nil: the method is at its start.
	Method *dro.State `json:"-"`

	// Parameters, Velocities, Buffers and Picked are the tensors; they are stored in their own file
	// format. Picked is the x that the method's output rule has chosen, empty if it has chosen
	// none.
	Parameters []nn.Tensor `json:"-"`
	Velocities []nn.Tensor `json:"-"`
	Buffers    []nn.Tensor `json:"-"`
	Picked     []nn.Tensor `json:"-"`
	// Opaque replaces all tensors if the network is another program.
	Opaque Opaque `json:"-"`
}

// Detach gives s tensors of its own.
func (s *State) Detach() {
	for _, list := range []*[]nn.Tensor{&s.Parameters, &s.Velocities, &s.Buffers, &s.Picked} {
		*list = CloneTensors(*list)
	}
}

// CloneTensors returns tensors with the same values that share no memory with list.
func CloneTensors(list []nn.Tensor) []nn.Tensor {
	clones := slices.Clone(list)
	for i := range clones {
		clones[i].Data = slices.Clone(clones[i].Data)
	}
	return clones
}

// CopyTensors copies the values of from into tensors of the same names and shapes.
func CopyTensors(to, from []nn.Tensor) error {
	if len(to) != len(from) {
		return fmt.Errorf("has %d tensors, expected %d: it is of another model", len(from), len(to))
	}
	for i, t := range to {
		f := from[i]
		if f.Name != t.Name || !slices.Equal(f.Shape, t.Shape) || len(f.Data) != len(t.Data) {
			return fmt.Errorf("tensor %q %v, expected %q %v: it is of another model", f.Name,
				f.Shape,
				t.Name, t.Shape)
		}
		copy(t.Data, f.Data)
	}
	return nil
}

// Opaque is a network's saved state that only its own program can read: bytes, in place of tensors.
type Opaque interface {
	// WriteTo writes all of it as one stream. The error may be about reading it, too, such as a
	// checkpoint whose bytes have changed since they were saved.
	io.WriterTo
	// Release says that nobody needs the bytes any more.
	Release()
}
