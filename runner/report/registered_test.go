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
	"time"

	"drolab/dro"
	"drolab/dro/peertest"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
)

var (
	patience = time.Date(2027, time.January, 22, 0, 0, 0, 0, time.UTC)
	before   = patience.Add(-time.Hour)
)

// addRegistered adds the runs of the registration, which its study has started. SFK is .1 better
// than ERM in the worst class and has ERM's test loss. The robust risk that counts for runs without
// a radius is in robust_risk_at.
func (f *folder) addRegistered() {
	f.Helper()
	claims, err := recorded(f, "registered").Seal(patience)
	f.Must(err)
	f.Claims = []runner.SealedClaims{claims}
	for _, name := range []string{"registered", "registered-gentle"} {
		p, err := presets.Load(name)
		f.Must(err)
		for _, one := range p.Spec.Expand() {
			a := one.Algorithm()
			w := recordtest.Result{Method: a, Seed: one.Seed, Rho: one.Rho, Preset: name, Age: -2,
				Classes:   strings.Fields("a b c d e f g h i j"),
				Change:    func(s *spec.Spec) { *s = one },
				TrainLoss: .1, TestLoss: 1, Worst: .5, Risk: 9,
				Objective: []float64{3, 2, 1}}
			for i := range one.RiskRadii {
				w.RiskAt = append(w.RiskAt, 2+float64(i)/10)
			}
			vary(&w, one.Rho)
			f.Add(w)
		}
	}
}

// printedFigures is a publication that prints one figure for three of the study's arms.
type printedFigures struct{}

func (printedFigures) Printed(arm, measured string, class int) (text string, ok bool) {
	return "1.23", slices.Contains([]string{"sfk", "pan", "erm"}, arm)
}
func (printedFigures) ColumnsNote() string                  { return "" }
func (printedFigures) Departures(*Report) []Departure       { return nil }
func (printedFigures) DepartureBlocks(*Report) []page.Block { return nil }
func (printedFigures) Readings(*Report) []Reading           { return nil }
func (printedFigures) ReadingBlocks(*Report) []page.Block   { return nil }

// vary gives a result the figures of its method and seed.
func vary(w *recordtest.Result, rho float64) {
	by := map[dro.Algorithm]float64{dro.SFK: .1, dro.SFKAuto: .05, dro.PGD: -.1, dro.PAN: .02,
		"group": .07}[w.Method]
	chance := math.Sin(float64(w.Seed)*12.9898+78.233*by) / 200
	if w.Method != dro.PAN {
		chance += rho / 1e4
	}
	w.Worst += by + chance
	w.TrainLoss += by + chance
	w.TestLoss += chance
	w.Objective = []float64{3 - by + chance, 2 - by, 1 - by + chance}
	for i := range w.RiskAt {
		w.RiskAt[i] += chance - by
	}
	for i := range 10 {
		w.Accuracy = append(w.Accuracy, w.Worst+float64(i)/50)
	}
}

// All 120 runs give the 24 tests of the page, with its sides and margins, and the other tests.
func TestRegistered(t *testing.T) {
	f := newFolder(t)
	f.addRegistered()
	t.Run("all", func(t *testing.T) { f.checkAll(t) })
	t.Run("again", func(t *testing.T) { f.checkInNumPy(t, f.Runs) })
	t.Run("missing again", func(t *testing.T) { f.checkInNumPy(t, f.Runs[3:]) })
	t.Run("missing", func(t *testing.T) { f.checkMissing(t) })
	t.Run("none", func(t *testing.T) { f.checkOtherData(t) })
}

// checkInNumPy tests the families of the registration again in NumPy, which has its own list of
// lines.
func (f *folder) checkInNumPy(t *testing.T, runs []*record.Run) {
	peertest.Python(t, "numpy") // else nobody reads the report
	g, err := New(recorded(t, "registered"), runs, Options{Now: before})
	f.Must(err)
	text, err := json.Marshal(g)
	f.Must(err)
	file := filepath.Join(t.TempDir(), "report.json")
	f.Must(os.WriteFile(file, text, 0o644))
	args := []string{"--report", file}
	for _, r := range runs {
		args = append(args, r.Dir)
	}
	t.Logf("%s", peertest.Run(t, "numpy", "peer/check.py", args...))
}

