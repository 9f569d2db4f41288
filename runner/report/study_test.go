package report

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
)

// validStudy is a study without mistakes; TestMistakes changes single lines of it.
const validStudy = `study: a study of shapes
registered: 2026-11-23T06:22:25Z
wait_until: 2027-01-22
seeds: 5-8
conditions:
  small: {rho: 0.1}
  large: {rho: 1}
arms:
  sfk: {preset: shapes, method: sfk, epochs: 1}
  erm: {preset: shapes, method: erm, epochs: 1}
families:
  main:
    level: 0.05
    correction: holm
    claims:
      - {says: is better than, measure: robust_risk, arms: [sfk, erm], direction: less, margin: 0.1}
      - says: is like
        measure: test_accuracy
        arms: [[sfk, erm], [erm, sfk]]
        equivalent: 2
reproduction:
  - {arm: erm, measure: mean, value: 72.9}
sensitivity:
  - {setting: init, values: [he], arms: [sfk]}
`

func parse(t *testing.T, text string) *Study {
	t.Helper()
	s, errs := ParseStudy("mine.yaml", []byte(text))
	if len(errs) > 0 {
		t.Fatalf("ParseStudy: %v", errs)
	}
	return s
}

func TestParse(t *testing.T) {
	s := parse(t, validStudy)
	for text, want := range map[string]bool{validStudy: true,
		"doc: a study: none\nrho: 1\n": false} {
		if got := IsStudy([]byte(text)); got != want {
			t.Errorf("IsStudy(%q) = %v, want %v", text, got, want)
		}
	}
	type head struct {
		Title                 string
		Seeds                 []uint64
		Registered, WaitUntil time.Time
	}
	wantHead := head{"a study of shapes", []uint64{5, 6, 7, 8},
		time.Date(2026, 11, 23, 6, 22, 25, 0, time.UTC),
		time.Date(2027, 1, 22, 0, 0, 0, 0, time.UTC)}
	if diff := cmp.Diff(wantHead, head{s.Title, s.Seeds, s.Registered, s.WaitUntil}); diff != "" {
		t.Errorf("the head of the study differs (-want +got):\n%s", diff)
	}
	a := &s.Arms[1]
	if a.Method() != "erm" {
		t.Errorf("the second arm's method is %s, want erm", a.Method())
	}
	if small, large := a.Specs[0].Rho, a.Specs[1].Rho; small != .1 || large != 1 {
		t.Errorf("the second arm's radii are %g and %g, want 0.1 and 1", small, large)
	}
	if n, preset := a.Specs[1].Epochs, a.Presets[1]; n != 1 || preset != "shapes" {
		t.Errorf("the second arm has %d epochs of %s, want 1 of shapes", n, preset)
	}
	want := Family{Name: "main", Title: "The claims", Confidence: .95, Correction: Holm,
		Claims: []Claim{
			{Key: "robust-risk", Says: "is better than", Measure: "robust_risk",
				Pairs: [][2]int{{0, 1}}, Margin: .1, Under: []int{0, 1}},
			{Key: "test-accuracy", Says: "is like", Measure: "test_accuracy",
				Pairs: [][2]int{{0, 1}, {1, 0}}, Equivalent: .02, Under: []int{0, 1}},
		}}
	if diff := cmp.Diff([]Family{want}, s.Families); diff != "" {
		t.Errorf("the families differ (-want +got):\n%s", diff)
	}
	reproduction := []Reproduction{{Arm: 1, Measure: "test_accuracy", Value: .729,
		Under: []int{0, 1}}}
	if diff := cmp.Diff(reproduction, s.Reproduction, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("the comparisons with published numbers differ (-want +got):\n%s", diff)
	}
}

// between returns the part of validStudy from one word up to another.
func between(from, to string) string {
	return validStudy[strings.Index(validStudy, from):strings.Index(validStudy, to)]
}

