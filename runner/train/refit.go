package train

import (
	"errors"
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/internal/memory"
)

// refit fits the last layer again if the method does that and has not done it yet. The run calls it
// at its end, before its last evaluation and checkpoint. The log says which fit goes on, and the
// run obeys orders during the refit. A run that is stopped or interrupted then begins the refit
// again when it continues.
func (r *Run) refit() (done bool, err error) {
	m, ok := r.Method.Trainer.(dro.Refitter)
	if !ok || m.Refitted() {
		return false, nil
	}
	if err := r.append(&runner.RefitEvent{Head: r.Head()}); err != nil {
		return false, err
	}
	start := r.pause()
	defer func() { start() }()
	told := dro.Fit{}
	between := func(f dro.Fit) error {
		start() // an order may stop the watch itself
		err := r.serveOrders()
		if err == nil && f != told {
			told, err = f, r.append(&runner.RefitEvent{Head: r.Head(), Fit: f.Number, Fits: f.Of})
		}
		start = r.pause()
		return err
	}
	old, err := r.Layer()
	if err != nil {
		return false, err
	}
	layer, how, err := m.Refit(old, r.Features, r.Meta.Spec.Seed, between)
	if err != nil {
		return false, r.atStep(err)
	}
	r.Net.(LastLayer).SetLayer(layer)
	note := fmt.Sprintf("the last layer was fitted again to the %d samples of the split %s: %s",
		Source(r.Data, m.RefitsOn().Split).Len(), m.RefitsOn().Split, how)
	r.warnOnce(note, note)
	return true, r.Net.Err()
}

// lastLayer returns the network as a LastLayer, or an error if it is none.
func (r *Run) lastLayer() (LastLayer, error) {
	if net, ok := r.Net.(LastLayer); ok && net.Width() > 0 {
		return net, nil
	}
	return nil, errors.New("the program does not show its last layer: set self.head to it")
}

// Layer returns the network's last layer.
func (r *Run) Layer() (l dro.Layer, err error) {
	net, err := r.lastLayer()
	if err != nil {
		return l, err
	}
	return net.Layer(), r.Net.Err()
}

// askFeatures returns an error if the features of a split do not fit the machine's memory.
func (r *Run) askFeatures(split string) error {
	net, err := r.lastLayer()
	if err != nil {
		return err
	}
	bytes := float64(Source(r.Data, split).Len()) * float64(4*net.Width()+48)
	return memory.Ask(bytes, "the features of the samples")
}

// Features runs the network over a split, in evaluation mode, up to its last layer.
func (r *Run) Features(split string) (h dro.Held, err error) {
	net, err := r.lastLayer()
	if err != nil {
		return h, err
	}
	if err := r.askFeatures(split); err != nil {
		return h, err
	}
	width := net.Width()
	h.Keys = data.KeysOf(Source(r.Data, split))
	losses := make([]float64, len(r.losses))
	err = r.EachBatch(split, func(b Batch, _ int) error {
		r.Net.Losses(losses, b, nil)
		rows := make([][]float32, b.N)
		for i := range rows {
			rows[i] = make([]float32, width)
		}
		net.Features(rows)
		h.Features = append(h.Features, rows...)
		h.Labels, h.Groups = append(h.Labels, b.Labels...), append(h.Groups, b.Groups...)
		return r.Net.Err()
	})
	return h, err
}
