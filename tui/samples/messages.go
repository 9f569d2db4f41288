package samples

import (
	"drolab/runner/certificate"
	"drolab/runner/record"
)

// The messages of the page to itself (tea.Msg): what its commands bring. Messages between pages are
// in tui/lab.

// progressMsg says that the job is further than what is shown.
type progressMsg struct{}

// pickedMsg brings the result of a job.
type pickedMsg struct {
	job   *job
	run   *record.Run
	steps []int64 // the run's checkpoints, ascending
	pick  *certificate.Pick
	err   error
}
