package report

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/peertest"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
)

// laboratory is a study of three arms under two radii, without families. ERM runs once.
const laboratory = `study: a study of tests
seeds: 1-6
conditions:
  small: {rho: 0.5}
  large: {rho: 1.5}
arms:
  sfk: {preset: testdata/shapes.yaml, method: sfk, risk_radii: [0.5, 1.5]}
  pgd: {preset: testdata/shapes.yaml, method: pgd, risk_radii: [0.5, 1.5]}
  erm: {preset: testdata/shapes.yaml, method: erm, rho: 0.5, risk_radii: [0.5, 1.5]}
families:
`

// figure returns a number that belongs to a figure of a run. It differs for every argument.
func figure(name string, arm int, seed uint64, rho float64, at int) float64 {
	x := float64(len(name)) + 3*float64(name[0]) + 7*float64(name[len(name)-1])
	x += 17.1*float64(arm) + 31.3*float64(seed) + 2.7*rho + 5.9*float64(at)
	return .5 + .1*float64(arm) + .05*math.Sin(x*x)
}

// addStudyRuns adds a run for each arm, seed and condition of the study, with the figures of
// figure. change changes the results of a run.
func (f *folder) addStudyRuns(s *Study, change func(arm int, w *recordtest.Result)) {
	f.Helper()
	for _, slot := range s.Gather(nil).Slots {
		arm := slices.IndexFunc(s.Arms, func(a Arm) bool {
			return slot.Name == a.Name || strings.HasPrefix(slot.Name, a.Name+" at ")
		})
		for _, seed := range s.Seeds {
			w := recordtest.Result{Method: slot.Spec.Algorithm(), Seed: seed, Age: -2,
				Classes: []string{"circle", "hexagon", "star"},
				Change:  func(to *spec.Spec) { *to = slot.Spec; to.Seed = seed }}
			w.Also = func(i int, e *runner.EvalEvent) {
				of := func(name string, k int) measure.Number {
					return measure.Num(figure(name, arm, seed, slot.Spec.Rho, 10*i+k))
				}
				for _, name := range []string{"train_loss", "test_loss", "test_accuracy"} {
					e.Set(name, of(name, 0))
				}
				lists := map[string]int{"class_accuracy": 3, "robust_risk_at": 2}
				for name, n := range lists {
					var list []measure.Number
					for k := range n {
						list = append(list, of(name, k))
					}
					e.ByGroup.Set(name, list)
				}
			}
			if change != nil {
				change(arm, &w)
			}
			f.Add(w)
		}
	}
}

// figureClaim is a claim of the table below, and the differences that it is about, computed here.
type figureClaim struct {
	text string // of the claim, without its arms
	// value is the figure of an arm, which is trained at rho.
	value              func(arm int, seed uint64, rho float64) float64
	margin, equivalent float64
}

// atEnd is a figure of the last evaluation.
func atEnd(name string, k int) func(int, uint64, float64) float64 {
	return func(arm int, seed uint64, rho float64) float64 {
		return figure(name, arm, seed, rho, 20+k)
	}
}

// alongRun is the mean over the three evaluations.
func alongRun(name string, k int) func(int, uint64, float64) float64 {
	return func(arm int, seed uint64, rho float64) float64 {
		return (figure(name, arm, seed, rho, k) + figure(name, arm, seed, rho, 10+k) +
			figure(name, arm, seed, rho, 20+k)) / 3
	}
}

// ofClasses is the mean of the last accuracies of two classes.
func ofClasses(i, k int) func(int, uint64, float64) float64 {
	return func(arm int, seed uint64, rho float64) float64 {
		return (figure("class_accuracy", arm, seed, rho, 20+i) +
			figure("class_accuracy", arm, seed, rho, 20+k)) / 2
	}
}

