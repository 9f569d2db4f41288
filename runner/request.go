package runner

import (
	"errors"
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
	// Parts is the number of equal parts of a run, after each of which it keeps a checkpoint.
	Parts int `json:",omitempty"`
	// Quiet says that another run logs the warnings about the data.
	Quiet bool `json:",omitempty"`
	// Claims are written into run.json: see Meta. Only a study's runs have them.
	Claims []SealedClaims `json:",omitempty"`
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

// Verb is what a run that exists can be asked to do.
type Verb string

// Pause, Resume and Stop only ask, and the run's log tells when it is done. A run pauses and stops
// at the next step boundary, with a checkpoint. Resume continues a paused run, or an unfinished run
// that nobody runs.
//
// Checkpoint saves a run at the next step boundary, and Knob changes a setting there (see
// Spec.Knobs) to a number or "auto". They are answered when that is on disk. An ErrSlow says that
// the request stands, and is carried out after a long step.
const (
	Pause      Verb = "pause"
	Resume     Verb = "resume"
	Stop       Verb = "stop"
	Checkpoint Verb = "checkpoint"
	Knob       Verb = "knob"
)

// Order is a verb with its arguments. The interface, the commands, the engine's protocol, the queue
// and the gate of a run pass on this one value.
type Order struct {
	Verb  Verb   `json:"verb"`
	Run   string `json:"run,omitempty"`
	Key   string `json:"key,omitempty"` // of a knob
	Value string `json:"value,omitempty"`
	Means *Means `json:"means,omitempty"` // of a resume; nil: those of the process that trains
}

// Verbs are the requests to runs. Their effects are seen in the files that a Store keeps, never
// here.
type Verbs interface {
	// Start checks every spec, records the runs and queues them; either all
	// of them or, with an error, none.
	Start(Request) (ids []string, err error)
	// CarryOut carries out an order. Step is that of a checkpoint.
	CarryOut(Order) (step int64, err error)
}

// OrderFunc carries out orders. Its methods give them by their names.
type OrderFunc func(Order) (step int64, err error)

// CarryOut implements Verbs.
func (do OrderFunc) CarryOut(o Order) (step int64, err error) { return do(o) }

// Pause gives the order of that name.
func (do OrderFunc) Pause(id string) error { return do.err(Order{Verb: Pause, Run: id}) }

// Resume gives the order of that name.
func (do OrderFunc) Resume(id string) error { return do.err(Order{Verb: Resume, Run: id}) }

// Stop gives the order of that name.
func (do OrderFunc) Stop(id string) error { return do.err(Order{Verb: Stop, Run: id}) }

// Checkpoint gives the order of that name.
func (do OrderFunc) Checkpoint(id string) (step int64, err error) {
	return do(Order{Verb: Checkpoint, Run: id})
}

// Knob gives the order of that name.
func (do OrderFunc) Knob(id, key, value string) error {
	return do.err(Order{Verb: Knob, Run: id, Key: key, Value: value})
}

func (do OrderFunc) err(o Order) error {
	_, err := do(o)
	return err
}

// LiveRun is a run that has not ended.
type LiveRun struct {
	ID string `json:"id"`
	// Trouble is the reason why the run waits for the disk; empty if it does not. Everything else
	// about a run is in its record.
	Trouble string `json:"trouble,omitempty"`
}

// The reasons why a verb is refused; each is worded to follow the name of a run.
var (
	ErrNotRunning = errors.New("is not running here")
	ErrElsewhere  = errors.New("is running elsewhere: stop it there first")
	ErrBusy       = errors.New("is still busy with an earlier request; wait for its step to " +
		"end")
	ErrSlow = errors.New("is in the middle of a long step or evaluation: the request follows " +
		"it, and counts once it is logged")
	ErrNothing = errors.New("has nothing to save before it trains")
	ErrDone    = errors.New("is done: there is nothing to resume")
)

// ErrLive says that an engine has runs that have not ended.
var ErrLive = errors.New("not ended")

// ErrUnapproved says that the user has not approved a program, so it is not started.
var ErrUnapproved = errors.New("have not approved")

// ErrStarting says that runs cannot be started before an earlier start is done.
var ErrStarting = errors.New("another start is still reading its data: try again when it is done")
