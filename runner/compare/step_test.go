package compare

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

// selecting gives runs a step that a rule selected, at which every measure is larger by .1.
func selecting(by string) func(*member) {
	return func(m *member) {
		m.meta.Spec.Select = by
		s := &runner.Selected{By: by, Step: 50, Epoch: 2}
		for _, v := range m.summary.Measures {
			s.Measures.Set(v.Name, measure.NumIf(v.Number.Applies(), v.Number.Float()+.1))
		}
		m.summary.Selected = s
	}
}

// TestAt: the selected steps are compared where all runs have one by the same rule, else the last
// steps. What the caller asks for is compared where that is possible. A note says where selected
// steps are left aside.
func TestAt(t *testing.T) {
	last, worst, loss := func(*member) {}, selecting("val_worst"), selecting("val_loss")
	for _, c := range []struct {
		name    string
		a, b    func(*member)
		ask, at string
		rule    string
		note    string
	}{
		{"no selection", last, last, "", Last, "", ""},
		{"no selection, asked for", last, last, Selected, Last, "",
			"some runs have selected no step (erm, sfk): the last ones are compared"},
		{"one rule", worst, worst, "", Selected, "val_worst", ""},
		{"the last, asked for", worst, worst, Last, Last, "", ""},
		{"some", worst, last, "", Last, "",
			"some runs have selected no step (erm): the last ones are compared"},
		{"some, asked for", worst, last, Selected, Last, "",
			"some runs have selected no step (erm): the last ones are compared"},
		{"some, the last asked for", worst, last, Last, Last, "", ""},
		{"two rules", worst, loss, "", Last, "",
			"runs select by different rules (val_loss, val_worst): the last steps are compared"},
		{"two rules, asked for", worst, loss, Selected, Selected,
			"val_loss, val_worst", "runs select by different rules: val_loss, val_worst"},
	} {
		table := tabulate(append(newRuns(dro.SFK, accuraciesA, c.a),
			newRuns(dro.ERM, accuraciesB, c.b)...), Options{At: c.ask})
		got := table.Rows[0].Cells[column(t, table, "worst_class_accuracy")].Mean.Float()
		want := .494425
		if c.at == Selected {
			want += .1
		}
		if table.At != c.at || table.Select != c.rule {
			t.Errorf("%s: at %q by %q, want %q by %q", c.name, table.At, table.Select, c.at, c.rule)
		}
		if !near(got, want) {
			t.Errorf("%s: the worst class is at %g, want %g", c.name, got, want)
		}
		if note := noteOf(table, Selection); note != c.note {
			t.Errorf("%s: note %q, want %q", c.name, note, c.note)
		}
		head := ""
		if c.at == Selected {
			head = "Figures are of the step that each run selected by " + c.rule +
				" on the validation split."
		}
		if table.Head() != head {
			t.Errorf("%s: head %q, want %q", c.name, table.Head(), head)
		}
	}
}

