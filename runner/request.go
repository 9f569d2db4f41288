package runner

import (
	"drolab/runner/spec"
	"runtime"
)

// Request asks for one run per spec.
type Request struct {
	Preset string
	// Parent is empty, or RUN@STEP: the runs go on from that checkpoint.
	Parent string
	Specs  []spec.Spec // expanded: one algorithm and one seed each
	// IDs are the runs' names, one a spec; empty: the Store chooses them. An error
	// is an fs.ErrExist where one is taken.
	IDs []string
	// Quiet says that another run has said what is to be said of the data.
	Quiet bool `json:",omitempty"`
	Means
}

// Means is what runs are trained with on this machine. What is not set is the
// Queue's own.
type Means struct {
	DataDir string
	Threads int // for all runs of a request together
	// Dir is what a dataset's file is relative to; empty is this process's
	// working folder.
	Dir string
	// Until is how many epochs runs train before they stop, with a checkpoint;
	// 0, or more than they have: to their end.
	Until int
	// Program is for programs; nil: as this process has it.
	Program *ProgramMeans `json:",omitempty"`
}

// DefaultParallel is how many runs a queue runs at once unless it is told otherwise.
const DefaultParallel = 4

// MostThreads is the most threads that runs may ask for: more than the machine
// has cores are of no use, and each takes memory.
func MostThreads() int { return max(64, 4*runtime.NumCPU()) }

// Verbs is all that can be asked of runs. What they do is seen in the files
// that a Store keeps, never here.
type Verbs interface {
	// Start checks every spec, records the runs and queues them; either all
	// of them or, with an error, none.
	Start(Request) (ids []string, err error)

	// Pause, Resume and Stop ask, and the run's log tells when it is so. A run
	// pauses and stops at the next step boundary, with a checkpoint; what resumes
	// is a paused one, or an unfinished one that nobody runs.
	Pause(id string) error
	Resume(id string) error
	Stop(id string) error

	// Checkpoint saves a run at the next step boundary, and Knob changes a setting
	// there (see Knobs) to a number or "auto". They return when that is on disk.
	// With ErrSlow it has been asked for, and is done behind a long step.
	Checkpoint(id string) (step int64, err error)
	Knob(id, key, value string) error
}

// LiveRun is a run that has not ended.
type LiveRun struct {
	ID string `json:"id"`
	// Trouble is why the run waits for the disk; empty if it does not. All
	// else about a run stands in its record.
	Trouble string `json:"trouble,omitempty"`
}
