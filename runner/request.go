package runner

import (
	"runtime"

	"drolab/runner/spec"
)

// Request asks for one run per spec.
type Request struct {
	Preset string
	// Parent is RUN@STEP, a checkpoint from which the runs continue; empty: they are no forks.
	Parent string
	Specs  []spec.Spec // expanded: one algorithm and one seed each
	// IDs are the runs' names, one per spec; empty: the Store chooses them. The error is an
	// fs.ErrExist if a name is taken.
	IDs []string
	// Quiet says that another run logs the warnings about the data.
	Quiet bool `json:",omitempty"`
	Means
}

// Means are the paths and resources with which runs are trained on this machine. The Queue fills in
// missing values.
type Means struct {
	DataDir string
	Threads int // for all runs of a request together
	// Dir is the folder to which the path of a dataset's file is relative; empty: this process's
	// working folder.
	Dir string
	// Until is the number of epochs after which runs stop, with a checkpoint; 0, or more than they
	// have: they train to their end.
	Until int
	// Program says how to start programs; nil: as this process does.
	Program *ProgramMeans `json:",omitempty"`
}

// DefaultParallel is the default number of runs that a queue runs at once.
const DefaultParallel = 4

// MostThreads returns the largest number of threads that runs may ask for: more threads than the
// machine has cores are of no use, and each takes memory.
func MostThreads() int { return max(64, 4*runtime.NumCPU()) }

// Verbs are the requests to runs. Their effects are seen in the files that a Store keeps, never
// here.
type Verbs interface {
	// Start checks every spec, records the runs and queues them; either all
	// of them or, with an error, none.
	Start(Request) (ids []string, err error)

	// Pause, Resume and Stop only ask, and the run's log tells when it is done. A run pauses and
	// stops at the next step boundary, with a checkpoint. Resume continues a paused run, or an
	// unfinished run that nobody runs.
	Pause(id string) error
	Resume(id string) error
	Stop(id string) error

	// Checkpoint saves a run at the next step boundary, and Knob changes a setting there (see
	// Spec.Knobs) to a number or "auto". They return when that is on disk. An ErrSlow says that the
	// request stands, and is carried out after a long step.
	Checkpoint(id string) (step int64, err error)
	Knob(id, key, value string) error
}

// LiveRun is a run that has not ended.
type LiveRun struct {
	ID string `json:"id"`
	// Trouble is the reason why the run waits for the disk; empty if it does not. Everything else
	// about a run is in its record.
	Trouble string `json:"trouble,omitempty"`
}