func (f *folder) checkAll(t *testing.T) {
	turned := slices.Clone(f.Runs) // the order of the runs decides nothing
	slices.Reverse(turned)
	g, err := New(recorded(t, "registered"), turned,
		Options{Now: before, Publication: printedFigures{}})
	f.Must(err)
	if !slices.IsSorted(g.claims()[0].Seeds) {
		t.Errorf("the seeds are in the order %v", g.claims()[0].Seeds)
	}
	if g.Done != 120 || g.Wanted != 120 {
		t.Fatalf("%d of %d runs, want 120 of 120", g.Done, g.Wanted)
	}
	if len(g.Missing) > 0 || len(g.Notes) > 0 {
		t.Fatalf("missing %v, notes %v, want neither", g.Missing, g.Notes)
	}
	if len(g.Seeds) != 12 {
		t.Fatalf("seeds %v, want 12", g.Seeds)
	}
	sizes := map[string]int{"main": 24, "equivalence": 3, "sfk-auto": 18, "group": 3}
	all := slices.Clone(g.Reproduction)
	for _, of := range g.Families {
		if n := sizes[of.Name]; len(of.Claims) != n || of.Tests != n {
			t.Errorf("%s: a family of %d (%d), want %d", of.Name, len(of.Claims), of.Tests, n)
		}
		all = append(all, of.Claims...)
	}
	if len(g.Families) != len(sizes) || len(g.Reproduction) != 3 {
		t.Errorf("%d families and %d means, want %d and 3", len(g.Families), len(g.Reproduction),
			len(sizes))
	}
	for _, c := range all {
		if len(c.Seeds) != 12 || !c.Adjusted.Applies() {
			t.Errorf("%s at %s: %d seeds, p %v, want 12 and a p", c.text(), c.Problem,
				len(c.Seeds), c.Adjusted)
		}
		if c.Exploratory {
			t.Errorf("%s at %s is exploratory", c.text(), c.Problem)
		}
		if risk := c.Key == "robust-risk" && c.A == "sfk"; risk &&
			math.Abs(c.Mean.Float()+.1) > .02 {
			t.Errorf("%s at %s: %v, want about −0.1 at either radius", c.text(), c.Problem, c.Mean)
		}
		if c.Key == "worst" && c.A == "sfk" && c.Verdict != Supported {
			t.Errorf("%s is %s, want %s", c.text(), c.Verdict, Supported)
		}
	}
	for _, c := range g.Families[1].Claims {
		if !c.significant() || c.Verdict != Supported {
			t.Errorf("%s is %s with p %v, want it to be equivalent", c.pair(), c.Verdict, c.P)
		}
	}
	if n := len(g.Means); n != 34 {
		t.Errorf("%d rows of means, want 34", n)
	}
	if arms := g.Means[0].Arms; len(arms) != 6 || arms[0].Seeds != 12 {
		t.Errorf("the first means are %+v, want those of 6 arms over 12 seeds", arms)
	}
	const erm = "| ρ = 0.5: erm | 12 | 49.9 ± 0.3 |"
	if short := g.shortTable(); !strings.Contains(short, erm) {
		t.Errorf("the short table lacks %q:\n%s", erm, short)
	}
	text := g.Page().Markdown()
	for _, want := range []string{"120 of 120 runs", "one family of 24 tests", "Table 1",
		"equivalent", "| claim, ρ = 0.5 | n |", "| claim, ρ = 1.5 | n |", "| claim, either ρ | n |",
		"| ρ = 0.5 | sfk | paper | sfk-auto | pgd | pan | paper | erm | paper | group |",
		"\n| classes 3, 4, 5 | 70.0 ± 0.4 | 1.23 |",
		"\n21 are supported, 0 are not supported and 3 are undecided.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Nothing is tested before all runs have ended. After 60 days the tests use the seeds that all arms
// have from the first seed on.
func (f *folder) checkMissing(t *testing.T) {
	f.Add(recordtest.Result{Method: dro.SFK, Seed: 17, Preset: "registered", Age: -2})
	some := slices.DeleteFunc(slices.Clone(f.Runs), func(r *record.Run) bool {
		s := &r.Meta.Spec
		return s.Algorithm() == dro.SFK && s.Rho == .5 && s.Seed == 9 ||
			s.Algorithm() == "group" && s.Seed > 14
	})
	g, err := New(recorded(t, "registered"), some, Options{Now: before})
	f.Must(err)
	want := []string{"group: 2 of 12", "sfk at ρ = 0.5: 1 of 12"}
	slices.Sort(g.Missing)
	if !slices.Equal(g.Missing, want) || len(g.claims()) > 0 {
		t.Errorf("missing %q and %d tests, want %q and none", g.Missing, len(g.claims()), want)
	}
	if text := g.Page().Markdown(); !strings.Contains(text, "3 are missing") {
		t.Errorf("the page lacks %q:\n%s", "3 are missing", text)
	}
	if len(g.Notes) != 1 {
		t.Errorf("notes %q, want one", g.Notes)
	}
	g, err = New(recorded(t, "registered"), some, Options{Now: patience})
	f.Must(err)
	if want := []uint64{5, 6, 7, 8}; !slices.Equal(g.Seeds, want) {
		t.Errorf("seeds %v, want %v", g.Seeds, want)
	}
	if n := len(g.claims()); n != 24 {
		t.Fatalf("%d tests, want 24", n)
	}
	if seeds := g.claims()[0].Seeds; len(seeds) != 4 {
		t.Errorf("the first test is over seeds %v, want 4 of them", seeds)
	}
}

// A run on other data does not count.
func (f *folder) checkOtherData(t *testing.T) {
	one := f.Runs[0].Meta.Spec
	one.Seed++
	f.Add(recordtest.Result{Method: one.Algorithm(), Preset: "registered", Checksum: "sha256:1",
		Age:    -2,
		Change: func(s *spec.Spec) { *s = one }})
	runs := []*record.Run{f.Runs[0], f.Runs[len(f.Runs)-1]}
	g, err := New(recorded(t, "registered"), runs, Options{Now: before})
	f.Must(err)
	if g.Done != 1 {
		t.Errorf("%d runs count, want 1", g.Done)
	}
	if len(g.Notes) != 1 || !strings.Contains(g.Notes[0], "data") {
		t.Errorf("notes %q, want one on the data", g.Notes)
	}
}

// The lines of docs/registration.md and the tests have the same arms, sides and margins.
func TestLinesOfTheRegistration(t *testing.T) {
	text, err := os.ReadFile("../../docs/registration.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{
		"objective":     "along",
		"objective-end": "dual objective of the training split",
		"train-loss":    "train loss",
		"test-loss":     "test loss",
		"low":           "classes 3, 4 and 5",
		"low-pan":       "classes 3, 4 and 5",
		"worst":         "worst class",
		"worst-pan":     "worst class",
		"robust-risk":   "robust risk",
	}
	lines, tests := 0, 0
	of := recorded(t, "registered")
	main := of.Families[0].Claims
	for i := range main {
		say := &main[i]
		word, ok := words[say.Key]
		if !ok {
			t.Errorf("%s: no such line", say.Key)
			continue
		}
		for _, pair := range say.Pairs {
			sign, margin := "<", "| 0 |"
			if say.Higher {
				sign = ">"
			}
			if say.Margin != 0 {
				margin = fmt.Sprintf("| −%g point |", -100*say.Margin)
			}
			if word == "along" {
				word = "equal steps"
			}
			head := fmt.Sprintf("| %s %s %s |", of.Arms[pair[0]].Name, sign,
				of.Arms[pair[1]].Name)
			found := slices.ContainsFunc(strings.Split(string(text), "\n"), func(l string) bool {
				return strings.Contains(l, head) && strings.Contains(l, word) &&
					strings.Contains(l, margin)
			})
			if lines++; !found {
				t.Errorf("docs/registration.md has no line %s %s %s", head, word, margin)
			}
			if tests += len(say.Under); say.Along != (word == "equal steps") {
				t.Errorf("%s: along the run: %t", head, say.Along)
			}
		}
	}
	if lines != 14 || tests != 24 {
		t.Errorf("%d lines and %d tests, want 14 and 24", lines, tests)
	}
	// The rest of the page: seeds, dates, margins, corrections and the other families.
	if got := seedsText(of.Seeds); got != "seeds 5 to 16" {
		t.Errorf("%s, want seeds 5 to 16", got)
	}
	if len(of.Arms) != 6 {
		t.Errorf("%d arms, want 6", len(of.Arms))
	}
	if of.WaitUntil != patience {
		t.Errorf("it waits until %v, want %v", of.WaitUntil, patience)
	}
	if date := of.Registered.Format(time.DateOnly); date != "2026-11-23" {
		t.Errorf("registered on %s, want 2026-11-23", date)
	}
	for _, f := range of.Families {
		if f.Confidence != .95 || f.Correction != Holm {
			t.Errorf("%s has the confidence %g and the correction %s, want 0.95 and %s", f.Name,
				f.Confidence, f.Correction, Holm)
		}
	}
	for _, say := range of.Families[1].Claims {
		if say.Equivalent != .025 || say.Measure != "test_loss" {
			t.Errorf("equivalence of %s within %g, want test_loss within 0.025", say.Measure,
				say.Equivalent)
		}
	}
	for _, r := range of.Reproduction {
		name := of.Arms[r.Arm].Name
		if mean := fmt.Sprintf("%.2f", 100*r.Value); !strings.Contains(string(text), mean) {
			t.Errorf("docs/registration.md has no mean %s of %s", mean, name)
		}
	}
}
