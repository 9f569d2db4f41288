package look

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
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

// certified holds the certificates of one run on one split.
type certified struct {
	ID       string  `json:"id"`
	Step     int64   `json:"step"`
	Output   bool    `json:"output"` // of Algorithm 1's output, not the last iterate
	Split    string  `json:"split"`
	N        int     `json:"n"`
	MeanLoss float64 `json:"mean_loss"`
	Level    float64 `json:"level"`
	Draws    int     `json:"draws"`
	Seed     uint64  `json:"seed"`
	// DualGap and GradNorm are taken at the run's own set, radius and z. Only the first split has
	// them.
	DualGap      *float64                  `json:"dual_gap,omitempty"`
	GradNorm     *float64                  `json:"full_grad_norm,omitempty"`
	Certificates []certificate.Certificate `json:"certificates"`

	run  *runner.Meta
	pass *measure.Pass
}

func certify(con *console.Console, c *cobra.Command, f *certifyFlags, names []string) error {
	if err := f.check(c.Flags().Changed("max-loss")); err != nil {
		return err
	}
	var grid *certificate.Grid
	var list []certified
	for _, name := range names {
		r, step, err := con.FindStep(name)
		if err != nil {
			return err
		}
		frozen, err := freeze(con, r, step)
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
		Runs        []certified            `json:"runs"`
		Differences []certificate.Contrast `json:"differences"`
	}{list, append([]certificate.Contrast{}, slices.Concat(pairs...)...)},
		func() { printCertified(con, list, pairs, f) })
}

// check validates the flags for which no other part gives an error that names the flag.
func (f *certifyFlags) check(most bool) error {
	switch {
	case len(f.radii) == 0 ||
		slices.ContainsFunc(f.radii, func(r float64) bool { return !(r > 0) }):
		return fmt.Errorf("--rho %v: want numbers > 0", f.radii)
	case !(f.how.Level >= .5 && f.how.Level < 1):
		return fmt.Errorf("--level %v: want a number in [0.5, 1)", f.how.Level)
	case most && !(f.how.Most > 0) || math.IsInf(f.how.Most, 0):
		return fmt.Errorf("--max-loss %v: want a finite number > 0", f.how.Most)
	case f.how.Draws != 0 && f.how.Draws < leastDraws(f.how.Level):
		return fmt.Errorf("--draws %d: a level of %v needs %d or more, and 0 leaves the bootstrap "+
			"out", f.how.Draws, f.how.Level, leastDraws(f.how.Level))
	}
	return nil
}

// leastDraws is the number of resamples whose extremes are the quantiles of an interval.
func leastDraws(level float64) int { return int(math.Ceil(2/(1-level)-1e-6)) - 1 }

// means returns the data folder and the approved programs of this user.
func means(con *console.Console) certificate.Means {
	return certificate.Means{DataDir: con.DataDir, Programs: bridge.Approvals(con.Programs)}
}

// freeze loads the checkpoint of a step; -1 stands for the last one.
func freeze(con *console.Console, r *record.Run, step int64) (*certificate.Frozen, error) {
	past, err := r.Past(step)
	if err != nil {
		return nil, err
	}
	return certificate.Freeze(past, means(con), con.Threads)
}

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

