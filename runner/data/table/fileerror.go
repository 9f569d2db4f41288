package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"drolab/runner/data"
	"drolab/runner/lists"
)

// fileError is an error of one of a table's files.
type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string { return e.path + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

// fileEnd is the number of rows of a frame once it has read a file.
type fileEnd struct {
	path string
	rows int
}

// within appends one file, of which at least one sample must be left: with an empty test file, a
// test split would be drawn from the training file. Errors name the file.
func (f *Frame) within(path string, read func() error) error {
	rows, dropped := f.Rows, f.dropped
	for _, c := range f.used() {
		c.lacking = 0
	}
	err := read()
	if err == nil && f.Rows == rows {
		err = f.noneLeft(f.dropped - dropped)
	}
	if err != nil {
		return &fileError{path, err}
	}
	for _, c := range f.used() {
		if c.NotANum != "" {
			c.notAFile = cmp.Or(c.notAFile, path)
		}
	}
	f.ends = append(f.ends, fileEnd{path, f.Rows})
	return nil
}

// inFileOf returns err as an error of the file that has a row.
func (f *Frame) inFileOf(row int, err error) error {
	for _, e := range f.ends {
		if row < e.rows {
			return &fileError{e.path, err}
		}
	}
	return err
}

// ofTest returns an error of samples that are not for training. If there is exactly one test file,
// the error names it.
func (f *Frame) ofTest(err error, trainRows int) error {
	if trainRows < f.Rows && len(f.ends) == 2 {
		return &fileError{f.ends[1].path, err}
	}
	return err
}

// noneLeft returns the reason why a file has no samples: it has none, or missing=drop has left out
// all of its lines.
func (f *Frame) noneLeft(lines int) error {
	if lines == 0 {
		return errors.New("has no samples")
	}
	filled := func(c *Column) bool { return c.lacking < lines }
	empty := slices.DeleteFunc(f.used(), filled) // columns without a value in every line
	if len(empty) == 0 {
		most := slices.MaxFunc(f.used(), func(a, b *Column) int { return a.lacking - b.lacking })
		return fmt.Errorf("missing=drop leaves none of %d lines: every one lacks a value, most "+
			"often in column %q (%d lines): leave such columns out with %s, or take "+
			"missing=category", lines, most.Name, most.lacking, f.More("drop", most.Name))
	}
	return fmt.Errorf("missing=drop leaves none of %d lines: %s", lines, f.alwaysEmpty(empty))
}

// alwaysEmpty names the columns without any value, and the remedy.
func (f *Frame) alwaysEmpty(list []*Column) string {
	names := lists.Map(list, func(c *Column) string { return c.Name })
	what := "no line has a value of " + data.Quoted(names, len(names))
	used := slices.ContainsFunc(list, func(c *Column) bool { return c.textual })
	switch {
	case used && f.fitted != nil:
		return what + ": take it out of the file, and the samples count as ones without it"
	case used:
		return what + ": name another column with label=, group= or split="
	case f.fitted != nil:
		return what + ", and the network takes it: add missing=mean"
	}
	return what + ": leave it out with " + f.dropping(list)
}
