package data

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"drolab/runner/data/internal/dataset"
)

// Open opens the dataset of the given name: one of Names, or the user's own files in the form that
// a scheme of List describes. It writes nothing but the cache of resized pictures in the data
// folder. If the dataset is not there, it returns a *MissingError.
func Open(name string, o Options) (*Dataset, error) {
	return OpenContext(context.Background(), name, o)
}

// OpenContext is like Open, but if another process reads, the end of ctx stops it: see [ReadApart].
func OpenContext(ctx context.Context, name string, o Options) (*Dataset, error) {
	d, err := open(ctx, name, o)
	var m *MissingError
	if err != nil && !errors.As(err, &m) {
		err = fmt.Errorf("dataset %s: %w", name, err)
	}
	if err != nil && len(err.Error()) > maxError {
		err = &longError{err}
	}
	return d, err
}

// maxError is the maximum length of an error's text in bytes. It is needed because a file may name
// any number of columns and arrays.
const maxError = 64 << 10

// longError is an error whose text leaves out the middle.
type longError struct{ error }

func (e *longError) Error() string {
	text, half := e.error.Error(), maxError/2
	return strings.ToValidUTF8(text[:half], "") + " … " + strings.ToValidUTF8(text[len(text)-half:],
		"")
}

func (e *longError) Unwrap() error { return e.error }

func open(ctx context.Context, name string, o Options) (*Dataset, error) {
	if err := dataset.Validate(o); err != nil {
		return nil, err
	}
	if err := dataset.Named(name); err != nil {
		return nil, err
	}
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	d, err := readBy(ctx, p, name, o)
	if err != nil {
		return nil, err
	}
	for _, m := range d.Mapped {
		dataset.ReadAtRandom(m.Bytes)
	}
	d.Name = name
	if err := dataset.Finish(d, p, o); err != nil {
		d.Close() // the first error is the one to tell
		return nil, err
	}
	return d, nil
}
