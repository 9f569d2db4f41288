package engine

import (
	"errors"
	"fmt"
	"io/fs"

	"drolab/runner"
	"drolab/runner/spec"
)

// fault is the kind of an error, beside its text, on its way over a socket. With it, errors.Is and
// errors.As work on the other side, too. A reader that does not know a code has the text.
type fault struct {
	Code string `json:"code"`
	// Key, Value and Want describe a bad setting. Value and What describe an error of a disk.
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
	Want  string `json:"want,omitempty"`
	What  string `json:"what,omitempty"`
}

// Codes of errors that carry details.
const (
	codeSetting = "setting"
	codeDisk    = "disk"
)

// codes returns the errors without details, by their codes.
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

// errorReply returns the reply that reports err.
func errorReply(err error) *reply {
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

// remoteError is an error from the engine, with its text and its kind.
type remoteError struct {
	text string
	kind error
}

func (e *remoteError) Error() string { return e.text }

func (e *remoteError) Unwrap() error { return e.kind }

// err returns the error that a reply reports, nil if there is none.
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
