package console

import (
	"errors"
	"fmt"
	"io"

	"drolab/presets"
)

// Failures are several things that went wrong, to be printed one a line.
type Failures []error

func (f Failures) Error() string { return errors.Join(f...).Error() }

// And adds what went wrong, each of several; nil adds nothing.
func (f Failures) And(err error) Failures {
	switch err := err.(type) {
	case nil:
		return f
	case Failures:
		return append(f, err...)
	default:
		return append(f, err)
	}
}

// OrNil returns nil where nothing failed.
func (f Failures) OrNil() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

func PrintError(w io.Writer, err error) {
	list := Failures{err}
	if several, ok := err.(Failures); ok {
		list = several
	}
	if wrong := (presets.Errors)(nil); errors.As(err, &wrong) {
		list = Failures(wrong)
	}
	for _, e := range list {
		fmt.Fprintf(w, "drolab: %s\n", OneLine(e.Error()))
	}
}
