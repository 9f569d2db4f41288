package record

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// Every file of a run says whose it is: the run's ID, and the hash of its run.json. A summary and a
// checkpoint also say how much of the log they go with. The log may go on behind that, as a resume
// leaves an older summary beside it, and must never differ before it.

// CheckFormat returns an error, worded as part of a sentence, unless this program reads the format.
func CheckFormat(format int) error {
	if format == runner.Format {
		return nil
	}
	return fmt.Errorf("has format %d, and this program reads format %d: take a later drolab",
		format, runner.Format)
}

// UnreadError is the error of a folder whose run cannot be read.
type UnreadError struct {
	Dir string
	Err error
}

// Error begins with the run's name.
func (e *UnreadError) Error() string { return runError(filepath.Base(e.Dir), e.Err).Error() }

// Unwrap returns why the run cannot be read.
func (e *UnreadError) Unwrap() error { return e.Err }

// runError begins an error with the run's name.
func runError(id string, err error) error {
	if err == nil || errors.Is(err, disk.ErrBefore) { // that one begins with it
		return err
	}
	return fmt.Errorf("run %s: %w", id, err)
}

// readMeta reads run.json, and sets the owner of the folder's files.
func readMeta(in *disk.Folder) (*runner.Meta, error) {
	name, path := filepath.Base(in.Path), in.Join(metaName)
	text, err := in.Text(metaName)
	if err != nil {
		return nil, err
	}
	m, of, err := decodeMeta(text)
	switch {
	case errors.Is(err, disk.ErrBefore):
		return nil, fmt.Errorf("run %s %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case m.ID == name:
		in.Owner = of
		return m, nil
	}
	if log, err := eventlog.OwnerOf(in); err == nil && log.ID == name {
		return nil, fmt.Errorf("%s: %w", path, disk.Owner{ID: name}.Check(of))
	}
	return nil, fmt.Errorf("%s: the folder holds run %s: give it that name again or, if it is a "+
		"copy, remove it", in.Path, m.ID)
}

// decodeMeta decodes the text of a run.json.
func decodeMeta(text []byte) (m *runner.Meta, of disk.Owner, err error) {
	of = ownerOf("", text) // decoding changes the text
	m = &runner.Meta{}
	switch _, err = disk.Decode(text, m); {
	case errors.Is(err, disk.ErrBefore):
	case err != nil:
		err = fmt.Errorf("%w; restore it from a copy", err)
	case m.Format != runner.Format:
		err = CheckFormat(m.Format)
	case len(m.Spec.Algorithms) != 1:
		err = fmt.Errorf("%d algorithms, expected one", len(m.Spec.Algorithms))
	}
	of.ID = m.ID
	return m, of, err
}

// ownerOf returns the owner of a run's files, given its ID and the text of its run.json.
func ownerOf(id string, text []byte) disk.Owner { return disk.Owner{ID: id, Made: hashOf(text)} }

// hashOf returns the SHA-256 of a text, in hexadecimal.
func hashOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// folder opens the run's folder, for files that say whose they are.
func (r *Run) folder() (*disk.Folder, error) {
	in, err := disk.OpenFolder(r.open, r.Dir)
	if err != nil {
		return nil, err
	}
	text, err := in.Text(metaName)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	in.Owner = ownerOf(r.Meta.ID, text)
	return in, nil
}