// claimPairs are pairs of claims on sfk and pgd that differ in one thing.
func claimPairs() []struct {
	name string
	a, b figureClaim
	one  bool // they are one test
} {
	loss := figureClaim{text: "measure: test_loss, direction: less, under: [small]",
		value: atEnd("test_loss", 0)}
	with := func(c figureClaim, old, new string) figureClaim {
		c.text = strings.Replace(c.text, old, new, 1)
		return c
	}
	less := func(margin float64) figureClaim {
		c := with(loss, "less", fmt.Sprintf("less, margin: %g", margin))
		c.margin = margin
		return c
	}
	near := func(bound float64) figureClaim {
		c := with(loss, "direction: less", fmt.Sprintf("equivalent: %g", bound))
		c.equivalent = bound
		return c
	}
	other := func(text string, value func(int, uint64, float64) float64) figureClaim {
		return figureClaim{text: text, value: value}
	}
	classes := func(list string, i, k int) figureClaim {
		return other("measure: class_accuracy, direction: less, under: [small], classes: "+list,
			ofClasses(i, k))
	}
	along := func(c figureClaim, name string, k int) figureClaim {
		return figureClaim{text: c.text + ", at: along", value: alongRun(name, k)}
	}
	risk := func(under string, k int) figureClaim {
		return other("measure: robust_risk, direction: less, under: ["+under+"]",
			atEnd("robust_risk_at", k))
	}
	return []struct {
		name string
		a, b figureClaim
		one  bool
	}{
		{"margin", loss, less(-.12), false},
		{"another margin", less(.05), less(-.05), false},
		{"direction", loss, with(loss, "less", "greater"), true},
		{"direction and margin", less(-.1), with(less(-.1), "less", "greater"), true},
		{"key", loss, with(loss, "measure", "key: another, measure"), true},
		{"equivalence", loss, near(.12), false},
		{"equivalence beside a margin", less(.12), near(.12), false},
		{"bounds of equivalence", near(.12), near(.9), false},
		{"measure", loss, other("measure: train_loss, direction: less, under: [small]",
			atEnd("train_loss", 0)), false},
		{"along", loss, along(loss, "test_loss", 0), false},
		{"classes", classes("[0, 1]", 0, 1), classes("[1, 2]", 1, 2), false},
		{"classes along the run", along(classes("[0]", 0, 0), "class_accuracy", 0),
			along(classes("[2]", 2, 2), "class_accuracy", 2), false},
		{"radius", risk("small", 0), risk("large", 1), false},
		{"radius along the run", along(risk("small", 0), "robust_risk_at", 0),
			along(risk("large", 1), "robust_risk_at", 1), false},
		{"condition", loss, with(loss, "small", "large"), false},
	}
}

// expectedTest is a test as peer/tests.py reads it.
type expectedTest struct {
	Differences []float64 `json:"differences"`
	Margin      float64   `json:"margin"`
	Equivalent  float64   `json:"equivalent"`
	Same        int       `json:"same"`
}

// expectedFamily is a family as peer/tests.py reads it.
type expectedFamily struct {
	Level float64        `json:"level"`
	Holm  bool           `json:"holm"`
	Tests []expectedTest `json:"tests"`

	name string
	got  *TestedFamily
}

// ask returns the test of a claim on sfk and pgd, with differences that are computed here.
func (c *figureClaim) ask() expectedTest {
	x, rho := expectedTest{Margin: c.margin, Equivalent: c.equivalent, Same: -1}, .5
	if strings.Contains(c.text, "large") {
		rho = 1.5
	}
	for seed := uint64(1); seed <= 6; seed++ {
		x.Differences = append(x.Differences, c.value(0, seed, rho)-c.value(1, seed, rho))
	}
	return x
}

// Two claims on one pair of arms are two tests if they differ in anything but the direction, in one
// family or in two. Every p, corrected p and detectable difference is that of SciPy.
func TestEveryClaimHasItsOwnTest(t *testing.T) {
	peertest.Python(t, "scipy")
	f := newFolder(t)
	f.addStudyRuns(parse(t, laboratory+
		oneFamily("main", "", "measure: test_loss, direction: less")), nil)
	var all []expectedFamily
	for _, c := range claimPairs() {
		for i := range 8 {
			registered, holm, together := i&1 > 0, i&2 > 0, i&4 > 0
			if testing.Short() && (holm != registered || holm == together) {
				continue // two of the eight remain, in which each of the three differs
			}
			how := "    level: 0.1\n    correction: none\n"
			if holm {
				how = "    level: 0.1\n    correction: holm\n"
			}
			a, b := c.a.ask(), c.b.ask()
			of := expectedFamily{Level: .1, Holm: holm, name: fmt.Sprintf("%s, registered %t, "+
				"holm %t, one family %t", c.name, registered, holm, together)}
			one, other := of, of
			text := laboratory + oneFamily("main", how, c.a.text) +
				oneFamily("other", how, c.b.text)
			one.Tests, other.Tests = []expectedTest{a}, []expectedTest{b}
			want := []expectedFamily{one, other}
			if together {
				if c.one && !registered {
					b.Same = 0
				}
				text = laboratory + oneFamily("main", how, c.a.text, c.b.text)
				of.Tests = []expectedTest{a, b}
				want = []expectedFamily{of}
			}
			if registered {
				text = "registered: 2026-11-01\n" + text
			}
			g, err := New(parse(t, text), f.Runs, Options{Interim: !registered})
			f.Must(err)
			if len(g.Families) != len(want) {
				t.Fatalf("%s: %d families, want %d", of.name, len(g.Families), len(want))
			}
			for k := range want {
				want[k].got = g.Families[k]
			}
			all = append(all, want...)
		}
	}
	text, err := json.Marshal(all)
	f.Must(err)
	file := filepath.Join(t.TempDir(), "families.json")
	f.Must(os.WriteFile(file, text, 0o644))
	var answers [][]answer
	f.Must(json.Unmarshal(peertest.Run(t, "scipy", "peer/tests.py", file), &answers))
	for i := range all {
		all[i].agrees(t, answers[i])
	}
}

