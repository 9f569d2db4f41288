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
	"time"

	"github.com/google/go-cmp/cmp"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
)

// The worst-class accuracies of four seeds. The values that the tests expect of them are from scipy
// 1.17.1 (ttest_rel, ttest_ind with equal_var=False, t.ppf).
var (
	accuraciesA = []float64{.4936, .5012, .4871, .4958}
	accuraciesB = []float64{.4705, .4811, .4699, .4790}
	accuraciesC = []float64{.4950, .4820, .5010}
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

func TestStatistics(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"paired p", PairedT(accuraciesA, accuraciesB), 0.0009440804932194916},
		{"Welch p", welchT(accuraciesA, accuraciesC), 0.7985194849928787},
		{"Welch p, symmetric", welchT(accuraciesC, accuraciesA), 0.7985194849928787},
	} {
		if !near(c.got, c.want) {
			t.Errorf("%s = %.17g, want %.17g", c.what, c.got, c.want)
		}
	}
	for _, c := range []struct {
		values            []float64
		level, mean, half float64
	}{
		{accuraciesA, .95, 0.494425, 0.009284142812009212},
		{accuraciesA, .99, 0.494425, 0.01703967042382647},
		{[]float64{1, 2}, .95, 1.5, 6.353102368087347},
		{[]float64{3}, .95, 3, math.NaN()},
		{nil, .95, math.NaN(), math.NaN()},
	} {
		mean, half := TInterval(c.values, c.level)
		if !same(mean, c.mean) || !same(half, c.half) {
			t.Errorf("TInterval(%v, %g) = %.17g ± %.17g, want %.17g ± %.17g",
				c.values, c.level, mean, half, c.mean, c.half)
		}
	}
}

// TestHalfWidth checks against closed forms for 2, 3 and 5 values (Shaw 2006, J.
// Computational Finance 9), printed tables and the normal limit.
func TestHalfWidth(t *testing.T) {
	for _, p := range []float64{0.51, 0.75, 0.9, 0.975, 0.995, 0.99999} {
		alpha := 4 * p * (1 - p)
		q := math.Cos(math.Acos(math.Sqrt(alpha))/3) / math.Sqrt(alpha)
		for n, want := range map[int]float64{
			2: math.Tan(math.Pi * (p - 0.5)),
			3: (2*p - 1) / math.Sqrt(alpha/2),
			5: 2 * math.Sqrt(q-1),
		} {
			if got := HalfWidth(n, 2*p-1); math.Abs(got-want) > 1e-9*want {
				t.Errorf("HalfWidth(%d, %v) = %.15g, want %.15g", n, 2*p-1, got, want)
			}
		}
	}
	for n, want := range map[int]float64{
		4: 3.182446305, 6: 2.570581836, 7: 2.446911851, 10: 2.262157163, 11: 2.228138852,
		20: 2.093024054, 31: 2.042272456, 61: 2.000297822, 121: 1.979930405,
	} {
		if got := HalfWidth(n, 0.95); math.Abs(got-want) > 1e-9 {
			t.Errorf("HalfWidth(%d, 0.95) = %.10f, want %.9f", n, got, want)
		}
	}
	normal := math.Sqrt2 * math.Erfinv(0.95)
	if got := HalfWidth(1e7, 0.95); math.Abs(got-normal) > 1e-6 {
		t.Errorf("HalfWidth(1e7, 0.95) = %v, want the normal %v", got, normal)
	}
}

func same(a, b float64) bool { return near(a, b) || math.IsNaN(a) && math.IsNaN(b) }

// TestNoSpread: values without spread, up to rounding, are no evidence.
func TestNoSpread(t *testing.T) {
	for _, p := range []float64{
		PairedT([]float64{.3, .4}, []float64{.2, .3}), // differences equal but for the last bit
		PairedT([]float64{1, 1}, []float64{0, 0}),
		welchT([]float64{1, 1}, []float64{0, 0}),
	} {
		if !math.IsNaN(p) {
			t.Errorf("p = %g, want none", p)
		}
	}
}

