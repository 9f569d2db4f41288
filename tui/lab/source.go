package lab

import (
	"os"
	"time"

	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
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

// Remembered is a Folder with its catalogue.
type Remembered struct {
	Folder
	catalogue *record.Catalogue
}

// Remember returns the folder of runs dir. Its catalogue is in the folder cache; "" keeps none.
// With looks the runs are only looked at, and nothing is written to cache.
func Remember(dir, cache string, looks bool) Remembered {
	c := record.NewCatalogue(dir, cache)
	c.ReadOnly = looks
	return Remembered{Folder: Folder(dir), catalogue: c}
}

// List implements Source.
func (f Remembered) List() ([]*record.Run, []error) {
	return f.catalogue.List()
}

// Shown is a Source from which nothing can be deleted.
type Shown struct{ Source }

// Delete implements Source.
func (Shown) Delete(string) error { return errShown }

// InSmall returns a Source whose long logs give what lies far back in small, for curves: see
// record.InSmall. With keep it may write an index beside a log.
func InSmall(s Source, keep bool) record.Source { return inSmall{s, keep} }

type inSmall struct {
	Source
	keep bool
}

// Open implements Source.
func (t inSmall) Open(r *record.Run) Log { return record.InSmall(t.Source.Open(r), t.keep) }

// How often the folder is looked at while the page is shown: listing costs a few files a run. The
// end of a run is seen sooner: see Ends.
const (
	lookLive    = 500 * time.Millisecond // while a run is live
	lookIdle    = 10 * time.Second
	lookingLive = 4 // looking takes at most one part in so many of the time
	lookingIdle = 10
)

// LookAfter returns how long the result of a look at the folder stands; took is the time that the
// look took.
func LookAfter(live bool, took time.Duration) time.Duration {
	if live {
		return max(lookLive, lookingLive*took)
	}
	return max(lookIdle, lookingIdle*took)
}

// Stirred says that a folder has other runs than when it was looked at.
type Stirred struct{}

// Changed returns the time at which a folder last got or lost a run, by the clock of its disk.
func Changed(dir string) time.Time {
	info, err := os.Stat(dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Stirs asks whether the folder got or lost a run since changed, its last known change. It costs
// one look at the folder itself.
func Stirs(dir string, changed time.Time) tea.Cmd {
	return func() tea.Msg {
		if Changed(dir).Equal(changed) {
			return nil
		}
		return Stirred{}
	}
}

// Live returns the runs that have not ended.
func Live(runs []*record.Run) (list []*record.Run) {
	for _, r := range runs {
		if !r.Status().Ended() {
			list = append(list, r)
		}
	}
	return list
}

// Over brings runs that were live and have ended, as they are now.
type Over struct{ Runs []*record.Run }

// Ends returns the live runs that have ended, as an Over; nil if there are none. Whoever records a
// run holds its lock. So one look at each of these files is enough, and nothing is read of a run
// that goes on.
func Ends(s Source, live []*record.Run) tea.Msg {
	var m Over
	for _, r := range live {
		if r.Held() {
			continue
		}
		now, err := s.Find(r.Dir)
		if err != nil { // it is gone, or cannot be read any more
			now = r
		} else if !now.Status().Ended() { // somebody resumed it meanwhile
			continue
		}
		m.Runs = append(m.Runs, now)
	}
	if len(m.Runs) == 0 {
		return nil
	}
	return m
}

// List reads all runs of the folder dir; the answer is Listed.
func List(s Source, dir string) tea.Cmd {
	return func() tea.Msg {
		began, changed := time.Now(), Changed(dir)
		runs, problems := s.List()
		return Listed{runs, problems, time.Since(began), changed}
	}
}
