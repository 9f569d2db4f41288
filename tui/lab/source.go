package lab

import "drolab/runner/record"

// Source is where the interface reads runs. Commands call it; one call at a
// time for each log.
type Source interface {
	record.Source
	// List returns every run, newest first, and an error for each directory
	// that cannot be read.
	List() (runs []*record.Run, problems []error)
	// Delete removes a run that nobody records, for good.
	Delete(id string) error
}

// Evaluations is the log of a run with nothing but its evaluations, and what tells which of
// them stand, where it can tell them from the rest.
func Evaluations(s Source, r *record.Run) Log {
	log := s.Open(r)
	if l, ok := log.(interface{ Only(types ...string) }); ok {
		l.Only("eval")
	}
	return log
}

// Log gives the events of a run as they are appended.
type Log = record.Log

// Folder is the Source of a folder of run directories.
type Folder string

// List implements Source.
func (f Folder) List() ([]*record.Run, []error) { return record.List(string(f)) }

// Find implements Source.
func (f Folder) Find(id string) (*record.Run, error) { return record.Find(string(f), id) }

// Open implements Source.
func (Folder) Open(r *record.Run) Log { return r.Tail() }

func (f Folder) Delete(id string) error { return record.Delete(string(f), id) }

// Shown is a Folder of which nothing is deleted.
type Shown struct{ Folder }

// Delete implements Source.
func (Shown) Delete(string) error { return errShown }

// InSmall is a Source whose long logs tell what lies far back in small, for curves:
// see record.InSmall. With keep it may write an index beside them.
func InSmall(s Source, keep bool) record.Source { return inSmall{s, keep} }

type inSmall struct {
	Source
	keep bool
}

// Open implements Source.
func (t inSmall) Open(r *record.Run) Log { return record.InSmall(t.Source.Open(r), t.keep) }