// answer is what SciPy says of a test: p, adjusted p and the detectable difference.
type answer [3]*float64

// agrees compares the family with the answers.
func (of *expectedFamily) agrees(t *testing.T, answers []answer) {
	counted := 0
	for k, c := range of.got.Claims {
		same := of.Tests[k].Same
		if same < 0 {
			counted++
		}
		if repeats := c.Repeats != ""; repeats != (same >= 0) {
			t.Errorf("%s: %s repeats another test: %t, want %t", of.name, c.text(), repeats,
				same >= 0)
		}
		for j, x := range []measure.Number{c.P, c.Adjusted, c.Detectable} {
			what := []string{"p", "adjusted p", "detectable"}[j]
			if w := answers[k][j]; x.Applies() != (w != nil) || w != nil &&
				math.Abs(x.Float()-*w) > 1e-9*math.Abs(*w) {
				t.Errorf("%s: %s of %s is %v, SciPy has %v", of.name, what, c.text(), x.Float(),
					number(w))
			}
		}
	}
	if of.got.Tests != counted {
		t.Errorf("%s: %d tests, want %d", of.name, of.got.Tests, counted)
	}
}

func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// oneFamily returns the text of a family of claims on sfk and pgd, unless a claim names its arms.
func oneFamily(name, how string, claims ...string) string {
	text := "  " + name + ":\n" + how + "    claims:\n"
	for _, c := range claims {
		if !strings.Contains(c, "arms:") {
			c = "arms: [sfk, pgd], " + c
		}
		text += "      - {" + c + "}\n"
	}
	return text
}

// What repeats a test says where: at another radius, under another condition, or in the same place.
func TestNotesOfRepeats(t *testing.T) {
	const radius = "these methods do not train by it, and the test counts once"
	const place = "one two-sided test answers both, and counts once"
	erm := strings.Replace(laboratory, "families:",
		"  jtt: {preset: testdata/shapes.yaml, method: jtt, rho: 0.5, risk_radii: [0.5, 1.5]}\n"+
			"families:", 1)
	epochs := strings.NewReplacer("small: {rho: 0.5}", "small: {log_every: 2}",
		"large: {rho: 1.5}", "large: {log_every: 3}").Replace(erm)
	for _, c := range []struct {
		name, text string
		claims     []string
		tests      int
		has, lacks string
	}{
		{"two directions", laboratory, []string{
			"measure: test_loss, direction: less, under: [small]",
			"measure: test_loss, direction: greater, under: [small]"}, 1, place, "radius: these"},
		{"two radii", erm, []string{"arms: [jtt, erm], measure: test_loss, direction: less"}, 1,
			"at the other radius: " + radius, place},
		{"a measure of the radius", erm,
			[]string{"arms: [jtt, erm], measure: robust_risk, direction: less"}, 2, "", "once"},
		{"another condition", epochs,
			[]string{"arms: [jtt, erm], measure: test_loss, direction: less"}, 1,
			"under another condition, on which these methods do not depend", radius},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFolder(t)
			s := parse(t, c.text+oneFamily("main", "", c.claims...))
			f.addStudyRuns(s, func(arm int, w *recordtest.Result) {
				own := w.Also
				w.Also = func(i int, e *runner.EvalEvent) {
					own(i, e)
					risk := e.ByGroup.Named("robust_risk_at")
					risk[1] = risk[0] // the largest loss, at either radius
				}
			})
			g, err := New(s, f.Runs, Options{Interim: true})
			f.Must(err)
			if got := g.Families[0].Tests; got != c.tests {
				t.Errorf("%d tests, want %d", got, c.tests)
			}
			text := g.Page().Markdown()
			if !strings.Contains(text, c.has) {
				t.Errorf("the page lacks %q", c.has)
			}
			if strings.Contains(text, c.lacks) {
				t.Errorf("the page has %q", c.lacks)
			}
		})
	}
}

