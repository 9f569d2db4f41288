package look

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

type certifyFlags struct {
	sets          []string
	k, mu         float64
	radii         []float64
	splits        []string
	how           dro.Confidence
	output, exact bool
}

func certifyCommand(con *console.Console) *cobra.Command {
	var f certifyFlags
	c := &cobra.Command{
		Use:   "certify RUN|RUN@STEP...",
		Short: "Certify the worst-case risk of a checkpoint over sets and radii, with intervals",
		Long: `Evaluate the network of a checkpoint (the last one by default) on a split, and solve for the
exact worst case at every set and radius.

The first figure is an upper bound on R_ρ of the population, at the level asked for. It is by
empirical likelihood, with room for unseen losses of up to six times the largest loss seen, and is
capped at the largest loss seen. With --max-loss, that number replaces both limits. A ! marks a
bound that is the largest loss, or that few samples or a few large losses make doubtful. With
--max-loss it also marks a bound whose coverage is not guaranteed.

R_ρ of the samples follows, with the intervals of the studentised bootstrap and of the normal
limit. Beside it are λ and η̃ (unshifted), the divergence, the effective sample size, and the
mean weight of each class or group. docs/results.md shows how often bounds and intervals hold
the true value, and where they fail. Samples that the network was trained on get no interval.

With several runs, their differences to the first one follow, paired by sample, with the
interval of the normal limit.`,
		Example: `drolab certify latest --uncertainty chi2,kl --rho .05,.1,.2,.5,1,2,5
drolab certify shapes-sfk shapes-erm --rho 0.5 --json
drolab certify shapes-sfk --output --stationary`,
		Args:              console.OneOrMore("a run", "drolab certify latest"),
		ValidArgsFunction: con.CompleteRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return certify(con, c, &f, args)
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.sets, "uncertainty", nil,
		"uncertainty sets: "+strings.Join(dro.SetNames(), ", ")+" (default the first run's)")
	flags.Float64Var(&f.k, "k", 0, "order k of cressie-read (default the first run's)")
	flags.Float64Var(&f.mu, "mu", 0, "level μ of smoothed-cvar and cvar (default the first run's)")
	flags.Float64SliceVar(&f.radii, "rho", []float64{.05, .1, .2, .5, 1, 2, 5}, "radii ρ")
	flags.Lookup("rho").DefValue = ".05,.1,.2,.5,1,2,5"
	flags.StringSliceVar(&f.splits, "split", nil,
		"splits: test, val, train (default test, and val where there is one)")
	flags.Float64Var(&f.how.Level, "level", .95, "level of the intervals")
	flags.IntVar(&f.how.Draws, "draws", 399,
		"resamples of the bootstrap; 0: the normal interval alone")
	flags.Uint64Var(&f.how.Seed, "seed", 1, "seed of the resamples")
	flags.Float64Var(&f.how.Most, "max-loss", 0,
		"the largest loss possible, where it is known (default unknown)")
	flags.BoolVar(&f.output, "output", false,
		"certify the output of the paper's Algorithm 1, not the last iterate")
	flags.BoolVar(&f.exact, "stationary", false,
		"also print dual gap and ‖∇F‖ on the whole training split, for methods with λ and η")
	con.JSONFlag(c, "")
	console.Choices(c, "uncertainty", dro.SetNames()...)
	console.Choices(c, "split", runner.Splits()...)
	return c
}

func certify(con *console.Console, c *cobra.Command, f *certifyFlags, names []string) error {
	if err := f.check(c.Flags().Changed("max-loss")); err != nil {
		return err
	}
	var grid *certificate.Grid
	var list []splitCertificates
	for _, name := range names {
		r, step, err := con.FindStep(name)
		if err != nil {
			return err
		}
		frozen, err := freeze(c.Context(), con, r, step)
		if err != nil {
			return err
		}
		if grid == nil {
			if grid, err = f.grid(c, frozen.Meta); err != nil {
				return errors.Join(err, frozen.Close())
			}
		}
		of, err := f.measure(frozen, *grid)
		if err != nil {
			err = fmt.Errorf("run %s: %w", frozen.Meta.ID, err)
		}
		if err = errors.Join(err, frozen.Close()); err != nil {
			return err
		}
		list = append(list, of...)
	}
	pairs, err := contrast(list, *grid)
	if err != nil {
		return err
	}
	return con.Result(struct {
		Runs        []splitCertificates    `json:"runs"`
		Differences []certificate.Contrast `json:"differences"`
	}{list, append([]certificate.Contrast{}, slices.Concat(pairs...)...)},
		func() { printCertificates(con, list, pairs, f) })
}

