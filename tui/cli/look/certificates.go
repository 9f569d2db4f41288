package look

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
)

// splitCertificates holds the certificates of one run on one split.
type splitCertificates struct {
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

func printCertificates(
	con *console.Console, list []splitCertificates, pairs [][]certificate.Contrast, f *certifyFlags,
) {
	for _, c := range list {
		at := fmt.Sprintf("step %d", c.Step)
		if f.output {
			at = "Algorithm 1's output as of " + at
		}
		fmt.Fprintf(con.Stdout, "%s, %s, %s split, %d samples, mean loss %.4g\n",
			cell.Clean(c.ID), at, c.Split, c.N, c.MeanLoss)
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
			cell.Clean(p[0].From), cell.Clean(p[0].Less), p[0].Split)
		console.Blocks(con.Stdout, contrasts(p, f))
		fmt.Fprintln(con.Stdout)
	}
	explainCertificates(con, list, pairs, f)
}

// placeName returns the name of a set with its radius.
func placeName(set dro.Set, rho measure.Number) string {
	if !rho.Applies() {
		return set.Label()
	}
	return fmt.Sprintf("%s, ρ %g", set.Label(), rho.Float())
}

func intervalText(i *measure.Interval) string {
	if i == nil || !i[0].Applies() || !i[1].Applies() {
		return "–"
	}
	return fmt.Sprintf("[%s, %s]", console.Short(i[0]), console.Short(i[1]))
}

func (c *splitCertificates) table(f *certifyFlags) *page.Table {
	level := fmt.Sprintf("%.9g %%", 100*f.how.Level)
	t := page.New("set, ρ", "R_ρ at most", "R_ρ", level+" bootstrap", level+" normal", "λ", "η̃",
		"D", "effective n")
	for _, e := range c.Certificates {
		lambda, upper := "–", console.Short(e.Upper)
		if e.Lambda != nil {
			lambda = fmt.Sprintf("%.4g", *e.Lambda)
		}
		if e.Doubt != "" && e.Upper.Applies() { // the bound is doubtful
			upper = cell.Warning + " " + upper
		}
		t.Add(placeName(e.Set, e.Rho), upper, console.Short(e.Risk), intervalText(e.Bootstrap),
			intervalText(e.Normal), lambda, fmt.Sprintf("%.4g", e.Eta),
			fmt.Sprintf("%.4g", e.Divergence), fmt.Sprintf("%.4g", e.Effective))
	}
	return t
}

// weights returns a table with a row per class or group and a column per set and radius.
func (c *splitCertificates) weights() *page.Table {
	t := page.New("mean weight")
	for _, e := range c.Certificates {
		t.Head(placeName(e.Set, e.Rho))
	}
	for i, name := range c.run.Names(c.run.Main()) {
		row, heaviest := []string{cell.Clean(name)}, 0.0
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
			within = cell.Warning + " " + within
		}
		t.Add(placeName(d.Set, d.Rho), fmt.Sprintf("%+.4g", d.Difference), within)
	}
	return t
}

func explainCertificates(
	con *console.Console, list []splitCertificates, pairs [][]certificate.Contrast, f *certifyFlags,
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
		say(doubts[d[0]], cell.Warning+" %s: %s.", d[0], d[1])
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
