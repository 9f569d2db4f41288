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
			t.Errorf("%s: other labels or groups", c.form)
		}
		names := fmt.Sprint(said["groups"])
		if strings.Contains(names, "y = 1, place = 2") != (c.form == "wilds") {
			t.Errorf("%s: the groups are %s", c.form, names)
		}
		p.close()
		text := p.printed()
		stored := c.form != "plain" && c.form != "fields"
		if !strings.Contains(text, c.said) || strings.Contains(text, "fields") != (c.said != "") ||
			strings.Contains(text, "reads 15\n") != stored {
			t.Errorf("%s: it prints %q", c.form, text)
		}
	}
}
