package sweep

import (
	"cmp"
	"context"
	"fmt"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// CheckData returns an error for settings whose runs would have nothing to be chosen by: no
// validation split, one whose parts are all too small, or one that the method fits its last layer
// to. It also returns an error for methods that the data do not suit, such as one that reads groups
// which are not known. Paths of datasets are relative to dir; dataDir has the downloads. Of
// settings that share their data, only the first is checked for what runs are chosen by, and only
// the first of each method for that method.
//
// It opens no data that are known to have a split. Data that cannot be opened here may be on the
// machine that trains, where each run reports what it lacks. But if data that cannot be opened need
// a split of their own, that is an error, since nobody can tell then whether they have one.
func (f *File) CheckData(ctx context.Context, dir, dataDir string) (errs []error) {
	list, _ := f.settings() // Parse has found no error
	var keys []string
	perMethod := map[dro.Algorithm]int{}
	sharing := map[string][]*spec.Spec{} // the settings that share their data, by key
	for i := range list {
		s := &list[i].spec
		perMethod[s.Algorithm()]++
		m, err := dro.Find(s.Algorithm())
		if s.ValFraction > 0 && s.Select != spec.SelectValWorst && (err != nil || !m.Refits) {
			continue
		}
		key := fmt.Sprintf("%s %+v %d", s.Dataset, s.DataOptions(dataDir), s.MinGroup)
		if sharing[key] == nil {
			keys = append(keys, key)
		}
		sharing[key] = append(sharing[key], s)
	}
	for _, key := range keys {
		errs = append(errs, f.checkSharing(ctx, sharing[key], perMethod, dir, dataDir)...)
	}
	return errs
}

// checkSharing is CheckData for settings that share their data. perMethod counts the settings of
// each method.
func (f *File) checkSharing(
	ctx context.Context, list []*spec.Spec, perMethod map[dro.Algorithm]int, dir, dataDir string,
) (errs []error) {
	first := list[0]
	if first.IsProgram() { // it is not started for this check: the run reports what it lacks
		return nil
	}
	fail := func(line int, err error) {
		errs = append(errs, presets.InFile(f.path, f.path,
			[]presets.LineError{{Line: line, Err: err}})...)
	}
	chosenBy := cmp.Or(f.lines["select"], f.lines["val_fraction"])
	name := source.Locate(first.Dataset, dir)
	d, err := source.OpenContext(ctx, name, first.DataOptions(dataDir))
	switch {
	case err != nil && ctx.Err() != nil:
		return []error{err}
	case err != nil && first.ValFraction > 0:
		return nil
	case err != nil:
		fail(chosenBy, fmt.Errorf("select: %s: whether %s has a validation split of its own "+
			"cannot be told: %w; or set a val_fraction above 0, as in set: {val_fraction: 0.1}",
			first.Select, first.Dataset, err))
		return errs
	}
	defer d.Close()
	if err := checkSelection(first, d); err != nil {
		if f.lines["select"] == 0 {
			err = fmt.Errorf("%w (a file without the key select chooses by %s)", err, first.Select)
		}
		fail(chosenBy, err)
	}
	parts, seen := measure.PartsOf(d), map[dro.Algorithm]bool{}
	for _, s := range list {
		if seen[s.Algorithm()] {
			continue
		}
		seen[s.Algorithm()] = true
		t, _, err := runner.NewTrainer(s, &parts, data.KeysOf(d.Train))
		if n := perMethod[s.Algorithm()]; err == nil && n > 1 && runner.RefitsOnVal(t) {
			err = chosenByNothing(s, n)
		}
		if err != nil {
			fail(cmp.Or(f.lines["algorithms"], f.lines["dataset"]), err)
		}
	}
	return errs
}

// chosenByNothing returns the error of a method that takes the validation split for itself.
func chosenByNothing(s *spec.Spec, settings int) error {
	remedy := "give it one setting, in a sweep of its own"
	m, err := dro.Find(s.Algorithm())
	if err != nil {
		return err
	}
	if key := string(m.Name) + "_split"; m.ReadsKey(key) {
		remedy += fmt.Sprintf(", or set %s to train", key)
	}
	return fmt.Errorf("algorithm %s: its last layer is fitted to the validation split, so nothing "+
		"is left to choose one of its %d settings by: %s", m.Name, settings, remedy)
}

// checkSelection returns an error if runs of s on d would have nothing to be chosen by.
func checkSelection(s *spec.Spec, d *data.Dataset) error {
	switch err := runner.CheckSelection(s, d); {
	case err == nil:
		return nil
	case d.Val == nil:
		return fmt.Errorf("select: %s: %s has no validation split to choose by: set a "+
			"val_fraction above 0, as in set: {val_fraction: 0.1}, or take data that have one",
			s.Select, s.Dataset)
	default:
		return err
	}
}