// check validates the flags for which no other part gives an error that names the flag.
func (f *certifyFlags) check(most bool) error {
	switch {
	case len(f.radii) == 0 ||
		slices.ContainsFunc(f.radii, func(r float64) bool { return !(r > 0) }):
		return fmt.Errorf("--rho %v: expected numbers > 0", f.radii)
	case !(f.how.Level >= .5 && f.how.Level < 1):
		return fmt.Errorf("--level %v: expected a number in [0.5, 1)", f.how.Level)
	case most && !(f.how.Most > 0) || math.IsInf(f.how.Most, 0):
		return fmt.Errorf("--max-loss %v: expected a finite number > 0", f.how.Most)
	case f.how.Draws != 0 && f.how.Draws < leastDraws(f.how.Level):
		return fmt.Errorf("--draws %d: a level of %v needs %d or more, and 0 leaves the bootstrap "+
			"out", f.how.Draws, f.how.Level, leastDraws(f.how.Level))
	}
	return nil
}

// leastDraws is the number of resamples whose extremes are the quantiles of an interval.
func leastDraws(level float64) int { return int(math.Ceil(2/(1-level)-1e-6)) - 1 }

func (f *certifyFlags) grid(c *cobra.Command, m *runner.Meta) (*certificate.Grid, error) {
	names, k, mu := f.sets, f.k, f.mu
	if len(names) == 0 {
		names = []string{m.Spec.Uncertainty}
	}
	if !c.Flags().Changed("k") {
		k = m.Spec.K
	}
	if !c.Flags().Changed("mu") {
		mu = m.Spec.Mu
	}
	if err := readBySets(c, names...); err != nil {
		return nil, err
	}
	g := &certificate.Grid{Radii: f.radii, How: f.how}
	for _, name := range names {
		set, err := dro.NewSet(name, k, mu)
		if err != nil {
			return nil, err
		}
		g.Sets = append(g.Sets, set)
	}
	return g, nil
}

func (f *certifyFlags) measure(
	frozen *certificate.Frozen, g certificate.Grid,
) (list []splitCertificates, err error) {
	if f.output {
		if err := frozen.UseOutput(); err != nil {
			return nil, err
		}
	}
	var splits []string
	for _, split := range f.splits {
		if !slices.Contains(splits, split) {
			splits = append(splits, split)
		}
	}
	if len(splits) == 0 {
		splits = []string{runner.SplitTest}
		if frozen.HasVal() {
			splits = append(splits, runner.SplitVal)
		}
	}
	for _, split := range splits {
		one := splitCertificates{run: frozen.Meta, ID: frozen.Meta.ID, Step: frozen.Step,
			Output: f.output, Split: split, Level: f.how.Level, Draws: f.how.Draws,
			Seed: f.how.Seed}
		if one.pass, err = frozen.Pass(split); err != nil {
			return nil, err
		}
		g.Fitted = split == runner.SplitTrain
		if one.Certificates, err = frozen.Certify(one.pass, g); err != nil {
			return nil, err
		}
		one.N, one.MeanLoss = len(one.pass.Losses), one.Certificates[0].MeanLoss
		list = append(list, one)
	}
	if _, dual := frozen.Z(); f.exact && dual {
		s, err := frozen.Stationarity()
		if err != nil {
			return nil, err
		}
		list[0].DualGap, list[0].GradNorm = &s.DualGap, &s.GradNorm
	}
	return list, nil
}

// contrast compares each run with the first one, on every split but the training split. It returns
// the differences of each pair.
func contrast(
	list []splitCertificates, g certificate.Grid,
) (pairs [][]certificate.Contrast, err error) {
	for i, b := range list {
		if b.Split == runner.SplitTrain {
			continue
		}
		same := func(c splitCertificates) bool { return c.Split == b.Split }
		first := slices.IndexFunc(list, same)
		a := list[first]
		if first == i {
			continue
		}
		if err := certificate.SameSamples(a.run, b.run, a.Split); err != nil {
			return nil, err
		}
		of, err := g.Contrasts(b.pass, a.pass, certificate.Contrast{Less: a.ID, From: b.ID,
			Split: a.Split})
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, of)
	}
	return pairs, nil
}