// newRun returns a finished run with the given worst-class accuracy.
func newRun(a dro.Algorithm, seed uint64, worst float64, change ...func(*member)) member {
	spec := spec.Defaults()
	spec.Algorithms, spec.Seed = []dro.Algorithm{a}, seed
	meta := &runner.Meta{
		ID: fmt.Sprintf("shapes-%s-s%d", a, seed), Spec: spec,
		Parts: measure.Parts{Classes: []string{"circle", "star"}},
		Steps: 100, Created: time.Unix(1000, 0),
	}
	m := member{meta: meta, summary: runner.Summarize(meta, runner.Done, 100, &runner.EvalEvent{
		Values: measure.Values{
			{Name: "train_loss", Number: measure.Num(1 - worst)},
			{Name: "test_loss", Number: measure.Num(2 - worst)},
			{Name: "test_accuracy", Number: measure.Num(worst + .1)},
			{Name: "worst_class_accuracy", Number: measure.Num(worst)},
			{Name: "robust_risk", Number: measure.Num(3 - worst)},
			{Name: "dual_gap", Number: measure.NumIf(a != dro.ERM, worst/10)},
		},
		ByGroup: measure.Lists{
			{Name: "class_accuracy",
				Numbers: []measure.Number{measure.Num(worst + .2), measure.Num(worst)}},
		},
	}, nil)}
	for _, c := range change {
		c(&m)
	}
	return m
}

func newRuns(a dro.Algorithm, worst []float64, change ...func(*member)) (list []member) {
	for i, w := range worst {
		list = append(list, newRun(a, uint64(i+1), w, change...))
	}
	return list
}

func column(t *testing.T, table *Table, name string) int {
	t.Helper()
	c := slices.IndexFunc(table.Columns, func(c Column) bool { return c.Name == name })
	if c < 0 {
		t.Fatalf("no column %s in %v", name, table.Columns)
	}
	return c
}

// starred returns the labels of the rows that are marked as best in column c.
func starred(table *Table, c int) (labels []string) {
	for _, r := range table.Rows {
		if r.Cells[c].Best {
			labels = append(labels, r.Label)
		}
	}
	return labels
}

func kinds(table *Table) (list []NoteKind) {
	for _, n := range table.Notes {
		list = append(list, n.Kind)
	}
	return list
}

func TestTable(t *testing.T) {
	table := tabulate(slices.Concat(newRuns(dro.ERM, accuraciesB), newRuns(dro.SFK, accuraciesA)),
		Options{})
	if got, want := labels(table), []string{"sfk", "erm"}; !slices.Equal(got, want) {
		t.Fatalf("rows %v, want %v", got, want)
	}
	if !slices.Equal(table.Keys, []string{"algorithms"}) || len(table.Notes) != 0 {
		t.Errorf("keys %v, notes %v, want [algorithms] and none", table.Keys, table.Notes)
	}
	var names []string
	for _, c := range table.Columns {
		names = append(names, strings.TrimSpace(c.Name+" "+c.Class))
	}
	want := []string{"class_accuracy circle", "class_accuracy star", "worst_class_accuracy",
		"test_accuracy", "train_loss", "test_loss", "robust_risk", "dual_gap"}
	if !slices.Equal(names, want) {
		t.Errorf("columns %v, want %v", names, want)
	}
	c := column(t, table, "worst_class_accuracy")
	cell := table.Rows[0].Cells[c]
	if cell.N != 4 || !cell.Best {
		t.Errorf("the best cell is of %d seeds, best: %v, want 4, best", cell.N, cell.Best)
	}
	col, other := table.Columns[c], table.Rows[1].Cells[c]
	if col.Family != 1 || len(col.Tests) != 1 {
		t.Fatalf("a family of %d with the tests %+v, want one", col.Family, col.Tests)
	}
	if !col.Tests[0].Best {
		t.Errorf("the test %+v is not one of the best row", col.Tests[0])
	}
	if cell.P.Applies() {
		t.Errorf("the best cell has p %v, want none", cell.P)
	}
	// Two classes are two tests: the correction covers both.
	class := table.Columns[0]
	if class.Family != 2 {
		t.Errorf("the family of a class has %d tests, want 2", class.Family)
	}
	const p = 0.0009440804932194916
	for _, n := range []struct {
		what string
		got  measure.Number
		want float64
	}{
		{"the mean", cell.Mean, 0.494425},
		{"the deviation", cell.Std, 0.00583459510163302},
		{"half of the interval", cell.Half, 0.009284142812009212},
		{"p of the test", col.Tests[0].P, p},
		{"p of the other cell", other.P, p},
		{"adjusted p of the other cell", other.Adjusted, p},
		{"adjusted p of a class", class.Tests[0].Adjusted, 2 * p},
	} {
		if !near(n.got.Float(), n.want) {
			t.Errorf("%s is %v, want %v", n.what, n.got, n.want)
		}
	}
	for _, name := range []string{"train_loss", "test_loss", "robust_risk"} { // less is better
		if best := starred(table, column(t, table, name)); !slices.Equal(best, []string{"sfk"}) {
			t.Errorf("%s: marked %q, want sfk", name, best)
		}
	}
	gap := column(t, table, "dual_gap")
	erm := table.Rows[1].Cells[gap]
	if erm.N != 0 || erm.Mean.Applies() {
		t.Errorf("the dual gap of erm is %v of %d seeds, want none", erm.Mean, erm.N)
	}
	if tests := table.Columns[gap].Tests; len(tests) != 0 {
		t.Errorf("the dual gap has the tests %+v, want none", tests)
	}
}

