package look

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

type riskFlags struct {
	set                     setFlags
	column, groups, weights string
	curve                   bool
}

func riskCommand(con *console.Console) *cobra.Command {
	var f riskFlags
	c := &cobra.Command{
		Use: "risk [FILE|-]", Short: "Compute the exact worst-case mean of given losses",
		Long: `Compute the largest mean that losses can have when their distribution may change within a
radius: R_ρ = sup { E_Q ℓ : D_φ(Q‖P) ≤ ρ }, exact to about 1e-10. Losses are read one per line,
or from a column of a CSV file. No training is involved: they may come from any program.`,
		Example: `drolab risk losses.txt --uncertainty chi2 --rho 0.5
cut -f3 table.tsv | drolab risk - --uncertainty kl --rho 0.1 --json
drolab risk eval.csv --column loss --uncertainty cvar --mu 0.05 --weights ratios.csv`,
		Args: console.OneAtMost("file", "drolab risk losses.txt --uncertainty chi2 --rho 0.5"),
		RunE: func(c *cobra.Command, args []string) error {
			set, err := f.set.open(c)
			if err != nil {
				return err
			}
			return risk(con, set, &f, append(args, "-")[0])
		},
	}
	f.set.add(c, "")
	flags := c.Flags()
	flags.StringVar(&f.column, "column", "",
		"column of a CSV file: its name, or its number from 1 (default \"loss\")")
	flags.StringVar(&f.groups, "groups", "",
		"file with each loss's group, one per line: print the weight of each group")
	flags.StringVar(&f.weights, "weights", "",
		"write loss and likelihood ratio r = dQ/dP of every sample to this CSV file")
	flags.BoolVar(&f.curve, "curve", false, "also print the risk at radii from ρ/100 to 100ρ")
	console.ReadsStdin(c)
	console.WritesFiles(c, "weights")
	con.JSONFlag(c, "")
	return c
}

// solution is the worst case of given losses. Its η is unshifted; EtaPaper is the paper's shifted
// η. At radius 0, λ is infinite and does not apply.
type solution struct {
	setDescription
	Rho *float64 `json:"rho,omitempty"`
	dro.Worst
	Lambda   measure.Number `json:"lambda"`
	EtaPaper *float64       `json:"eta_paper,omitempty"`
	N        int            `json:"n"`
	Groups   []riskGroup    `json:"groups,omitempty"`
	Curve    []curvePoint   `json:"curve,omitempty"`
}

type curvePoint struct {
	Rho                 float64 `json:"rho"`
	Risk                float64 `json:"risk"`
	Lambda              float64 `json:"lambda"`
	Eta                 float64 `json:"eta"`
	EffectiveSampleSize float64 `json:"effective_sample_size"`
}

// riskGroup is the part of a group in the worst case.
type riskGroup struct {
	Name     string  `json:"name"`
	N        int     `json:"n"`
	MeanLoss float64 `json:"mean_loss"`
	Ratio    float64 `json:"ratio"` // its share of the worst distribution over that of the samples
}

func risk(con *console.Console, set dro.Set, f *riskFlags, path string) error {
	losses, err := readLosses(con, path, f.column)
	if err != nil {
		return err
	}
	// R_ρ is translation-equivariant. The losses are shifted because the sets need losses of at
	// least 0.
	base := min(0, slices.Min(losses))
	if most := slices.Max(losses); math.IsInf(most-base, 1) {
		return fmt.Errorf("losses from %v to %v span more than a float64 can hold: divide "+
			"them by 2, and double the risk", base, most)
	}
	moved := lists.Map(losses, func(x float64) float64 { return x - base })
	result, ratios, err := f.solve(set, moved, base)
	if err != nil {
		return err
	}
	if f.groups != "" {
		if result.Groups, err = riskGroups(f.groups, losses, ratios); err != nil {
			return fmt.Errorf("--groups: %w", err)
		}
	}
	if f.curve {
		if result.Curve, err = riskCurve(set, moved, f.set.rho, base); err != nil {
			return err
		}
	}
	if f.weights != "" {
		if err := writeWeights(f.weights, losses, ratios); err != nil {
			return err
		}
	}
	return con.Result(result, func() { printRisk(con, set, f, result) })
}

// solve finds the worst case of losses from which base was subtracted.
func (f *riskFlags) solve(
	set dro.Set, losses []float64, base float64,
) (*solution, []float64, error) {
	ratios := make([]float64, len(losses))
	s := &solution{setDescription: f.set.describe(set), N: len(losses)}
	if set.HasRadius() {
		s.Rho = &f.set.rho
	}
	if f.set.isMean(set) {
		ratios = slices.Repeat([]float64{1}, len(losses))
		mean := meanOf(losses)
		s.Worst = dro.Worst{Risk: mean, Z: dro.Z{Eta: slices.Min(losses)}, MeanLoss: mean,
			MaxLoss: slices.Max(losses), EffectiveSampleSize: float64(len(losses))}
	} else {
		var err error
		if s.Worst, err = dro.WorstCase(set, ratios, losses, f.set.rho); err != nil {
			return nil, nil, err
		}
		s.Lambda, s.EtaPaper = measure.Num(s.Z.Lambda), paperEta(set, s.Z, base)
	}
	for _, x := range []*float64{&s.Risk, &s.Eta, &s.MeanLoss, &s.MaxLoss} {
		*x += base
	}
	return s, ratios, nil
}

