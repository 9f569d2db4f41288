package presets

import (
	"errors"
	"fmt"
	"slices"
)

// Errors holds all errors of a preset, each about one line of its file.
type Errors []error

func (e Errors) Error() string { return errors.Join(e...).Error() }

func (e Errors) Unwrap() []error { return e }

// LineError is an error with its line in a file, or 0 if it has no line there.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return e.Err.Error() }

// InFile sorts errors by line, and adds the file and the line to each. Without a file or a line it
// adds the name.
func InFile(file, name string, list []LineError) (wrong Errors) {
	slices.SortStableFunc(list, func(a, b LineError) int { return a.Line - b.Line })
	for _, e := range list {
		if e.Line == 0 || file == "" {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, e.Err))
		} else {
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", file, e.Line, e.Err))
		}
	}
	return wrong
}
