package console

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"drolab/presets"
	"drolab/runner/lists"
	"drolab/tui/cell"
)

// Failures is a list of errors, printed one per line.
type Failures []error

func (f Failures) Error() string { return errors.Join(f...).Error() }

// OrNil returns the errors that are not nil, or nil where nothing failed.
func (f Failures) OrNil() error {
	f = slices.DeleteFunc(slices.Clone(f), func(err error) bool { return err == nil })
	if len(f) == 0 {
		return nil
	}
	return f
}

// TryAll calls try for every item, and returns the errors of those for which it fails.
func TryAll[T any](list []T, try func(T) error) error {
	return Failures(lists.Map(list, try)).OrNil()
}

// PrintError prints an error; each error of Failures or presets.Errors has a line of its own.
func PrintError(w io.Writer, err error) {
	list, several := err.(Failures)
	if wrong, ok := errors.AsType[presets.Errors](err); ok {
		list, several = Failures(wrong), true
	}
	if !several {
		fmt.Fprintf(w, "drolab: %s\n", cell.OneLine(err.Error()))
	}
	for _, e := range list {
		PrintError(w, e)
	}
}
