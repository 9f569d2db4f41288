package cli

import "drolab/runner"

// later is verbs that are made when the first is asked for: the
// interface shows its first frame before that. What it holds makes them once.
type later func() runner.Verbs

func (l later) Start(r runner.Request) ([]string, error) { return l().Start(r) }
func (l later) Pause(id string) error                    { return l().Pause(id) }
func (l later) Resume(id string) error                   { return l().Resume(id) }
func (l later) Stop(id string) error                     { return l().Stop(id) }
func (l later) Checkpoint(id string) (int64, error)      { return l().Checkpoint(id) }
func (l later) Knob(id, key, value string) error         { return l().Knob(id, key, value) }
