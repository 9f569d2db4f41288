package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

// TestHolm compares with values computed by hand: of four tests the smallest p is multiplied by 4,
// the next by 3, and so on, and none falls below the one before it.
func TestHolm(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{[]float64{.02, .021}, []float64{.04, .04}}, // .021 × 1 is less than .04
		{[]float64{.6, .7}, []float64{1, 1}},
		{[]float64{nan, .01, .3}, []float64{nan, .03, .6}}, // a test that was not made counts
		{nil, []float64{}},
	} {
		got := Holm(c.p)
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("Holm(%v) = %v, want %v", c.p, got, c.want)
		}
	}
}

// TestFalseStars draws tables in which no method is better than another, and tables in which two
// are equally good and better than the rest. It counts the tables with a star in some class: all of
// these stars are false. They are at most 5 %. With two alike, the uncorrected tests taken class by
// class give a false star in one of five tables; with all alike, having to beat all three others is
// enough.
func TestFalseStars(t *testing.T) {
	const tables = 400
	const most = 28 // 5 % of the tables and two standard deviations
	for _, c := range []struct {
		name  string
		means [4]float64
		naive bool // whether there are too many without correction
	}{{"all alike", [4]float64{.5, .5, .5, .5}, false},
		{"two alike", [4]float64{.9, .9, .1, .1}, true}} {
		random := rand.New(rand.NewPCG(7, 11))
		stars, naive := 0, 0
		for range tables {
			columns := tabulate(noise(c.means, random), Options{}).Columns
			best := func(c Column) bool { return c.Class != "" && c.Tests[0].Best }
			if slices.ContainsFunc(columns, best) {
				stars++
			}
			leads := func(c Column) bool { return c.Class != "" && c.Tests[0].P.Float() < .05 }
			if slices.ContainsFunc(columns, leads) {
				naive++
			}
		}
		t.Logf("%s: %d of %d tables have a false star, %d without correction", c.name, stars,
			tables, naive)
		if stars > most || (naive > most) != c.naive {
			t.Errorf("%s: %d false stars in %d tables, %d without correction", c.name, stars,
				tables, naive)
		}
	}
}

// Equivalence agrees with two one-sided tests by hand: twelve differences of mean .01 and standard
// deviation .02 within ±.025 have t = .015/(.02/√12) = 2.598, p = .0124. A mean beyond the margin
// is not equivalent.
func TestEquivalence(t *testing.T) {
	list := make([]float64, 12)
	for i := range list {
		list[i] = .01 + .02*math.Sqrt(11./12)*float64(1-2*(i%2))
	}
	if got := Equivalence(list, .025); math.Abs(got-.01238) > 1e-4 {
		t.Errorf("p is %.5f, want .0124", got)
	}
	if got := Equivalence(list, .009); got < .5 {
		t.Errorf("a mean beyond the margin has p %.3f", got)
	}
	if got := Equivalence([]float64{1, 1}, 2); got == got {
		t.Errorf("without spread p is %v", got)
	}
}

// Detectable agrees with SciPy's noncentral t: without correction and at the first step of Holm
// over 24, as docs/registration.md gives them, and for four seeds.
func TestDetectable(t *testing.T) {
	for _, c := range []struct {
		n            int
		alpha, power float64
		want         float64
	}{
		{12, .05, .8, .888655145},
		{12, .05 / 24, .8, 1.445730973},
		{4, .05, .8, 2.127949410},
		{4, .05 / 28, .8, 6.652274361},
		{2, .05, .8, 11.549888436},
		{2, .05 / 9, .8, 103.843478619},
		{30, .01, .9, .747740344},
	} {
		if got := Detectable(c.n, c.alpha, c.power); math.Abs(got/c.want-1) > 1e-6 {
			t.Errorf("%d seeds at %g find %.7f with %g, want %.7f", c.n, c.alpha, got, c.power,
				c.want)
		}
	}
}

// The tables have five measures, in which no method differs. Corrected by measure, each measure has
// a false star in at most 5 % of the tables, but many tables have one. Corrected over the table, at
// most 5 % of the tables have one.
func TestFalseStarsOfNullTables(t *testing.T) {
	const tables, most = 400, 28 // as above
	measures := []string{"test_accuracy", "worst_class_accuracy", "test_loss", "train_loss",
		"robust_risk"}
	for family, limit := range map[string][2]int{OneMeasure: {most + 1, tables},
		AllMeasures: {0, most}} {
		random := rand.New(rand.NewPCG(3, 5))
		starred, byMeasure := 0, map[string]int{}
		for range tables {
			any := false
			for _, c := range tabulate(nothing(measures, random), Options{Family: family}).Columns {
				if len(c.Tests) > 0 && c.Tests[0].Best {
					any = true
					byMeasure[c.Name]++
				}
			}
			if any {
				starred++
			}
		}
		t.Logf("by %s: %d of %d tables have a false star; %v", family, starred, tables, byMeasure)
		if starred < limit[0] || starred > limit[1] {
			t.Errorf("by %s: %d of %d tables have a false star, want %d to %d", family,
				starred, tables, limit[0], limit[1])
		}
		for name, n := range byMeasure {
			if n > most {
				t.Errorf("by %s: %s has a false star in %d of %d tables", family, name, n, tables)
			}
		}
	}
}

