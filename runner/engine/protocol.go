package engine

import (
	"time"

	"drolab/runner"
)

// protocol is the version of the protocol. It changes when an older side would misread a newer one.
const protocol = 2 // version 1 named no runs folder

// maxMessage bounds a message in bytes; a request for some 600 runs fits.
const maxMessage = 1 << 20

// replyTimeout is how long one side waits for the other to send something. A verb is answered
// within it. A start, which reads a whole dataset, may take longer: the server then sends a blank
// in front of its reply now and then, which JSON ignores, or a reply that says how far the reading
// is.
const replyTimeout = 10 * time.Second

// readingEvery is the time between two replies that say how far a reading is.
const readingEvery = 250 * time.Millisecond

// polls is the loop of a caller that polls for something: it yields at once and then every 10 ms,
// for the time long.
func polls(long time.Duration) func(look func() bool) {
	return func(look func() bool) {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for begin := time.Now(); time.Since(begin) < long && look(); <-tick.C {
		}
	}
}

// The verbs of an engine, besides those of a run. The view socket answers status only.
const (
	verbStatus   runner.Verb = "status"
	verbStart    runner.Verb = "start"
	verbShutdown runner.Verb = "shutdown"
)

// hello is the first message from a server. A client that has received it will be served: the
// engine does not end by itself before the connection is closed.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	PID      int    `json:"pid"`
	// Folder is the only runs folder that this engine answers for.
	Folder runsFolder `json:"folder"`
}

type request struct {
	runner.Order // its verb may be one of the engine's
	// Folder is the runs folder that the client means.
	Folder runsFolder `json:"folder"`

	Start *runner.Request `json:"start,omitempty"`
	Force bool            `json:"force,omitempty"` // shut down although runs are live: they stop
}

// reply answers a request. Without an error, a start, a checkpoint or a knob is on disk; a pause or
// a stop was handed to the run, which does it at its next step.
type reply struct {
	Error  string        `json:"error,omitempty"`
	Fault  *runner.Fault `json:"fault,omitempty"` // the kind of the error, if known
	IDs    []string      `json:"ids,omitempty"`
	Step   int64         `json:"step,omitempty"` // of a checkpoint that is on disk
	Status *Status       `json:"status,omitempty"`
	// Reading says how far the data of a start or a resume are read. Such a reply is not the last.
	Reading *runner.Reading `json:"reading,omitempty"`
}

// Status is an engine's description of itself. The progress of its runs is in their directories.
type Status struct {
	PID     int              `json:"pid"`
	Version string           `json:"version"`
	Started time.Time        `json:"started"`
	RunsDir string           `json:"runs_dir"`
	Log     string           `json:"log"` // path of the engine's own log
	Runs    []runner.LiveRun `json:"runs"`
}
