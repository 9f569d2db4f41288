package report

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// The claims of a study are sealed with the runs that it starts or takes over: each has an entry
// with the hash of the claims and the date (record.Run.Claims). Claims that were changed since then
// have another hash, and all tests of them are exploratory.
//
// The hash is of the tests that the families make. It covers everything on which a verdict depends,
// given the runs: for each test the measure, at, the classes, the two arms, the direction, the
// margin, equivalent and the radius of the condition, and for each family the level and the
// correction. An arm stands there with its settings, since its name is a word of the file's author
// and two names could be exchanged. A condition stands there by the settings of its arms. Titles,
// texts, names, the order of the file and the way in which numbers are written do not count.
//
// The seeds, the dates registered and wait_until, reproduction and sensitivity are not covered.

// formOfClaims begins the text that is hashed. A later version that writes this text in another
// form must also compare the entries of this form.
const formOfClaims = "drolab claims, form 1\n"

// sealedFamily is a family as it is hashed. The numbers are texts.
type sealedFamily struct {
	Confidence string
	Correction string
	Tests      []string // each a sealedTest as JSON, sorted
}

type sealedTest struct {
	Measure            string
	Along, Higher      bool
	Classes            [2][]int // sorted
	Margin, Equivalent string
	Radius             string
	Arms               [2]map[string]string // the settings by key
}

// Seal returns the entry for a run that the study starts or takes over now.
func (s *Study) Seal(now time.Time) (c runner.SealedClaims, err error) {
	c = runner.SealedClaims{Study: s.Title, File: s.Word, Date: now.UTC().Truncate(time.Second)}
	if !strings.HasPrefix(s.Word, withProgram) {
		if c.File, err = filepath.Abs(s.Word); err != nil {
			return c, err
		}
	}
	c.SHA256, err = s.hashOfClaims()
	return c, err
}

// hashOfClaims returns the SHA-256 of the study's claims, in hexadecimal.
func (s *Study) hashOfClaims() (string, error) {
	var families []string
	for i := range s.Families {
		text, err := s.canonical(&s.Families[i])
		if err != nil {
			return "", err
		}
		families = append(families, text)
	}
	slices.Sort(families)
	text := formOfClaims + strings.Join(families, "\n")
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text))), nil
}

// canonical returns the text that is equal for families that make the same tests.
func (s *Study) canonical(f *Family) (string, error) {
	of := sealedFamily{Confidence: canonicalNumber(f.Confidence), Correction: f.Correction}
	for i := range f.Claims {
		c := &f.Claims[i]
		for _, at := range c.Under {
			for _, pair := range c.Pairs {
				text, err := json.Marshal(sealedTest{
					Measure: c.Measure, Along: c.Along, Higher: c.Higher,
					Classes:    [2][]int{sortedInts(c.Classes[0]), sortedInts(c.Classes[1])},
					Margin:     canonicalNumber(c.Margin),
					Equivalent: canonicalNumber(c.Equivalent),
					Radius:     canonicalNumber(s.Conditions[at].Radius),
					Arms: [2]map[string]string{
						statedSettings(&s.Arms[pair[0]].Specs[at]),
						statedSettings(&s.Arms[pair[1]].Specs[at]),
					},
				})
				if err != nil {
					return "", err
				}
				of.Tests = append(of.Tests, string(text))
			}
		}
	}
	slices.Sort(of.Tests)
	text, err := json.Marshal(of)
	if err != nil {
		return "", err
	}
	return string(text), nil
}

// canonicalNumber writes 12 digits: logarithms of margins differ in the last digits between
// processors. It writes −0 as 0.
func canonicalNumber(x float64) string { return strconv.FormatFloat(x+0, 'g', 12, 64) }

// sortedInts returns the numbers of a list, ascending.
func sortedInts(list []int) []int { return slices.Sorted(slices.Values(list)) }

// statedSettings returns the settings by which an arm differs from the defaults, as far as its
// method reads them and the numbers of its runs depend on them. So a setting that a later version
// adds changes no hash.
func statedSettings(s *spec.Spec) map[string]string {
	defaults, settings := spec.Defaults(), map[string]string{}
	for _, t := range spec.AllSettings() {
		if t.Viewed() || !t.ReadIn(s) || t.Key == "seed" || t.Key == "seeds" {
			continue
		}
		if text := t.Text(s); text != t.Text(&defaults) {
			settings[t.Key] = text
		}
	}
	return settings
}

