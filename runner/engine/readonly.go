package engine

import (
	"errors"

	"drolab/runner"
)

// ReadOnly is runner.Verbs for a viewer that may change nothing.
type ReadOnly struct{}

var errReadOnly = errors.New("this view is read-only; use drolab attach to make changes")

// Start implements runner.Verbs.
func (ReadOnly) Start(runner.Request) ([]string, error) { return nil, errReadOnly }

// CarryOut implements runner.Verbs.
func (ReadOnly) CarryOut(runner.Order) (int64, error) { return 0, errReadOnly }

var _ runner.Verbs = ReadOnly{}
