package sweep

import (
	"cmp"
	"fmt"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
)

// CheckData returns an error for settings whose runs would have nothing to be chosen by: no
// validation split, or one whose parts are all too small. Paths of datasets are relative to dir;
// dataDir has the downloads. Of settings that share their data, only the first is checked.
//
// It opens no data that are known to have a split. Data that cannot be opened here may be on the
// machine that trains, where each run reports what it lacks. But if data that cannot be opened need
// a split of their own, that is an error, since nobody can tell then whether they have one.
func (f *File) CheckData(dir, dataDir string) (errs []error) {
	list, errs := f.settings()
	known := map[string]bool{}
	for _, s := range list {
		settings := &s.spec
		key := fmt.Sprintf("%s %+v %d", settings.Dataset, settings.DataOptions(dataDir),
			settings.MinGroup)
		if settings.ValFraction > 0 && settings.Select != spec.SelectValWorst || known[key] {
			continue
		}
		known[key] = true
		if err := checkData(settings, dir, dataDir); err != nil {
			line := cmp.Or(f.lines["select"], f.lines["val_fraction"], 1)
			errs = append(errs, fmt.Errorf("%s:%d: %w", f.path, line, err))
		}
	}
	return errs
}

func checkData(s *spec.Spec, dir, dataDir string) error {
	if s.IsProgram() { // it is not started for this check: the run reports what it lacks
		return nil
	}
	d, err := data.Open(data.Locate(s.Dataset, dir), s.DataOptions(dataDir))
	switch {
	case err != nil && s.ValFraction > 0:
		return nil
	case err != nil:
		return fmt.Errorf("select: %s: whether %s has a validation split of its own cannot be "+
			"told: %w; or set a val_fraction above 0, as in set: {val_fraction: 0.1}",
			s.Select, s.Dataset, err)
	}
	defer d.Close()
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
