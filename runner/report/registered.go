package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Registered holds the tests that docs/registration.md fixed before the runs. That page does not
// change, so neither do the tests here; TestLinesOfTheRegistration compares the two.
type Registered struct {
	Level   float64  `json:"level"`
	Wanted  int      `json:"wanted"` // number of registered runs
	Done    int      `json:"done"`
	Missing []string `json:"missing"` // by arm; if there are any, nothing is tested before patience
	// Commands make the missing runs and no others.
	Commands []string `json:"commands"`
	Seeds    []uint64 `json:"seeds"` // the seeds that are tested

	Claims       []*Claim     `json:"claims"` // the family of 24
	Tests        int          `json:"tests"`
	Equivalent   []*Claim     `json:"equivalent"` // P is the p of TOST, the margin on either side
	Reproduction []*Claim     `json:"reproduction"`
	Secondary    [2][]*Claim  `json:"secondary"` // for sfk-auto and for group, each a family
	Means        []MeanRow    `json:"means"`
	Notes        []string     `json:"notes"`
	arms         []registered // all arms, even without runs
	checksum     string       // of the data, the same for all runs
}

// registered is an arm of docs/registration.md.
type registered struct {
	arm
	preset string
	spec   spec.Spec // the settings but for the seed
}

const (
	firstSeed, lastSeed = 5, 16
	// equivalence is TOST's margin, in nats.
	equivalence = .025
)

// patience ends 60 days after the registration.
var patience = time.Date(2027, time.January, 22, 0, 0, 0, 0, time.UTC)

// areRegistered tells whether all runs are of the registered presets.
func areRegistered(runs []*record.Run) bool {
	other := func(r *record.Run) bool { return !strings.HasPrefix(r.Meta.Preset, "registered") }
	return len(runs) > 0 && !slices.ContainsFunc(runs, other)
}

// NewRegistered makes the registered tests if all registered runs have ended, or if now is past the
// time by which they should have ended.
func NewRegistered(runs []*record.Run, known []runner.Preset, now time.Time) (*Registered, error) {
	g := &Registered{Level: level, Missing: []string{}, Commands: []string{}, Claims: []*Claim{},
		Equivalent: []*Claim{}, Reproduction: []*Claim{}, Secondary: [2][]*Claim{{}, {}},
		Means: []MeanRow{}, Notes: []string{}}
	if err := g.gather(runs, known); err != nil {
		return nil, err
	}
	g.look()
	g.commands()
	if len(g.Missing) > 0 && now.Before(patience) {
		return g, nil
	}
	for i := range g.arms {
		a := &g.arms[i]
		a.runs = slices.DeleteFunc(a.runs, func(r *ran) bool {
			return !slices.Contains(g.Seeds, r.seed())
		})
	}
	if len(g.Seeds) < 2 {
		g.note("fewer than two seeds have all of their runs: nothing can be tested")
		return g, nil
	}
	g.Claims = g.lines(dro.SFK)
	g.Tests = correct(g.Claims)
	g.equivalence()
	g.reproduction()
	g.Secondary[0] = g.lines(dro.SFKAuto)
	g.Secondary[1] = g.lines("group")
	correct(g.Secondary[0])
	correct(g.Secondary[1])
	g.means()
	g.twins()
	return g, nil
}

func (g *Registered) note(format string, args ...any) {
	g.Notes = append(g.Notes, fmt.Sprintf(format, args...))
}

// gather adds each run that has ended to its arm, by seed. It leaves out runs with another seed, or
// with other settings than the presets'.
func (g *Registered) gather(runs []*record.Run, known []runner.Preset) error {
	for _, p := range known {
		if !strings.HasPrefix(p.Name, "registered") {
			continue
		}
		for _, one := range p.Spec.Expand() {
			g.Wanted++
			if one.Seed == firstSeed {
				a := registered{preset: p.Name, spec: one}
				a.algorithm, a.label = one.Algorithm(), string(one.Algorithm())
				g.arms = append(g.arms, a)
			}
		}
	}
	if g.Wanted == 0 {
		return errors.New("no preset is registered")
	}
	for _, r := range runs {
		if err := g.put(r); err != nil {
			return err
		}
	}
	for i := range g.arms {
		slices.SortFunc(g.arms[i].runs, func(a, b *ran) int {
			return cmp.Compare(a.seed(), b.seed())
		})
	}
	return nil
}

