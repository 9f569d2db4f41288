package box

import (
	"context"
	"errors"
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/lists"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// What a start on a box would find there is asked before the start. The box only reads for it. What
// it says is cut and cleaned for a terminal.

// foreseeing asks what runs would warn of.
type foreseeing struct {
	Spec  spec.Spec `json:"spec"` // with one seed
	Parts int       `json:"parts"`
}

// dataset is what a box says of a dataset.
type dataset struct {
	Name      string `json:"name"`
	Purpose   string `json:"purpose,omitempty"`
	Available bool   `json:"available,omitempty"`
	Download  int64  `json:"download,omitempty"` // bytes
}

// Bounds of what a box says.
const (
	mostDatasets = 500
	mostWarnings = 50
	longestName  = 100  // runes, of a dataset or a part of a machine
	longestText  = 1000 // runes
)

// Datasets returns the datasets that the box knows, each with what is needed to use it there.
func (l *Link) Datasets() ([]source.Entry, error) {
	got, err := l.exchange(&ask{Datasets: true})
	if err != nil {
		return nil, l.sayAnswerless(err)
	}
	list := got.Datasets[:min(len(got.Datasets), mostDatasets)]
	return lists.Map(list, func(d dataset) source.Entry {
		return source.Entry{Name: runner.OneLine(d.Name, longestName),
			Purpose: runner.OneLine(d.Purpose, longestText), Available: d.Available,
			Download: max(0, d.Download)}
	}), nil
}

// Foresee returns what runs of s would warn of on the box. s has one seed. The error says why they
// would not start there.
func (l *Link) Foresee(s spec.Spec, parts int) (train.Forecast, error) {
	got, err := l.exchange(&ask{Foresee: &foreseeing{s, parts}})
	switch {
	case err != nil && (got == nil || got.Forecast == nil):
		return train.Forecast{}, l.sayAnswerless(err)
	case got.Forecast == nil:
		return train.Forecast{}, fmt.Errorf("box %s: the answer has no forecast", l.box)
	}
	f := cleanForecast(*got.Forecast)
	for i, warning := range f.Warnings {
		f.Warnings[i] = nameBox(warning, l.box)
	}
	f.Unknown = nameBox(f.Unknown, l.box)
	return f, err
}

// sayAnswerless names the box in the error of a question that was not answered.
func (l *Link) sayAnswerless(err error) error {
	if isUnanswered(err) {
		return fmt.Errorf("box %s: %w", l.box, err)
	}
	return err
}

// cleanForecast returns what a forecast says as a frame has room for it and a terminal may show it.
func cleanForecast(f train.Forecast) train.Forecast {
	line := func(text string) string { return runner.OneLine(text, longestText) }
	return train.Forecast{
		Warnings:    lists.Map(f.Warnings[:min(len(f.Warnings), mostWarnings)], line),
		Unknown:     line(f.Unknown),
		Checkpoints: max(0, f.Checkpoints),
		Bytes:       max(0, f.Bytes),
	}
}

// cleanHello returns what a box says of itself, cut and as a terminal may show it.
func cleanHello(h Hello) *Hello {
	name := func(text string) string { return runner.OneLine(text, longestName) }
	line := func(text string) string { return runner.OneLine(text, longestText) }
	h.Version, h.System, h.CPU, h.RunsDir = name(h.Version), name(h.System), name(h.CPU),
		line(h.RunsDir)
	h.Cores, h.Memory = max(0, h.Cores), max(0, h.Memory)
	h.Advice = h.Advice[:min(len(h.Advice), 4*longestText)]
	return &h
}

// check returns an error unless a question has the form that this side takes.
func (q *foreseeing) check() error {
	const mostParts = 10_000
	switch {
	case q.Spec.Seeds != 1 || len(q.Spec.Algorithms) > len(dro.Algorithms()):
		return errors.New("expected one seed, and each method once")
	case q.Parts < 0 || q.Parts > mostParts:
		return fmt.Errorf("%d parts: expected 0 to %d", q.Parts, mostParts)
	}
	return q.Spec.Validate()
}

// datasets returns the datasets that this machine knows.
func (s *farConversation) datasets() []dataset {
	return lists.Map(source.List(s.DataDir), func(e source.Entry) dataset {
		return dataset{e.Name, e.Purpose, e.Available, e.Download}
	})
}

// foresee returns what runs would warn of here. The error says why they would not start.
func (s *farConversation) foresee(
	ctx context.Context, q *foreseeing,
) (f train.Forecast, err error) {
	if p, ok := q.Spec.Program(); ok && s.Approved != nil {
		err = s.Approved(p.Path)
	}
	if err == nil {
		f, err = train.Foresee(ctx, q.Spec, s.DataDir, q.Parts)
	}
	return cleanForecast(f), err
}