// TestMistakes: a mistake is named by its line, and alone.
func TestMistakes(t *testing.T) {
	for _, m := range []struct {
		old, new string
		line     int
		want     string
	}{
		{"measure: robust_risk", "measure: robust_rsik", 16, `"robust_rsik": no such measure`},
		{"arms: [sfk, erm], direction", "arms: [sfk, emr], direction", 16,
			`"emr": no such arm: choose of sfk, erm`},
		{"sfk: {preset: shapes, method", "sfk: {method", 9, "sfk: no preset"},
		{"method: erm, epochs", "epochs", 10, "erm: no method"},
		{"direction: less, ", "", 16, "either direction: less or greater, or equivalent"},
		{"        equivalent: 2", "        equivalent: 2\n        direction: less", 17,
			"either direction: less or greater, or equivalent"},
		{"seeds: 5-8", "seeds: 8-5", 4, `seeds: "8-5": the range runs backwards: write 5-8`},
		{"seeds: 5-8", "seeds: [1, 2, 1]", 4, "seeds: [1,2,1]: 1 is there twice"},
		{"seeds: 5-8", "seeds: 5-9999", 4,
			`seeds: "5-9999": expected at most 1000 seeds, as in 5-16`},
		{"seeds: 5-8", "seeds: []", 4, "seeds: []: expected at most 1000 seeds"},
		{"measure: test_accuracy\n        arms: [[sfk, erm], [erm, sfk]]\n        equivalent: 2",
			"measure: step_time\n        arms: [sfk, erm]\n        equivalent: 0.5", 17,
			"equivalent: 0.5: that of step_time is a factor above 1"},
		{"measure: robust_risk, arms: [sfk, erm], direction: less, margin: 0.1",
			"measure: step_time, arms: [sfk, erm], direction: less, margin: -1", 16,
			"margin: -1: that of step_time is a factor above 0"},
		{"measure: mean, value", "measure: step_time, value", 22,
			"reproduction: step_time: expected a measure of evaluations with one value"},
		{"level: 0.05", "level: 5", 13, "level: 5: expected a number in (0, 1)"},
		{"correction: holm", "correction: bonferroni", 14, "expected holm or none"},
		{"wait_until: 2027-01-22", "wait_until: 22.1.2027", 3, "expected a date, as in 2027-01-22"},
		{"says: is like", "say: is like", 17, `"say": a claim has arms, as, at`},
		{"registered:", "registred:", 2, `"registred": a study has arms, conditions`},
		{"  erm: {preset: shapes, method: erm, epochs: 1}\n",
			"  erm: {preset: shapes, method: erm, epochs: 1}\n" +
				"  sfk: {preset: shapes, method: erm}\n",
			11, `mapping key "sfk" already defined`},
		{between("    claims:", "reproduction"),
			"    claims: []\n", 12, "main: no claims"},
		{"method: sfk, epochs", "method: sfk, epohcs", 9, `unknown setting epohcs: did you mean epochs`},
		{"method: sfk, epochs", "method: skf, epochs", 9, `"skf"`},
		{"epochs: 1}\n  erm", "epochs: -1}\n  erm", 9, "epochs: -1: expected"},
		{"preset: shapes, method: erm", "preset: shaeps, method: erm", 10, `preset "shaeps": no preset`},
		{"method: erm, epochs: 1", "method: erm, c: 5", 10, "c"},
		{"large: {rho: 1}", "large: {rho: big}", 7, "rho"},
		{"arms: [sfk, erm], direction", "arms: [sfk], direction", 16, "expected two arms"},
		{"method: sfk, epochs: 1", "method: sfk, seeds: 3", 9, "seeds: arms have a method"},
		{"margin: 0.1", "under: [medium]", 16, `"medium": no such condition: choose of small, large`},
		{"value: 72.9", "under: [small]", 22, "expected the published value"},
		{"measure: test_accuracy", "measure: class_accuracy", 17, "wants classes"},
		{"study: a study of shapes", "study: &a a study", 1, "aliases, anchors and tags are not"},
		{"study: a study of shapes", "study: [[[[[1]]]]]", 1, "lists in lists too deep"},
		{"setting: init", "setting: inti", 24, "expected a setting"},
		{"study: a study of shapes\n", "", 0, "expected a key study"},
		{between("  large", "families"),
			"  large: {rho: 3}\narms:\n  sfk: {preset: shapes, method: sfk}\n" +
				"  erm: {preset: shapes, method: erm, rho: 0.1}\n", 16,
			"add that one to its risk_radii"},
	} {
		text := strings.Replace(validStudy, m.old, m.new, 1)
		t.Run(m.new, func(t *testing.T) {
			if text == validStudy {
				t.Fatalf("%q is not in the file", m.old)
			}
			s, errs := ParseStudy("mine.yaml", []byte(text))
			want := fmt.Sprintf("mine.yaml:%d: ", m.line)
			if m.line == 0 { // the file lacks it
				want = "mine.yaml: "
			}
			if len(errs) != 1 {
				t.Fatalf("errors %q, want one with %q", errs, m.want)
			}
			got := errs[0].Error()
			if !strings.HasPrefix(got, want) || !strings.Contains(got, m.want) {
				t.Errorf("error %q, want %s and %q", got, want, m.want)
			}
			if s != nil {
				t.Errorf("the study is %+v, want none beside an error", s)
			}
		})
	}
	if text := strings.Repeat("x", 1<<20); true {
		if _, errs := ParseStudy("mine.yaml", []byte(text)); len(errs) != 1 {
			t.Error("a long file is read")
		}
	}
}

