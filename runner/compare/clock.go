package compare

import (
	"fmt"
	"slices"

	"drolab/runner"
)

// Clock says of which evaluations figures speak where runs are compared while they go on: of the
// latest ones that all of the compared runs have. A figure is the mean over them, because single
// evaluations swing. A method that refits after training has one evaluation of its own, the last,
// which no mean with those of ERM before it may hide.
type Clock struct {
	Epochs []float64 // at most runner.AverageWindow, in their order; none before there are any
	Runs   []string  // IDs of the runs that are compared
	Waits  bool      // the story waits for a run, so that none is the best yet
	// Late are the IDs of the runs that lacked one of these evaluations when the clock was read.
	// They have no figures by it, though they may have caught up since: no sentence knows of them.
	Late []string
}

// Epoch returns the last epoch, or 0 without one.
func (c Clock) Epoch() float64 {
	if len(c.Epochs) == 0 {
		return 0
	}
	return c.Epochs[len(c.Epochs)-1]
}

// Counts reports whether a run is among those that are compared.
func (c Clock) Counts(m *runner.Meta) bool { return slices.Contains(c.Runs, m.ID) }

// Ranks reports whether a run can be the best.
func (c Clock) Ranks(m *runner.Meta) bool { return !c.Waits && c.Counts(m) }

// Of returns those evaluations of a run, in their order, of which its figures are the means; nil if
// the run lacks one of them.
func (c Clock) Of(m *runner.Meta, evals []*runner.EvalEvent) (of []*runner.EvalEvent) {
	if slices.Contains(c.Late, m.ID) {
		return nil
	}
	for _, epoch := range c.OfRun(m).Epochs {
		e := EvalAt(evals, epoch)
		if e == nil {
			return nil
		}
		of = append(of, e)
	}
	return of
}

// OfRun returns the clock of the figures of one run: the last epoch alone where its method refits.
func (c Clock) OfRun(m *runner.Meta) Clock {
	if len(c.Epochs) > 0 && m.Refits() {
		c.Epochs = c.Epochs[len(c.Epochs)-1:]
	}
	return c
}

// String returns the epochs as a table or a panel names them; "" without any.
func (c Clock) String() string {
	switch len(c.Epochs) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("epoch %.4g", c.Epoch())
	}
	return fmt.Sprintf("mean of epochs %.4g–%.4g", c.Epochs[0], c.Epoch())
}

// Latest returns the clock of one run alone: its own latest evaluations.
func Latest(m *runner.Meta, evals []*runner.EvalEvent) (c Clock) {
	for _, e := range m.Averaged(evals) {
		c.Epochs = append(c.Epochs, e.Epoch)
	}
	return c
}
