package train

import (
	"time"

	"drolab/runner"
	"drolab/runner/data"
)

// Measuring returns a run that holds the network of a checkpoint but does not train. It serves to
// measure the network on data that need not be the run's own. It has neither loaders nor a meter,
// so its Do must not be called. If method is true, it also holds the state of the method, which
// Evaluation and Stationarity need. The caller closes it.
func Measuring(
	m *runner.Meta, d *data.Dataset, network NewNetwork, s *runner.State, threads int, method bool,
) (*Run, error) {
	r := newEmptyRun(Plan{Meta: m, Data: d, Record: nullRecorder{}, Gate: &Gate{Retry: time.Second},
		Network: network, Threads: max(1, threads)})
	r.step = s.Step
	err := r.addNetwork()
	if err == nil && method {
		err = r.takeMethod(s)
	}
	if err == nil {
		err = r.Net.Load(s)
	}
	if err != nil {
		r.Close()
		return nil, ofCheckpoint(s, err)
	}
	return r, nil
}

// takeMethod starts the method from its state in s. It calls Pick to make a copy of x for the one
// that s has picked, since a network without a copy skips this x when it loads s.
func (r *Run) takeMethod(s *runner.State) (err error) {
	keys := data.KeysOf(r.Data.Train)
	if r.Method, err = newMethod(&r.Meta.Spec, &r.Meta.Parts, keys); err != nil {
		return err
	}
	if r.Method.Picker != nil {
		r.Net.Pick()
	}
	return r.Method.resume(s)
}
