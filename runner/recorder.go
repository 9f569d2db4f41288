package runner

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
	"drolab/runner/measure"
)

// A Store keeps runs; runner/record's is a folder with one directory a run.
type Store interface {
	// Create makes the record of a new run, under an ID of its own choosing,
	// which it writes into m. A fork's holds from the start the checkpoint
	// that it goes on from; for others from is nil.
	Create(m *Meta, from *State) (Recorder, error)
	// Reopen takes up the record of an unfinished run, with its newest
	// checkpoint. A fork without any is refused.
	Reopen(id string) (Recorder, *Past, error)
	// Load reads a run as it was at a checkpoint that was kept.
	Load(id string, step int64) (*Past, error)
	// Pin keeps a checkpoint that newer ones would push out.
	Pin(id string, step int64) error
	// Delete removes a run that nobody records.
	Delete(id string) error
}

// Past is what is known of a run that something goes on from.
type Past struct {
	Meta *Meta
	From *State      // nil: there is no checkpoint and no parent, start anew
	Log  []KnobEvent // every one of the log, in its order
}

// A Recorder is where one run leaves its trace. A nil error means that what
// was given is safe from a crash of this process; Checkpoint's and Finish's, and
// that of appending a KnobEvent or a StatusEvent, of the machine. After a
// *DiskError the same can be given again.
type Recorder interface {
	// Append adds e to the log, filling in its Seq and Time.
	Append(e Event) error
	// Checkpoint saves s and returns the name it can be resumed by. It reads
	// s only until it returns.
	Checkpoint(s *State) (file string, err error)
	// Finish writes the summary of a run that ended.
	Finish(s *Summary) error
	// Close gives up the run's directory.
	Close() error
}

// State is a checkpoint: all that the rest of the run depends on.
type State struct {
	Step    int64      `json:"step"`
	Batches data.State `json:"batches"`
	Draws   data.State `json:"draws"`
	// Window is the running minimum and maximum that the next step event reports.
	Window Window `json:"window"`
	// Eval is the last evaluation, and Last the last step event: what a summary
	// says where the run goes on from here only to end.
	Eval *EvalEvent `json:"eval"`
	Last *StepEvent `json:"last,omitempty"`
	// User has the values of the program's own that are known so far.
	User measure.Values `json:"user,omitempty"`
	// Output is the method's own output, measured, at the end of the run.
	Output *PaperIterate `json:"output,omitempty"`
	// Selected is the evaluation that the run has selected so far, of a step whose
	// checkpoint is kept as long as it is that; nil: there is none.
	Selected *EvalEvent `json:"selected,omitempty"`
	// Waited counts the evaluations since then, for the setting patience.
	Waited int `json:"waited,omitempty"`
	// Method is the method's own state; nil: it is at its start.
	Method *dro.State `json:"-"`

	// Parameters, Velocities, Buffers and Picked are the tensors; a file format
	// of their own holds them. Picked is the x that the method's output rule has
	// chosen, empty where it has none.
	Parameters []nn.Tensor `json:"-"`
	Velocities []nn.Tensor `json:"-"`
	Buffers    []nn.Tensor `json:"-"`
	Picked     []nn.Tensor `json:"-"`
	// Opaque stands in place of all of them where the network is another program.
	Opaque Opaque `json:"-"`
}

// Detach gives s tensors of its own.
func (s *State) Detach() {
	for _, list := range []*[]nn.Tensor{&s.Parameters, &s.Velocities, &s.Buffers, &s.Picked} {
		*list = CloneTensors(*list)
	}
}

// CloneTensors gives tensors of the same values that share no memory.
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

// Splits lists them.
func Splits() []string { return []string{SplitTest, SplitVal, SplitTrain} }

// CopyTensors fills tensors with the values of others of the same names and shapes.
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