// labels returns the labels of the rows.
func labels(table *Table) (list []string) {
	for _, r := range table.Rows {
		list = append(list, r.Label)
	}
	return list
}

// TestOwnValues: the programs' own values stand at the end, and a value without a better side is
// not tested.
func TestOwnValues(t *testing.T) {
	gives := func(name string, values []float64) func(*member) {
		return func(m *member) {
			m.meta.User.Lower = []string{"user.a"}
			m.summary.Measures.Set(name, measure.Num(values[m.seed()-1]))
		}
	}
	table := tabulate(slices.Concat(
		newRuns(dro.ERM, accuraciesB, gives("user.a", accuraciesB), gives("user.b", accuraciesB)),
		newRuns(dro.SFK, accuraciesA, gives("user.a", accuraciesA), gives("user.b", accuraciesA))),
		Options{})
	a, b := column(t, table, "user.a"), column(t, table, "user.b")
	if best := starred(table, a); !slices.Equal(best, []string{"erm"}) {
		t.Errorf("user.a: marked %q, want erm", best)
	}
	if best := starred(table, b); len(best) > 0 {
		t.Errorf("user.b: marked %q, want none", best)
	}
	if table.Columns[a].Neutral || !table.Columns[b].Neutral {
		t.Errorf("user.a and user.b are neutral: %v and %v, want user.b alone",
			table.Columns[a].Neutral, table.Columns[b].Neutral)
	}
	if tests := table.Columns[b].Tests; len(tests) > 0 {
		t.Errorf("user.b has the tests %+v, want none", tests)
	}
	if last := len(table.Columns) - 1; b != last {
		t.Errorf("user.b is column %d, want %d, the last", b, last)
	}
	if mean := table.Rows[0].Cells[b].Mean.Float(); !near(mean, 0.494425) {
		t.Errorf("user.b of sfk is %v, want 0.494425", mean)
	}
}

// TestMarks: the best is marked only where the tests allow it.
func TestMarks(t *testing.T) {
	nan := []float64{.6, math.NaN(), .6, .61}
	for _, c := range []struct {
		name string
		runs []member
		best string
		note NoteKind
	}{
		{name: "one seed", note: Seeds,
			runs: slices.Concat(newRuns(dro.SFK, []float64{.9}), newRuns(dro.ERM, []float64{.1}))},
		{name: "one seed against four", note: Seeds,
			runs: slices.Concat(newRuns(dro.SFK, []float64{.9}), newRuns(dro.ERM, accuraciesB))},
		{name: "too close", note: Seeds,
			runs: slices.Concat(newRuns(dro.SFK, accuraciesA), newRuns(dro.PGD, accuraciesC))},
		{name: "better than one of two", note: Seeds,
			runs: slices.Concat(newRuns(dro.SFK, accuraciesA), newRuns(dro.PGD, accuraciesC),
				newRuns(dro.ERM, accuraciesB))},
		{name: "worse counts as well", best: "erm",
			runs: slices.Concat(newRuns(dro.SFK, accuraciesB), newRuns(dro.ERM, accuraciesA))},
		{name: "no common seed", best: "sfk", note: Seeds,
			runs: slices.Concat(newRuns(dro.SFK, accuraciesA),
				newRuns(dro.ERM, accuraciesB, func(m *member) {
					m.meta.Spec.Seed += 10
					m.meta.ID += "0"
				}))},
		{name: "diverged", note: NotFinite,
			runs: slices.Concat(newRuns(dro.SFK, accuraciesA), newRuns(dro.ERM, nan))},
		// The mean of the lead depends on seed 3, which the other row does not have.
		{name: "leads by other seeds only", runs: slices.Concat(
			newRuns(dro.SFK, []float64{.50, .51, .99}), newRuns(dro.ERM, []float64{.60, .6101}))},
		{name: "alone", runs: newRuns(dro.SFK, accuraciesA)},
	} {
		table := tabulate(c.runs, Options{})
		best := strings.Join(starred(table, column(t, table, "worst_class_accuracy")), " ")
		if best != c.best {
			t.Errorf("%s: marked %q, want %q", c.name, best, c.best)
		}
		if c.note != "" && !slices.Contains(kinds(table), c.note) {
			t.Errorf("%s: notes %v, want one about %s", c.name, table.Notes, c.note)
		}
	}
}

