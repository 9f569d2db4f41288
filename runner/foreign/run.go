package foreign

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// longestName bounds the name of a method, in runes.
const longestName = 64

// CheckName returns an error if a method of another program cannot have this name.
func CheckName(name string) error {
	_, err := dro.Find(dro.Algorithm(name))
	unseen := func(r rune) bool { return !unicode.IsPrint(r) }
	switch {
	case err == nil:
		return fmt.Errorf("%q is a method of drolab's own: choose another name", name)
	case strings.TrimSpace(name) != name || name == "" || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, unseen) || utf8.RuneCountInString(name) > longestName:
		return fmt.Errorf("%.80q: want a name of 1 to %d printable characters", name, longestName)
	}
	return nil
}

// Question says how predictions become a run.
type Question struct {
	Method, File, Preset string
	Spec                 spec.Spec     // of the runs that it is compared with
	Data                 *data.Dataset // the data of these runs; nil: not known
	Host                 runner.Host
}

// Store keeps whole runs; runner/record's does.
type Store interface {
	// Add makes a run that is there whole, once fill has written it, or not at all.
	Add(m *runner.Meta, fill func(runner.Recorder) error) error
}

// Import makes a run of predictions and returns its run.json.
func (p *Predictions) Import(store Store, q Question) (*runner.Meta, error) {
	m := p.meta(&q)
	e, err := p.evaluate(m, &q.Spec)
	if err != nil {
		return nil, err
	}
	return m, store.Add(m, func(to runner.Recorder) error {
		state := p.keep()
		state.Eval = e
		events := []runner.Event{runner.NewStatus(runner.Head{}, runner.Running, nil)}
		for _, note := range p.Notes {
			events = append(events, &runner.WarningEvent{Message: note})
		}
		for _, event := range append(events, e) {
			if err := to.Append(event); err != nil {
				return err
			}
		}
		file, err := to.Checkpoint(state)
		return errors.Join(err, to.Append(&runner.CheckpointEvent{File: file}),
			to.Append(runner.NewStatus(runner.Head{}, runner.Done, nil)),
			to.Finish(runner.Summarize(m, runner.Done, 0, e, nil)))
	})
}

// meta returns the content of the run's run.json.
func (p *Predictions) meta(q *Question) *runner.Meta {
	m := &runner.Meta{Preset: cmp.Or(q.Preset, "imported"), Created: time.Now().UTC(),
		Spec: q.Spec.Judging(dro.Algorithm(q.Method)), Host: q.Host,
		Checksum: p.labels(), StepsPerEpoch: 1,
		Imported: &runner.Imported{File: filepath.Base(q.File), Checksum: p.Checksum,
			Columns: p.Columns}}
	m.Classes, m.Groups = p.Classes, p.Groups
	for _, split := range runner.Splits() {
		if of := p.Splits[split]; of != nil {
			*m.ClassCounts.Of(split) = count(of.Labels, len(p.Classes))
			*m.GroupCounts.Of(split) = count(of.Groups, len(p.Groups))
		}
	}
	if p.Splits[runner.SplitVal] == nil {
		m.Spec.ValFraction = 0
	}
	switch at := p.unlike(q.Data); {
	case q.Preset == "":
		m.Spec.Dataset = "imported"
	case at == "":
		m.Checksum = q.Data.Checksum
	default:
		p.Notes = append(p.Notes, fmt.Sprintf("no test is between it and runs on %s: %s",
			m.Spec.Dataset, at))
	}
	m.Imported.Absent = p.absent()
	return m
}

func count(of []int, kinds int) []int {
	if kinds == 0 {
		return nil
	}
	counts := make([]int, kinds)
	for _, k := range of {
		counts[k]++
	}
	return counts
}

// labels identifies the samples by what is known of them: their labels, in their order.
func (p *Predictions) labels() string {
	sum := sha256.New()
	for _, split := range runner.Splits() {
		fmt.Fprintf(sum, "%q %q\n", split, p.Classes)
		if of := p.Splits[split]; of != nil {
			fmt.Fprintln(sum, of.Labels)
		}
	}
	return fmt.Sprintf("labels:%x", sum.Sum(nil)[:16])
}

// unlike says why the rows cannot be the samples of a dataset, in its order. It returns "" if the
// labels, and the groups if both have them, are the same one by one.
func (p *Predictions) unlike(d *data.Dataset) string {
	if d == nil {
		return "its data are not here, so that the order of the rows could not be checked"
	}
	of := map[string]data.Source{runner.SplitTrain: d.Train, runner.SplitVal: d.Val,
		runner.SplitTest: d.Test}
	for _, split := range runner.Splits() {
		rows, src := p.Splits[split], of[split]
		switch {
		case rows == nil:
			continue
		case src == nil || src.Len() != len(rows.Rows):
			have := 0
			if src != nil {
				have = src.Len()
			}
			return fmt.Sprintf("its %s split has %d samples, and the file %d rows of it", split,
				have, len(rows.Rows))
		}
		for i, row := range rows.Rows {
			label, group := src.Label(i), src.Group(i)
			if label != rows.Labels[i] || p.Groups != nil && d.Grouped && group != rows.Groups[i] {
				return fmt.Sprintf("row %d has another label or group than sample %d of its %s "+
					"split: write the rows in that order, as drolab eval does", row+1, i, split)
			}
		}
	}
	return ""
}

// absent lists what is not known, for want of columns or rows.
func (p *Predictions) absent() (list []string) {
	test := p.Splits[runner.SplitTest]
	say := func(when bool, what string) {
		if when {
			list = append(list, what)
		}
	}
	say(test.Losses == nil, "no loss or probabilities: no losses and no robust risk")
	say(test.Confidences == nil, "no probabilities: no calibration error and no AUROC")
	say(p.Splits[runner.SplitVal] == nil, "no validation rows: nothing to select by")
	say(p.Splits[runner.SplitTrain] == nil, "no training rows: no training risk")
	return append(list, "no steps: no curves, dual gap or theory")
}

// evaluate measures the splits as evaluations of runs do.
func (p *Predictions) evaluate(m *runner.Meta, s *spec.Spec) (*runner.EvalEvent, error) {
	problem, err := s.Problem()
	if err != nil {
		return nil, err
	}
	e := &measure.Evaluation{Spec: &m.Spec, Problem: problem, Classes: len(m.Classes),
		Groups: len(m.Groups), Train: &measure.Pass{}}
	for split, to := range map[string]**measure.Pass{runner.SplitTrain: &e.Train,
		runner.SplitVal: &e.Val, runner.SplitTest: &e.Test} {
		of := p.Splits[split]
		if of == nil {
			continue
		}
		*to = &of.Pass
		if of.Losses == nil {
			continue
		}
		ratios := make([]float64, len(of.Losses))
		if err := of.Solve(ratios, problem, m.Spec.RiskRadii); err != nil {
			return nil, fmt.Errorf("%s %w", split, err)
		}
		if split == runner.SplitTrain {
			e.Ratios = ratios
		}
	}
	event := &runner.EvalEvent{}
	event.Fill(m, e)
	return event, nil
}
