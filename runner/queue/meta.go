package queue

import (
	"fmt"
	"strings"
	"time"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// newMeta returns the run.json of a run of s on d: counts, steps and the derived box. It finds
// every reason to refuse a run before anything is written: model, batch, mean, method, memory,
// selection and optimum. The last may take seconds.
func newMeta(
	req runner.Request, s spec.Spec, d *sharedData, host runner.Host,
) (*runner.Meta, error) {
	parameters, err := parametersOf(&s, d)
	if err != nil {
		return nil, err
	}
	if n := d.Train.Len(); n < s.Batch && s.Sampler != string(loader.Replacement) {
		return nil, &spec.KeyError{Key: "batch", Value: s.Batch,
			Want: fmt.Sprintf("at most the %d training samples", n)}
	}
	if n := len(s.Mean); n > 0 && n != d.Shape.C {
		return nil, &spec.KeyError{Key: "mean", Value: s.Mean,
			Want: fmt.Sprintf("%d numbers, one for each channel", d.Shape.C)}
	}
	if d.program != nil {
		if err := d.program.admits(&s); err != nil {
			return nil, err
		}
	}
	// From here on the checks cost more and more: counts, the method, memory.
	parts := measure.PartsOf(d.Dataset)
	keys := data.KeysOf(d.Train)
	t, p, err := runner.NewTrainer(&s, &parts, keys) // for its errors and its problem
	if err != nil {
		return nil, err
	}
	if err := runner.CheckRefit(&s, t, &parts, d.Dataset); err != nil {
		return nil, err
	}
	if d.program != nil {
		if err := d.program.suits(t, &s); err != nil {
			return nil, err
		}
	}
	if err := train.AskMemory(&s, d.Dataset, parameters); err != nil {
		return nil, err
	}
	if runner.RefitsOnVal(t) {
		parts.GiveUpVal()
	}
	perEpoch := int64(max(1, d.Train.Len()/s.Batch))
	if d.program != nil && d.program.StepsPerEpoch > 0 {
		perEpoch = int64(d.program.StepsPerEpoch)
	}
	m := &runner.Meta{
		Preset: req.Preset, Parent: req.Parent, Created: time.Now().UTC(), Spec: s, Host: host,
		Checksum: d.Checksum, Parts: parts, Parameters: parameters,
		StepsPerEpoch: perEpoch, Steps: perEpoch * int64(s.Epochs),
		Coordinates: string(p.Coordinates), Box: p.Box, Claims: req.Claims,
		CheckpointParts: req.Parts,
	}
	if d.program != nil {
		m.Program, m.User = &d.program.record, d.program.User
	} else if d.Encoder.Len() <= mostEncoder {
		m.Encoder = &d.Encoder
	}
	if err := runner.CheckSelection(&s, d.Dataset); err != nil {
		return nil, err
	}
	if _, selects := m.Selector(); selects {
		m.Ties = runner.TiesByLoss
	}
	m.Optimum, err = train.FindOptimum(&s, d.Dataset, p)
	return m, err
}

// mostEncoder is the largest number of names and numbers of an encoder that run.json holds, since
// every list of runs reads that file. A run with a larger encoder needs the training data again.
const mostEncoder = 20_000

// kernel names the kernel of the run's training steps or, for a program, its device.
func kernel(s *spec.Spec, host string, d *sharedData) string {
	if d.program != nil {
		return strings.TrimSpace("program " + d.program.Device)
	}
	return train.Kernel(s, host, d.Dataset)
}

// parametersOf counts the parameters of the model of s on d, or says why it cannot be built.
func parametersOf(s *spec.Spec, d *sharedData) (int, error) {
	if d.program != nil {
		return d.program.Parameters, nil
	}
	return nn.Check(s.Network(d.Shape, len(d.Classes)))
}
