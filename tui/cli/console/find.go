package console

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/report"
)

// Find returns the run that id stands for: a name, the unambiguous start of a name, a run directory
// or "latest".
func (c *Console) Find(id string) (*record.Run, error) {
	find := func() (*record.Run, error) { return record.Find(c.RunsDir, id) }
	if id == "latest" {
		find = c.Catalogue().Latest
	}
	r, err := find()
	if err != nil && len(c.boxes.all) > 0 {
		if far, wrong := c.findOnBoxes(id); wrong == nil {
			r, err = far, nil
		}
	}
	switch {
	case err != nil && slices.Contains([]string{"last", "newest"}, id):
		return nil, fmt.Errorf("%w: did you mean latest?", err)
	case err != nil && id == "latest":
		return nil, err
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no run at %.100q: %s lists them all", id, c.Command("drolab runs"))
	case err != nil:
		return nil, fmt.Errorf("%w: %s lists them all", err, c.Command("drolab runs"))
	}
	c.noteRead(r)
	return r, nil
}

// FindStep returns the run and the step that RUN, RUN@STEP or RUN@selected stands for; step is -1
// if the name has none. All of the run's files belong together.
func (c *Console) FindStep(name string) (r *record.Run, step int64, err error) {
	if r, step, err = c.FindAny(name); err == nil {
		err = r.Verify()
	}
	return r, step, err
}

// FindAny is FindStep for orders to a run, which may be damaged.
func (c *Console) FindAny(name string) (r *record.Run, step int64, err error) {
	step = -1
	id, selected := strings.CutSuffix(name, "@selected")
	if !selected && strings.Contains(filepath.Base(name), "@") { // folders may have an @, too
		if id, step, err = runner.ParseParent(name); err != nil {
			return nil, 0, err
		}
	}
	if r, err = c.Find(id); err != nil || !selected {
		return r, step, err
	}
	s := r.Summary().Selected
	if s == nil {
		return nil, 0, fmt.Errorf("run %s has selected no step: set select and val_fraction",
			r.Meta.ID)
	}
	return r, s.Step, nil
}

// FindToRead is Find for commands that only read: the run may also lie outside the runs folder (see
// apart).
func (c *Console) FindToRead(word string) (*record.Run, error) {
	runs, ok, err := outsideRuns(word)
	switch {
	case !ok:
		r, _, err := c.FindStep(word)
		return r, err
	case err != nil:
		return nil, err
	case len(runs) > 1:
		return nil, fmt.Errorf("%s matches %d runs: give more of the name, as in %s", word,
			len(runs), runs[0].Dir)
	}
	c.noteRead(runs...)
	return runs[0], nil
}

// FindSeveral returns the runs that the words stand for. A word is the name of a run or the common
// start of several names. A run among several that cannot be read, or whose files do not belong
// together, is left out, and is an error at the end of the command.
func (c *Console) FindSeveral(ctx context.Context, args []string) ([]*record.Run, error) {
	if err := c.awaitBoxes(ctx); err != nil {
		return nil, err
	}
	// The list is not needed for runs outside the runs folder.
	list := sync.OnceValues(func() ([]*record.Run, []error) { return c.List(ctx) })
	var runs []*record.Run
	for _, arg := range args {
		meant, ok, err := outsideRuns(arg)
		if !ok {
			meant, err = c.namedRuns(arg, list)
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, meant...)
	}
	runs = c.FetchLogs(ctx, runs)
	var sound []*record.Run
	for i, err := range record.VerifyAll(runs) {
		if err != nil {
			c.broken = append(c.broken, err)
		} else {
			sound = append(sound, runs[i])
		}
	}
	if len(sound) == 0 {
		err := c.broken.OrNil()
		c.broken = nil
		return nil, err
	}
	c.noteRead(sound...)
	return sound, nil
}

// Study reads a study's file, or the study of recorded runs.
func (c *Console) Study(word string) (*report.Study, error) {
	if recorded.Is(word) {
		return recorded.Study(word)
	}
	text, err := presets.ReadFile(word)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the study %s does not exist: check the path", word)
	case err != nil:
		return nil, fmt.Errorf("study: %w", err)
	}
	s, errs := report.ParseStudy(word, text)
	if len(errs) > 0 {
		return nil, Failures(errs)
	}
	return s, nil
}

// namedRuns returns the runs of a list that a word stands for: the run of that name, else all runs
// whose names start with it.
func (c *Console) namedRuns(
	word string, list func() ([]*record.Run, []error),
) ([]*record.Run, error) {
	if word == "" || word == "latest" {
		r, err := c.Find(word)
		if err != nil {
			return nil, err
		}
		return []*record.Run{r}, nil
	}
	var starting []*record.Run
	runs, problems := list()
	for _, r := range runs {
		if r.Meta.ID == word {
			return []*record.Run{r}, nil
		}
		if strings.HasPrefix(r.Meta.ID, word) {
			starting = append(starting, r)
		}
	}
	if len(starting) == 0 { // Find says what is wrong
		r, err := c.Find(word)
		if err != nil {
			return nil, err
		}
		return []*record.Run{r}, nil
	}
	for _, p := range problems {
		shown := slices.ContainsFunc(starting, func(r *record.Run) bool {
			return strings.HasPrefix(p.Error(), "run "+r.Meta.ID+":")
		})
		if strings.HasPrefix(p.Error(), "run "+word) && !shown {
			c.broken = append(c.broken, p)
		}
	}
	return starting, nil
}

// outsideRuns returns the runs that a word stands for outside the runs folder: runs that come with
// the program and packed files. ok is false for other words.
func outsideRuns(word string) (runs []*record.Run, ok bool, err error) {
	switch {
	case recorded.Is(word):
		runs, err = recorded.Find(word)
		return runs, true, err
	case strings.HasSuffix(word, record.PackedExt):
		r, err := record.ReadPacked(word)
		if err != nil {
			return nil, true, err
		}
		return []*record.Run{r}, true, nil
	}
	return nil, false, nil
}

// OfOneProblem returns the runs for a page. Of a recorded experiment, which has runs at several
// radii and with settings varied one by one, these are the runs of the preset of its name.
func OfOneProblem(args []string, runs []*record.Run) []*record.Run {
	if len(args) != 1 || !recorded.Is(args[0]) || strings.Contains(args[0], "/") {
		return runs
	}
	other := func(r *record.Run) bool {
		return recorded.Scheme+r.Meta.Preset != args[0]
	}
	if of := slices.DeleteFunc(slices.Clone(runs), other); len(of) > 0 {
		return of
	}
	return runs
}