func TestGroups(t *testing.T) {
	radius := func(rho float64) func(*member) {
		return func(m *member) { m.meta.Spec.Rho = rho; m.meta.ID += fmt.Sprint("-", rho) }
	}
	// A fork with another lr goes on from its parent's λ, which is not needed in its label.
	fork := func(m *member) {
		m.meta.Spec.LR, m.meta.Spec.Lambda = .5, 1.0057262254404002
		m.meta.ID += "-fork"
	}
	often := func(m *member) { m.meta.Spec.LogEvery = int(m.seed()) } // no group of its own
	for _, c := range []struct {
		runs []member
		want []string
	}{
		{newRuns(dro.SFK, accuraciesA, often), []string{"sfk"}},
		{slices.Concat(newRuns(dro.SFK, accuraciesA, radius(10)),
			newRuns(dro.SFK, accuraciesB, radius(2))), []string{"ρ 2", "ρ 10"}},
		{slices.Concat(newRuns(dro.PGD, accuraciesA, radius(2)),
			newRuns(dro.SFK, accuraciesB, radius(10)), newRuns(dro.SFK, accuraciesB, radius(2))),
			[]string{"sfk ρ 2", "sfk ρ 10", "pgd"}},
		{slices.Concat(newRuns(dro.PGD, accuraciesA), newRuns(dro.PGD, accuraciesB, fork),
			newRuns(dro.ERM, accuraciesA)), []string{"pgd lr .01", "pgd lr .5", "erm"}},
		{newRuns(dro.SFK, nil), nil},
	} {
		if got := labels(tabulate(c.runs, Options{})); !slices.Equal(got, c.want) {
			t.Errorf("rows %v, want %v", got, c.want)
		}
	}
}

