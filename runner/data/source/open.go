package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drolab/runner/data"
)

// Open opens the dataset of the given name: one of Names, or the user's own files in the form that
// a scheme of List describes. It writes nothing but the cache of resized pictures in the data
// folder. If the dataset is not there, it returns a *MissingError.
func Open(name string, o data.Options) (*data.Dataset, error) {
	return OpenContext(context.Background(), name, o)
}

// OpenContext is like Open, but the end of ctx stops a reading that takes minutes, or that another
// process does: see [ReadApart].
func OpenContext(ctx context.Context, name string, o data.Options) (*data.Dataset, error) {
	d, err := open(ctx, name, o)
	if _, missing := errors.AsType[*data.MissingError](err); err != nil && !missing {
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
	begin, end := text[:half], text[len(text)-half:]
	return strings.ToValidUTF8(begin, "") + " … " + strings.ToValidUTF8(end, "")
}

func (e *longError) Unwrap() error { return e.error }

func open(ctx context.Context, name string, o data.Options) (*data.Dataset, error) {
	if err := data.Validate(o); err != nil {
		return nil, err
	}
	if err := data.Named(name); err != nil {
		return nil, err
	}
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	o.Progress = stopping(ctx, o.Progress)
	d, err := readBy(ctx, p, name, o)
	if err != nil {
		return nil, err
	}
	for _, m := range d.Mapped {
		data.ReadAtRandom(m.Bytes)
	}
	d.Name = name
	if err := data.Finish(d, p, o); err != nil {
		d.Close() // the first error is the one to tell
		return nil, err
	}
	return d, nil
}

// stopping returns an Options.Progress that also ends the reading once ctx ends.
func stopping(ctx context.Context, tell func(done, of int) error) func(done, of int) error {
	return func(done, of int) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("reading it was stopped: %w", err)
		}
		if tell == nil {
			return nil
		}
		return tell(done, of)
	}
}

// OpenRaw reads a table of another program's predictions as its file has it. The rows are the test
// split, and Encoder.Columns names the numbers that [data.Raw] returns for a row. Label, groups and
// split are found as in other tables.
func OpenRaw(ctx context.Context, name string) (*data.Dataset, error) {
	p, err := find(name)
	if err != nil || !p.Raw {
		return nil, fmt.Errorf("%s: predictions are a table: expected a file .csv, .csv.gz, .tsv "+
			"or .parquet", name)
	}
	return readBy(ctx, p, name, data.Options{Raw: true})
}

// Fetch makes sure that all files of a dataset are in the data folder dir, and downloads the
// missing ones; after it, Open finds the dataset. A downloaded file gets its name only with the
// right size and checksum. An interrupted download (by ctx or a broken connection) is kept aside,
// and the next call continues it.
func Fetch(ctx context.Context, name, dir string, o data.FetchOptions) error {
	list := slices.DeleteFunc(slices.Clone(providers()),
		func(p *data.Provider) bool { return p.Files == nil })
	i := slices.IndexFunc(list, func(p *data.Provider) bool { return p.Name == name })
	if i < 0 {
		return fmt.Errorf(
			"fetch %s: nothing to fetch under that name: choose one of %s", name, choice(list))
	}
	if err := list[i].Files.Bring(ctx, dir, o); err != nil {
		return fmt.Errorf("fetch %s: %w", name, err)
	}
	return nil
}
