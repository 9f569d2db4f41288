package sweep

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drolab/runner"
)

// The states of a sweep's runs are those of runs, and these.
const (
	Missing runner.Status = "missing" // it has not begun
	Dropped runner.Status = "dropped" // a rung has ended it: others were better by validation
	Waiting runner.Status = "waiting" // it has reached a rung, and others have not
)

// State is how a run of the list stands.
type State struct {
	Status runner.Status
	// Cause is why it failed, could not begin, or waits.
	Cause  string
	Result *Result // nil: there is no run
	// Damage is of the run's files; nil: all were read. Figures lack what stood there.
	Damage error
}

// Steps done and planned; 0 of 0 before the run has begun.
func (s *State) Steps() (done, planned int64) {
	if s.Result == nil {
		return 0, 0
	}
	return s.Result.Steps, s.Result.Planned
}

// Look reads how a sweep stands, again and again: what is done is read once. It
// belongs to one goroutine.
type Look struct {
	*Folder
	done map[int]State
	// there are the names of what the folder has, while all of it is looked at: of
	// ten thousand runs that have not begun, none is looked for.
	there map[string]bool
	names []string // of the last Result
}

// NewLook returns a Look of the folder.
func NewLook(f *Folder) *Look { return &Look{Folder: f, done: map[int]State{}} }

// States returns how each run stands, by index.
func (l *Look) States() ([]State, error) {
	stages, err := l.stages()
	if err != nil {
		return nil, err
	}
	if l.there, err = names(l.Dir, l.own()); err != nil {
		return nil, err
	}
	defer func() { l.there = nil }()
	list := make([]State, len(l.List.Runs))
	for i := range list {
		list[i] = l.State(i)
		stages.mark(i, &list[i])
	}
	return list, nil
}

// State returns how run i stands, without regard to rungs.
func (l *Look) State(i int) State {
	if s, ok := l.done[i]; ok {
		return s
	}
	id := l.List.Runs[i].ID
	if l.there != nil && !l.there[id] && !l.there[refusedPrefix+id] {
		return State{Status: Missing}
	}
	r, err := l.Find(i)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if why := l.refused(i); why != "" {
			return State{Status: runner.Failed, Cause: "could not begin: " + strings.TrimSpace(why)}
		}
		return State{Status: Missing}
	case err != nil:
		return State{Status: runner.Failed, Cause: "cannot be read: " + err.Error(), Damage: err}
	}
	s := State{r.Status(), r.Summary().Cause, l.result(r), r.PassedOver()}
	if s.Damage != nil {
		s.Cause = strings.TrimPrefix(s.Cause+"; "+s.Damage.Error(), "; ")
	}
	if s.Status == runner.Done {
		l.done[i] = s
	}
	return s
}

// names are those of what folders have.
func names(dirs ...string) (map[string]bool, error) {
	all := map[string]bool{}
	for _, dir := range dirs {
		d, err := os.Open(dir)
		if errors.Is(err, fs.ErrNotExist) { // of a sweep that is only thought of
			continue
		}
		if err != nil {
			return nil, err
		}
		list, err := d.Readdirnames(-1)
		d.Close()
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			all[name] = true
		}
	}
	return all, nil
}

// Count is how many runs are in each state.
func Count(states []State) map[runner.Status]int {
	n := map[runner.Status]int{}
	for _, s := range states {
		n[s.Status]++
	}
	return n
}

// Over tells whether nothing is left to do: what is not done or dropped has
// failed.
func Over(states []State) bool {
	for _, s := range states {
		if s.Status != runner.Done && s.Status != Dropped && s.Status != runner.Failed {
			return false
		}
	}
	return true
}

// Grown tells whether the folder has another list than the one that is looked at:
// somebody has added runs.
func (l *Look) Grown() bool {
	info, err := os.Stat(filepath.Join(l.Dir, listName))
	return err == nil && !(os.SameFile(info, l.read) && info.ModTime().Equal(l.read.ModTime()))
}
