package console

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
)

// StatusLine returns a line that says how far a run has come, why it ended, and how to continue it.
func (c *Console) StatusLine(r *record.Run) string {
	s := r.Summary()
	line := fmt.Sprintf("%s, step %d", r.Status(), s.Steps)
	if r.Meta.Steps > 0 || r.Meta.Imported == nil { // a log may plan no steps
		line += fmt.Sprintf(" of %d", r.Meta.Steps)
	}
	if fit := r.Refitting(); fit != nil {
		line += ": " + fit.Text()
	}
	if s.Cause != "" {
		line += ": " + strings.TrimPrefix(s.Cause, fmt.Sprintf("step %d: ", s.Steps))
	}
	if r.Status() != runner.Done && r.Status().Ended() {
		line += " (continue with " + c.HowToContinue(r) + ")"
	}
	return line
}

// summaryList is the object that run, runs, show and resume print with --json.
type summaryList struct {
	Runs []*runner.Summary `json:"runs"`
}

// Summaries returns the runs' summaries with lists where a reader of JSON
// expects lists: [] and not null before the first evaluation.
func Summaries(runs []*record.Run) summaryList {
	list := summaryList{Runs: []*runner.Summary{}}
	for _, r := range runs {
		s := *r.Summary()
		s.ByGroup = slices.Clone(s.ByGroup)
		for i := range s.ByGroup {
			if s.ByGroup[i].Numbers == nil {
				s.ByGroup[i].Numbers = []measure.Number{}
			}
		}
		list.Runs = append(list.Runs, &s)
	}
	return list
}
