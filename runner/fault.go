package runner

import (
	"errors"
	"fmt"
	"io/fs"

	"drolab/runner/spec"
)

// Fault is the kind of an error, beside its text, on its way to another process. With it, errors.Is
// and errors.As work there, too. A reader that does not know a code has the text.
type Fault struct {
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
		"not_running": ErrNotRunning,
		"elsewhere":   ErrElsewhere,
		"busy":        ErrBusy,
		"slow":        ErrSlow,
		"nothing":     ErrNothing,
		"done":        ErrDone,
		"live":        ErrLive,
		"starting":    ErrStarting,
		"unapproved":  ErrUnapproved,
		"missing":     fs.ErrNotExist,
		"taken":       fs.ErrExist,
	}
}

// FaultOf returns the kind of an error; nil if it is none that another process could tell apart.
func FaultOf(err error) *Fault {
	var key *spec.KeyError
	var disk *DiskError
	switch {
	case errors.As(err, &key):
		return &Fault{Code: codeSetting, Key: key.Key, Value: fmt.Sprint(key.Value), Want: key.Want}
	case errors.As(err, &disk):
		return &Fault{Code: codeDisk, Value: disk.Err.Error(), What: disk.What}
	}
	for code, kind := range codes() {
		if errors.Is(err, kind) {
			return &Fault{Code: code}
		}
	}
	return nil
}

// distantError is an error from another process, with its text and its kind.
type distantError struct {
	text string
	kind error
}

func (e *distantError) Error() string { return e.text }

func (e *distantError) Unwrap() error { return e.kind }

// DistantError returns the error of another process that has this text and kind; f may be nil.
func DistantError(text string, f *Fault) error {
	e := &distantError{text: text}
	if f == nil {
		return e
	}
	switch f.Code {
	case codeSetting:
		e.kind = &spec.KeyError{Key: f.Key, Value: f.Value, Want: f.Want}
	case codeDisk:
		e.kind = &DiskError{What: f.What, Err: errors.New(f.Value)}
	default:
		e.kind = codes()[f.Code]
	}
	return e
}
