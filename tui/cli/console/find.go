package console

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drolab/presets/recorded"
	"drolab/runner"
	"drolab/runner/record"
)

// Find returns the run that the user means.
func (c *Console) Find(id string) (*record.Run, error) {
	find := func() (*record.Run, error) { return record.Find(c.RunsDir, id) }
	if id == "latest" {
		find = c.Catalogue().Latest
	}
	r, err := find()
	if err != nil {
		return nil, fmt.Errorf("%w: drolab runs lists them all", err)
	}
	c.saw(r)
	return r, nil
}

// FindStep finds what RUN, RUN@STEP or RUN@selected means; step is -1 without one.
func (c *Console) FindStep(name string) (r *record.Run, step int64, err error) {
	step = -1
	if id, ok := strings.CutSuffix(name, "@selected"); ok {
		if r, err = c.Find(id); err != nil {
			return nil, 0, err
		}
		s := r.Summary().Selected
		if s == nil {
			return nil, 0, fmt.Errorf("run %s has selected no step: set select and val_fraction",
				r.Meta.ID)
		}
		return r, s.Step, nil
	}
	if strings.Contains(filepath.Base(name), "@") { // a folder may have one in its name
		if name, step, err = runner.ParseParent(name); err != nil {
			return nil, 0, err
		}
	}
	r, err = c.Find(name)
	return r, step, err
}

// FindSaved is findStep for a step whose checkpoint is to be read.
func (c *Console) FindSaved(name string) (r *record.Run, step int64, err error) {
	if r, step, err = c.FindStep(name); err != nil || step < 0 {
		return r, step, err
	}
	steps, err := r.Checkpoints()
	switch {
	case err != nil || slices.Contains(steps, step):
		return r, step, err
	case len(steps) == 0:
		return nil, 0, fmt.Errorf("run %s has no checkpoint", r.Meta.ID)
	}
	return nil, 0, fmt.Errorf("run %s has no checkpoint of step %d: the newest is of step %d",
		r.Meta.ID, step, slices.Max(steps))
}

// FindToRead is find for commands that only read: the run may lie apart.
func (c *Console) FindToRead(word string) (*record.Run, error) {
	runs, ok, err := apart(word)
	switch {
	case !ok:
		return c.Find(word)
	case err != nil:
		return nil, err
	case len(runs) > 1:
		return nil, fmt.Errorf("%s matches %d runs: give more of the name, as in %s", word,
			len(runs), runs[0].Dir)
	}
	c.saw(runs...)
	return runs[0], nil
}

// FindSeveral returns the runs that the words mean: one by its name, and several by
// the start of their names.
func (c *Console) FindSeveral(args []string) ([]*record.Run, error) {
	list := sync.OnceValue(func() []*record.Run { // not for runs that lie apart
		all, _ := c.Catalogue().List() // what cannot be read is named when it is asked for
		return all
	})
	var runs []*record.Run
	for _, arg := range args {
		meant, ok, err := apart(arg)
		if !ok {
			meant, err = c.meant(arg, list)
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, meant...)
	}
	c.saw(runs...)
	return runs, nil
}

// meant are the runs of a list that a word means.
func (c *Console) meant(word string, list func() []*record.Run) ([]*record.Run, error) {
	if word == "" || word == "latest" {
		r, err := c.Find(word)
		return []*record.Run{r}, err
	}
	var starting []*record.Run
	for _, r := range list() {
		if r.Meta.ID == word {
			return []*record.Run{r}, nil
		}
		if strings.HasPrefix(r.Meta.ID, word) {
			starting = append(starting, r)
		}
	}
	if len(starting) > 0 {
		return starting, nil
	}
	r, err := c.Find(word)
	return []*record.Run{r}, err
}

// apart returns the runs that a word means which lie in no folder of runs; ok is
// false for other words.
func apart(word string) (runs []*record.Run, ok bool, err error) {
	switch {
	case recorded.Is(word):
		runs, err = recorded.Find(word)
		return runs, true, err
	case strings.HasSuffix(word, record.PackedExt):
		r, err := record.ReadPacked(word)
		return []*record.Run{r}, true, err
	}
	return nil, false, nil
}
