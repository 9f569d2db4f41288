package certificate

import (
	"testing"

	"drolab/runner"

	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// chosen sets a table whose threshold the validation split chooses.
func chosen(s *spec.Spec) {
	table(s)
	if err := s.Assign("threshold", []byte(`"val_f1"`)); err != nil {
		panic(err)
	}
}

// The decisions of a look at the last checkpoint are those of the run's last evaluation.
func TestDecisionsAreTheEvaluations(t *testing.T) {
	for name, c := range map[string]struct {
		of     *record.Run
		groups bool
	}{"shapes": {trained(t, shapes), false}, "csv:example": {trained(t, table), true},
		"csv:example, at a threshold": {trained(t, chosen), true}} {
		t.Run(name, func(t *testing.T) {
			l, err := NewView(t.Context(), ViewOf{Run: c.of, Step: -1, Split: runner.SplitTest,
				Inspection: Inspection{Threads: 2, Scores: true}})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			d, s := l.Decisions(39, 2, 1), c.of.Summary()
			if len(d.Measures) < 4 {
				t.Errorf("the decisions have the measures %q, want 4 or more", d.Measures.Names())
			}
			if got := len(d.Rates) == 3; got != c.groups {
				t.Errorf("the decisions have the rates %v; are they 3: %v, want %v", d.Rates, got,
					c.groups)
			}
			for _, m := range measure.Decisions() {
				if list := s.ByGroup.Named(m.Name); m.IsList() {
					for g, n := range d.Rates[m.Name] {
						if !n.Applies() || list[g] != n {
							t.Errorf("%s of group %d is %v, want %v, as the run has it", m.Name, g,
								n, list[g])
						}
						i := d.RateIntervals[m.Name][g]
						if i[0].Float() > n.Float() || i[1].Float() < n.Float() {
							t.Errorf("%s of group %d is %v, outside of its interval %v", m.Name, g,
								n, i)
						}
					}
					continue
				}
				if got, want := d.Measures.Named(m.Name), s.Named(m.Name); got != want {
					t.Errorf("%s: %v, the run has %v", m.Name, got, want)
				}
			}
			at := s.Named("threshold")
			if l.Threshold != at {
				t.Errorf("the threshold is %v, want %v, as the run has it", l.Threshold, at)
			}
			if want := c.of.Meta.Spec.Threshold.ByVal(); at.Applies() != want {
				t.Errorf("the run has the threshold %v; want one: %v", at, want)
			}
			if none := l.Decisions(0, 1, 1); none.Intervals != nil {
				t.Errorf("intervals of no draws: %v", none.Intervals)
			}
		})
	}
}