func (g *Registered) put(r *record.Run) error {
	seed := r.Meta.Spec.Seed
	at := slices.IndexFunc(g.arms, func(a registered) bool {
		spec := a.spec
		spec.Seed = seed
		return spec.Equal(&r.Meta.Spec)
	})
	broken := r.Status() == runner.Failed && notFinite(r.Summary().Cause)
	switch {
	case at < 0 || seed < firstSeed || seed > lastSeed:
		g.note("left out because they are not registered: %s", r.Meta.ID)
		return nil
	case g.checksum != "" && r.Meta.Checksum != g.checksum:
		g.note("left out because its data are not those of the others: %s", r.Meta.ID)
		return nil
	case r.Status() != runner.Done && !broken, g.arms[at].of(seed) != nil:
		return nil
	case broken:
		g.note("%s: its numbers are not finite, so that its seed is left out of that arm's tests",
			r.Meta.ID)
	}
	read, err := readLog(r)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.Meta.ID, err)
	}
	g.checksum = r.Meta.Checksum
	g.arms[at].runs = append(g.arms[at].runs, read)
	g.Done++
	return nil
}

// notFinite tells whether a run failed by train.BrokenError.
func notFinite(cause string) bool {
	return slices.ContainsFunc([]string{" is NaN", " is +Inf", " is -Inf"}, func(s string) bool {
		return strings.Contains(cause, s)
	})
}

func (a *registered) of(seed uint64) *ran {
	if i := slices.IndexFunc(a.runs, func(r *ran) bool { return r.seed() == seed }); i >= 0 {
		return a.runs[i]
	}
	return nil
}

// look lists the missing runs, and the seeds, from the first on without a gap, that all arms have.
func (g *Registered) look() {
	for i := range g.arms {
		if a := &g.arms[i]; len(a.runs) <= lastSeed-firstSeed {
			g.Missing = append(g.Missing, fmt.Sprintf("%s at ρ = %g: %d of %d", a.label, a.spec.Rho,
				lastSeed-firstSeed+1-len(a.runs), lastSeed-firstSeed+1))
		}
	}
	for seed := uint64(firstSeed); seed <= lastSeed; seed++ {
		if slices.ContainsFunc(g.arms, func(a registered) bool { return a.of(seed) == nil }) {
			break
		}
		g.Seeds = append(g.Seeds, seed)
	}
	var kernels []string
	for i := range g.arms {
		for _, r := range g.arms[i].runs {
			kernels = append(kernels, r.Meta.Host.Kernel)
		}
	}
	slices.Sort(kernels)
	if kernels = slices.Compact(kernels); len(kernels) > 1 {
		g.note("the runs are of several kernels (%s): those of one are to be repeated",
			strings.Join(kernels, ", "))
	}
}

// commands adds the commands that make the missing runs: one for each preset and each series of
// consecutive seeds that lack the same arms.
func (g *Registered) commands() {
	for seed := uint64(firstSeed); seed <= lastSeed; {
		lacks, next := g.lacks(seed), seed+1
		for next <= lastSeed && slices.Equal(g.lacks(next), lacks) {
			next++
		}
		for _, of := range lacks {
			g.Commands = append(g.Commands, fmt.Sprintf(
				"drolab run %s --seed %d --seeds %d --runs registered", of, seed, next-seed))
		}
		seed = next
	}
}

// lacks lists the presets for which a seed does not have all runs, each with the methods that it
// lacks unless it lacks all of them.
func (g *Registered) lacks(seed uint64) (list []string) {
	all, missing := map[string]int{}, map[string][]string{}
	var order []string
	for i := range g.arms {
		a := &g.arms[i]
		if all[a.preset]++; all[a.preset] == 1 {
			order = append(order, a.preset)
		}
		if a.of(seed) == nil {
			missing[a.preset] = append(missing[a.preset], a.label)
		}
	}
	for _, preset := range order {
		switch methods := missing[preset]; len(methods) {
		case 0:
		case all[preset]:
			list = append(list, preset)
		default:
			list = append(list, preset+" --algo "+strings.Join(methods, ","))
		}
	}
	return list
}

// arm returns the arm of a method at a radius, or the only arm of a method that does not train by
// the radius.
func (g *Registered) arm(a dro.Algorithm, rho float64) (of *registered) {
	for i := range g.arms {
		if o := &g.arms[i]; o.algorithm == a && (of == nil || o.spec.Rho == rho) {
			of = o
		}
	}
	return of
}

