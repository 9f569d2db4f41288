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
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/train"
)

var before = patience.Add(-time.Hour)

// registered adds the runs of the registration. SFK is .1 better than ERM in the worst class and
// has ERM's test loss. The robust risk that counts for runs without a radius is in robust_risk_at.
func (f *folder) registered() {
	f.Helper()
	for _, name := range []string{"registered", "registered-gentle"} {
		p, err := presets.Load(name)
		f.must(err)
		for _, one := range p.Spec.Expand() {
			a := one.Algorithm()
			w := told{algorithm: a, seed: one.Seed, rho: one.Rho, preset: name,
				classes:   strings.Fields("a b c d e f g h i j"),
				change:    func(s *spec.Spec) { *s = one },
				trainLoss: .1, testLoss: 1, worst: .5, risk: 9,
				objective: []float64{3, 2, 1}}
			for i := range one.RiskRadii {
				w.riskAt = append(w.riskAt, 2+float64(i)/10)
			}
			w.vary(one.Rho)
			f.add(w)
		}
	}
}

// vary gives a run the figures of its method and seed.
func (w *told) vary(rho float64) {
	by := map[dro.Algorithm]float64{dro.SFK: .1, dro.SFKAuto: .05, dro.PGD: -.1, dro.PAN: .02,
		"group": .07}[w.algorithm]
	chance := math.Sin(float64(w.seed)*12.9898+78.233*by) / 200
	if w.algorithm != dro.PAN {
		chance += rho / 1e4
	}
	w.worst += by + chance
	w.trainLoss += by + chance
	w.testLoss += chance
	w.objective = []float64{3 - by + chance, 2 - by, 1 - by + chance}
	for i := range w.riskAt {
		w.riskAt[i] += chance - by
	}
	for i := range 10 {
		w.accuracy = append(w.accuracy, w.worst+float64(i)/50)
	}
}

// All 120 runs give the 24 tests of the page, with its sides and margins, and the other tests.
func TestRegistered(t *testing.T) {
	f := newFolder(t)
	f.registered()
	t.Run("all", func(t *testing.T) { f.all(t) })
	t.Run("again", func(t *testing.T) { f.again(t, f.runs) })
	t.Run("missing again", func(t *testing.T) { f.again(t, f.runs[3:]) })
	t.Run("missing", func(t *testing.T) { f.missing(t) })
	t.Run("none", func(t *testing.T) { f.none(t) })
}

// again tests the families of the registration again in NumPy, which has its own list of lines.
func (f *folder) again(t *testing.T, runs []*record.Run) {
	g, err := NewRegistered(runs, presets.Known(), before)
	f.must(err)
	text, err := json.Marshal(g)
	f.must(err)
	file := filepath.Join(t.TempDir(), "report.json")
	f.must(os.WriteFile(file, text, 0o644))
	args := []string{"--report", file}
	for _, r := range runs {
		args = append(args, r.Dir)
	}
	t.Logf("%s", peertest.Run(t, "numpy", "peer/check.py", args...))
}