// untestedCase is a claim that cannot be tested, and the reason that its page gives.
type untestedCase struct {
	name, claim string
	change      func(arm int, w *recordtest.Result) // of all runs
	drop        func(*recordtest.Result) bool       // runs that are not made
	why         string
	loose       bool // in a study that is not registered alone: a registered one waits for runs
}

func untestedCases() []untestedCase {
	lost := func(arm int) func(int, *recordtest.Result) {
		return func(is int, w *recordtest.Result) {
			if is == arm {
				w.Cause = "step 30: the loss is NaN: lower lr"
			}
		}
	}
	each := func(do func(arm, i int, e *runner.EvalEvent)) func(int, *recordtest.Result) {
		return func(arm int, w *recordtest.Result) {
			own := w.Also
			w.Also = func(i int, e *runner.EvalEvent) {
				own(i, e)
				do(arm, i, e)
			}
		}
	}
	return []untestedCase{
		{name: "a measure that an arm lacks", claim: "arms: [sfk, erm], measure: dual_gap",
			change: each(func(arm, _ int, e *runner.EvalEvent) {
				if arm != 2 {
					e.Set("dual_gap", measure.Num(.1))
				}
			}), why: "erm has no dual gap"},
		{name: "a measure that both lack", claim: "measure: worst_group_accuracy",
			why: "sfk has no worst group accuracy"},
		{name: "steps that were not timed", claim: "measure: step_time",
			why: "no steps of sfk were timed"},
		{name: "runs one after the other", claim: "measure: step_time",
			change: func(_ int, w *recordtest.Result) { w.Timed = 5 },
			// the log has the time of this test
			why: "no runs of one seed trained side by side"},
		{name: "a class that is not there", claim: "measure: class_accuracy, classes: [0, 7]",
			why: "sfk has no class 7: its classes are 0 to 2"},
		{name: "a class without samples", claim: "measure: class_accuracy, classes: [1]",
			change: each(func(arm, _ int, e *runner.EvalEvent) {
				if list := e.ByGroup.Named("class_accuracy"); arm == 1 {
					list[1] = measure.Number{}
				}
			}), why: "pgd has no accuracy of class 1"},
		{name: "the other arm's class", claim: "measure: class_accuracy, classes: [0], other: [3]",
			why: "pgd has no class 3: its classes are 0 to 2"},
		{name: "an arm that broke in every seed", claim: "measure: train_loss", change: lost(1),
			why: "no run of pgd has finite numbers"},
		{name: "figures that are not finite", claim: "measure: train_loss",
			change: each(func(arm, _ int, e *runner.EvalEvent) {
				if arm == 0 {
					e.Set("train_loss", measure.Num(math.Inf(1)))
				}
			}), why: "the train loss of sfk is not finite"},
		{name: "the risk at another radius",
			claim: "arms: [sfk, erm], measure: train_robust_risk, under: [large]",
			change: each(func(_, _ int, e *runner.EvalEvent) {
				e.Set("train_robust_risk", measure.Num(e.Named("train_loss").Float()))
			}), why: "erm has no train robust risk at ρ = 1.5"},
		{name: "evaluations at other steps", claim: "measure: train_loss, at: along",
			change: each(func(arm, _ int, e *runner.EvalEvent) { e.Step += int64(arm) }),
			why:    "sfk and pgd have no evaluation at the same step"},
		{name: "no run", claim: "measure: train_loss", why: "no run of pgd", loose: true,
			drop: func(w *recordtest.Result) bool { return w.Method == "pgd" }},
		{name: "no seed of both", claim: "measure: train_loss",
			why: "sfk and pgd have no seed in common", loose: true,
			drop: func(w *recordtest.Result) bool {
				return (w.Method == "pgd") == (w.Seed%2 == 0)
			}},
	}
}

