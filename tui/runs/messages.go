package runs

import "drolab/runner/spec"

// The messages of the page to itself (tea.Msg): what its commands bring. Messages between pages are
// in tui/lab.

// forkMsg brings a form its checkpoints, and the settings at one of them. The first forkMsg of a
// form opens the form.
type forkMsg struct {
	form    *forkForm
	reading int     // its number in the form
	steps   []int64 // the checkpoints as they are now
	pinned  []int64
	at      int // the checkpoint, an index of steps
	spec    spec.Spec
	err     error
}

// changedMsg says what was done to how many runs, and brings the errors of the others.
type changedMsg struct {
	done     string
	problems []error
}

// evalsMsg brings the evaluations of runs, by run, that were not read yet.
type evalsMsg struct {
	evals map[string]evals
	err   error
}

// momentMsg brings the moment that the user chose.
type momentMsg struct{ moment }

// pinsMsg brings the pinned checkpoints of runs.
type pinsMsg map[string][]int64
