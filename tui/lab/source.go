package lab

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/record"
)

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

// Evaluations returns the log of a run with only its evaluations, and with the events that say
// which of them stand. A log that cannot tell events apart gives all of them.
func Evaluations(s Source, r *record.Run) eventlog.Log {
	log := s.Open(r)
	if l, ok := log.(interface{ Only(types ...string) }); ok {
		l.Only("eval")
	}
	return log
}

// Folder is the Source of a folder of run directories.
type Folder string

// List implements Source.
func (f Folder) List() ([]*record.Run, []error) { return record.List(string(f)) }

// Find implements Source.
func (f Folder) Find(id string) (*record.Run, error) { return record.Find(string(f), id) }

// Open implements Source.
func (Folder) Open(r *record.Run) eventlog.Log { return r.Tail() }

func (f Folder) Delete(id string) error { return record.Delete(string(f), id) }

// CatalogueFolder is a Folder with its catalogue.
type CatalogueFolder struct {
	Folder
	catalogue *record.Catalogue
	reading   *atomic.Pointer[runner.Reading]
}

// OpenCatalogued returns the folder of runs dir. Its catalogue is in the folder cache; "" keeps
// none. With looks the runs are only looked at, and nothing is written to cache.
func OpenCatalogued(dir, cache string, looks bool) CatalogueFolder {
	c := record.NewCatalogue(dir, cache)
	c.ReadOnly = looks
	r := CatalogueFolder{Folder: Folder(dir), catalogue: c,
		reading: &atomic.Pointer[runner.Reading]{}}
	const quietTime = 500 * time.Millisecond // a reading that is over by then shows nothing
	var pace runner.ReadingPace
	var began time.Time
	c.Progress = func(done, of int) error {
		at := time.Now()
		if done == 0 {
			pace, began = runner.ReadingPace{}, at
		}
		left := pace.Left(done, of, at)
		switch {
		case done == of:
			r.reading.Store(nil)
		case at.Sub(began) >= quietTime:
			r.reading.Store(&runner.Reading{What: ReadingRuns, Done: done, Of: of, Left: left})
		}
		return nil
	}
	return r
}

// ReadingRuns is what a folder says that it reads.
const ReadingRuns = "runs"

// Reading says how many runs of the folder are read, while many of them are; nil otherwise.
func (f CatalogueFolder) Reading() *runner.Reading { return f.reading.Load() }

// List implements Source.
func (f CatalogueFolder) List() ([]*record.Run, []error) { return f.catalogue.List() }

// NoDelete is a Source from which nothing can be deleted.
type NoDelete struct{ Source }

// Delete implements Source.
func (NoDelete) Delete(string) error { return errNoDelete }

// Unwrap implements Wrapper.
func (n NoDelete) Unwrap() Source { return n.Source }

// InSmall returns a Source whose long logs give what lies far back in small, for curves: see
// eventlog.InSmall. With keep it may write an index beside a log.
func InSmall(s Source, keep bool) record.Source { return inSmall{s, keep} }

type inSmall struct {
	Source
	keep bool
}

// Open implements Source.
func (t inSmall) Open(r *record.Run) eventlog.Log {
	return eventlog.InSmall(t.Source.Open(r), t.keep)
}

// FixedRuns is a Source of runs that lie in no folder of runs, or in several. It changes no run. It
// reads the runs once, when they are first asked for, since the first frame comes before that.
type FixedRuns struct {
	// Runs returns the runs in the order in which they were read, all of them or an error.
	Runs func() ([]*record.Run, error)
}

// NewFixedRuns returns the Source of the runs that read returns, which is called once.
func NewFixedRuns(read func() ([]*record.Run, error)) *FixedRuns {
	return &FixedRuns{sync.OnceValues(read)}
}

// List implements Source.
func (k *FixedRuns) List() ([]*record.Run, []error) {
	runs, err := k.Runs()
	if err != nil {
		return nil, []error{err}
	}
	runs = slices.Clone(runs)
	record.NewestFirst(runs)
	return runs, nil
}

// Find implements Source.
func (k *FixedRuns) Find(id string) (*record.Run, error) {
	runs, err := k.Runs()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(runs, func(r *record.Run) bool { return r.Meta.ID == id }); i >= 0 {
		return runs[i], nil
	}
	return nil, fmt.Errorf("no run %s among the runs shown", id)
}

// Open implements Source.
func (*FixedRuns) Open(r *record.Run) eventlog.Log { return r.Tail() }

// Delete implements Source.
func (*FixedRuns) Delete(string) error { return errNoDelete }

var errNoDelete = errors.New("runs that are only shown cannot be deleted")