// TestAnyLineMissing: a file that lacks any line, or any word, is read or refused.
func TestAnyLineMissing(t *testing.T) {
	for _, sep := range []string{"\n", " ", ", ", "{", "["} {
		parts := strings.Split(validStudy, sep)
		for i := range parts {
			text := strings.Join(slices.Delete(slices.Clone(parts), i, i+1), sep)
			if s, errs := ParseStudy("mine.yaml", []byte(text)); (s == nil) != (len(errs) > 0) {
				t.Errorf("without %q: %+v, %q", parts[i], s, errs)
			}
		}
	}
}

// TestGather: a run belongs to an arm by its settings, seed and data, whatever its preset and how
// often it was looked at. Of several the oldest counts. Failed, stopped and foreign runs do not.
func TestGather(t *testing.T) {
	s := parse(t, validStudy)
	f := newFolder(t)
	add := func(arm, condition int, seed uint64, change func(*runner.Meta), status runner.Status,
		cause string) *record.Run {
		of := s.Arms[arm].Specs[condition]
		of.Seed = seed
		f.Add(recordtest.Result{Method: of.Algorithm(), Seed: seed, Age: -2, Meta: change,
			Change: func(s *spec.Spec) { *s = of }, Status: status, Cause: cause})
		return f.Runs[len(f.Runs)-1]
	}
	settings := func(change func(*spec.Spec)) func(*runner.Meta) {
		return func(m *runner.Meta) { change(&m.Spec) }
	}
	first := add(0, 0, 5, settings(func(s *spec.Spec) { s.LogEvery = 1 }), runner.Done, "")
	add(0, 0, 5, func(m *runner.Meta) { m.Created = m.Created.Add(time.Hour) }, runner.Done, "")
	// erm does not read batch_z
	add(1, 0, 5, settings(func(s *spec.Spec) { s.BatchZ = 7 }), runner.Done, "")
	add(0, 1, 5, settings(func(s *spec.Spec) { s.LR = .5 }), runner.Done, "") // of no arm
	add(0, 1, 4, nil, runner.Done, "")                                        // of no seed
	add(0, 1, 5, func(m *runner.Meta) { m.Checksum = "sha256:1" }, runner.Done, "")
	failed := add(0, 0, 6, nil, runner.Failed, "no space is left")
	broken := add(0, 1, 6, nil, runner.Failed, "step 3: the loss is NaN: lower lr")
	stopped := add(0, 0, 7, nil, runner.Stopped, "")
	before := func(m *runner.Meta) { m.Created = s.Registered.Add(-1) }
	early := add(1, 1, 8, before, runner.Done, "")
	g := s.Gather(f.Runs)
	if g.Done != 4 || g.Wanted != 16 {
		t.Errorf("%d of %d runs, want 4 of 16", g.Done, g.Wanted)
	}
	if len(g.Missing) != 12 {
		t.Errorf("%d runs are missing, want 12", len(g.Missing))
	}
	same := func(name string, got []*record.Run, want ...*record.Run) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d runs, want %d", name, len(got), len(want))
		}
	}
	same("sfk at small", g.By[0][0].Runs, first)
	same("broken", g.Broken, broken)
	same("failed", g.Failed, failed)
	same("early", g.Early, early)
	same("rest", g.Rest, f.Runs[3])
	same("other seeds", g.OtherSeeds, f.Runs[4])
	same("other data", g.OtherData, f.Runs[5])
	for _, m := range g.Missing {
		if goesOn := m.Name == "sfk at small" && m.Seed == 7; goesOn != (m.Begun == stopped) {
			t.Errorf("%s, seed %d: begun is %v, want the stopped run: %v", m.Name, m.Seed, m.Begun,
				goesOn)
		}
	}
	want := []string{"sfk at small: 3 of 4", "sfk at large: 3 of 4", "erm at small: 3 of 4",
		"erm at large: 3 of 4"}
	slices.Sort(want)
	if lacks := slices.Sorted(slices.Values(g.Lacks())); !slices.Equal(lacks, want) {
		t.Errorf("lacks %q, want %q", lacks, want)
	}
}

// An arm that sets what the conditions set has the same runs under each of them.
func TestOneSlot(t *testing.T) {
	s := parse(t, strings.NewReplacer("method: erm", "method: erm, rho: 1",
		"measure: robust_risk", "measure: test_loss").Replace(validStudy))
	g := s.Gather(nil)
	if len(g.Slots) != 3 || g.Wanted != 12 {
		t.Errorf("%d slots of %d runs, want 3 of 12", len(g.Slots), g.Wanted)
	}
	small, large := g.By[0][1], g.By[1][1]
	if small != large || small.Name != "erm" {
		t.Errorf("the slots of erm are %+v and %+v, want one named erm", small, large)
	}
}

// The recorded studies have no mistakes, and each of the runs that come with them counts.
func TestRecordedStudies(t *testing.T) {
	for _, name := range []string{"paper", "registered"} {
		text, err := os.ReadFile("../../presets/recorded/" + name + "/study.yaml")
		if err != nil {
			t.Fatal(err)
		}
		parse(t, string(text))
	}
}
