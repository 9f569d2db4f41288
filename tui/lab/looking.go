package lab

import (
	"math"
	"os"
	"slices"
	"time"

	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// How often the folder is looked at while the page is shown: listing costs a few files a run. The
// end of a run is seen sooner: see Ends.
const (
	liveInterval = 500 * time.Millisecond // while a run is live
	idleInterval = 10 * time.Second
	liveShare    = 4 // looking takes at most one part in so many of the time
	idleShare    = 10
)

// LookAfter returns how long the result of a look at the folder stands; took is the time that the
// look took.
func LookAfter(live bool, took time.Duration) time.Duration {
	if live {
		return max(liveInterval, liveShare*took)
	}
	return max(idleInterval, idleShare*took)
}

// lookState is the state of looking at the folder of runs. One look at a time is under way.
type lookState struct {
	listed  time.Time     // the tick at which it was listed last
	took    time.Duration // the time that listing it took
	changed time.Time     // when it had last changed before that, by the clock of its disk
	boxes   int64         // changes of the runs of boxes before that
	busy    bool          // a look is under way
	again   bool          // the runs were asked for meanwhile
}

// List asks for all runs of the folder; the answer is Listed.
func (s *Lab) List() tea.Cmd {
	s.looks.again = s.looks.busy
	if s.looks.busy {
		return nil
	}
	return s.look(true)
}

// Look looks at the folder at a tick. It asks for all runs if the folder got or lost one, which
// costs a look at the folder alone, or if they were last asked for longer ago than after.
func (s *Lab) Look(now time.Time, after time.Duration) tea.Cmd {
	if s.looks.busy {
		return nil
	}
	list := now.Sub(s.looks.listed) > after
	if list {
		s.looks.listed = now
	}
	return s.look(list)
}

// After returns how long the runs of the folder stand that were listed last.
func (s *Lab) After(live bool) time.Duration { return LookAfter(live, s.looks.took) }

// Never is longer than any time between two looks.
const Never = time.Duration(math.MaxInt64)

// look lists the runs of the folder, or only if it has changed.
func (s *Lab) look(list bool) tea.Cmd {
	s.looks.busy = true
	source, dir, before := s.Source, s.Config.RunsDir, s.looks
	return func() tea.Msg {
		began, changed := time.Now(), time.Time{}
		boxes := changesOf(source)
		if info, err := os.Stat(dir); err == nil {
			changed = info.ModTime()
		}
		if !list && changed.Equal(before.changed) && boxes == before.boxes {
			return Unchanged{}
		}
		runs, problems := source.List()
		return Listed{Runs: runs, Problems: problems, Took: time.Since(began), Changed: changed,
			boxes: boxes}
	}
}

// Note takes in the answer to a look, a Listed or an Unchanged, before the pages do.
func (s *Lab) Note(answer tea.Msg) tea.Cmd {
	s.looks.busy = false
	if m, ok := answer.(Listed); ok {
		s.looks.took, s.looks.changed, s.looks.boxes = m.Took, m.Changed, m.boxes
		s.far = map[string]string{}
		for _, r := range m.Runs {
			if of := r.Mirrored(); of != nil {
				s.far[r.Meta.ID] = of.Box
			}
		}
	}
	if !s.looks.again {
		return nil
	}
	return s.List()
}

// Live returns the runs that have not ended.
func Live(runs []*record.Run) []*record.Run {
	return slices.DeleteFunc(slices.Clone(runs),
		func(r *record.Run) bool { return r.Status().Ended() })
}

// Own returns the runs of this machine.
func Own(runs []*record.Run) []*record.Run { return On(runs, "") }

// On returns the runs of a box; "" is this machine.
func On(runs []*record.Run, box string) []*record.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool {
		of := r.Mirrored()
		return of == nil && box != "" || of != nil && of.Box != box
	})
}

// Ends returns the live runs that have ended. Whoever records a run holds its lock. So one look at
// each of these files is enough, and nothing is read of a run that goes on.
func Ends(s Source, live []*record.Run) (m Over) {
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
	return m
}
