package queue

import (
	"errors"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Script is a script that drives the loop of a run, and has asked for the run itself.
type Script struct {
	*bridge.Description
	Program runner.Program // recorded in the run
	Network func(runner.Workplace, *spec.Spec) (train.Network, error)
}

// script opens the data of a run that a script drives. Only the script can start such a run.
func (q *Queue) script(of *runner.Meta) (*shared, error) {
	s := q.settings.Script
	if s == nil {
		return nil, errors.New(runner.ByScript(of.ID))
	}
	return q.share(spec.ScriptModel, s.Data, &described{s.Description, s.Program}), nil
}

// lead makes the script the network of the run with this record.
func (s *Script) lead(record runner.Recorder, of *spec.Spec) (train.Network, error) {
	place, ok := record.(runner.Workplace)
	if !ok {
		return nil, errors.New("this store has no room for what a script leaves")
	}
	return s.Network(place, of)
}