// A claim that cannot be tested stands in its family with the reason, and counts there as a test
// with p = 1. A registered family has the size that it was registered with.
func TestUntestedClaims(t *testing.T) {
	for i, c := range untestedCases() {
		for _, registered := range []bool{false, true} {
			if testing.Short() && (i%3 > 0 || registered != (i%2 > 0)) || registered && c.loose {
				continue
			}
			t.Run(fmt.Sprintf("%s, registered %t", c.name, registered), func(t *testing.T) {
				under := ", under: [small]"
				if strings.Contains(c.claim, "under:") {
					under = ""
				}
				text := laboratory + oneFamily("main", "",
					"arms: [sfk, erm], measure: test_loss, direction: less, under: [small]",
					c.claim+", direction: less"+under) +
					oneFamily("alone", "", c.claim+", equivalent: 2"+under)
				if registered {
					text = "registered: 2026-11-01\n" + text
				}
				s, f := parse(t, text), newFolder(t)
				f.addStudyRuns(s, func(arm int, w *recordtest.Result) {
					if c.change != nil {
						c.change(arm, w)
					}
				})
				if c.drop != nil {
					f.Runs = slices.DeleteFunc(f.Runs, func(r *record.Run) bool {
						return c.drop(&recordtest.Result{Method: r.Meta.Spec.Algorithm(),
							Seed: r.Meta.Spec.Seed})
					})
				}
				g, err := New(s, f.Runs, Options{Interim: !registered})
				f.Must(err)
				f.checkUntested(t, g, c.why)
			})
		}
	}
}

// checkUntested checks a report with a claim that was tested, and one that was not, alone in the
// second family too.
func (f *folder) checkUntested(t *testing.T, g *Report, why string) {
	main, alone := g.Families[0], g.Families[1]
	if main.Tests != 2 || alone.Tests != 1 {
		t.Fatalf("families of %d and %d tests, want 2 and 1", main.Tests, alone.Tests)
	}
	if len(main.Claims) != 2 || len(alone.Claims) != 1 {
		t.Fatalf("families of %d and %d claims, want 2 and 1", len(main.Claims), len(alone.Claims))
	}
	good := main.Claims[0]
	if want := min(1, 2*good.P.Float()); good.Adjusted.Float() != want {
		t.Errorf("p %v is corrected to %v, want %v in a family of two", good.P, good.Adjusted, want)
	}
	if n := len(good.Seeds); n > 1 {
		want := compare.Detectable(n, .05/2, power)
		std := good.Half.Float() / compare.HalfWidth(n, level) * math.Sqrt(float64(n))
		if got := good.Detectable.Float(); math.Abs(got-want*std) > 1e-12 {
			t.Errorf("detectable is %v, want %v, that of a family of two", got, want*std)
		}
	}
	for _, c := range []*Finding{main.Claims[1], alone.Claims[0]} {
		if c.Verdict != NotTested || c.Few != why {
			t.Errorf("%s is %s: %q, want %s: %q", c.text(), c.Verdict, c.Few, NotTested, why)
		}
		if c.P.Applies() || len(c.Seeds) > 0 {
			t.Errorf("%s has p %v over seeds %v, want none", c.text(), c.P, c.Seeds)
		}
	}
	text := g.Page().Markdown()
	if n := strings.Count(text, "not tested: "+why); n != 2 {
		t.Errorf("the page has %d claims that are not tested, want 2:\n%s", n, text)
	}
	const counts = "counts in Holm's correction as a test with p = 1"
	if !strings.Contains(text, counts) {
		t.Errorf("the page lacks %q", counts)
	}
	if g.registered() && !strings.Contains(text, "and 1 is not tested.") {
		t.Error("the page does not count the claims that are not tested")
	}
	b, err := json.Marshal(g)
	f.Must(err)
	var back struct {
		Families []struct {
			Tests  int
			Claims []struct{ Verdict, Few string }
		}
	}
	f.Must(json.Unmarshal(b, &back))
	if n := back.Families[0].Tests; n != 2 {
		t.Errorf("as JSON: %d tests, want 2", n)
	}
	if c := back.Families[0].Claims[1]; c.Verdict != "not tested" || c.Few != why {
		t.Errorf("as JSON: %s: %q, want not tested: %q", c.Verdict, c.Few, why)
	}
}

