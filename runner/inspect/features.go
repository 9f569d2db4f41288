package inspect

import (
	"cmp"
	"errors"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/internal/room"
	"drolab/runner/train"
)

// Frozen has the last layer of a checkpoint's network, and the inputs of that layer for samples,
// unaugmented and in evaluation mode.
type Frozen struct {
	Step   int64
	Data   *data.Dataset
	Layer  dro.Layer
	Splits []FrozenSplit
}

// FrozenSplit has the samples of a split, in its order.
type FrozenSplit struct {
	Split string
	Rows  []int // the samples' places in their files: see data.Row
	dro.Held
}

// Features runs the network of a checkpoint over splits, by default over all that have
// samples. The data are open until the Frozen is closed.
func Features(q Question, splits []string) (*Frozen, error) {
	m := &q.Run.Meta
	if err := cmp.Or(m.Trained(), m.HasOwnNetwork()); err != nil {
		return nil, err
	}
	state, d, err := q.open()
	if err != nil {
		return nil, err
	}
	if len(splits) == 0 {
		splits = slices.DeleteFunc(runner.Splits(), func(s string) bool {
			_, err := part(d, s)
			return err != nil
		})
	}
	f := &Frozen{Step: state.Step, Data: d}
	if err := f.fill(m, state, splits, q.Threads); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close releases the data.
func (f *Frozen) Close() error { return f.Data.Close() }

func (f *Frozen) fill(m *runner.Meta, state *runner.State, splits []string, threads int) error {
	r, err := train.Measuring(m, f.Data, train.Native, state, threads, false)
	if err != nil {
		return err
	}
	defer r.Close()
	if f.Layer, err = r.Layer(); err != nil {
		return err
	}
	for _, split := range slices.Compact(slices.Sorted(slices.Values(splits))) {
		src, err := part(f.Data, split)
		if err != nil {
			return err
		}
		bytes := float64(src.Len()) * float64(4*len(f.Layer.Weights[0])+48)
		if err := room.Ask(bytes, "the features of the samples"); err != nil {
			return err
		}
		p := FrozenSplit{Split: split}
		if p.Held, err = r.Features(split); err != nil {
			return err
		}
		for i := range src.Len() {
			p.Rows = append(p.Rows, data.Row(src, i))
		}
		f.Splits = append(f.Splits, p)
	}
	return nil
}
