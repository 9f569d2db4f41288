package runner

import (
	"time"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
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
}

// Past is what is known of a run that something goes on from.
type Past struct {
	Meta *Meta
	From *State      // nil: there is no checkpoint and no parent, start anew
	Log  []KnobEvent // every one of the log, in its order
}

// A Recorder is where one run leaves its trace. A nil error means that what
// was given is safe from a crash of this process; Checkpoint's, of the machine.
// After a *DiskError the same can be given again.
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

// Host is the program and the machine that a run is made with.
type Host struct {
	Version string `json:"version"` // of drolab's code: revision, or which program where the tree was dirty
	Go      string `json:"go"`
	System  string `json:"system"` // operating system and architecture
	CPU     string `json:"cpu"`
	Kernel  string `json:"kernel"` // float32 kernels in use: another one gives other last bits
	Threads int    `json:"threads"`
}

// Meta is run.json: what made the run, and what a viewer needs to draw it.
type Meta struct {
	ID      string    `json:"id"`
	Preset  string    `json:"preset"`
	Parent  string    `json:"parent,omitempty"` // RUN@STEP that it was forked from
	Created time.Time `json:"created"`
	Spec    Spec      `json:"spec"`
	Host    Host      `json:"host"`

	Checksum    string   `json:"dataset_checksum"`
	Classes     []string `json:"classes"`
	Groups      []string `json:"groups"`       // what per-class figures are by; the classes unless there is a group column
	TrainCounts []int    `json:"train_counts"` // per group, after imbalance
	TestCounts  []int    `json:"test_counts"`
	Parameters  int      `json:"parameters"`

	StepsPerEpoch int64 `json:"steps_per_epoch"`
	Steps         int64 `json:"steps"` // planned

	// Coordinates and Box are those of z, with every "auto" derived.
	Coordinates string  `json:"coordinates"`
	Box         dro.Box `json:"box"`
}

// State is a checkpoint: all that the rest of the run depends on.
type State struct {
	Step    int64      `json:"step"`
	Z       dro.Z      `json:"z"`
	Batches data.State `json:"batches"`
	Draws   data.State `json:"draws"`
	// Window is the running minimum and maximum that the next step event reports.
	Window Window `json:"window"`
	// Iterate is the paper's output so far (SFK), without its weights.
	Iterate *PaperIterate `json:"paper_iterate"`
	// Eval is the last evaluation.
	Eval *EvalEvent `json:"eval"`

	// Parameters, Velocities and IterateParameters are the tensors; a file
	// format of their own holds them.
	Parameters        []nn.Tensor `json:"-"`
	Velocities        []nn.Tensor `json:"-"`
	IterateParameters []nn.Tensor `json:"-"`
}

// PaperIterate is Algorithm 1's output (x_{t'+1}, z_{t'}),
// t' = argmin_t ‖∇_x f‖² + gap²: an argmin of mini-batch values, so a noisy
// choice. It is reported beside the last iterate and never in its place.
type PaperIterate struct {
	Step     int64  `json:"step"` // t'
	Lambda   Number `json:"lambda"`
	Eta      Number `json:"eta"`
	GradNorm Number `json:"grad_norm"`
	Gap      Number `json:"gap"`
	// The test split at x_{t'+1}, measured at the end of the run.
	TestLoss           Number `json:"test_loss"`
	TestAccuracy       Number `json:"test_accuracy"`
	WorstClassAccuracy Number `json:"worst_class_accuracy"`
}

// Summary is what a run came to: summary.json, and an entry of --json.
type Summary struct {
	ID                 string        `json:"id"`
	Preset             string        `json:"preset"`
	Algorithm          dro.Algorithm `json:"algorithm"`
	Seed               uint64        `json:"seed"`
	Status             Status        `json:"status"`
	Cause              string        `json:"cause,omitempty"`
	Epochs             float64       `json:"epochs"` // done
	Steps              int64         `json:"steps"`  // done
	TrainLoss          Number        `json:"train_loss"`
	TestLoss           Number        `json:"test_loss"`
	TestAccuracy       Number        `json:"test_accuracy"`
	WorstClassAccuracy Number        `json:"worst_class_accuracy"`
	ClassAccuracy      []Number      `json:"class_accuracy"`
	Lambda             Number        `json:"lambda"`
	Eta                Number        `json:"eta"`
	DualGap            Number        `json:"dual_gap"`
	RobustRisk         Number        `json:"robust_risk"`
	FullGradNorm       Number        `json:"full_grad_norm"`
	PaperIterate       *PaperIterate `json:"paper_iterate,omitempty"`
	// ImagesPerSecond counts the x-batches, over the time spent in steps.
	ImagesPerSecond Number `json:"images_per_second"`
	Dir             string `json:"dir,omitempty"`
}

// Summarize returns the summary of a run in the given state, whose last
// evaluation and last step events these are (nil: there was none).
func Summarize(m *Meta, status Status, step int64, eval *EvalEvent, last *StepEvent) *Summary {
	s := &Summary{ID: m.ID, Preset: m.Preset, Algorithm: m.Spec.Algorithm(), Seed: m.Spec.Seed, Status: status, Steps: step}
	if m.StepsPerEpoch > 0 {
		s.Epochs = float64(step) / float64(m.StepsPerEpoch)
	}
	if eval != nil {
		s.TrainLoss, s.TestLoss, s.TestAccuracy = eval.TrainLoss, eval.TestLoss, eval.TestAccuracy
		s.ClassAccuracy, s.WorstClassAccuracy = eval.ClassAccuracy, Least(eval.ClassAccuracy)
		s.DualGap, s.RobustRisk, s.FullGradNorm = eval.DualGap, eval.RobustRisk, eval.FullGradNorm
	}
	if last != nil {
		s.Lambda, s.Eta, s.ImagesPerSecond = last.Lambda, last.Eta, last.ImagesPerSecond
	}
	return s
}