// lines returns lines 1 to 14 of the page or, with another method in SFK's place, the lines that
// are registered for that method.
func (g *Registered) lines(method dro.Algorithm) (list []*Claim) {
	for _, rho := range []float64{.5, 1.5} {
		for _, say := range claims() {
			for _, pair := range say.pairs {
				once := pair[0] == dro.PAN || method == "group"
				once = once && say.key != "robust-risk"
				switch {
				case strings.HasPrefix(say.key, "step"), once && rho != 1.5,
					pair[0] == dro.PAN && method != dro.SFK,
					method == "group" && say.key != "worst" && say.key != "robust-risk":
					continue
				case pair[0] == dro.SFK:
					pair[0] = method
				}
				list = append(list, g.test(&say, pair, rho, once))
			}
		}
	}
	return list
}

// test makes the test of a line of the page at a radius.
func (g *Registered) test(say *claimed, pair [2]dro.Algorithm, rho float64, once bool) *Claim {
	value := say.value
	switch {
	case say.key == "robust-risk":
		value = riskAt(rho)
	case value == nil:
		value = last(say.measure)
	}
	p := &Problem{Label: fmt.Sprintf("ρ = %g", rho)}
	if once {
		p.Label = "either ρ"
	}
	a, b := g.arm(pair[0], rho), g.arm(pair[1], rho)
	c := say.of(p, a.label, b.label)
	c.Difference = differ(&a.arm, &b.arm, finite(value), say.margin)
	if len(c.Values) < 2 {
		c.Few = "fewer than two seeds"
	}
	return c
}

// finite leaves out a seed for which a value is not finite.
func finite(value of) of {
	return func(a, b *ran) (x, y float64, ok bool) {
		x, y, ok = value(a, b)
		return x, y, ok && !math.IsNaN(x-y) && !math.IsInf(x-y, 0)
	}
}

// riskAt compares the robust risk of the test split at a radius, whatever radius a run trained by.
func riskAt(rho float64) of {
	return each(func(r *ran) (n measure.Number) {
		list := r.Summary().ByGroup.Of("robust_risk_at")
		if i := slices.Index(r.Meta.Spec.RiskRadii, rho); i >= 0 && i < len(list) {
			n = list[i]
		}
		return n
	})
}

// equivalence adds two one-sided tests of the lines on the test loss.
func (g *Registered) equivalence() {
	for _, c := range g.Claims {
		if c.Key != "test-loss" {
			continue
		}
		e := *c
		e.Margin, e.Repeats = measure.Num(equivalence), ""
		values := make([]float64, len(e.Values))
		for i, v := range e.Values {
			values[i] = v.Float()
		}
		p := compare.Equivalence(values, equivalence)
		e.P = measure.NumIf(!math.IsNaN(p), p)
		g.Equivalent = append(g.Equivalent, &e)
	}
	correct(g.Equivalent)
	for _, e := range g.Equivalent { // Detectable holds for the two-sided test alone
		e.Detectable = measure.Number{}
	}
}

// reproduction compares mean accuracies with Table 1.
func (g *Registered) reproduction() {
	for _, row := range []dro.Algorithm{baseline, dro.SFK, dro.PAN} {
		g.Reproduction = append(g.Reproduction, g.arm(row, 1.5).reproduced("ρ = 1.5"))
	}
	correct(g.Reproduction)
}

// correct applies Holm's correction over all tests of a list. Its verdicts hold for tests that have
// a side.
func correct(list []*Claim) int {
	var family []*Difference
	for _, c := range list {
		family = append(family, &c.Difference)
	}
	adjust(family)
	for _, c := range list {
		c.Verdict = c.verdict()
	}
	return len(list)
}

// twins adds a note if the figures of PAN's two arms differ: both keep λ, so they must agree.
func (g *Registered) twins() {
	a, b := g.arm(dro.PAN, .5), g.arm(dro.PAN, 1.5)
	for _, r := range a.runs {
		o := b.of(r.seed())
		for _, m := range []string{"train_loss", "test_loss", "test_accuracy"} {
			if o != nil && r.Summary().Of(m) != o.Summary().Of(m) {
				g.note("pan, seed %d: %s differs between the two radii, "+
					"which the weights should not", r.seed(), m)
			}
		}
	}
}
