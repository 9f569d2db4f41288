package report

import (
	"testing"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// TestCostOfImportedRuns: of imported runs a report has the minutes that their logs tell, and
// neither the time of a step nor a ratio. Without times they have no cost.
func TestCostOfImportedRuns(t *testing.T) {
	imported := func(label string, timed bool) *arm {
		usual := spec.Defaults()
		r := &record.Run{Meta: runner.Meta{Spec: usual.Judging("theirs"),
			Imported: &runner.Imported{Kind: "csv"}}}
		return &arm{label: label, runs: []*loggedRun{{Run: r, seconds: 90, timed: timed}}}
	}
	p := &Problem{arms: []*arm{imported("with", true), imported("without", false)}}
	p.costs()
	if len(p.Costs) != 1 || p.Costs[0].Arm != "with" {
		t.Fatalf("the costs are %+v, want those of the log with times", p.Costs)
	}
	c := p.Costs[0]
	if c.Minutes.Float() != 1.5 || c.Step.Finite() || c.Ratio.Mean.Finite() {
		t.Errorf("the cost is %+v, want 1.5 minutes alone", c)
	}
}
