package watch

import (
	"slices"
	"testing"

	"drolab/dro"
	"drolab/tui/lab"
)

// TestPanels has every panel made of measures that there are, and no view that
// shows nothing.
func TestPanels(t *testing.T) {
	table := panels(standing(), dro.Algorithms())
	drawn := quantities(table)
	for _, p := range table {
		if p.title == "" || len(p.views) == 0 {
			t.Errorf("panel %q has %d views", p.title, len(p.views))
		}
		for _, v := range p.views {
			for _, name := range v.measures() {
				if _, ok := drawn[name]; !ok {
					t.Errorf("%s: no measure is called %q", p.title, name)
				}
			}
			classes := slices.ContainsFunc(lab.ClassMeasures(), func(m lab.Measure) bool { return m.Name == v.bars })
			if classes == (len(v.measures()) > 0) || v.phase != (v.doc != "") {
				t.Errorf("%s: view %q shows curves of %v, bars of %q", p.title, v.name, v.measures(), v.bars)
			}
		}
	}
}