// TestMethodsThatRefit: a method that refits after training stands at its last step in every table.
// It takes no other method from its selected step, and the row and the head say so.
func TestMethodsThatRefit(t *testing.T) {
	last, worst := func(*member) {}, selecting("val_worst")
	const head = "Figures are of the step that each run selected by val_worst on the validation " +
		"split."
	const marked = head + " Methods that refit after training, marked (last), stand at their " +
		"last step."
	imported := func(m *member) { m.meta.Imported = &runner.Imported{File: "p.csv"} }
	for _, c := range []struct {
		name     string
		erm, dfr func(*member) // nil: there is none
		ask, at  string
		means    []float64 // of the worst class, by row
		titles   []string
		head     string
		note     string
	}{
		{"to the validation split", worst, last, "", Selected,
			[]float64{.594425, .475125}, []string{"erm", "dfr (c) (last)"}, marked, ""},
		{"to the validation split, asked for", worst, last, Selected, Selected,
			[]float64{.594425, .475125}, []string{"erm", "dfr (c) (last)"}, marked, ""},
		{"the last, asked for", worst, last, Last, Last,
			[]float64{.494425, .475125}, []string{"erm", "dfr (c)"}, "", ""},
		{"to training samples", worst, worst, "", Selected,
			[]float64{.594425, .475125}, []string{"erm", "dfr (c) (last)"}, marked, ""},
		{"another rule of its own", worst, selecting("val_loss"), "", Selected,
			[]float64{.594425, .475125}, []string{"erm", "dfr (c) (last)"}, marked, ""},
		{"nothing is selected", last, last, "", Last,
			[]float64{.494425, .475125}, []string{"erm", "dfr (c)"}, "", ""},
		{"nothing is selected but by dfr", last, worst, "", Last,
			[]float64{.494425, .475125}, []string{"erm", "dfr (c)"}, "", ""},
		{"nothing is selected, asked for", last, last, Selected, Last,
			[]float64{.494425, .475125}, []string{"erm", "dfr (c)"}, "",
			"some runs have selected no step (erm): the last ones are compared"},
		{"alone", nil, last, "", Last, []float64{.475125}, []string{"dfr (c)"}, "", ""},
		{"alone, asked for", nil, last, Selected, Last, []float64{.475125}, []string{"dfr (c)"},
			"", "every method refits after training: the last steps are compared"},
		{"imported under its name", worst, imported, "", Last,
			[]float64{.494425, .475125}, []string{"erm", "dfr (c)"}, "",
			"some runs have selected no step (dfr): the last ones are compared"},
	} {
		var runs []member
		if c.erm != nil {
			runs = newRuns(dro.ERM, accuraciesA, c.erm)
		}
		table := tabulate(append(runs, newRuns("dfr", accuraciesB, c.dfr)...), Options{At: c.ask})
		at := column(t, table, "worst_class_accuracy")
		var titles, ats []string
		for i, r := range table.Rows {
			titles, ats = append(titles, r.Title()), append(ats, r.At)
			if got := r.Cells[at].Mean.Float(); !near(got, c.means[i]) {
				t.Errorf("%s: %s has %g, want %g", c.name, r.Label, got, c.means[i])
			}
		}
		if !slices.Equal(titles, c.titles) {
			t.Errorf("%s: rows %q, want %q", c.name, titles, c.titles)
		}
		if table.At != c.at || table.Head() != c.head {
			t.Errorf("%s: at %q, head %q, want %q, %q", c.name, table.At, table.Head(), c.at,
				c.head)
		}
		if note := noteOf(table, Selection); note != c.note {
			t.Errorf("%s: note %q, want %q", c.name, note, c.note)
		}
		brief := slices.Contains(table.Brief(), "(last) refits, so it is at its last step")
		if brief != (c.head == marked) {
			t.Errorf("%s: in brief %q, want it to say what refits: %v", c.name, table.Brief(),
				c.head == marked)
		}
		text, err := json.Marshal(table)
		if err != nil {
			t.Fatal(err)
		}
		var back struct {
			At   string
			Rows []struct{ At string }
		}
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if back.At != c.at {
			t.Errorf("%s: JSON has the table at %q, want %q", c.name, back.At, c.at)
		}
		for i, r := range back.Rows {
			if r.At != ats[i] {
				t.Errorf("%s: JSON has row %d at %q, want %q", c.name, i, r.At, ats[i])
			}
			if marked := strings.Contains(c.titles[i], "(last)"); marked != (r.At == Last) {
				t.Errorf("%s: JSON has row %d at %q, named %q", c.name, i, r.At, c.titles[i])
			}
		}
		exact, title := table.Exact().Rows, c.titles[len(c.titles)-1]
		if row := exact[len(exact)-1]; row[1] != title {
			t.Errorf("%s: the last exact row is %q, want one of %q", c.name, row, title)
		}
	}
}

// TestTieRulesAreTold: a table of selected steps says if runs have different rules for evaluations
// that tie. Methods that refit select nothing, and no rule matters at the last steps.
func TestTieRulesAreTold(t *testing.T) {
	worst := selecting("val_worst")
	byLoss := func(m *member) { worst(m); m.meta.Ties = runner.TiesByLoss }
	const told = "runs take different ones of evaluations that tie: 4 of 8 take the first, as " +
		"earlier programs did, and the others that with the lowest val_loss"
	for _, c := range []struct {
		name        string
		sfk, second func(*member)
		method      dro.Algorithm // of the second
		ask, note   string
	}{
		{"one rule", byLoss, byLoss, dro.ERM, "", ""},
		{"the first, in all", worst, worst, dro.ERM, "", ""},
		{"two rules", byLoss, worst, dro.ERM, "", told},
		{"two rules, at the last step", byLoss, worst, dro.ERM, Last, ""},
		{"one rule beside dfr", byLoss, func(*member) {}, "dfr", "", ""},
	} {
		table := tabulate(append(newRuns(dro.SFK, accuraciesA, c.sfk),
			newRuns(c.method, accuraciesB, c.second)...), Options{At: c.ask})
		if note := noteOf(table, Selection); note != c.note {
			t.Errorf("%s: note %q, want %q", c.name, note, c.note)
		}
	}
}
