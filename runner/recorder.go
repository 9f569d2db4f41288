package runner

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
	"drolab/runner/measure"
)

// A Store keeps runs; the store of runner/record is a folder with one directory per run.
type Store interface {
	// Create makes the record of a new run, under an ID of its own choosing, which it writes into
	// m. The record of a fork holds from the start the checkpoint that the fork continues from; for
	// other runs from is nil.
	Create(m *Meta, from *State) (Recorder, error)
	// Reopen continues the record of an unfinished run, with its newest checkpoint. It refuses a
	// fork without a checkpoint.
	Reopen(id string) (Recorder, *Past, error)
	// Load reads a run as it was at a checkpoint that was kept.
	Load(id string, step int64) (*Past, error)
	// Pin keeps a checkpoint that newer ones would push out.
	Pin(id string, step int64) error
	// Delete removes a run that nobody is recording.
	Delete(id string) error
}

// Past is what is known of a run from which another run or a resume continues.
type Past struct {
	Meta *Meta
	From *State      // nil: there is no checkpoint and no parent; start from the beginning
	Log  []KnobEvent // all changes of knobs in the log, in its order
}

// A Recorder records one run. A nil error means that the data survive a crash of this process.
// After Checkpoint, Finish, and Append of a KnobEvent or a StatusEvent, they also survive a crash
// of the machine. After a *DiskError the call can be repeated.
type Recorder interface {
	// Append adds e to the log, filling in its Seq and Time.
	Append(e Event) error
	// Checkpoint saves s and returns the name by which it can be resumed. It reads s only until it
	// returns.
	Checkpoint(s *State) (file string, err error)
	// Finish writes the summary of a run that ended.
	Finish(s *Summary) error
	// Close releases the run's directory.
	Close() error
}

// State is a checkpoint: all that the rest of the run depends on.
type State struct {
	Step    int64      `json:"step"`
	Batches data.State `json:"batches"`
	Draws   data.State `json:"draws"`
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
	// Waited counts the evaluations since the selected one, for the setting patience.
	Waited int `json:"waited,omitempty"`
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

// The splits of a dataset.
const (
	SplitTest  = "test"
	SplitVal   = "val"
	SplitTrain = "train"
)

// Splits lists the splits.
func Splits() []string { return []string{SplitTest, SplitVal, SplitTrain} }

// CopyTensors copies the values of from into tensors of the same names and shapes.
func CopyTensors(to, from []nn.Tensor) error {
	if len(to) != len(from) {
		return fmt.Errorf("has %d tensors, want %d: it is of another model", len(from), len(to))
	}
	for i, t := range to {
		f := from[i]
		if f.Name != t.Name || !slices.Equal(f.Shape, t.Shape) || len(f.Data) != len(t.Data) {
			return fmt.Errorf("tensor %q %v, want %q %v: it is of another model", f.Name, f.Shape,
				t.Name, t.Shape)
		}
		copy(t.Data, f.Data)
	}
	return nil
}
