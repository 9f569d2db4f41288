package risk

import (
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cli/console"
)

// This file prints the results of certify.

func printCertified(con *console.Console, list []certified, pairs []contrasted, f *certifyFlags) {
	for i := range list {
		c := &list[i]
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
	explainCertified(con, list, f)
}

// place returns the name of a set with its radius.
func place(set dro.Set, rho measure.Number) string {
	if !rho.Applies() {
		return set.Label()
	}
	return fmt.Sprintf("%s, %g", set.Label(), rho.Float())
}

func between4(i *measure.Interval) string {
	if i == nil || !i[0].Applies() || !i[1].Applies() {
		return "–"
	}
	return fmt.Sprintf("[%s, %s]", console.Short(i[0]), console.Short(i[1]))
}

func (c *certified) table(f *certifyFlags) *page.Table {
	level := fmt.Sprintf("%g %%", 100*f.how.Level)
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
		t.Add(place(e.Set, e.Rho), upper, console.Short(e.Risk), between4(e.Bootstrap),
			between4(e.Normal), lambda, fmt.Sprintf("%.4g", e.Eta),
			fmt.Sprintf("%.4g", e.Divergence), fmt.Sprintf("%.4g", e.Effective))
	}
	return t
}

// weights returns a table with a row per class or group and a column per set and radius.
func (c *certified) weights() *page.Table {
	t := page.New("mean weight")
	for _, e := range c.Certificates {
		t.Head(place(e.Set, e.Rho))
	}
	for i, name := range c.run.Names(c.run.Main()) {
		row, heaviest := []string{console.Clean(name)}, 0.0
		for _, e := range c.Certificates {
			n := e.ByClass[i]
			if c.run.Main() == measure.PerGroup {
				n = e.ByGroup[i]
			}
			row, heaviest = append(row, page.Digits(3).Text(n)), max(heaviest, n.Float())
		}
		t.Rank(heaviest, row...)
	}
	return t
}

// contrasts returns a table with a row per set and radius.
func contrasts(list contrasted, f *certifyFlags) *page.Table {
	level := fmt.Sprintf("%g %%", 100*f.how.Level)
	t := page.New("set, ρ", "difference of R_ρ", level+" interval", "by")
	for _, d := range list {
		by := "bootstrap"
		switch {
		case !d.Better[0].Applies():
			by = "–"
		case d.Better == d.Normal:
			by = "normal limit"
		}
		t.Add(place(d.Set, d.Rho), fmt.Sprintf("%+.4g", d.Difference), between4(&d.Better), by)
	}
	return t
}

func explainCertified(con *console.Console, list []certified, f *certifyFlags) {
	saturated, train, variation := false, false, false
	doubts := map[string]bool{}
	for _, c := range list {
		train = train || c.Split == runner.SplitTrain
		for i := range c.Certificates {
			e := &c.Certificates[i]
			doubts[e.Doubt] = doubts[e.Doubt] || e.Upper.Applies() // only a bound can be in doubt
			saturated = saturated || e.Saturated && e.Rho.Applies()
			variation = variation || e.Set == dro.TV{}
		}
	}
	say := func(when bool, format string, args ...any) {
		if when {
			fmt.Fprintf(con.Stdout, format+"\n", args...)
		}
	}
	say(true, "With %g %% confidence, R_ρ of the population that the samples come from is "+
		"below its bound.\n%d resamples, seed %d.", 100*f.how.Level, f.how.Draws, f.how.Seed)
	for _, d := range dro.Doubts() {
		say(doubts[d[0]], "! %s: %s. The true risk exceeds the bound more often than the "+
			"level says\n  (see docs/results.md).", d[0], d[1])
	}
	say(saturated, "Where the radius does not bind, R_ρ is the largest loss and has no "+
		"interval.")
	say(variation, "tv: a share ρ of R_ρ is the largest possible loss, which no sample "+
		"bounds:\nthere is no interval, and R_ρ of the population may be larger.")
	say(train, "The network was fitted to the training samples, so they have no interval.")
}
