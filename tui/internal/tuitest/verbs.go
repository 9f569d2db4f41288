package tuitest

import (
	"errors"

	"drolab/runner"
)

// Starter records the requests to start runs and reports each as started.
type Starter struct {
	Asked
	Requests []runner.Request
}

func (s *Starter) Start(r runner.Request) ([]string, error) {
	s.Requests = append(s.Requests, r)
	return []string{"shapes-sfk-s1"}, nil
}

// Asked records the verbs that runs are asked to obey, and does nothing else.
type Asked struct{ List []string }

func (a *Asked) Start(runner.Request) ([]string, error) {
	return nil, errors.New("no room for a run")
}

func (a *Asked) CarryOut(o runner.Order) (int64, error) {
	asked := string(o.Verb)
	if o.Verb == runner.Knob {
		asked += " " + o.Key + "=" + o.Value
	}
	a.List = append(a.List, asked)
	return 7, nil
}