// TakeOver seals the claims with the runs that the study counts and did not start. differ are the
// runs with which other claims of the study are sealed; they keep their entries. An error is about
// a run that has no entry now.
func (g *Gathered) TakeOver(c runner.SealedClaims) (differ []*record.Run, errs []error) {
	for _, r := range slices.Concat(g.endedRuns(), g.begunRuns()) {
		list, err := r.Claims()
		if err != nil {
			errs = append(errs, fmt.Errorf("the claims are not sealed: %w", err))
			continue
		}
		own := slices.IndexFunc(list, func(o runner.SealedClaims) bool { return o.SameStudy(&c) })
		if own < 0 {
			err = r.TakeOver(c)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("the claims are not sealed: %w", err))
		} else if own >= 0 && list[own].SHA256 != c.SHA256 {
			differ = append(differ, r)
		}
	}
	return differ, errs
}

// sealMatch is how the claims of a study agree with those that are sealed with a run.
type sealMatch int

const (
	sealedBefore sealMatch = iota // the run was started with these claims
	sealedLater                   // the study took the run over with these claims
	otherClaims                   // it did so with others, or other studies alone have the run
	notSealed                     // no study has the run
)

// matchSeals compares the claims of a study with the entries of a run. The first entry of the study
// decides: a later one cannot excuse it. A study with another title in another file is the same if
// its claims are.
func matchSeals(list []runner.SealedClaims, c runner.SealedClaims) sealMatch {
	same := func(o runner.SealedClaims) bool { return o.SHA256 == c.SHA256 }
	own := slices.IndexFunc(list, func(o runner.SealedClaims) bool { return o.SameStudy(&c) })
	switch {
	case len(list) == 0:
		return notSealed
	case own >= 0 && !same(list[own]), !slices.ContainsFunc(list, same):
		return otherClaims
	case slices.ContainsFunc(list, func(o runner.SealedClaims) bool {
		return same(o) && !o.TakenOver
	}):
		return sealedBefore
	}
	return sealedLater
}

// ClaimsCheck says with which runs of a page its claims were sealed. The lists have names of runs.
type ClaimsCheck struct {
	SHA256    string   `json:"sha256"` // of the claims
	Sealed    []string `json:"sealed"` // when the run began
	TakenOver []string `json:"taken_over"`
	Differ    []string `json:"differ"` // other claims were sealed
	NotSealed []string `json:"not_sealed"`
}

// withProgram begins the Dir of the runs that come with the program: see presets/recorded.
const withProgram = "recorded:"

// checkClaims compares the claims with those that are sealed with the runs of the arms.
//
// Nothing is said of a run without an entry if it comes with the program: these runs are older than
// entries, and the history of the program's source dates their studies and claims.
func (r *Report) checkClaims(g *Gathered) error {
	if len(r.study.Families) == 0 {
		return nil
	}
	c, err := r.study.Seal(time.Time{})
	if err != nil {
		return err
	}
	by := map[sealMatch][]*record.Run{}
	for _, one := range g.endedRuns() {
		list, err := one.Claims()
		if err != nil {
			r.note("%v", err)
		}
		at := matchSeals(list, c)
		if at != notSealed || !strings.HasPrefix(one.Dir, withProgram) {
			by[at] = append(by[at], one)
		}
	}
	if len(by) == 0 {
		return nil
	}
	ids := func(at sealMatch) []string {
		list := []string{}
		for _, r := range by[at] {
			list = append(list, r.Meta.ID)
		}
		return list
	}
	r.Claims = &ClaimsCheck{SHA256: c.SHA256, Sealed: ids(sealedBefore),
		TakenOver: ids(sealedLater), Differ: ids(otherClaims), NotSealed: ids(notSealed)}
	before := func(at sealMatch) string {
		if len(by[at]) == 1 {
			return "claims not sealed before this run"
		}
		return "claims not sealed before these runs"
	}
	r.noteRuns("other claims were sealed with", by[otherClaims])
	r.noteRuns(before(sealedLater)+", which the study took over", by[sealedLater])
	r.noteRuns(before(notSealed), by[notSealed])
	return nil
}

// claimsDiffer reports whether other claims were sealed with a run of the page.
func (r *Report) claimsDiffer() bool { return r.Claims != nil && len(r.Claims.Differ) > 0 }

// markDiffering makes all tests of claims exploratory if other claims were sealed.
func (r *Report) markDiffering() {
	if !r.claimsDiffer() {
		return
	}
	for _, f := range r.Families {
		for _, c := range f.Claims {
			c.Exploratory = true
		}
	}
	for _, c := range r.Further {
		c.Exploratory = true
	}
}

// differingBlocks returns a sentence if other claims were sealed.
func (r *Report) differingBlocks() []page.Block {
	if !r.claimsDiffer() {
		return nil
	}
	return []page.Block{page.Text(fmt.Sprintf("The claims of this page are not those that were "+
		"sealed with %s. Every test of them is exploratory.",
		spec.Plural(len(r.Claims.Differ), "run")))}
}
