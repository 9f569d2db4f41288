package panel

import (
	"slices"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/internal/tuitest"
)

// TestNothingEmptyIsOfferedOfEndedRuns: finished runs from before a measure existed are offered
// neither its curve nor its bars. A run beside them that may still get the measure brings both
// back.
func TestNothingEmptyIsOfferedOfEndedRuns(t *testing.T) {
	a := tuitest.NewArchive(t)
	of := func(dataset string, status runner.Status) *Track {
		m := tuitest.Archived(dro.ERM, 1, dataset, tuitest.Epoch0())
		m.Classes, m.Groups = m.Classes[:2], []string{"coast", "reef"}
		id := "old-" + string(status)
		a.Add(t, id, m, status, "")
		r := tuitest.Found(t, a, id)[0]
		return &Track{RunLog: RunLog{Run: r}, Meta: &r.Meta}
	}
	done, stopped := of("old", runner.Done), of("old", runner.Stopped)
	for _, c := range []struct {
		tracks []*Track
		there  bool
	}{{[]*Track{done}, false}, {[]*Track{done, stopped}, true}} {
		b := &Board{Runs: &Runs{Tracks: c.tracks}, BuiltIn: BuiltIn,
			scales: map[string]*yAxis{}}
		b.Furnish()
		for _, name := range []string{"auroc", "equalised_odds", "group_selection_rate"} {
			offered := slices.ContainsFunc(b.Panels, func(p Panel) bool {
				return slices.ContainsFunc(p.Views, func(v View) bool {
					return v.Bars == name || slices.Contains(v.Curves, name)
				})
			})
			if offered != c.there {
				t.Errorf("%d runs: %s is offered: %v, want %v", len(c.tracks), name, offered,
					c.there)
			}
		}
		for _, name := range []string{"grad_norm", "train_loss"} {
			if _, kept := b.quantities[name]; !kept {
				t.Errorf("%d runs: no curve of %s", len(c.tracks), name)
			}
		}
	}
}
