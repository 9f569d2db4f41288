package lab

import (
	"fmt"
	"os"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/record"
)

// Source is where the interface reads runs. Commands call it; one call at a
// time for each log.
type Source interface {
	// List returns every run, newest first, and an error for each directory
	// that cannot be read.
	List() (runs []*record.Run, problems []error)
	// Find looks at one run: its exact name.
	Find(id string) (*record.Run, error)
	// Open returns the log of a run, at its start.
	Open(*record.Run) Log
	// Delete removes a run that has ended, for good.
	Delete(id string) error
}

// Log gives the events of a run as they are appended.
type Log interface {
	// Read returns the next events; none means that there are no more for now.
	Read() ([]runner.Event, error)
	// Skipped counts the lines that are no events.
	Skipped() int
}

// Folder is the Source of a folder of run directories.
type Folder string

// List implements Source.
func (f Folder) List() ([]*record.Run, []error) { return record.List(string(f)) }

// Find implements Source.
func (f Folder) Find(id string) (*record.Run, error) { return record.Find(string(f), id) }

// Open implements Source.
func (Folder) Open(r *record.Run) Log { return r.Tail() }

// Delete takes the run out of every reader's sight before it removes it, so
// that nobody meets half of one; its name then starts with a dot, which no
// run's does.
func (f Folder) Delete(id string) error {
	r, err := f.Find(id)
	if err != nil {
		return err
	}
	if r.Meta.ID != id || !r.Status().Ended() {
		return fmt.Errorf("run %s is %s: stop it first", r.Meta.ID, r.Status())
	}
	aside := filepath.Join(string(f), ".deleted-"+id)
	if err := os.Rename(filepath.Join(string(f), id), aside); err != nil {
		return fmt.Errorf("deleting run %s: %w", id, err)
	}
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("deleting run %s, which is %s now: %w", id, aside, err)
	}
	return nil
}