// nothing returns four seeds of each of two methods that differ only by chance.
func nothing(measures []string, random *rand.Rand) (runs []member) {
	for _, algorithm := range dro.PaperMethods()[:2] {
		runs = append(runs, newRuns(algorithm, make([]float64, 4), func(m *member) {
			m.summary.ByGroup = nil
			for _, name := range measures {
				m.summary.Measures.Set(name, measure.Num(.5+.01*random.NormFloat64()))
			}
		})...)
	}
	return runs
}

// Rows that are not tested have no star, and do not change the other rows' tests.
func TestTestedRowsAlone(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	all := noise([4]float64{.9, .1, .5, .99}, random)
	own := func(m *runner.Meta) bool {
		return slices.Contains(dro.PaperMethods()[:2], m.Spec.Algorithm())
	}
	some := slices.DeleteFunc(slices.Clone(all), func(m member) bool { return !own(m.meta) })
	table, alone := tabulate(all, Options{Tested: own}), tabulate(some, Options{})
	for c, column := range table.Columns {
		if !slices.EqualFunc(column.Tests, alone.Columns[c].Tests, func(a, b Test) bool {
			return a.Best == b.Best && a.Adjusted == b.Adjusted && len(a.Rows) == len(b.Rows)
		}) {
			t.Errorf("%s %s: %+v, alone %+v", column.Name, column.Class, column.Tests,
				alone.Columns[c].Tests)
		}
	}
}

// noise returns four seeds of each of four methods with these mean accuracies in each of five
// classes.
func noise(means [4]float64, random *rand.Rand) (runs []member) {
	for a, algorithm := range dro.PaperMethods() {
		runs = append(runs, newRuns(algorithm, make([]float64, 4), func(m *member) {
			m.meta.Classes = []string{"a", "b", "c", "d", "e"}
			values := make([]measure.Number, len(m.meta.Classes))
			for i := range values {
				values[i] = measure.Num(means[a] + .01*random.NormFloat64())
			}
			m.summary.ByGroup = measure.Lists{{Name: "class_accuracy", Numbers: values}}
		})...)
	}
	return runs
}

// at gives runs another set or radius, for which the same network has other figures.
func at(set string, rho float64) func(*member) {
	return func(m *member) {
		m.meta.Spec.Uncertainty, m.meta.Spec.Rho = set, rho
		m.meta.ID += fmt.Sprint("-", set, rho)
		risk := m.summary.Named("robust_risk").Float() + rho
		m.summary.Measures.Set("robust_risk", measure.Num(risk))
		m.summary.Measures.Set("full_grad_norm", measure.Num(risk))
	}
}

