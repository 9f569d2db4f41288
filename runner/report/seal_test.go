package report

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
)

// sealedStudy is a study whose claims TestHashOfClaims changes.
const (
	sealedStudy = `study: a study of shapes
doc: What it is for.
registered: 2026-11-23T06:22:25Z
seeds: 1-4
conditions:
  small: {rho: 0.1}
  large: {rho: 1}
arms:
` + sfkArm + pgdArm + `  erm: {preset: shapes, method: erm, epochs: 3, risk_radii: [0.1, 1]}
families:
  main:
    title: The claims
    level: 0.05
    correction: holm
    claims:
` + firstClaim + secondClaim + thirdClaim + secondFamily

	sfkArm = "  sfk: {preset: shapes, method: sfk, epochs: 3, risk_radii: [0.1, 1]}\n"
	pgdArm = "  pgd: {preset: shapes, method: pgd, epochs: 3, risk_radii: [0.1, 1]}\n"

	firstClaim = `
      - {key: a, says: is below, source: a page, reading: a reading, name: R, measure: robust_risk,
         arms: [[sfk, erm], [pgd, erm]], direction: less, margin: 0.25}
`
	secondClaim = `
      - {says: is above, measure: class_accuracy, arms: [sfk, erm], direction: greater,
         classes: [0, 1], other: [1, 2], under: [small], as: both}
`
	thirdClaim = `
      - {says: is like, measure: test_loss, arms: [sfk, erm], equivalent: 0.5, at: along}
`
	secondFamily = `
  more:
    secondary: true
    like: main
    instead: [sfk, pgd]
`
)

func hashOf(t *testing.T, text string) string {
	t.Helper()
	hash, err := parse(t, text).hashOfClaims()
	if err != nil {
		t.Fatal(err)
	}
	if len(hash) != 64 {
		t.Fatalf("hash %q, want 64 digits", hash)
	}
	return hash
}

// TestHashOfClaims: the hash depends on what the tests are, and on nothing else.
func TestHashOfClaims(t *testing.T) {
	want := hashOf(t, sealedStudy)
	seen := map[string]string{want: "no change"}
	for _, c := range []struct {
		what     string
		same     bool
		old, new string // in pairs, separated by |
	}{
		{"a title", true, "study: a study of shapes", "study: another title"},
		{"the text", true, "doc: What it is for.\n", ""},
		{"a family's title", true, "title: The claims", "title: Claims"},
		{"a family's name", true, "  main:|like: main", "  first:|like: first"},
		{"words of a claim", true, "key: a, says: is below, source: a page, reading: a reading, " +
			"name: R", "says: lies below"},
		{"the label of a condition", true, "  small: {|[small]", "  low: {|[low]"},
		{"as", true, ", as: both", ""},
		{"secondary", true, "    secondary: true\n", ""},
		{"names of arms", true, "  erm: {|[sfk, erm]|[pgd, erm]",
			"  base: {|[sfk, base]|[pgd, base]"},
		{"a label of an arm", true, "method: erm,", "method: erm, label: ERM,"},
		{"comments and blanks", true, "    level: 0.05\n", "    # as usual\n\n    level:   0.05\n"},
		{"spellings of numbers", true, "0.05|0.25|0.5,|{rho: 1}",
			".05|2.50e-1|.5,|{rho: 1.0}"},
		{"order of keys", true, "says: is like, measure: test_loss",
			"measure: test_loss, says: is like"},
		{"order of claims", true, firstClaim + secondClaim + thirdClaim,
			thirdClaim + firstClaim + secondClaim},
		{"order of pairs and classes", true, "[[sfk, erm], [pgd, erm]]|[0, 1]",
			"[[pgd, erm], [sfk, erm]]|[1, 0]"},
		{"order of arms", true, sfkArm + pgdArm, pgdArm + sfkArm},
		{"a margin of zero", true, "direction: greater,", "direction: greater, margin: -0.0,"},
		{"a default that is stated", true, "method: erm,", "method: erm, momentum: 0.9,"},
		{"how often an arm is looked at", true, "method: erm,", "method: erm, log_every: 7,"},
		{"a setting that no method reads", true, "  small: {", "  small: {mu: 0.3, "},
		{"seeds", true, "seeds: 1-4", "seeds: 1-9"},

		{"a measure", false, "measure: test_loss", "measure: train_loss"},
		{"at", false, ", at: along", ""},
		{"another arm", false, "test_loss, arms: [sfk, erm]", "test_loss, arms: [sfk, pgd]"},
		{"arms exchanged", false, "test_loss, arms: [sfk, erm]", "test_loss, arms: [erm, sfk]"},
		{"methods of arms exchanged", false, "method: sfk|method: erm", "method: erm|method: sfk"},
		{"a setting of an arm", false, "method: erm,", "method: erm, lr: 0.5,"},
		{"a setting of a condition", false, "{rho: 1}|[0.1, 1]", "{rho: 2}|[0.1, 2]"},
		{"a pair less", false, "[[sfk, erm], [pgd, erm]]", "[sfk, erm]"},
		{"a direction", false, "direction: less", "direction: greater"},
		{"a margin", false, "margin: 0.25", "margin: 0.26"},
		{"no margin", false, ", margin: 0.25", ""},
		{"a sign", false, "margin: 0.25", "margin: -0.25"},
		{"equivalence", false, "equivalent: 0.5", "equivalent: 0.6"},
		{"equivalence in place of a direction", false, "direction: less, margin: 0.25",
			"equivalent: 0.25"},
		{"classes", false, "classes: [0, 1]", "classes: [0, 2]"},
		{"other classes", false, "other: [1, 2]", "other: [0, 2]"},
		{"under", false, "under: [small]", "under: [large]"},
		{"under all", false, "under: [small], as: both", "under: [small, large]"},
		{"a level", false, "level: 0.05", "level: 0.01"},
		{"a correction", false, "correction: holm", "correction: none"},
		{"a claim less", false, thirdClaim, ""},
		{"a family less", false, secondFamily, ""},
		{"the arm in place", false, "instead: [sfk, pgd]", "instead: [pgd, sfk]"},
	} {
		t.Run(c.what, func(t *testing.T) {
			var pairs []string
			olds, news := strings.Split(c.old, "|"), strings.Split(c.new, "|")
			for i, old := range olds {
				if !strings.Contains(sealedStudy, old) {
					t.Fatalf("%q is not in the file", old)
				}
				pairs = append(pairs, old, news[i])
			}
			text := strings.NewReplacer(pairs...).Replace(sealedStudy)
			got := hashOf(t, text)
			if (got == want) != c.same {
				t.Errorf("same hash: %v, want %v", got == want, c.same)
			}
			if !c.same && seen[got] != "" {
				t.Errorf("it has the hash of %q, want one of its own", seen[got])
			}
			if !c.same {
				seen[got] = c.what
			}
		})
	}
}

