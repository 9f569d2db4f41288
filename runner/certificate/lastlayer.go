package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/train"
)

// LastLayer has the last layer of a checkpoint's network, and the inputs of that layer for samples,
// unaugmented and in evaluation mode.
type LastLayer struct {
	Step   int64
	Data   *data.Dataset
	Layer  dro.Layer
	Splits []LayerSplit
}

// LayerSplit has the samples of a split, in its order.
type LayerSplit struct {
	Split string
	Rows  []int             // the samples' places in their files: see data.Row
	In    func(i int) []int // the groups in which a sample is measured
	dro.Held
}

// Features runs the network of a checkpoint over splits, by default over all that have
// samples. The data are open until the LastLayer is closed. The end of ctx stops the opening of the
// data and ends the run's program, if it has one.
func Features(ctx context.Context, q ViewOf, splits []string) (*LastLayer, error) {
	m := &q.Run.Meta
	if err := m.Trained(); err != nil {
		return nil, err
	}
	state, d, err := q.open(ctx)
	if err != nil {
		return nil, err
	}
	if len(splits) == 0 {
		splits = slices.DeleteFunc(runner.Splits(), func(s string) bool {
			_, err := splitOf(d, s)
			return err != nil
		})
	}
	f := &LastLayer{Step: state.Step, Data: d}
	if q.Network == nil {
		q.Network = train.Native
	}
	if err := f.addSplits(m, state, splits, &q.Inspection); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close releases the data.
func (f *LastLayer) Close() error { return f.Data.Close() }

func (f *LastLayer) addSplits(
	m *runner.Meta, state *runner.State, splits []string, how *Inspection,
) error {
	r, err := train.Measuring(m, f.Data, how.Network, state, how.Threads, false)
	if err != nil {
		return fmt.Errorf("run %s: %w", m.ID, err)
	}
	defer r.Close()
	if f.Layer, err = r.Layer(); err != nil {
		return fmt.Errorf("run %s: %w", m.ID, err)
	}
	for _, split := range slices.Compact(slices.Sorted(slices.Values(splits))) {
		src, err := splitOf(f.Data, split)
		if err != nil {
			return err
		}
		p := LayerSplit{Split: split, In: f.Data.MeasuredIn(src)}
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