// TestQuestions: a network is not better than itself because it is measured at another radius, on
// other data, or by its own method's objective.
func TestQuestions(t *testing.T) {
	const chi, kl = "chi2", "kl"
	of := func(a dro.Algorithm) func([]float64, string, float64) []member {
		return func(worst []float64, set string, rho float64) []member {
			return newRuns(a, worst, at(set, rho))
		}
	}
	sfk, erm := of(dro.SFK), of(dro.ERM)
	a, b := accuraciesA, accuraciesB
	for _, c := range []struct {
		name string
		runs []member
		want map[string]string // rows that are marked, by measure
		note NoteKind
	}{
		{"one problem", slices.Concat(sfk(a, chi, .5), erm(b, chi, .5)),
			map[string]string{"robust_risk": "sfk", "worst_class_accuracy": "sfk",
				"full_grad_norm": ""}, ""},
		{"one name of χ² is as good as the other",
			slices.Concat(sfk(a, chi, .5), erm(b, "cressie-read", .5)),
			map[string]string{"robust_risk": "sfk"}, ""},
		{"two radii", slices.Concat(sfk(a, chi, .5), sfk(b, chi, 1.5)),
			map[string]string{"robust_risk": "", "worst_class_accuracy": "ρ .5"}, Problem},
		{"two sets", slices.Concat(sfk(a, chi, .5), sfk(b, kl, .5)),
			map[string]string{"robust_risk": "", "worst_class_accuracy": "uncertainty chi2"},
			Problem},
		{"a set without a radius",
			slices.Concat(sfk(a, "cvar", .5), erm(b, "cvar", 1.5)),
			map[string]string{"robust_risk": "sfk"}, ""}, // and ρ names no row
		{"a winner at each radius", slices.Concat(
			sfk(a, chi, .5), erm(b, chi, .5),
			sfk(b, chi, 1.5), erm(a, chi, 1.5)),
			map[string]string{"robust_risk": "sfk ρ .5 erm ρ 1.5", "worst_class_accuracy": ""},
			Problem},
		{"other data", slices.Concat(newRuns(dro.SFK, accuraciesA),
			newRuns(dro.ERM, accuraciesB, func(m *member) { m.meta.Checksum = "sha256:1" })),
			map[string]string{"worst_class_accuracy": "", "robust_risk": ""}, Dataset},
	} {
		table := tabulate(c.runs, Options{})
		for name, want := range c.want {
			if got := strings.Join(starred(table, column(t, table, name)), " "); got != want {
				t.Errorf("%s: %s marked in %q, want %q", c.name, name, got, want)
			}
		}
		if slices.Contains(kinds(table), Problem) != (c.note == Problem) ||
			c.note != "" && !slices.Contains(kinds(table), c.note) {
			t.Errorf("%s: notes %v, want one about %q", c.name, table.Notes, c.note)
		}
	}
	table := tabulate(slices.Concat(sfk(a, chi, .5),
		sfk(b, chi, 1.5)), Options{})
	risk := table.Columns[column(t, table, "robust_risk")]
	norm := table.Columns[column(t, table, "full_grad_norm")]
	if len(risk.Tests)+len(norm.Tests)+risk.Family != 0 || table.Rows[1].Problem != "χ², ρ=1.5" {
		t.Errorf("tested %+v, %+v; problem %q", risk, norm, table.Rows[1].Problem)
	}
	i := slices.IndexFunc(table.Notes, func(n Note) bool { return n.Kind == Problem })
	if !strings.HasPrefix(table.Notes[i].Text, "runs differ in set or radius (χ², ρ=0.5; χ², "+
		"ρ=1.5): the same network has another robust risk and excess risk and dual gap and "+
		"penalised gap at each, so only runs with the same set and radius are tested") {
		t.Errorf("note %q", table.Notes[i].Text)
	}
}

// TestMarksOfKnowledge: the title of a method that weighs groups or classes says so.
func TestMarksOfKnowledge(t *testing.T) {
	given := func(m *member) { m.meta.Groups = []string{"north", "south"} }
	table := tabulate(append(newRuns(dro.SFK, accuraciesB, given),
		newRuns("group", accuraciesA, given)...), Options{})
	if a, b := table.Rows[0], table.Rows[1]; a.Title() != "sfk" || a.Uses != "" ||
		b.Title() != "group (g)" || b.Label != "group" || b.Uses != "groups" {
		t.Errorf("rows %+v", table.Rows)
	}
	table = tabulate(append(newRuns(dro.SFK, accuraciesB), newRuns("group", accuraciesA)...),
		Options{})
	if r := table.Rows[1]; r.Title() != "group (c)" || r.Uses != "classes" {
		t.Errorf("row %+v", r)
	}
	if i := slices.IndexFunc(table.Notes, func(n Note) bool { return n.Kind == Seen }); i < 0 ||
		table.Notes[i].Text != "group (c) uses classes, which an uncertainty set does not know" {
		t.Errorf("notes %+v", table.Notes)
	}
}

// TestMissing: a note names each mean over fewer runs than its row has.
func TestMissing(t *testing.T) {
	runs := newRuns(dro.SFK, accuraciesA)
	runs[1].summary.Measures.Set("robust_risk", measure.Number{})
	table := tabulate(append(runs, newRuns(dro.ERM, accuraciesB)...), Options{})
	want := []Note{{Kind: Missing, Text: "robust_risk is of some runs only (sfk: 3 of 4)"}}
	if !reflect.DeepEqual(table.Notes, want) {
		t.Errorf("notes %+v, want %+v", table.Notes, want)
	}
}