func TestNotes(t *testing.T) {
	base := newRuns(dro.SFK, accuraciesA)
	with := func(change func(*member)) []member {
		return append(slices.Clone(base), newRuns(dro.ERM, accuraciesB, change)...)
	}
	for _, c := range []struct {
		change func(*member)
		kind   NoteKind
		text   string
	}{
		{func(m *member) { m.meta.Spec.Epochs = 7 }, Budget,
			"runs differ in epochs (50, 7): budgets are not the same"},
		{func(m *member) { m.meta.Steps = 99 }, Budget, "steps (100, 99)"},
		{func(m *member) { m.meta.Spec.Dataset = "mnist" }, Dataset, "dataset (mnist, shapes)"},
		{func(m *member) { m.meta.Checksum = "sha256:1" }, Dataset, "dataset checksum"},
		{func(m *member) { m.meta.Classes = []string{"a"} }, Dataset, "no columns per class"},
		{func(m *member) { m.meta.Spec.Model = "mlp" }, Model, "model (convnet, mlp)"},
		{func(m *member) { m.meta.Host.Kernel = "avx512" }, Code, "avx512"},
		{func(m *member) { m.meta.Host.Version = "abc+changes" }, Code, "abc+changes"},
		{func(m *member) { m.meta.Spec.Seed += 6 }, Seeds, "(sfk: s1 s2 s3 s4, erm: s7 s8 s9 s10)"},
	} {
		table := tabulate(with(c.change), Options{})
		i := slices.IndexFunc(table.Notes, func(n Note) bool { return n.Kind == c.kind })
		if i < 0 || !strings.Contains(table.Notes[i].Text, c.text) {
			t.Errorf("notes %v, want %s: %q", table.Notes, c.kind, c.text)
		}
	}
	given := func(m *member) { m.meta.Groups = []string{"north", "south"} }
	group := tabulate(append(slices.Clone(base), newRuns("group", accuraciesB, given)...),
		Options{})
	i := slices.IndexFunc(group.Notes, func(n Note) bool { return n.Kind == Seen })
	if i < 0 {
		t.Fatalf("no note says what group knows: %+v", group.Notes)
	}
	const uses = "group sees group labels (g)"
	if n := group.Notes[i]; !strings.HasPrefix(n.Text, uses) || len(n.Runs) != len(base) {
		t.Errorf("the note is %q of %d runs, want %q of %d", n.Text, len(n.Runs), uses, len(base))
	}
	otherClasses := with(func(m *member) { m.meta.Classes = []string{"a"} })
	if table := tabulate(otherClasses, Options{}); table.Columns[0].Class != "" {
		t.Errorf("classes differ, yet there is column %+v", table.Columns[0])
	}

	running := newRun(dro.PGD, 9, .9, func(m *member) { m.summary.Status = runner.Running })
	older := newRun(dro.SFK, 1, .1,
		func(m *member) { m.meta.ID = "older"; m.meta.Created = time.Unix(1, 0) })
	table := tabulate(append(slices.Clone(base), running, older, base[0]), Options{})
	if len(table.Rows) != 1 {
		t.Fatalf("rows %v, want one", labels(table))
	}
	row := table.Rows[0]
	if want := []uint64{1, 2, 3, 4}; !slices.Equal(row.Seeds, want) {
		t.Errorf("seeds %v, want %v", row.Seeds, want)
	}
	worst := row.Cells[column(t, table, "worst_class_accuracy")].Mean.Float()
	if !near(worst, 0.494425) {
		t.Errorf("the worst class is at %v, want 0.494425", worst)
	}
	want := []Note{
		{Unfinished, "left out because they are not done: shapes-pgd-s9 (running)",
			[]string{"shapes-pgd-s9"}},
		{Repeated, "sfk: 1 run left out because a newer one has the same seed: older",
			[]string{"older"}},
	}
	if diff := cmp.Diff(want, table.Notes); diff != "" {
		t.Errorf("the notes differ (-want +got):\n%s", diff)
	}
}

// TestNotesNameBoxes: where the runs are in several places, notes name runs with their places.
func TestNotesNameBoxes(t *testing.T) {
	at := func(box, id string) func(*member) {
		return func(m *member) { m.box, m.meta.ID = box, id }
	}
	runs := newRuns(dro.SFK, accuraciesA[:1], at("here", "new"))
	for _, id := range []string{"a", "b"} {
		runs = append(runs, newRuns(dro.SFK, accuraciesA[:1], at("gpu1", id),
			func(m *member) { m.meta.Created = time.Unix(1, 0) })...)
	}
	runs = append(runs, newRuns(dro.ERM, accuraciesA[:1], at("gpu2", "c"),
		func(m *member) { m.summary.Status = runner.Running })...)
	var got []string
	for _, n := range tabulate(runs, Options{}).Notes {
		if n.Kind == Unfinished || n.Kind == Repeated {
			got = append(got, n.Text)
		}
	}
	want := []string{"left out because they are not done: c @gpu2 (running)",
		"sfk: 2 runs left out because a newer one has the same seed: a @gpu1, b @gpu1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the notes differ (-want +got):\n%s", diff)
	}
}