// A page of families of which nothing can be tested has every form.
func TestNothingCanBeTested(t *testing.T) {
	for _, head := range []string{"", "registered: 2026-11-01\n",
		"registered: 2026-11-01\nwait_until: 2026-11-02\n"} {
		text := head + laboratory
		for _, f := range []string{"direction: less", "equivalent: 0.1"} {
			text += oneFamily("main "+f[:4], "", "arms: [sfk, erm], measure: dual_gap, "+f)
		}
		text += "reproduction:\n  - {arm: erm, measure: dual_gap, value: 1, under: [small]}\n"
		s, f := parse(t, text), newFolder(t)
		if !strings.Contains(head, "wait") {
			f.addStudyRuns(s, nil)
		}
		g, err := New(s, f.Runs, Options{Interim: head == "", Now: patience})
		f.Must(err)
		for _, of := range g.Families {
			if of.Tests != 2 || len(of.Claims) != 2 {
				t.Errorf("%q: %s: a family of %d tests and %d claims, want 2", head, of.Name,
					of.Tests, len(of.Claims))
			}
		}
		if n := len(g.Reproduction); n != 1 {
			t.Fatalf("%q: %d comparisons with published numbers, want 1", head, n)
		}
		if v := g.Reproduction[0].Verdict; v != NotTested {
			t.Errorf("%q: the comparison with a published number is %s, want %s", head, v,
				NotTested)
		}
		page := g.Page()
		for name, text := range map[string]string{"Markdown": page.Markdown(),
			"HTML": page.HTML(), "LaTeX": page.LaTeX()} {
			if n := strings.Count(text, "not tested: "); n != 5 {
				t.Errorf("%q: %s: %d claims are not tested, want 5", head, name, n)
			}
		}
		for _, of := range g.passages() {
			of.text()
		}
	}
}

// Before the first run has ended, an interim page says of each claim what is not there.
func TestNoRunYet(t *testing.T) {
	for _, head := range []string{"", "registered: 2026-11-01\n"} {
		s := parse(t, head+laboratory+oneFamily("main", "", "measure: test_loss, direction: less"))
		g, err := New(s, nil, Options{Interim: true})
		newFolder(t).Must(err)
		text := g.Page().Markdown()
		if n := strings.Count(text, "| not tested: no run of sfk |"); n != 2 {
			t.Errorf("%q: %d claims have no run of sfk, want 2:\n%s", head, n, text)
		}
	}
}

// A run whose numbers are not finite is left out of tests and means, even where its last evaluation
// was finite.
func TestBrokenRunsAreLeftOut(t *testing.T) {
	for _, head := range []string{"", "registered: 2026-11-01\n"} {
		s := parse(t, head+laboratory+oneFamily("main", "",
			"arms: [sfk, erm], measure: test_loss, direction: less"))
		f := newFolder(t)
		f.addStudyRuns(s, func(arm int, w *recordtest.Result) {
			if arm == 0 && w.Seed == 3 {
				w.Cause = "step 30: the loss is NaN: lower lr"
			}
		})
		g, err := New(s, f.Runs, Options{})
		f.Must(err)
		if len(g.Missing) > 0 {
			t.Fatalf("missing %q, want none", g.Missing)
		}
		for _, c := range g.claims() {
			if want := []uint64{1, 2, 4, 5, 6}; !slices.Equal(c.Seeds, want) {
				t.Errorf("%q: %s over seeds %v, want %v", head, c.Problem, c.Seeds, want)
			}
		}
		for _, m := range g.Means {
			if sfk := m.Arms[0]; sfk.Seeds != 5 && sfk.Seeds != 0 {
				t.Errorf("%q: %s of %d runs of sfk, want 5", head, m.Measure, sfk.Seeds)
			}
		}
	}
}

