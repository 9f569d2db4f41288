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
	return recordedSource{lab.OpenCatalogued(cfg.RunsDir, cfg.Catalogues, false)}
}

// recordedSource finds the runs that the program carries, too, by the words that stand for them.
type recordedSource struct{ lab.Source }

// Reading says how many runs are read while a folder is listed that has many new ones.
func (s recordedSource) Reading() *runner.Reading {
	source := s.Source
	if shown, ok := source.(lab.NoDelete); ok {
		source = shown.Source
	}
	if by, ok := source.(lab.Reader); ok {
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