// TestOrderDoesNotMatter: the order of the runs does not matter, nor does a run given twice.
func TestOrderDoesNotMatter(t *testing.T) {
	runs := slices.Concat(
		newRuns(dro.SFK, accuraciesA), newRuns(dro.PGD, accuraciesC), newRuns(dro.ERM, accuraciesB),
		newRuns(dro.PAN, accuraciesB, func(m *member) {
			m.meta.Spec.Epochs = 3
			m.summary.Status = runner.Stopped
		}))
	want := tabulate(runs, Options{})
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		random.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		if got := tabulate(append(runs, runs[0]), Options{}); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	of := func(a dro.Algorithm) spec.Spec {
		s := spec.Defaults()
		s.Algorithms = []dro.Algorithm{a}
		return s
	}
	// ERM reads neither c nor lambda: its values of them are no difference between runs.
	sfk, erm, pgd, curved := of(dro.SFK), of(dro.ERM), of(dro.PGD), of(dro.SFK)
	pgd.Imbalance, pgd.Mean = spec.KeepRatios(.5, 1), []float64{.1, .2}
	curved.SetOwn("c", dro.Fixed(50))
	erm.SetOwn("c", dro.Fixed(3))
	erm.Lambda = 7
	got := Diff([]spec.Spec{sfk, erm, pgd, curved})
	want := []KeyDiff{
		{"algorithms", []string{"sfk", "erm", "pgd", "sfk"}},
		{"imbalance", []string{"paper", "paper", "0.5, 1", "paper"}},
		{"mean", []string{"", "", "0.1, 0.2", ""}},
		{"c", []string{"1000", "", "", "50"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Diff differs (-want +got):\n%s", diff)
	}
	if got := Diff(nil); got != nil {
		t.Errorf("Diff(nil) = %v, want nil", got)
	}
}

// What is written out and what is the default are one configuration.
func TestDiffOfWords(t *testing.T) {
	auto := spec.Defaults()
	auto.Algorithms, auto.Dataset = []dro.Algorithm{dro.PGD}, "csv:example"
	p, err := auto.Problem()
	if err != nil {
		t.Fatal(err)
	}
	for _, assignment := range [][2]string{
		{"imbalance", `"none"`}, {"convolution", `"direct"`}, {"coordinates", `"paper"`},
		{"lr_z", fmt.Sprint(auto.LR)}, {"lambda_max", fmt.Sprint(p.Box.Lambda[1])},
		{"eta_min", fmt.Sprint(p.Box.Eta[0])},
	} {
		said := auto
		if err := said.Assign(assignment[0], []byte(assignment[1])); err != nil {
			t.Fatal(err)
		}
		if got := Diff([]spec.Spec{auto, said}); got != nil {
			t.Errorf("%v has the differences %v, want none", assignment, got)
		}
		if !said.Equal(&auto) {
			t.Errorf("%v is another configuration, want the same", assignment)
		}
		other := said
		other.LR, other.Rho, other.EtaMax = auto.LR/2, auto.Rho/2, auto.EtaMax/2
		if other.Dataset = "csv:other"; said.Equal(&other) {
			t.Errorf("%v: another configuration is the same", assignment)
		}
	}
}

// TestRuns makes a table of real run directories and sends it through JSON.
func TestRuns(t *testing.T) {
	f := recordtest.NewFolder(t)
	for i := range accuraciesA {
		seed := uint64(i + 1)
		f.Add(recordtest.Result{Method: dro.ERM, Seed: seed, Worst: accuraciesB[i]})
		f.Add(recordtest.Result{Method: dro.SFK, Seed: seed, Worst: accuraciesA[i]})
	}
	runs, problems := record.List(f.Store.Dir())
	if len(problems) > 0 {
		t.Fatalf("List: %v", problems)
	}
	table := Runs(runs, Options{Level: .99})
	b, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	var back Table
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&back, table) {
		t.Errorf("through JSON: %+v, want %+v", back, table)
	}
	worst := column(t, table, "worst_class_accuracy")
	if got := labels(table); len(got) != 2 {
		t.Errorf("rows %v, want two", got)
	}
	if test := table.Columns[worst].Tests[0]; !test.Best {
		t.Errorf("the test of the worst class is %+v, want one of the best row", test)
	}
	if table.Level != .99 {
		t.Errorf("level %g, want 0.99", table.Level)
	}
	const empty = `{"level":0.95,"at":"last","family":"measure",` +
		`"keys":[],"columns":[],"rows":[],"tradeoffs":[],"notes":[]}`
	if b, _ := json.Marshal(Runs(nil, Options{})); string(b) != empty {
		t.Errorf("empty table: %s, want %s", b, empty)
	}
}
