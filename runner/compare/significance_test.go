package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drolab/dro"
	"drolab/dro/testsize"
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

// nullTables returns how many tables a test of false stars draws, and the most that may have one:
// 5 % of the tables and two standard deviations.
func nullTables() (tables, most int) {
	n := testsize.Pick(100, 400, 400)
	return n, int(.05*float64(n) + 2*math.Sqrt(.05*.95*float64(n)))
}

// TestFalseStars draws tables in which no method is better than another, and tables in which two
// are equally good and better than the rest. It counts the tables with a star in some class: all of
// these stars are false. They are at most 5 %. With two alike, the uncorrected tests taken class by
// class give a false star in one of five tables; with all alike, having to beat all three others is
// enough.
func TestFalseStars(t *testing.T) {
	tables, most := nullTables()
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
		if stars > most {
			t.Errorf("%s: %d of %d tables have a false star, want at most %d", c.name, stars,
				tables, most)
		}
		if (naive > most) != c.naive {
			t.Errorf("%s: %d of %d tables have a false star without correction, want more than "+
				"%d: %v", c.name, naive, tables, most, c.naive)
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
		t.Errorf("a mean beyond the margin has p %.3f, want .5 or more", got)
	}
	if got := Equivalence([]float64{1, 1}, 2); got == got {
		t.Errorf("without spread p is %v, want NaN", got)
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
	tables, most := nullTables()
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
				t.Errorf("by %s: %s has a false star in %d of %d tables, want at most %d", family,
					name, n, tables, most)
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
		want := alone.Columns[c].Tests
		if !slices.EqualFunc(column.Tests, want, func(a, b Test) bool {
			return a.Best == b.Best && a.Adjusted == b.Adjusted && len(a.Rows) == len(b.Rows)
		}) {
			t.Errorf("%s %s: tests %+v, want %+v as alone", column.Name, column.Class, column.Tests,
				want)
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

// TestMissing: a note names each mean over fewer runs than its row has.
func TestMissing(t *testing.T) {
	runs := newRuns(dro.SFK, accuraciesA)
	runs[1].summary.Measures.Set("robust_risk", measure.Number{})
	table := tabulate(append(runs, newRuns(dro.ERM, accuraciesB)...), Options{})
	want := []Note{{Kind: Missing, Text: "robust_risk is of some runs only (sfk: 3 of 4)"}}
	if diff := cmp.Diff(want, table.Notes); diff != "" {
		t.Errorf("the notes differ (-want +got):\n%s", diff)
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
		if got := starred(table, c); !slices.Equal(got, []string{"ρ .5"}) {
			t.Errorf("R at %s: marked %q, want ρ .5", col.Class, got)
		}
		if col.Family != 2 {
			t.Errorf("R at %s: a family of %d, want 2", col.Class, col.Family)
		}
	}
	if want := []string{"0.5", "1"}; !slices.Equal(places, want) {
		t.Errorf("compared at the radii %q, want %q", places, want)
	}
	// The radius .5 is second in one list and first in the other.
	c := column(t, table, "robust_risk_at")
	for i, want := range []float64{2 - .494425 + .5, 2 - .475125 + .5} {
		if got := table.Rows[i].Cells[c].Mean.Float(); !near(got, want) {
			t.Errorf("R at 0.5 in row %d is %g, want %g", i, got, want)
		}
	}
	if got := starred(table, column(t, table, "robust_risk")); got != nil {
		t.Errorf("robust risk at unlike radii is marked in %q, want in none", got)
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

// noteOf returns the text of the only note of a kind, or "".
func noteOf(t *Table, kind NoteKind) string {
	i := slices.IndexFunc(t.Notes, func(n Note) bool { return n.Kind == kind })
	if i < 0 {
		return ""
	}
	return t.Notes[i].Text
}
