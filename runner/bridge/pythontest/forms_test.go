//go:build unix

package pythontest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"drolab/runner/bridge"
)

// TestForms: samples as other libraries give them have the labels, groups and losses of the same
// samples as x, y, group. The program's log says how they are read. Where the data set stores
// labels and groups, no sample is read for them but the first and the last.
func TestForms(t *testing.T) {
	var want []float64
	var labels []bridge.Array
	for _, c := range []struct{ form, said string }{
		{"plain", ""},
		{"wilds", "fields = {'x': 0, 'y': 1, 'metadata': 2}"},
		{"subpop", "fields = {'x': 1, 'y': 2, 'attribute': 3}"},
		{"hugging", "fields = {'y': 'labels', 'group': 'group'}"},
		{"hugging workers=2", "fields = {'y': 'labels', 'group': 'group'}"},
		{"fields", "fields = {'x': 'in', 'y': 'kind', 'group': 'cell'}"},
	} {
		words := strings.Fields(c.form)
		p := start(t, "peer/forms.py", words...)
		said, got := p.ask(greeting(nil, words...))
		for i := range got {
			got[i].Raw = slices.Clone(got[i].Raw)
		}
		list := p.numbers(losses("train", 0), bridge.Ints(places(1, 16, 60)))
		if want == nil {
			want, labels = list, got
		}
		near(t, c.form, list, want, 1e-6)
		if !slices.EqualFunc(got, labels, func(a, b bridge.Array) bool {
			return string(a.Raw) == string(b.Raw)
		}) {
			t.Errorf("%s: labels or groups %v, want those of the plain form, %v", c.form, got,
				labels)
		}
		names := fmt.Sprint(said["groups"])
		const wilds = "y = 1, place = 2"
		if has := strings.Contains(names, wilds); has != (c.form == "wilds") {
			t.Errorf("%s: the groups are %s; they have %q: %v, want the opposite", c.form, names,
				wilds, has)
		}
		p.close()
		text := p.printed()
		if !strings.Contains(text, c.said) {
			t.Errorf("%s: it prints %q, want it to have %q", c.form, text, c.said)
		}
		if c.said == "" && strings.Contains(text, "fields") {
			t.Errorf("%s: it prints %q, want nothing of fields", c.form, text)
		}
		stored := c.form != "plain" && c.form != "fields"
		if few := strings.Contains(text, "reads 15\n"); few != stored {
			t.Errorf("%s: it prints %q; it reads the fewest samples: %v, want %v", c.form, text,
				few, stored)
		}
	}
}
