package train

import (
	"errors"
	"testing"

	"drolab/runner"
)

// failingSaver is a leader that cannot save.
type failingSaver struct{ Leader }

func (failingSaver) Save(*runner.State) error { return errors.New("it is gone") }

// TestStateThatCannotBeSaved: the error of a state that cannot be saved names the step, and the
// state that was selected before it is kept for the end of the run.
func TestStateThatCannotBeSaved(t *testing.T) {
	r := scriptRun(t, nullRecorder{}, failingSaver{})
	before := &runner.State{Step: 3}
	r.step, r.pending = 5, before
	const want = "step 5: it is gone"
	if err := r.keepSelected(); err == nil || err.Error() != want {
		t.Errorf("keepSelected() = %v, want the error %q", err, want)
	}
	if r.pending != before {
		t.Errorf("the state that is kept is %+v, want that of step 3", r.pending)
	}
}
