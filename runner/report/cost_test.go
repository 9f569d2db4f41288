package report

import (
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/compare"
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

// TestStatisticsOfLogs: the words about a report's figures claim no epochs where a log plans none,
// and leave it to the other program how its figures came to be.
func TestStatisticsOfLogs(t *testing.T) {
	usual := spec.Defaults()
	m := runner.Meta{Spec: usual.Judging("theirs"), Steps: 600,
		Imported: &runner.Imported{Kind: "csv"}}
	m.Spec.Epochs = 0
	theirs := &arm{label: "theirs", runs: []*loggedRun{{Run: &record.Run{Meta: m}}}}
	m.Imported, m.Spec.Epochs = nil, 4
	own := &arm{label: "ours", runs: []*loggedRun{{Run: &record.Run{Meta: m}}}}
	said := func(a *arm) string {
		p := &Problem{arms: []*arm{a}, Table: &compare.Table{}}
		return (&Report{Problems: []*Problem{p}}).statistics()
	}
	const logs = "Figures of imported logs are those of the programs that wrote them."
	if s := said(theirs); !strings.Contains(s, "(600 steps)") || !strings.HasSuffix(s, logs) {
		t.Errorf("of a log it says: %s", s)
	}
	if s := said(own); !strings.Contains(s, "(4 epochs, 600 steps)") || strings.Contains(s, logs) {
		t.Errorf("of an own run it says: %s", s)
	}
}