// TestLegend: the signs that a table prints are explained, and no other signs.
func TestLegend(t *testing.T) {
	four := slices.Concat(newRuns(dro.SFK, accuraciesA), newRuns(dro.PGD, accuraciesC),
		newRuns("group", accuraciesB), newRuns(dro.ERM, accuraciesB))
	for _, c := range []struct {
		runs          []member
		legend, brief string
	}{
		{four, "± is half the width of the mean's 95 % t interval over seeds.\n" +
			"* is better than every other in its row: two-sided t tests, paired over common " +
			"seeds, else Welch's; p < 0.05 after Holm's correction for all pairs (6, or 12 " +
			"over all classes, groups or radii), each measure by itself.",
			"± 95 % t interval over seeds\n* beats all others, p < 0.05 after Holm\n" +
				"(c) uses classes"},
		{newRuns(dro.SFK, accuraciesA),
			"± is half the width of the mean's 95 % t interval over seeds.",
			"± 95 % t interval over seeds"},
		{newRuns(dro.SFK, accuraciesA[:1]), "", ""},
	} {
		table := tabulate(c.runs, Options{})
		if got := strings.Join(table.Legend(), "\n"); got != c.legend {
			t.Errorf("legend %q, want %q", got, c.legend)
		}
		if got := strings.Join(table.Brief(), "\n"); got != c.brief {
			t.Errorf("brief %q, want %q", got, c.brief)
		}
	}
	radii := tabulate(append(newRuns(dro.SFK, accuraciesA, at("chi2", 1)), four...), Options{})
	if got := radii.Legend()[1]; !strings.Contains(got,
		"in its row (of the same set and radius, where") {
		t.Errorf("legend %q", got)
	}
	if got := radii.Brief(); !slices.Contains(got,
		"measures of the set: among the same set and ρ") {
		t.Errorf("brief %q", got)
	}
	lines := tabulate(append(four, newRuns(dro.SFK, accuraciesA, at("chi2", 1))...),
		Options{}).Legend()
	if lines[len(lines)-1] != "No star: full gradient norm, since each run has its own objective." {
		t.Errorf("legend %q", lines)
	}
}

// radii gives runs a radius of their own, and robust risks at other radii.
func radii(rho float64, at ...float64) func(*member) {
	return func(m *member) {
		m.meta.Spec.Rho, m.meta.Spec.RiskRadii = rho, at
		m.meta.ID += fmt.Sprint("-", rho)
		var risks []measure.Number
		for _, r := range at {
			risks = append(risks, measure.Num(m.summary.Named("test_loss").Float()+r))
		}
		m.summary.ByGroup.Set("robust_risk_at", risks)
	}
}

// TestCommonRadii: runs with unlike lists of radii are compared at the radii that all of them have,
// whatever the place in the list, and only there.
func TestCommonRadii(t *testing.T) {
	table := tabulate(append(newRuns(dro.SFK, accuraciesA, radii(.5, .1, .5, 1)),
		newRuns(dro.SFK, accuraciesB, radii(1.5, .5, 1, 2))...), Options{})
	var places []string
	for c, col := range table.Columns {
		if col.Name != "robust_risk_at" {
			continue
		}
		places = append(places, col.Class)
		if got := starred(table, c); !slices.Equal(got, []string{"ρ .5"}) || col.Family != 2 {
			t.Errorf("R at %s: marked %q of %d tests", col.Class, got, col.Family)
		}
	}
	if !slices.Equal(places, []string{"0.5", "1"}) {
		t.Errorf("compared at the radii %q", places)
	}
	// The radius .5 is second in one list and first in the other.
	c := column(t, table, "robust_risk_at")
	a, b := table.Rows[0].Cells[c].Mean.Float(), table.Rows[1].Cells[c].Mean.Float()
	if !near(a, 2-.494425+.5) || !near(b, 2-.475125+.5) {
		t.Errorf("R at 0.5 is %g and %g", a, b)
	}
	if got := starred(table, column(t, table, "robust_risk")); got != nil {
		t.Errorf("robust risk at unlike radii is marked in %q", got)
	}
	for name, runs := range map[string][]member{
		"one radius": append(newRuns(dro.SFK, accuraciesA, radii(.5, .5, 1)),
			newRuns(dro.ERM, accuraciesB, radii(.5, .5, 1))...),
		"none in common": append(newRuns(dro.SFK, accuraciesA, radii(.5, .1)),
			newRuns(dro.SFK, accuraciesB, radii(1.5, 2))...),
	} {
		for _, col := range tabulate(runs, Options{}).Columns {
			if col.Name == "robust_risk_at" {
				t.Errorf("%s: there is a column for R at %s", name, col.Class)
			}
		}
	}
}

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
		if table.At != c.at || table.Select != c.rule || !near(got, want) {
			t.Errorf("%s: at %q by %q: %g, want %q by %q: %g", c.name, table.At, table.Select, got,
				c.at, c.rule, want)
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

// noteOf returns the text of the only note of a kind, or "".
func noteOf(t *Table, kind NoteKind) string {
	i := slices.IndexFunc(t.Notes, func(n Note) bool { return n.Kind == kind })
	if i < 0 {
		return ""
	}
	return t.Notes[i].Text
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
			t.Errorf("%s: in brief %q", c.name, table.Brief())
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
		for i, r := range back.Rows {
			if back.At != c.at || r.At != ats[i] ||
				(r.At == Last) != strings.Contains(c.titles[i], "(last)") {
				t.Errorf("%s: JSON has the table at %q, row %d at %q", c.name, back.At, i, r.At)
			}
		}
		if exact := table.Exact().Rows; exact[len(exact)-1][1] != c.titles[len(c.titles)-1] {
			t.Errorf("%s: exact rows %q", c.name, exact[len(exact)-1])
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
