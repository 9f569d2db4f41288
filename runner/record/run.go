package record

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/runner"
)

// Run is what a run directory said when it was looked at. It does not change;
// look again with Find, or follow the run with Tail.
type Run struct {
	Dir  string
	Meta runner.Meta // ID is the directory's name, whatever run.json says

	status  runner.Status
	summary *runner.Summary
}

// Status returns the run's state. An unfinished run that nobody records is
// runner.Interrupted.
func (r *Run) Status() runner.Status { return r.status }

// Summary returns summary.json or, for a run that has not ended or was resumed
// since, what the end of the log says: measures that stand further from the
// log's end than endBudget do not apply then. Dir is filled in. The caller
// must not change it.
func (r *Run) Summary() *runner.Summary { return r.summary }

// Tail returns a reader of the run's log, at its start.
func (r *Run) Tail() *Tail { return &Tail{path: filepath.Join(r.Dir, logName)} }

// Checkpoints lists the steps that Load can go to, ascending.
func (r *Run) Checkpoints() ([]int64, error) {
	return checkpointSteps(filepath.Join(r.Dir, checkpointsName))
}

// Save tells one checkpoint from another, also of the same step.
type Save struct {
	Step int64
	Time time.Time // when it was complete
}

// Saved returns the newest checkpoint; ok is false where there is none.
func (r *Run) Saved() (s Save, ok bool, err error) {
	steps, err := r.Checkpoints()
	if err != nil || len(steps) == 0 {
		return s, false, err
	}
	s.Step = steps[len(steps)-1]
	info, err := os.Stat(filepath.Join(r.Dir, checkpointsName, stateName(s.Step)))
	if err != nil {
		return s, false, err
	}
	s.Time = info.ModTime()
	return s, true, nil
}

// Load reads the checkpoint of a step. It checks the weights against their
// checksum.
func (r *Run) Load(step int64) (*runner.State, error) {
	return readCheckpoint(filepath.Join(r.Dir, checkpointsName), step)
}

// Past reads the run as it was at the checkpoint of a step, to fork from. The
// error says which checkpoints there are.
func (r *Run) Past(step int64) (*runner.Past, error) {
	if err := r.has(step); err != nil {
		return nil, err
	}
	from, err := r.Load(step)
	if err != nil {
		return nil, err
	}
	log, err := readKnobs(r.Dir)
	return &runner.Past{Meta: &r.Meta, From: from, Log: log}, err
}

// Held tells whether somebody records the run at this moment. It stays true
// for a moment after the last event.
func (r *Run) Held() bool { return Held(filepath.Join(r.Dir, lockName)) }

// List returns every run in the folder dir, newest first, and one error for
// each directory that cannot be read. A folder that is missing has no runs.
// It reads run.json, summary.json and the end of the log.
func List(dir string) (runs []*Run, problems []error) {
	names, err := runNames(dir)
	if err != nil {
		return nil, []error{err}
	}
	for _, name := range names {
		r, err := readRun(filepath.Join(dir, name))
		if err != nil {
			problems = append(problems, fmt.Errorf("run %s: %w", name, err))
			continue
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b *Run) int {
		return cmp.Or(b.Meta.Created.Compare(a.Meta.Created), cmp.Compare(a.Meta.ID, b.Meta.ID))
	})
	return runs, problems
}

// Find returns the run in the folder dir that id means: its exact name, the
// start of its name that no other run has, the path of a run directory, or
// "latest".
func Find(dir, id string) (*Run, error) {
	if id == "latest" {
		runs, problems := List(dir)
		if len(runs) == 0 {
			return nil, fmt.Errorf("no run in %s: %w", dir, errors.Join(append(problems, fs.ErrNotExist)...))
		}
		return runs[0], nil
	}
	if !plainName(id) {
		return readRun(id)
	}
	names, err := runNames(dir)
	if err != nil {
		return nil, err
	}
	name, err := match(names, id)
	if err != nil {
		if _, e := os.Stat(filepath.Join(id, metaName)); e == nil {
			return readRun(id) // a path without a separator
		}
		return nil, fmt.Errorf("%w in %s", err, dir)
	}
	return readRun(filepath.Join(dir, name))
}

// match returns the name that id is, or is the start of.
func match(names []string, id string) (string, error) {
	var starting, near []string
	for _, n := range names {
		switch {
		case n == id:
			return n, nil
		case strings.HasPrefix(n, id):
			starting = append(starting, n)
		case strings.Contains(n, id) || strings.HasPrefix(n, id[:(len(id)+1)/2]):
			near = append(near, n)
		}
	}
	switch {
	case len(starting) == 1:
		return starting[0], nil
	case len(starting) > 1:
		return "", fmt.Errorf("run %s: want more of the name: %s", id, some(starting))
	case len(near) > 0:
		return "", fmt.Errorf("no run %s (near it: %s)", id, some(near))
	}
	return "", fmt.Errorf("no run %s", id)
}

// some lists a few names.
func some(names []string) string {
	const most = 5
	list := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return list
}

// runNames lists the directories in dir that may be runs.
func runNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if plainName(e.Name()) && err == nil && info.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func readRun(dir string) (*Run, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	m, err := readMeta(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{Dir: dir, Meta: *m}
	var stored runner.Summary
	noSummary := readJSON(filepath.Join(dir, summaryName), &stored)
	// A log that ends as the summary says needs no further look.
	e, err := readEnd(dir, func(e *end) bool {
		return noSummary == nil && e.Status == stored.Status || e.complete(m)
	})
	if err != nil {
		return nil, err
	}
	if r.status = e.Status; !e.Status.Ended() && !Held(filepath.Join(dir, lockName)) {
		r.status = runner.Interrupted
	}
	r.summary = &stored
	if noSummary != nil || e.Status != stored.Status || !e.Status.Ended() {
		r.summary = runner.Summarize(m, r.status, e.Step, e.Eval, e.Last)
		r.summary.Cause = e.Cause
		r.summary.Selects(m, e.Selected)
	}
	r.summary.Describe(m)
	r.summary.ID, r.summary.Dir = m.ID, dir
	return r, nil
}

// readMeta reads run.json.
func readMeta(dir string) (*runner.Meta, error) {
	var m runner.Meta
	path := filepath.Join(dir, metaName)
	if err := readJSON(path, &m); err != nil {
		return nil, err
	}
	if len(m.Spec.Algorithms) != 1 {
		return nil, fmt.Errorf("%s: %d algorithms, want one", path, len(m.Spec.Algorithms))
	}
	m.ID = filepath.Base(dir)
	return &m, nil
}
