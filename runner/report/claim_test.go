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
	"drolab/runner"
	"drolab/runner/measure"
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

// runsOf adds a run for each arm, seed and condition of the study, with the figures of figure.
// change changes what is told of a run.
func (f *folder) runsOf(s *Study, change func(arm int, w *told)) {
	f.Helper()
	for _, slot := range s.Gather(nil).Slots {
		arm := slices.IndexFunc(s.Arms, func(a Arm) bool {
			return slot.Name == a.Name || strings.HasPrefix(slot.Name, a.Name+" at ")
		})
		for _, seed := range s.Seeds {
			w := told{algorithm: slot.Spec.Algorithm(), seed: seed, age: -2,
				classes: []string{"circle", "hexagon", "star"},
				change:  func(to *spec.Spec) { *to = slot.Spec; to.Seed = seed }}
			w.also = func(i int, e *runner.EvalEvent) {
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
			f.add(w)
		}
	}
}

// claimed is a claim of the table below, and the differences that it is about, computed here.
type claimed struct {
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
func alongRun(name string) func(int, uint64, float64) float64 {
	return func(arm int, seed uint64, rho float64) float64 {
		return (figure(name, arm, seed, rho, 0) + figure(name, arm, seed, rho, 10) +
			figure(name, arm, seed, rho, 20)) / 3
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
	a, b claimed
	one  bool // they are one test
} {
	loss := claimed{text: "measure: test_loss, direction: less, under: [small]",
		value: atEnd("test_loss", 0)}
	with := func(c claimed, old, new string) claimed {
		c.text = strings.Replace(c.text, old, new, 1)
		return c
	}
	less := func(margin float64) claimed {
		c := with(loss, "less", fmt.Sprintf("less, margin: %g", margin))
		c.margin = margin
		return c
	}
	near := func(bound float64) claimed {
		c := with(loss, "direction: less", fmt.Sprintf("equivalent: %g", bound))
		c.equivalent = bound
		return c
	}
	other := func(text string, value func(int, uint64, float64) float64) claimed {
		return claimed{text: text, value: value}
	}
	classes := func(list string, i, k int) claimed {
		return other("measure: class_accuracy, direction: less, under: [small], classes: "+list,
			ofClasses(i, k))
	}
	risk := func(under string, k int) claimed {
		return other("measure: robust_risk, direction: less, under: ["+under+"]",
			atEnd("robust_risk_at", k))
	}
	return []struct {
		name string
		a, b claimed
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
		{"along", loss, claimed{text: loss.text + ", at: along", value: alongRun("test_loss")},
			false},
		{"classes", classes("[0, 1]", 0, 1), classes("[1, 2]", 1, 2), false},
		{"radius", risk("small", 0), risk("large", 1), false},
		{"condition", loss, with(loss, "small", "large"), false},
	}
}

// row is what SciPy says of a test: p, adjusted p and the detectable difference.
type row [3]*float64

// Two claims on one pair of arms are two tests if they differ in anything but the direction, in one
// family or in two. Every p, corrected p and detectable difference is that of SciPy.
func TestEveryClaimHasItsOwnTest(t *testing.T) {
	type test struct {
		Differences []float64 `json:"differences"`
		Margin      float64   `json:"margin"`
		Equivalent  float64   `json:"equivalent"`
		Same        int       `json:"same"`
	}
	type family struct {
		Level float64 `json:"level"`
		Holm  bool    `json:"holm"`
		Tests []test  `json:"tests"`
	}
	f := newFolder(t)
	f.runsOf(parse(t, laboratory+oneFamily("main", "", "measure: test_loss, direction: less")), nil)
	var ask []family
	var got []*TestedFamily
	var names []string
	for _, c := range claimPairs() {
		for _, registered := range []bool{false, true} {
			for _, correction := range []string{"holm", "none"} {
				for _, together := range []bool{true, false} {
					name := fmt.Sprintf("%s, registered %t, %s, one family %t", c.name, registered,
						correction, together)
					how := "    correction: " + correction + "\n    level: 0.1\n"
					text := laboratory + oneFamily("main", how, c.a.text, c.b.text)
					if !together {
						text = laboratory + oneFamily("main", how, c.a.text) +
							oneFamily("other", how, c.b.text)
					}
					if registered {
						text = "registered: 2026-11-01\n" + text
					}
					g, err := New(parse(t, text), f.runs, Options{Interim: !registered})
					f.must(err)
					tests := []test{}
					for _, one := range []claimed{c.a, c.b} {
						x := test{Margin: one.margin, Equivalent: one.equivalent, Same: -1}
						rho := .5
						if strings.Contains(one.text, "large") {
							rho = 1.5
						}
						for seed := uint64(1); seed <= 6; seed++ {
							x.Differences = append(x.Differences,
								one.value(0, seed, rho)-one.value(1, seed, rho))
						}
						tests = append(tests, x)
					}
					if together && c.one && !registered {
						tests[1].Same = 0
					}
					want := []family{{.1, correction == "holm", tests}}
					if !together {
						want = []family{{.1, correction == "holm", tests[:1]},
							{.1, correction == "holm", tests[1:]}}
					}
					if len(g.Families) != len(want) {
						t.Fatalf("%s: %d families, want %d", name, len(g.Families), len(want))
					}
					names = append(names, slices.Repeat([]string{name}, len(want))...)
					ask, got = append(ask, want...), append(got, g.Families...)
				}
			}
		}
	}
	text, err := json.Marshal(ask)
	f.must(err)
	file := filepath.Join(t.TempDir(), "families.json")
	f.must(os.WriteFile(file, text, 0o644))
	var want [][]row
	f.must(json.Unmarshal(peertest.Run(t, "scipy", "peer/tests.py", file), &want))
	for i, of := range got {
		counted := 0
		for k, c := range of.Claims {
			same := ask[i].Tests[k].Same
			if same < 0 {
				counted++
			}
			if repeats := c.Repeats != ""; repeats != (same >= 0) {
				t.Errorf("%s: %s repeats another test: %t, want %t", names[i], c.text(), repeats,
					same >= 0)
			}
			for j, x := range []measure.Number{c.P, c.Adjusted, c.Detectable} {
				what := []string{"p", "adjusted p", "detectable"}[j]
				if w := want[i][k][j]; x.Applies() != (w != nil) || w != nil &&
					math.Abs(x.Float()-*w) > 1e-9*math.Abs(*w) {
					t.Errorf("%s: %s of %s is %v, SciPy has %v", names[i], what, c.text(),
						x.Float(), number(w))
				}
			}
		}
		if of.Tests != counted {
			t.Errorf("%s: %d tests, want %d", names[i], of.Tests, counted)
		}
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