// A measure is what its name says: the worst class is the worst class where there are groups, too,
// at the end, along the run, in the window and among the means.
func TestWorstClassAndWorstGroup(t *testing.T) {
	claims := []string{}
	for _, of := range []string{"class", "group"} {
		for _, at := range []string{"end", "along"} {
			claims = append(claims, fmt.Sprintf("key: %s %s, measure: worst_%s_accuracy, at: %s, "+
				"direction: less, under: [small]", of, at, of, at))
		}
	}
	for _, head := range []string{"window: 2\n", "window: 2\nregistered: 2026-11-01\n"} {
		s, f := parse(t, head+laboratory+oneFamily("main", "", claims...)), newFolder(t)
		f.addStudyRuns(s, func(arm int, w *recordtest.Result) {
			w.Groups = []string{"a", "b"}
			own := w.Also
			w.Also = func(i int, e *runner.EvalEvent) {
				own(i, e)
				class, group := .603, .236 // of pgd
				if spread := (float64(w.Seed) - 3.5) / 50; arm == 0 {
					class, group = .815+spread, .778+spread
				}
				along := float64(2-i)/10 + (float64(w.Seed)-3.5)/100
				e.Set("worst_class_accuracy", measure.Num(class+along/2))
				e.Set("worst_group_accuracy", measure.Num(group-along))
			}
		})
		g, err := New(s, f.Runs, Options{Interim: true})
		f.Must(err)
		titles := map[string]string{"class": "worst class accuracy",
			"group": "worst group accuracy"}
		for _, c := range g.claims() {
			of, at, _ := strings.Cut(c.Key, " ")
			want := map[string]float64{"class": .212, "group": .542}[of]
			if got := c.Mean.Float(); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: the difference is %v, want %v", c.Key, got, want)
			}
			if got := c.Window.Float(); at == "end" && math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: the difference in the window is %v, want %v", c.Key, got, want)
			}
			if m, _ := measure.FindMeasure(c.Measure); m.Title != titles[of] {
				t.Errorf("%s is called %s, want %s", c.Key, m.Title, titles[of])
			}
		}
		if !g.registered() {
			continue
		}
		text := page.Markdown(g.meanTables(g.Means)...)
		for _, want := range []string{"| worst class | 81.5 ± ", "| worst group | 77.8 ± "} {
			if !strings.Contains(text, want) {
				t.Errorf("the means lack %q:\n%s", want, text)
			}
		}
		short := g.shortTable()
		for _, want := range []string{"| worst class | worst group |", "| small: sfk | 6 | 81.5 ± ",
			"| small: pgd | 6 | 60.3 ± "} {
			if !strings.Contains(short, want) {
				t.Errorf("in short: no %q:\n%s", want, short)
			}
		}
	}
}