// TestFormOfClaims: the hash of a file stays the same in later versions, as long as the form does.
func TestFormOfClaims(t *testing.T) {
	const want = "8022ba7028850d3602de0cc7eab1b12830e17b9baf53c8dedbdec0aecb584834"
	if got := hashOf(t, sealedStudy); got != want {
		t.Errorf("hash %s, want %s: a new form needs a new number, and old entries are compared "+
			"with the old form", got, want)
	}
}

// TestSameFamily: claims that a family takes over by like are those that are spelled out.
func TestSameFamily(t *testing.T) {
	spelled := strings.Replace(sealedStudy, `    like: main
    instead: [sfk, pgd]
`, `    claims:
      - {says: x, measure: robust_risk, arms: [pgd, erm], direction: less, margin: 0.25}
      - {says: x, measure: class_accuracy, arms: [pgd, erm], direction: greater,
         classes: [0, 1], other: [1, 2], under: [small]}
      - {says: x, measure: test_loss, arms: [pgd, erm], equivalent: 0.5, at: along}
`, 1)
	if got, want := hashOf(t, spelled), hashOf(t, sealedStudy); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

// twoArmStudy is a registered study with four seeds of two arms.
const twoArmStudy = `study: a study that is sealed
registered: 2026-11-20
seeds: 1-4
arms:
  sfk: {preset: shapes, method: sfk, epochs: 3}
  erm: {preset: shapes, method: erm, epochs: 3}
families:
  main:
    claims:
      - {says: is below, measure: test_loss, arms: [sfk, erm], direction: less}
      - {says: is like, measure: robust_risk, arms: [sfk, erm], equivalent: 0.5}
`

// addSealed adds the runs of the study twoArmStudy, begun with these claims; nil: with none.
func (f *folder) addSealed(claims []runner.SealedClaims) {
	f.Helper()
	s, errs := ParseStudy("mine.yaml", []byte(twoArmStudy))
	f.Must(errors.Join(errs...))
	for i := range s.Arms {
		one := s.Arms[i].Specs[0]
		for seed := uint64(1); seed <= 4; seed++ {
			one.Seed = seed
			f.Claims = claims
			f.Add(recordtest.Result{Method: one.Algorithm(), Seed: seed,
				Change:   func(s *spec.Spec) { *s = one },
				TestLoss: float64(i) + recordtest.Deviation(seed+uint64(i)),
				Risk:     recordtest.Deviation(seed + uint64(i))})
		}
	}
}

func (f *folder) reportBy(text string) *Report {
	f.Helper()
	s, errs := ParseStudy("mine.yaml", []byte(text))
	f.Must(errors.Join(errs...))
	r, err := New(s, f.Runs, Options{})
	f.Must(err)
	return r
}

// verdictsOf returns the verdicts of the first family, and how many are exploratory.
func verdictsOf(r *Report) (list []Verdict, exploratory int) {
	for _, c := range r.claims() {
		list = append(list, c.Verdict)
		if c.Exploratory {
			exploratory++
		}
	}
	return list, exploratory
}

func sealOf(t *testing.T, word, text string) runner.SealedClaims {
	t.Helper()
	s, errs := ParseStudy(word, []byte(text))
	if len(errs) > 0 {
		t.Fatalf("ParseStudy(%q): %v", word, errs)
	}
	c, err := s.Seal(time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestClaimsThatDiffer: a margin that is edited after the runs makes every row exploratory, and the
// page says so. Other edits do not.
func TestClaimsThatDiffer(t *testing.T) {
	own := sealOf(t, "mine.yaml", twoArmStudy)
	other := sealOf(t, "other.yaml", strings.NewReplacer("a study that is sealed", "another study",
		"equivalent: 0.5", "equivalent: 0.7").Replace(twoArmStudy))
	wider := strings.Replace(twoArmStudy, "equivalent: 0.5", "equivalent: 0.9", 1)
	for _, c := range []struct {
		what        string
		sealed      []runner.SealedClaims
		text        string
		exploratory int
		note        string // which a page without one must not have
	}{
		{"as sealed", []runner.SealedClaims{own}, twoArmStudy, 0, ""},
		{"other words", []runner.SealedClaims{own},
			strings.NewReplacer("is below", "lies below", "a study that", "The study that").
				Replace(twoArmStudy), 0, ""},
		{"another margin", []runner.SealedClaims{own}, wider, 2, "other claims were sealed with"},
		{"another margin and title", []runner.SealedClaims{own},
			strings.Replace(wider, "a study that", "The study that", 1), 2,
			"other claims were sealed with"},
		{"of another study alone", []runner.SealedClaims{other}, twoArmStudy, 2,
			"other claims were sealed with"},
		{"of two studies", []runner.SealedClaims{other, own}, twoArmStudy, 0, ""},
		{"of two studies, and another margin", []runner.SealedClaims{other, own}, wider, 2,
			"other claims were sealed with"},
		{"without an entry", nil, twoArmStudy, 0, "claims not sealed before these runs: "},
	} {
		t.Run(c.what, func(t *testing.T) {
			f := newFolder(t)
			f.addSealed(c.sealed)
			r := f.reportBy(c.text)
			list, exploratory := verdictsOf(r)
			if want := []Verdict{Supported, Supported}; !slices.Equal(list, want) {
				t.Errorf("verdicts %q, want %q", list, want)
			}
			if exploratory != c.exploratory {
				t.Errorf("%d rows are exploratory, want %d", exploratory, c.exploratory)
			}
			page, notes := r.Page().Markdown(), strings.Join(r.Notes, "\n")
			if got := strings.Count(page, ", exploratory |"); got != c.exploratory {
				t.Errorf("%d rows say exploratory, want %d:\n%s", got, c.exploratory, page)
			}
			const sentence = "The claims of this page are not those that were sealed with 8 " +
				"runs. Every test of them is exploratory."
			if got := strings.Contains(page, sentence); got != (c.exploratory > 0) {
				t.Errorf("the sentence is there: %v, want %v:\n%s", got, c.exploratory > 0, page)
			}
			if c.note == "" && strings.Contains(notes, "sealed") {
				t.Errorf("notes %q, want none on what is sealed", notes)
			}
			if !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			var printed struct{ Claims *ClaimsCheck }
			text, err := json.Marshal(r)
			f.Must(err)
			f.Must(json.Unmarshal(text, &printed))
			if printed.Claims == nil {
				t.Fatalf("--json has no claims: %s", text)
			}
			if got := len(printed.Claims.Differ) > 0; got != (c.exploratory > 0) {
				t.Errorf("--json has runs with other claims: %v, want %v: %+v", got,
					c.exploratory > 0, *printed.Claims)
			}
		})
	}
}

// TestTakenOver: a run that a study takes over has an entry with that date, and the page says that
// the run is older. A later edit shows. The run keeps the entries of other studies.
func TestTakenOver(t *testing.T) {
	f := newFolder(t)
	f.addSealed(nil)
	s := parse(t, twoArmStudy)
	take := func(text string) (differ []*record.Run) {
		t.Helper()
		s, errs := ParseStudy("mine.yaml", []byte(text))
		f.Must(errors.Join(errs...))
		c, err := s.Seal(time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC))
		f.Must(err)
		differ, errs = s.Gather(f.Runs).TakeOver(c)
		if len(errs) > 0 {
			t.Errorf("TakeOver: %v", errs)
		}
		return differ
	}
	if differ := take(twoArmStudy); len(differ) > 0 {
		t.Errorf("%d runs have other claims, want none", len(differ))
	}
	r := f.reportBy(twoArmStudy)
	if _, n := verdictsOf(r); n != 0 {
		t.Errorf("%d rows are exploratory, want 0", n)
	}
	if n := len(r.Claims.TakenOver); n != 8 {
		t.Errorf("%d runs are taken over, want 8", n)
	}
	const older = "claims not sealed before these runs, which the study took over: "
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, older) {
		t.Errorf("notes %q, want %q", notes, older)
	}
	wider := strings.Replace(twoArmStudy, "equivalent: 0.5", "equivalent: 0.9", 1)
	if differ := take(wider); len(differ) != 8 {
		t.Errorf("%d runs have other claims, want 8", len(differ))
	}
	if _, n := verdictsOf(f.reportBy(wider)); n != 2 {
		t.Errorf("%d rows are exploratory after an edit, want 2", n)
	}
	if _, n := verdictsOf(f.reportBy(twoArmStudy)); n != 0 {
		t.Errorf("%d rows are exploratory after the edit is undone, want 0", n)
	}
	list, err := s.Gather(f.Runs).Slots[0].Runs[0].Claims()
	f.Must(err)
	want := sealOf(t, "mine.yaml", twoArmStudy).SHA256
	if len(list) != 1 {
		t.Fatalf("the entries are %+v, want one", list)
	}
	if !list[0].TakenOver || list[0].SHA256 != want {
		t.Errorf("the entry is %+v, want one that was taken over with the hash %s", list[0], want)
	}
}

// TestDamagedEntries: a list of claims that cannot be read is named, and counts as none.
func TestDamagedEntries(t *testing.T) {
	f := newFolder(t)
	f.addSealed(nil)
	for _, r := range f.Runs {
		f.Must(r.TakeOver(sealOf(t, "mine.yaml", twoArmStudy)))
	}
	path := filepath.Join(f.Runs[3].Dir, "claims.json")
	text, err := os.ReadFile(path)
	f.Must(err)
	f.Must(os.WriteFile(path, text[:len(text)/2], 0o600))
	r := f.reportBy(twoArmStudy)
	notes := strings.Join(r.Notes, "\n")
	if not, over := len(r.Claims.NotSealed), len(r.Claims.TakenOver); not != 1 || over != 7 {
		t.Errorf("%d runs are not sealed and %d are taken over, want 1 and 7", not, over)
	}
	for _, want := range []string{"claims.json",
		"claims not sealed before this run: " + f.Runs[3].Meta.ID} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q, want %q", notes, want)
		}
	}
}

// TestStated: what an arm states has one text for each setting, and no seed.
func TestStated(t *testing.T) {
	got := statedSettings(&parse(t, twoArmStudy).Arms[1].Specs[0])
	for _, key := range []string{"seed", "seeds", "log_every"} {
		if _, ok := got[key]; ok {
			t.Errorf("%s is stated: %v", key, slices.Sorted(maps.Keys(got)))
		}
	}
	for key, want := range map[string]string{"epochs": "3", "algorithms": "[erm]",
		"imbalance": "paper"} {
		if got[key] != want {
			t.Errorf("%s is stated as %q, want %q", key, got[key], want)
		}
	}
}
