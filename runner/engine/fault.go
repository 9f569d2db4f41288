package engine

import "drolab/runner"

// errorReply returns the reply that reports err.
func errorReply(err error) *reply {
	return &reply{Error: err.Error(), Fault: runner.FaultOf(err)}
}

// err returns the error that a reply reports, nil if there is none.
func (r *reply) err() error {
	if r.Error == "" {
		return nil
	}
	return runner.DistantError(r.Error, r.Fault)
}