// A table of equivalences has the measure and the margin of each row.
func TestTableOfEquivalences(t *testing.T) {
	s := parse(t, "registered: 2026-11-01\n"+laboratory+oneFamily("main", "",
		"measure: test_loss, equivalent: 0.025, under: [small]",
		"measure: test_accuracy, equivalent: 3, under: [small]",
		"measure: train_loss, equivalent: 0.5, under: [large]",
		"measure: step_time, equivalent: 1.5, under: [small]"))
	f := newFolder(t)
	f.addStudyRuns(s, func(_ int, w *recordtest.Result) { w.Timed = 3 })
	g, err := New(s, f.Runs, Options{})
	f.Must(err)
	text := g.Page().Markdown()
	for _, want := range []string{
		"| claim | n | difference | p (Holm) | verdict |\n",
		"\n| test loss: sfk ≈ pgd, ±0.025, small | 6 | ",
		"\n| mean: sfk ≈ pgd, ±3 points, small | 6 | ",
		"\n| train loss: sfk ≈ pgd, ±0.5, large | 6 | ",
		"\n| time of a step: sfk ≈ pgd, within ×1.5, small | 0 | – | – | not tested: ",
		"the larger of two one-sided t tests",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

// A family that is not corrected says nothing of Holm.
func TestNoCorrection(t *testing.T) {
	const loss = "measure: test_loss, direction: less, under: [small]"
	const without = "finds with 80 % power, with the standard deviation"
	const none = "    correction: none\n"
	for _, c := range []struct{ families, has, lacks string }{
		{oneFamily("main", none, loss), without, "Holm"},
		{oneFamily("main", none, loss) + oneFamily("more", none, loss), without, "Holm"},
		{oneFamily("main", none, loss) + oneFamily("more", "", loss),
			"at the first step of Holm's correction in a family that is corrected", without},
		{oneFamily("main", "", loss), "at the first step of Holm's correction and with", without},
	} {
		for _, head := range testsize.Few(1, "", "registered: 2026-11-01\n") {
			s, f := parse(t, head+laboratory+c.families), newFolder(t)
			f.addStudyRuns(s, nil)
			g, err := New(s, f.Runs, Options{Interim: true})
			f.Must(err)
			list := slices.Concat(g.claimBlocks(), g.laterBlocks())
			if g.registered() {
				list = g.testBlocks()
			}
			text := page.Markdown(list...)
			if !strings.Contains(text, c.has) {
				t.Errorf("the page lacks %q:\n%s", c.has, text)
			}
			if strings.Contains(text, c.lacks) {
				t.Errorf("the page has %q:\n%s", c.lacks, text)
			}
		}
	}
}

// A reproduction is tested against the number that the study gives, in the unit of its measure.
func TestReproducedNumbers(t *testing.T) {
	s := parse(t, laboratory+oneFamily("main", "", "measure: test_loss, direction: less")+`
reproduction:
  - {arm: sfk, measure: mean, value: 72.91, under: [small]}
  - {arm: sfk, measure: mean, value: 72.905, under: [small]}
  - {arm: sfk, measure: test_loss, value: 0.4, under: [small]}
  - {arm: pgd, measure: robust_risk, value: 0.5, under: [large]}
`)
	f := newFolder(t)
	f.addStudyRuns(s, nil)
	g, err := New(s, f.Runs, Options{Interim: true})
	f.Must(err)
	if len(g.Reproduction) != 4 {
		t.Fatalf("%d comparisons, want 4", len(g.Reproduction))
	}
	for i, of := range []struct {
		name  string
		arm   int
		rho   float64
		at    int
		value float64
	}{{"test_accuracy", 0, .5, 20, .7291}, {"test_accuracy", 0, .5, 20, .72905},
		{"test_loss", 0, .5, 20, .4}, {"robust_risk_at", 1, 1.5, 21, .5}} {
		want := 0.0
		for seed := uint64(1); seed <= 6; seed++ {
			want += (figure(of.name, of.arm, seed, of.rho, of.at) - of.value) / 6
		}
		if got := g.Reproduction[i].Mean.Float(); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v from %v, want %v", of.name, got, of.value, want)
		}
	}
	text := page.Markdown(g.laterBlocks()...)
	for _, want := range []string{"mean accuracy: sfk and", "test loss: sfk and",
		"robust risk: pgd and", "Means against"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	for i, want := range []float64{.7291, .7345, .7272} { // erm, sfk, pan
		if got := recorded(t, "registered").Reproduction[i].Value; got != want {
			t.Errorf("registered: %v, want %v", got, want)
		}
	}
}

// Words agree with their numbers, and a page names the seeds that have run.
func TestWords(t *testing.T) {
	accuracy := func(x string) string {
		return "measure: test_accuracy, direction: less, under: [small], margin: " + x
	}
	s := parse(t, "registered: 2026-11-01\n"+laboratory+oneFamily("main", "", accuracy("-3")))
	f := newFolder(t)
	f.addStudyRuns(s, nil)
	missing := func(drop func(r *record.Run) bool) string {
		g, err := New(s, slices.DeleteFunc(slices.Clone(f.Runs), drop), Options{Interim: true})
		f.Must(err)
		return g.Page().Markdown()
	}
	none := func(*record.Run) bool { return false }
	one := func(r *record.Run) bool { return r == f.Runs[0] }
	late := func(r *record.Run) bool { return slices.Contains([]uint64{4, 6}, r.Meta.Spec.Seed) }
	for _, c := range []struct {
		drop func(*record.Run) bool
		want string
	}{
		{none, "over seeds 1 to 6, corrected"},
		{none, "one family of 1 test\n"},
		{none, "mean: sfk &lt; pgd − 3 points |"},
		{one, " 1 is missing, so what follows is interim"},
		{late, " 10 are missing, so what follows is interim"},
		{late, "over seeds 1 to 3 and 5, corrected"},
	} {
		if text := missing(c.drop); !strings.Contains(text, c.want) {
			t.Errorf("the page lacks %q:\n%.900s", c.want, text)
		}
	}
	for x, want := range map[string]string{"1": "pgd + 1 point", "-1": "pgd − 1 point",
		"7": "pgd + 7 points", "20.5": "pgd + 20.5 points", "-0.5": "pgd − 0.5 points"} {
		claim := parse(t, laboratory+oneFamily("main", "", accuracy(x))).Families[0].Claims[0]
		c := Finding{A: "sfk", B: "pgd", Measure: claim.Measure, claim: &claim}
		if got := c.text(); got != "mean: sfk < "+want && got != "mean accuracy: sfk < "+want {
			t.Errorf("margin %s: %q, want %q", x, got, want)
		}
	}
	for want, seeds := range map[string][]uint64{"no seed": {}, "seed 7": {7},
		"seeds 1 and 2": {1, 2}, "seeds 5 to 16": {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		"seeds 1, 3 to 5 and 9": {1, 3, 4, 5, 9}} {
		if got := seedsText(seeds); got != want {
			t.Errorf("%v: %q, want %q", seeds, got, want)
		}
	}
}
