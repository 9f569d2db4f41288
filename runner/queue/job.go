package queue

import (
	"fmt"
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// job is one run of the queue, from start to end. Until launch it belongs to the goroutine that
// prepares it; from then on its own goroutine owns everything but spec, gate and over. Resuming a
// run that has ended makes a new job.
type job struct {
	meta      *runner.Meta
	spec      spec.Spec          // with all requested knobs turned; Queue.mu guards it
	knobs     []runner.KnobEvent // changes of knobs to repeat
	record    runner.Recorder    // nil until the run has a record; Queue.run closes it
	from      *runner.State      // the checkpoint to continue from; nil: from the start
	data      *sharedData        // released when the job ends
	logsNotes bool               // it logs the notes of the data: the first run on them
	threads   int                // of this run
	until     int                // epochs, see Means
	means     runner.Means
	gate      *train.Gate
	processes []int         // of its program, for the figures of the machine; else none
	over      chan struct{} // closed when it has ended
}

// ended reports whether the run is over, without waiting for its end.
func (j *job) ended() bool {
	select {
	case <-j.over:
		return true
	default:
		return false
	}
}

// notes returns the notes of the data for the run's log; nil if another run logs them.
func (j *job) notes() []string {
	if !j.logsNotes {
		return nil
	}
	list := append([]string{}, j.data.Notes...)
	if j.data.program != nil { // drolab cannot look at a program's samples
		return list
	}
	return append(list, measure.DataLines(j.data.Dataset, j.meta.Spec.MinGroup)...)
}

// abandon removes the records of jobs that are never launched, since a start makes all of its runs
// or none. If a record cannot be removed, it says what became of the run. All records are closed
// first, since removing takes file descriptors, too, and a lack of them may be the cause.
func abandon(jobs []*job, from runner.Store, cause error) {
	made := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.record == nil })
	for _, j := range made {
		j.end(runner.Stopped, fmt.Errorf("never started: %w", cause))
		j.record.Close()
	}
	for _, j := range made {
		from.Delete(j.meta.ID)
	}
}

// warn logs a warning at the step where the job begins.
func (j *job) warn(message string) error {
	return j.record.Append(&runner.WarningEvent{Head: j.Head(), Message: message})
}