func (f *certifyFlags) measure(frozen *certificate.Frozen, g certificate.Grid) (list []certified,
	err error) {
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
		one := certified{run: frozen.Meta, ID: frozen.Meta.ID, Step: frozen.Step, Output: f.output,
			Split: split, Level: f.how.Level, Draws: f.how.Draws, Seed: f.how.Seed}
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
func contrast(list []certified, g certificate.Grid) (pairs [][]certificate.Contrast, err error) {
	for i, b := range list {
		if b.Split == runner.SplitTrain {
			continue
		}
		first := slices.IndexFunc(list, func(c certified) bool { return c.Split == b.Split })
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

// This file prints the results of certify.

func printCertified(
	con *console.Console, list []certified, pairs [][]certificate.Contrast, f *certifyFlags,
) {
	for _, c := range list {
		at := fmt.Sprintf("step %d", c.Step)
		if f.output {
			at = "Algorithm 1's output as of " + at
		}
		fmt.Fprintf(con.Stdout, "%s, %s, %s split, %d samples, mean loss %.4g\n",
			console.Clean(c.ID), at, c.Split, c.N, c.MeanLoss)
		if c.DualGap != nil {
			fmt.Fprintf(con.Stdout, "on the training split, with the run's own λ and η: "+
				"dual gap %.4g, ‖∇F‖ %.4g\n", *c.DualGap, *c.GradNorm)
		}
		console.Blocks(con.Stdout, c.table(f))
		fmt.Fprintln(con.Stdout)
		console.Blocks(con.Stdout, c.weights())
		fmt.Fprintln(con.Stdout)
	}
	for _, p := range pairs {
		fmt.Fprintf(con.Stdout, "%s less %s, %s split, paired by sample\n",
			console.Clean(p[0].From), console.Clean(p[0].Less), p[0].Split)
		console.Blocks(con.Stdout, contrasts(p, f))
		fmt.Fprintln(con.Stdout)
	}
	explainCertified(con, list, pairs, f)
}

// placeName returns the name of a set with its radius.
func placeName(set dro.Set, rho measure.Number) string {
	if !rho.Applies() {
		return set.Label()
	}
	return fmt.Sprintf("%s, %g", set.Label(), rho.Float())
}

func intervalText(i *measure.Interval) string {
	if i == nil || !i[0].Applies() || !i[1].Applies() {
		return "–"
	}
	return fmt.Sprintf("[%s, %s]", console.Short(i[0]), console.Short(i[1]))
}

func (c *certified) table(f *certifyFlags) *page.Table {
	level := fmt.Sprintf("%.9g %%", 100*f.how.Level)
	t := page.New("set, ρ", "R_ρ at most", "R_ρ", level+" bootstrap", level+" normal", "λ", "η̃",
		"D", "effective n")
	for _, e := range c.Certificates {
		lambda, upper := "–", console.Short(e.Upper)
		if e.Lambda != nil {
			lambda = fmt.Sprintf("%.4g", *e.Lambda)
		}
		if e.Doubt != "" && e.Upper.Applies() { // the bound is doubtful
			upper = "! " + upper
		}
		t.Add(placeName(e.Set, e.Rho), upper, console.Short(e.Risk), intervalText(e.Bootstrap),
			intervalText(e.Normal), lambda, fmt.Sprintf("%.4g", e.Eta),
			fmt.Sprintf("%.4g", e.Divergence), fmt.Sprintf("%.4g", e.Effective))
	}
	return t
}

// weights returns a table with a row per class or group and a column per set and radius.
func (c *certified) weights() *page.Table {
	t := page.New("mean weight")
	for _, e := range c.Certificates {
		t.Head(placeName(e.Set, e.Rho))
	}
	for i, name := range c.run.Names(c.run.Main()) {
		row, heaviest := []string{console.Clean(name)}, 0.0
		for _, e := range c.Certificates {
			weight := measure.OfMain(&c.run.Parts, e.ByClass, e.ByGroup)[i]
			row = append(row, page.Digits(3).Text(weight))
			heaviest = max(heaviest, weight.Float())
		}
		t.Rank(heaviest, row...)
	}
	return t
}

// contrasts returns a table with a row per set and radius.
func contrasts(list []certificate.Contrast, f *certifyFlags) *page.Table {
	level := fmt.Sprintf("%.9g %%", 100*f.how.Level)
	t := page.New("set, ρ", "difference of R_ρ", level+" interval")
	for _, d := range list {
		within := intervalText(&d.Interval)
		if d.Doubt != "" && d.Interval[0].Applies() {
			within = "! " + within
		}
		t.Add(placeName(d.Set, d.Rho), fmt.Sprintf("%+.4g", d.Difference), within)
	}
	return t
}

func explainCertified(
	con *console.Console, list []certified, pairs [][]certificate.Contrast, f *certifyFlags,
) {
	saturated, train, variation, kl, bounded := false, false, false, false, false
	doubts := map[string]bool{}
	for _, d := range slices.Concat(pairs...) {
		doubts[d.Doubt] = doubts[d.Doubt] || d.Interval[0].Applies()
	}
	for _, c := range list {
		train = train || c.Split == runner.SplitTrain
		for _, e := range c.Certificates {
			bounded = bounded || e.Upper.Applies()
			doubts[e.Doubt] = doubts[e.Doubt] || e.Upper.Applies() // only a bound can be in doubt
			saturated = saturated || e.Saturated && e.Rho.Applies()
			variation = variation || e.Set == dro.TV{}
			kl = kl || e.Set == dro.KL{} && f.how.Most == 0 && e.Upper.Applies()
		}
	}
	say := func(when bool, format string, args ...any) {
		if when {
			fmt.Fprintf(con.Stdout, format+"\n", args...)
		}
	}
	say(bounded, "With %.9g %% confidence, R_ρ of the population that the samples come from is "+
		"below its bound.", 100*f.how.Level)
	say(bounded && f.how.Most > 0, "The bound holds for losses of up to %g.", f.how.Most)
	say(bounded && f.how.Most == 0, "The bound holds for losses of up to %d times the largest one "+
		"seen. Where larger ones are\npossible, it is not to be used: no finite sample can "+
		"exclude them.",
		dro.Unseen)
	doubtful := false
	for _, d := range dro.Doubts() {
		doubtful = doubtful || doubts[d[0]]
		say(doubts[d[0]], "! %s: %s.", d[0], d[1])
	}
	say(doubtful, "Do not rely on a bound or an interval with a ! alone (see docs/results.md).")
	say(f.how.Draws > 0, "%d resamples, seed %d.", f.how.Draws, f.how.Seed)
	say(saturated, "Where the radius does not bind, R_ρ is the largest loss and has no interval.")
	say(variation, "tv: a share ρ of R_ρ is the largest possible loss, which no sample "+
		"bounds:\nthere is no interval, and R_ρ of the population may be larger.")
	say(kl, "kl: R_ρ is infinite where losses have a heavier tail than exponential ones, "+
		"which no sample\nshows.")
	say(train, "The network was fitted to the training samples, so they have no interval.")
}

// readLosses reads a column of losses from a CSV file; the simplest such file has one loss per
// line. Path "-" is stdin. A first line of names is recognised by its content. Column "" stands for
// the only column, or else for the column named "loss". Errors name the line.
func readLosses(con *console.Console, path, column string) ([]float64, error) {
	in, name := con.Stdin, "stdin"
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, name = f, path
	}
	losses, err := parseLosses(in, column)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return losses, nil
}

func parseLosses(in io.Reader, column string) ([]float64, error) {
	r := csv.NewReader(in)
	r.TrimLeadingSpace, r.ReuseRecord, r.Comment = true, true, '#'
	var losses []float64
	at := -1
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if p, ok := errors.AsType[*csv.ParseError](err); ok {
			err = fmt.Errorf("line %d: %w", p.Line, p.Err)
		}
		if err != nil {
			return nil, err
		}
		if at < 0 {
			var named bool
			if at, named, err = lossColumn(record, column); err != nil {
				return nil, err
			}
			if named {
				continue
			}
		}
		loss, err := strconv.ParseFloat(strings.TrimSpace(record[at]), 64)
		if err != nil || !spec.AllFinite(loss) {
			line, _ := r.FieldPos(at)
			return nil, fmt.Errorf("line %d: %.40s: want a finite number", line,
				strconv.QuoteToGraphic(record[at]))
		}
		losses = append(losses, loss)
	}
	if len(losses) == 0 {
		return nil, errors.New("holds no losses: want one number per line, or a CSV column of them")
	}
	return losses, nil
}

// lossColumn finds the column in the first line, and reports whether that line holds names.
func lossColumn(first []string, column string) (at int, named bool, err error) {
	var names []string
	for _, cell := range first {
		names = append(names, strings.TrimSpace(cell))
		if _, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err != nil {
			named = true
		}
	}
	want := column
	if want == "" && len(names) > 1 {
		want = "loss"
	}
	if want == "" {
		// One column: a first line that is not a number counts as a name only if it has no digit.
		// Otherwise it is a mistyped number, an error.
		return 0, named && !strings.ContainsAny(names[0], "0123456789"), nil
	}
	if named {
		if at = slices.Index(names, want); at >= 0 {
			return at, true, nil
		}
	}
	if n, err := strconv.Atoi(want); err == nil && n >= 1 && n <= len(names) {
		return n - 1, named, nil
	}
	return 0, false, fmt.Errorf("line 1: no column %q: "+
		"choose one with --column, by name or counted from 1", want)
}
