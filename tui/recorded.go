package tui

import (
	"drolab/presets/recorded"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/lab"
)

// sourceOf returns the Source of the runs that a configuration shows.
func sourceOf(cfg lab.Config) lab.Source {
	switch {
	case cfg.FixedRuns != nil:
		return recordedSource{cfg.FixedRuns}
	case cfg.ReadOnly:
		return recordedSource{
			lab.NoDelete{Source: lab.OpenCatalogued(cfg.RunsDir, cfg.Catalogues, cfg.Shared)}}
	}
	own := lab.OpenCatalogued(cfg.RunsDir, cfg.Catalogues, false)
	if len(cfg.Boxes) == 0 {
		return recordedSource{own}
	}
	return recordedSource{lab.WithBoxes(cfg.UntilLeft(), own, cfg.Boxes, cfg.Catalogues)}
}

// recordedSource finds the runs that the program carries, too, by the words that stand for them.
type recordedSource struct{ lab.Source }

// Unwrap implements lab.Wrapper.
func (s recordedSource) Unwrap() lab.Source { return s.Source }

// Reading says how many runs are read while a folder is listed that has many new ones.
func (s recordedSource) Reading() *runner.Reading {
	if by, ok := lab.Unwrap(s.Source).(lab.Reader); ok {
		return by.Reading()
	}
	return nil
}

// Find implements Source.
func (s recordedSource) Find(id string) (*record.Run, error) {
	if !recorded.Is(id) {
		return s.Source.Find(id)
	}
	runs, err := recorded.Find(id)
	if err != nil {
		return nil, err
	}
	return runs[0], nil
}
