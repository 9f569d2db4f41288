package risk

import (
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cli/console"
)

// What certify prints.

// certificateJSON is a place of the grid. Intervals are null where there is none.
type certificateJSON struct {
	Uncertainty   string           `json:"uncertainty"`
	Rho           measure.Number   `json:"rho"`
	Risk          measure.Number   `json:"risk"`
	Upper         measure.Number   `json:"upper"` // one-sided, of the level
	Normal        []measure.Number `json:"normal"`
	Bootstrap     []measure.Number `json:"bootstrap"`
	StandardError measure.Number   `json:"standard_error"`
	Lambda        *float64         `json:"lambda,omitempty"`
	Eta           *float64         `json:"eta,omitempty"` // unshifted
	Divergence    *float64         `json:"divergence,omitempty"`
	Effective     *float64         `json:"effective_sample_size,omitempty"`
	Few           bool             `json:"few_effective_samples"`
	Doubt         string           `json:"doubt,omitempty"` // why the bound cannot be believed
	Share         float64          `json:"largest_share"`
	TailIndex     measure.Number   `json:"tail_index"` // Hill's
	ClassWeight   []measure.Number `json:"class_weight,omitempty"`
	GroupRatio    []measure.Number `json:"group_ratio,omitempty"`
}

type certifiedJSON struct {
	ID        string            `json:"id"`
	Step      int64             `json:"step"`
	Output    bool              `json:"output"` // of Algorithm 1, not the last iterate
	Split     string            `json:"split"`
	N         int               `json:"n"`
	MeanLoss  float64           `json:"mean_loss"`
	Level     float64           `json:"level"`
	Draws     int               `json:"draws"`
	Seed      uint64            `json:"seed"`
	DualGap   *float64          `json:"dual_gap,omitempty"` // with the run's own set, radius and z
	GradNorm  *float64          `json:"full_grad_norm,omitempty"`
	Certified []certificateJSON `json:"certificates"`
}

type contrastJSON struct {
	Less          string           `json:"less"` // the run whose R_ρ is taken off
	From          string           `json:"from"`
	Split         string           `json:"split"`
	Uncertainty   string           `json:"uncertainty"`
	Rho           measure.Number   `json:"rho"`
	Difference    float64          `json:"difference"`
	StandardError measure.Number   `json:"standard_error"`
	Normal        []measure.Number `json:"normal"`
	Bootstrap     []measure.Number `json:"bootstrap"`
	Better        []measure.Number `json:"interval"` // the one of the two to be read
	Doubt         string           `json:"doubt,omitempty"`
}

// known is x where it is a number, else nothing.
func known(x float64) measure.Number { return measure.NumIf(x == x, x) }

func ends(i dro.Interval) []measure.Number { return []measure.Number{known(i[0]), known(i[1])} }

func certifyJSON(list []certified, pairs []contrasted, f *certifyFlags) any {
	all := struct {
		Runs        []certifiedJSON `json:"runs"`
		Differences []contrastJSON  `json:"differences"`
	}{[]certifiedJSON{}, []contrastJSON{}}
	for i := range list {
		c := &list[i]
		one := certifiedJSON{ID: c.run.ID, Step: c.step, Output: f.output,
			Split: c.split, N: len(c.pass.Losses), MeanLoss: c.certificates[0].MeanLoss,
			Level: f.how.Level, Draws: f.how.Draws, Seed: f.how.Seed}
		if s := c.stationary; s != nil {
			one.DualGap, one.GradNorm = &s.DualGap, &s.GradNorm
		}
		for j := range c.certificates {
			one.Certified = append(one.Certified, c.json(&c.certificates[j]))
		}
		all.Runs = append(all.Runs, one)
	}
	for _, p := range pairs {
		for _, d := range p.contrasts {
			all.Differences = append(all.Differences, contrastJSON{Less: p.first.ID,
				From: p.second.ID, Split: p.split, Uncertainty: d.Set.Name(), Rho: d.Rho,
				Difference: d.Value, StandardError: known(d.StandardError), Normal: ends(d.Normal),
				Bootstrap: ends(d.Bootstrap), Better: ends(d.Better()), Doubt: d.Tail.Doubt()})
		}
	}
	return all
}

func (c *certified) json(e *certificate.Certificate) certificateJSON {
	j := certificateJSON{Uncertainty: e.Set.Name(), Rho: e.Rho, Risk: measure.Num(e.Risk),
		Few: e.Tail.Few(), Share: e.Tail.Share, TailIndex: known(e.Tail.Index),
		Eta: &e.Z.Eta, Divergence: &e.Divergence, Effective: &e.EffectiveSampleSize,
		ClassWeight: e.ByClass, GroupRatio: e.ByGroup}
	if e.Set.HasRadius() {
		j.Lambda = &e.Z.Lambda
	}
	if c.split != runner.SplitTrain {
		j.Upper, j.Doubt = known(e.Upper), e.Tail.Doubt()
		j.Normal, j.Bootstrap = ends(e.Normal), ends(e.Bootstrap)
		j.StandardError = known(e.StandardError)
	}
	return j
}