func (f *folder) all(t *testing.T) {
	if !areRegistered(f.runs) {
		t.Error("the runs are not known as registered")
	}
	turned := slices.Clone(f.runs) // the order of the runs decides nothing
	slices.Reverse(turned)
	g, err := NewRegistered(turned, presets.Known(), before)
	f.must(err)
	if !slices.IsSorted(g.Claims[0].Seeds) {
		t.Errorf("the seeds are in the order %v", g.Claims[0].Seeds)
	}
	if g.Done != 120 || g.Wanted != 120 || len(g.Missing) > 0 || len(g.Seeds) != 12 ||
		len(g.Notes) > 0 {
		t.Fatalf("%d of %d runs, missing %v, seeds %v, notes %v", g.Done, g.Wanted, g.Missing,
			g.Seeds, g.Notes)
	}
	if g.Tests != 24 || len(g.Claims) != 24 || len(g.Equivalent) != 3 || len(g.Reproduction) != 3 ||
		len(g.Secondary[0]) != 18 || len(g.Secondary[1]) != 3 {
		t.Errorf("families of %d (%d), %d, %d, %d and %d tests", len(g.Claims), g.Tests,
			len(g.Equivalent), len(g.Reproduction), len(g.Secondary[0]), len(g.Secondary[1]))
	}
	for _, c := range slices.Concat(g.Claims, g.Equivalent, g.Reproduction, g.Secondary[0],
		g.Secondary[1]) {
		if len(c.Seeds) != 12 || !c.Adjusted.Applies() {
			t.Errorf("%s at %s: %d seeds, p %v", c.short(), c.Problem, len(c.Seeds), c.Adjusted)
		}
		if risk := c.Key == "robust-risk" && c.A == "sfk"; risk &&
			math.Abs(c.Mean.Float()+.1) > .02 {
			t.Errorf("%s at %s: %v, want about −0.1 at either radius", c.short(), c.Problem, c.Mean)
		}
		if c.Key == "worst" && c.A == "sfk" && c.Verdict != Supported {
			t.Errorf("%s: %s", c.short(), c.Verdict)
		}
	}
	for _, c := range g.Equivalent {
		if !c.significant() {
			t.Errorf("%s: not equivalent, p %v", c.pair(), c.P)
		}
	}
	if n := len(g.Means); n != 34 || len(g.Means[0].Arms) != 6 || g.Means[0].Arms[0].Seeds != 12 {
		t.Errorf("%d rows of means, the first is %v", n, g.Means[0])
	}
	if short := g.short(); !strings.Contains(short, "| ρ = 0.5: erm | 12 | 49.9 ± 0.3 |") {
		t.Errorf("in short: %s", short)
	}
	page := g.Page().Markdown()
	for _, want := range []string{"120 of 120 runs", "one family of 24 tests", "Table 1",
		"equivalent", "| claim, ρ = 0.5 | n |", "| claim, ρ = 1.5 | n |", "| claim, either ρ | n |",
		"| ρ = 0.5 | sfk | paper | sfk-auto | pgd | pan | paper | erm | paper | group |",
		"\n| classes 3, 4, 5 | 70.0 ± 0.4 | 54.32 |",
		"\n21 are supported, 0 are not supported and 3 are undecided.\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Nothing is tested before all runs have ended. After 60 days the tests use the seeds that all arms
// have from the first seed on.
func (f *folder) missing(t *testing.T) {
	f.add(told{algorithm: dro.SFK, seed: 17, preset: "registered"})
	some := slices.DeleteFunc(slices.Clone(f.runs), func(r *record.Run) bool {
		s := &r.Meta.Spec
		return s.Algorithm() == dro.SFK && s.Rho == .5 && s.Seed == 9 ||
			s.Algorithm() == "group" && s.Seed > 14
	})
	g, err := NewRegistered(some, presets.Known(), before)
	f.must(err)
	want := []string{"group at ρ = 1.5: 2 of 12", "sfk at ρ = 0.5: 1 of 12"}
	slices.Sort(g.Missing)
	if !slices.Equal(g.Missing, want) || len(g.Claims) > 0 {
		t.Errorf("missing %q and %d tests, want %q and none", g.Missing, len(g.Claims), want)
	}
	commands := []string{
		"drolab run registered-gentle --algo sfk --seed 9 --seeds 1 --runs registered",
		"drolab run registered --algo group --seed 15 --seeds 2 --runs registered",
	}
	if !slices.Equal(g.Commands, commands) {
		t.Errorf("the commands are %q, want %q", g.Commands, commands)
	}
	if page := g.Page().Markdown(); !strings.Contains(page, "3 are missing") || len(g.Notes) != 1 {
		t.Errorf("%v\n%s", g.Notes, page)
	}
	g, err = NewRegistered(some, presets.Known(), patience)
	f.must(err)
	if !slices.Equal(g.Seeds, []uint64{5, 6, 7, 8}) || len(g.Claims) != 24 ||
		len(g.Claims[0].Seeds) != 4 {
		t.Errorf("seeds %v and %d tests, want 5 to 8 and 24", g.Seeds, len(g.Claims))
	}
}

// A run on other data does not count. Where every run of a preset is missing, the command for the
// preset names no method.
func (f *folder) none(t *testing.T) {
	one := f.runs[0].Meta.Spec
	one.Seed++
	f.add(told{algorithm: one.Algorithm(), preset: "registered", checksum: "sha256:1",
		change: func(s *spec.Spec) { *s = one }})
	runs := []*record.Run{f.runs[0], f.runs[len(f.runs)-1]}
	g, err := NewRegistered(runs, presets.Known(), before)
	f.must(err)
	if g.Done != 1 || len(g.Notes) != 1 || !strings.Contains(g.Notes[0], "data") {
		t.Errorf("%d runs, notes %q", g.Done, g.Notes)
	}
	last := "drolab run registered-gentle --seed 6 --seeds 11 --runs registered"
	if n := len(g.Commands); n != 4 || !slices.Contains(g.Commands, last) {
		t.Errorf("%d commands: %q", n, g.Commands)
	}
}

// A run that broke is recognised by its cause.
func TestNotFinite(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if broken := (&train.BrokenError{What: "loss", Value: x,
			Cure: "lower lr"}).Error(); !notFinite(broken) {
			t.Errorf("%q is not known", broken)
		}
	}
	if notFinite("no space is left") {
		t.Error("a full disk is taken for numbers that are not finite")
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
	lines := 0
	for _, say := range claims() {
		word, ok := words[say.key]
		if !ok {
			continue
		}
		for _, pair := range say.pairs {
			sign, margin := "<", "| 0 |"
			if say.higher {
				sign = ">"
			}
			if say.margin != 0 {
				margin = fmt.Sprintf("| −%g point |", -100*say.margin)
			}
			if word == "along" {
				word = "equal steps"
			}
			head := fmt.Sprintf("| %s %s %s |", pair[0], sign, pair[1])
			found := slices.ContainsFunc(strings.Split(string(text), "\n"), func(l string) bool {
				return strings.Contains(l, head) && strings.Contains(l, word) &&
					strings.Contains(l, margin)
			})
			if lines++; !found {
				t.Errorf("docs/registration.md has no line %s %s %s", head, word, margin)
			}
		}
	}
	if lines != 14 {
		t.Errorf("%d lines, want 14", lines)
	}
}
