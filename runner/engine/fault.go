package engine

import (
	"errors"
	"fmt"
	"io/fs"

	"drolab/runner"
	"drolab/runner/spec"
)

// fault is what an error is, beside its text, on its way over a socket: there
// errors.Is and errors.As tell it from others as they do here. Who does not
// know a code has the text.
type fault struct {
	Code string `json:"code"`
	// Of a bad setting, and What of a disk's error too.
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
	Want  string `json:"want,omitempty"`
	What  string `json:"what,omitempty"`
}

// Codes of errors that have more to tell than that they are.
const (
	codeSetting = "setting"
	codeDisk    = "disk"
)

// codes are those of errors that are one of a kind.
func codes() map[string]error {
	return map[string]error{
		"not_running": runner.ErrNotRunning,
		"elsewhere":   runner.ErrElsewhere,
		"busy":        runner.ErrBusy,
		"slow":        runner.ErrSlow,
		"nothing":     runner.ErrNothing,
		"done":        runner.ErrDone,
		"live":        errLive,
		"missing":     fs.ErrNotExist,
	}
}

// failed is the reply that says err.
func failed(err error) *reply {
	out := &reply{Error: err.Error()}
	var key *spec.KeyError
	var disk *runner.DiskError
	switch {
	case errors.As(err, &key):
		out.Fault = &fault{
			Code:  codeSetting,
			Key:   key.Key,
			Value: fmt.Sprint(key.Value),
			Want:  key.Want,
		}
	case errors.As(err, &disk):
		out.Fault = &fault{Code: codeDisk, Value: disk.Err.Error(), What: disk.What}
	default:
		for code, kind := range codes() {
			if errors.Is(err, kind) {
				out.Fault = &fault{Code: code}
			}
		}
	}
	return out
}

// remoteError is an error that the engine had: its text, and what it is.
type remoteError struct {
	text string
	kind error
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.kind }

// err returns the error that a reply tells of, nil if it tells of none.
func (r *reply) err() error {
	if r.Error == "" {
		return nil
	}
	e := &remoteError{text: r.Error}
	if f := r.Fault; f != nil {
		switch f.Code {
		case codeSetting:
			e.kind = &spec.KeyError{Key: f.Key, Value: f.Value, Want: f.Want}
		case codeDisk:
			e.kind = &runner.DiskError{What: f.What, Err: errors.New(f.Value)}
		default:
			e.kind = codes()[f.Code]
		}
	}
	return e
}
