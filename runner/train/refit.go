package train

import (
	"errors"
	"fmt"

	"drolab/dro"
	"drolab/runner"
)

// refit fits the last layer again if the method does that and has not done it yet. The run calls it
// at its end, before its last evaluation and checkpoint. A run that is interrupted during the refit
// continues from an earlier checkpoint, and begins the refit again.
func (r *Run) refit() (done bool, err error) {
	m, ok := r.Method.Trainer.(dro.Refitter)
	if !ok || m.Refitted() {
		return false, nil
	}
	defer r.pause()()
	net := r.Net.(LastLayer) // build has checked that it is one
	held, err := r.Features(m.RefitsOn())
	if err != nil {
		return false, err
	}
	layer, how, err := m.Refit(net.Layer(), held, r.Meta.Spec.Seed)
	if err != nil {
		return false, r.broke(err)
	}
	net.SetLayer(layer)
	note := fmt.Sprintf("the last layer was fitted again to the %d samples of the split %s: %s",
		len(held.Labels), m.RefitsOn(), how)
	r.warnOnce(note, note)
	return true, r.Net.Err()
}

// lastLayer returns the network as a LastLayer, or an error if it is none.
func (r *Run) lastLayer() (LastLayer, error) {
	if net, ok := r.Net.(LastLayer); ok {
		return net, nil
	}
	return nil, errors.New("the network does not show its last layer")
}

// Layer returns the network's last layer.
func (r *Run) Layer() (l dro.Layer, err error) {
	net, err := r.lastLayer()
	if err != nil {
		return l, err
	}
	return net.Layer(), nil
}

// Features runs the network over a split, in evaluation mode, up to its last layer.
func (r *Run) Features(split string) (h dro.Held, err error) {
	net, err := r.lastLayer()
	if err != nil {
		return h, err
	}
	width := len(net.Layer().Weights[0])
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

// noteRefit warns that the refit takes the validation split, and which measures that costs.
func (r *Run) noteRefit() {
	if r.Meta.Refitted == nil {
		return
	}
	samples := 0
	for _, n := range r.Meta.Refitted {
		samples += n
	}
	text := fmt.Sprintf("the last layer is fitted to the %d validation samples at the end, so "+
		"no val_ measure applies", samples)
	if r.Meta.Spec.Select != "" && r.Meta.Spec.Select != "last" {
		text += ", and no step is selected"
	}
	if r.Meta.Spec.Threshold.ByVal() {
		text += ", nor do measures that need the threshold of val_f1"
	}
	r.warnOnce(runner.SplitVal, text)
}