func printCertified(con *console.Console, list []certified, pairs []contrasted, f *certifyFlags) {
	for i := range list {
		c := &list[i]
		at := fmt.Sprintf("step %d", c.step)
		if f.output {
			at = "Algorithm 1's output as of " + at
		}
		fmt.Fprintf(con.Stdout, "%s, %s, %s split, %d samples, mean loss %.4g\n",
			console.Clean(c.run.ID), at, c.split, len(c.pass.Losses), c.certificates[0].MeanLoss)
		if s := c.stationary; s != nil {
			fmt.Fprintf(con.Stdout, "on the training split, with the run's own λ and η: "+
				"dual gap %.4g, ‖∇F‖ %.4g\n", s.DualGap, s.GradNorm)
		}
		console.Blocks(con.Stdout, c.table(f))
		fmt.Fprintln(con.Stdout)
		console.Blocks(con.Stdout, c.weights())
		fmt.Fprintln(con.Stdout)
	}
	for _, p := range pairs {
		fmt.Fprintf(con.Stdout, "%s less %s, %s split, paired by sample\n",
			console.Clean(p.second.ID), console.Clean(p.first.ID), p.split)
		console.Blocks(con.Stdout, p.table(f))
		fmt.Fprintln(con.Stdout)
	}
	explainCertified(con, list, f)
}

// place names a set and a radius.
func place(set dro.Set, rho measure.Number) string {
	if !rho.Applies() {
		return set.Label()
	}
	return fmt.Sprintf("%s, %g", set.Label(), rho.Float())
}

func between4(i dro.Interval) string {
	if i[0] != i[0] || i[1] != i[1] {
		return "–"
	}
	return fmt.Sprintf("[%.4g, %.4g]", i[0], i[1])
}

func (c *certified) table(f *certifyFlags) *page.Table {
	level := fmt.Sprintf("%g %%", 100*f.how.Level)
	head := []string{"set, ρ", "R_ρ at most", "R_ρ", level + " bootstrap", level + " normal",
		"λ", "η̃", "D", "effective n"}
	rows := page.Rows(c.certificates, func(e certificate.Certificate) []string {
		upper, normal, bootstrap := bound(&e), between4(e.Normal), between4(e.Bootstrap)
		if c.split == runner.SplitTrain {
			upper, normal, bootstrap = "–", "–", "–"
		}
		lambda := "–"
		if e.Set.HasRadius() {
			lambda = fmt.Sprintf("%.4g", e.Z.Lambda)
		}
		return []string{place(e.Set, e.Rho), upper, fmt.Sprintf("%.4g", e.Risk), bootstrap,
			normal, lambda, fmt.Sprintf("%.4g", e.Z.Eta), fmt.Sprintf("%.4g", e.Divergence),
			fmt.Sprintf("%.4g", e.EffectiveSampleSize)}
	})
	return &page.Table{Head: head, Rows: rows}
}

// bound is the one-sided bound, with a mark where it cannot be believed.
func bound(e *certificate.Certificate) string {
	switch {
	case e.Upper != e.Upper:
		return "–"
	case e.Tail.Doubt() != "":
		return fmt.Sprintf("! %.4g", e.Upper)
	}
	return fmt.Sprintf("%.4g", e.Upper)
}

// weights has a row a set and radius, a column a class or group.
func (c *certified) weights() *page.Table {
	t := &page.Table{Head: []string{"mean weight"}}
	for _, name := range c.run.Names(c.run.Main()) {
		t.Head = append(t.Head, console.Clean(name))
	}
	t.Rows = page.Rows(c.certificates, func(e certificate.Certificate) []string {
		values := e.ByClass
		if c.run.Main() == measure.PerGroup {
			values = e.ByGroup
		}
		row := []string{place(e.Set, e.Rho)}
		for _, n := range values {
			row = append(row, page.Digits(3).Text(n))
		}
		return row
	})
	return t
}

func (p *contrasted) table(f *certifyFlags) *page.Table {
	level := fmt.Sprintf("%g %%", 100*f.how.Level)
	head := []string{"set, ρ", "difference of R_ρ", level + " interval", "by"}
	rows := page.Rows(p.contrasts, func(d certificate.Contrast) []string {
		by := "bootstrap"
		if d.Better() == d.Normal {
			by = "normal limit"
		}
		return []string{place(d.Set, d.Rho), fmt.Sprintf("%+.4g", d.Value),
			between4(d.Better()), by}
	})
	return &page.Table{Head: head, Rows: rows}
}

func explainCertified(con *console.Console, list []certified, f *certifyFlags) {
	saturated, train := false, false
	doubts := map[string]bool{}
	for _, c := range list {
		train = train || c.split == runner.SplitTrain
		for i := range c.certificates {
			e := &c.certificates[i]
			doubts[e.Tail.Doubt()] = true
			saturated = saturated || e.Saturated && e.Rho.Applies()
		}
	}
	say := func(when bool, format string, args ...any) {
		if when {
			fmt.Fprintf(con.Stdout, format+"\n", args...)
		}
	}
	say(true, "R_ρ as an estimate for the population that the samples are from: below its bound "+
		"with %g %%.\n%d resamples, seed %d.", 100*f.how.Level, f.how.Draws, f.how.Seed)
	for _, d := range dro.Doubts() {
		say(doubts[d[0]], "! %s: %s. The truth is above the bound more often than the level says\n"+
			"  (docs/results.md has how often).", d[0], d[1])
	}
	say(saturated, "Where the radius does not bind, R_ρ is the largest loss: there is no interval.")
	say(train, "The network was fitted to the training samples: of them there is no interval.")
}