// riskGroups reads the group of each loss, one per line, and returns the part of each group in the
// worst case.
func riskGroups(path string, all, ratios []float64) ([]riskGroup, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(string(b), "\r\n", "\n")
	names := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(names) != len(all) {
		return nil, fmt.Errorf("%s: %d lines for %d losses: expected one group per line", path,
			len(names), len(all))
	}
	losses, ratio := map[string][]float64{}, map[string]float64{}
	for i, name := range names {
		losses[name] = append(losses[name], all[i])
		ratio[name] += ratios[i]
	}
	var list []riskGroup
	for _, name := range slices.Sorted(maps.Keys(losses)) {
		n := len(losses[name])
		list = append(list, riskGroup{name, n, meanOf(losses[name]), ratio[name] / float64(n)})
	}
	return list, nil
}

// meanOf returns the mean of values, even if their sum exceeds the range of float64.
func meanOf(values []float64) float64 {
	sum, parts, n := 0.0, 0.0, float64(len(values))
	for _, v := range values {
		sum, parts = sum+v, parts+v/n
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return parts
	}
	return sum / n
}

// paperEta returns η in the paper's coordinates, which only Cressie-Read has, for losses from which
// base was subtracted; nil for other sets.
func paperEta(set dro.Set, z dro.Z, base float64) *float64 {
	if _, ok := set.(dro.CressieRead); !ok {
		return nil
	}
	p := dro.Problem{Set: set, Coordinates: dro.Paper}
	return new(base + p.Shift(z).Eta)
}

// riskCurve returns the risk at five radii per decade, for two decades on either side of rho.
func riskCurve(set dro.Set, losses []float64, rho, base float64) (points []curvePoint, err error) {
	switch {
	case !set.HasRadius():
		return nil, fmt.Errorf(
			"--curve: %s has no radius: leave --curve out, or choose another set", set.Name())
	case rho == 0:
		return nil, errors.New("--curve: it goes from ρ/100 to 100ρ, so ρ must be above 0")
	}
	var radii []float64
	for i := -10; i <= 10; i++ {
		radii = append(radii, rho*math.Pow(10, float64(i)/5))
	}
	worst, err := dro.Curve(set, losses, radii)
	if err != nil {
		return nil, err
	}
	for i, w := range worst {
		points = append(points, curvePoint{radii[i], base + w.Risk, w.Z.Lambda, base + w.Z.Eta,
			w.EffectiveSampleSize})
	}
	return points, nil
}

// writeWeights writes the worst distribution: sample i has the weight r_i/n.
func writeWeights(path string, losses, ratios []float64) error {
	var list page.Fields[int]
	list.Add("loss", func(i int) string { return page.Exact(losses[i]) })
	list.Add("ratio", func(i int) string { return page.Exact(ratios[i]) })
	if err := page.Replace(path, list.Long(page.Indices(len(losses))).CSV); err != nil {
		return fmt.Errorf("--weights: %w", err)
	}
	return nil
}

func printRisk(con *console.Console, set dro.Set, f *riskFlags, r *solution) {
	say := func(name, format string, args ...any) {
		fmt.Fprintf(con.Stdout, "%-12s "+format+"\n", append([]any{name}, args...)...)
	}
	say("risk", "%.10g", r.Risk)
	say("mean loss", "%.10g", r.MeanLoss)
	say("max loss", "%.10g", r.MaxLoss)
	say("η", "%.6g (unshifted)", r.Eta)
	say("divergence", "%.6g", r.Divergence)
	say("effective n", "%.6g of %d", r.EffectiveSampleSize, r.N)
	if set.HasRadius() {
		say("λ", "%s", page.Digits(6).Text(r.Lambda))
	}
	if r.EtaPaper != nil {
		say("η, paper", "%.6g (shifted by λ/(k−1))", *r.EtaPaper)
	}
	for _, p := range r.Curve {
		fmt.Fprintf(con.Stdout, "ρ = %-10.4g risk %-12.8g λ %-10.4g η %-10.4g effective n %.4g\n",
			p.Rho, p.Risk, p.Lambda, p.Eta, p.EffectiveSampleSize)
	}
	if len(r.Groups) > 0 {
		t := page.New("group", "n", "mean loss", "ratio")
		for _, g := range r.Groups {
			t.Rank(g.Ratio, cell.Clean(g.Name), fmt.Sprint(g.N),
				fmt.Sprintf("%.4g", g.MeanLoss), fmt.Sprintf("%.4g", g.Ratio))
		}
		console.Blocks(con.Stdout, t)
	}
	if r.Saturated && set.HasRadius() {
		fmt.Fprintln(con.Stdout, "the radius does not bind: a larger one would not raise the risk")
	}
	if f.set.mu == 1 && r.Mu != nil {
		fmt.Fprintln(con.Stdout,
			"with μ = 1 the set holds only the distribution of the samples: the risk is the mean")
		return
	}
	fmt.Fprintf(con.Stdout, "%s\n", convention(set))
}

// convention returns the definition of the divergence that ρ bounds, because packages differ in it.
func convention(set dro.Set) string {
	switch s := set.(type) {
	case dro.CressieRead:
		if s.K == 2 {
			return "D is the mean of φ(r) = (r − 1)²/2; double ρ for packages that leave out the ½"
		}
		return fmt.Sprintf("D is the mean of φ(r) = (r^k − kr + k − 1)/(k(k − 1)) with k = %g", s.K)
	case dro.KL:
		return "D is the Kullback-Leibler divergence in nats: the mean of r log r − r + 1"
	case dro.SmoothedCVaR:
		return fmt.Sprintf("D is the mean of φ(r) = r log r + ((1 − μr)/μ) log((1 − μr)/(1 − μ)), "+
			"r ≤ 1/μ, with μ = %g", s.Mu)
	case dro.TV:
		return "D is the mean of |r − 1|/2, the share of the mass that moves: it is below 1"
	case dro.CVaR:
		return fmt.Sprintf("the mean of the largest %g of the losses: 0 ≤ r ≤ 1/μ with μ = %g",
			s.Mu, s.Mu)
	}
	return ""
}
