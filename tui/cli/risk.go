package cli

import (
	"fmt"
	"io"
	"math"
	"strings"

	"drolab/dro"
	"drolab/runner/export"

	"github.com/spf13/cobra"
)

type riskFlags struct {
	set     setFlags
	column  string
	weights string
	curve   bool
	json    bool
}

// setFlags describe an uncertainty set.
type setFlags struct {
	uncertainty string
	rho, k, mu  float64
}

func (f *setFlags) add(c *cobra.Command, usual string) {
	flags := c.Flags()
	flags.StringVar(&f.uncertainty, "uncertainty", usual, "the set: "+strings.Join(dro.SetNames(), ", "))
	flags.Float64Var(&f.rho, "rho", 0, "radius ρ of the set (all but cvar)")
	flags.Float64Var(&f.k, "k", 2, "order of cressie-read, 1 < k ≤ 2")
	flags.Float64Var(&f.mu, "mu", 0.1, "level μ of smoothed-cvar and cvar, 0 < μ < 1")
	mustComplete(c, "uncertainty", cobra.FixedCompletions(dro.SetNames(), cobra.ShellCompDirectiveNoFileComp))
}

// open returns the set; it and, where it has one, its radius must be given.
func (f *setFlags) open(c *cobra.Command) (dro.Set, error) {
	if f.uncertainty == "" {
		return nil, fmt.Errorf("give --uncertainty, one of %s", strings.Join(dro.SetNames(), ", "))
	}
	set, err := dro.NewSet(f.uncertainty, f.k, f.mu)
	if err != nil {
		return nil, err
	}
	if set.HasRadius() && !(f.rho > 0 && !math.IsInf(f.rho, 1)) {
		if !c.Flags().Changed("rho") {
			return nil, fmt.Errorf("give --rho, the radius of %s, as in --rho 0.5", set.Name())
		}
		return nil, fmt.Errorf("--rho %v: want a number > 0", f.rho)
	}
	return set, nil
}

func (a *app) riskCommand() *cobra.Command {
	var f riskFlags
	c := &cobra.Command{
		Use: "risk [FILE|-]", Short: "The exact worst-case mean of given losses",
		Long: `The largest mean that losses can have when their distribution may change within a radius:
R_ρ = sup { E_Q ℓ : D_φ(Q‖P) ≤ ρ }, exact to about 1e-10. Losses are read one a line, or from a
column of a CSV file. No training is involved: they may come from any program.`,
		Example: `drolab risk losses.txt --uncertainty chi2 --rho 0.5
cut -f3 table.tsv | drolab risk - --uncertainty kl --rho 0.1 --json
drolab risk eval.csv --column loss --uncertainty cvar --mu 0.05 --weights ratios.csv`,
		Args: atMostOne("file", "drolab risk losses.txt --uncertainty chi2 --rho 0.5"),
		RunE: func(c *cobra.Command, args []string) error {
			set, err := f.set.open(c)
			if err != nil {
				return err
			}
			return a.risk(set, &f, append(args, "-")[0])
		},
	}
	f.set.add(c, "")
	flags := c.Flags()
	flags.StringVar(&f.column, "column", "",
		"column of a CSV file: its name, or its number from 1 (default \"loss\")")
	flags.StringVar(&f.weights, "weights", "",
		"write loss and likelihood ratio r = dQ/dP of every sample to this CSV file")
	flags.BoolVar(&f.curve, "curve", false, "also the risk at radii from ρ/100 to 100ρ")
	flags.BoolVar(&f.json, "json", false, "print as JSON")
	return c
}

// riskJSON is what risk prints with --json. Eta is unshifted; EtaPaper is the
// paper's shifted one.
type riskJSON struct {
	Risk                float64      `json:"risk"`
	Lambda              float64      `json:"lambda"`
	Eta                 float64      `json:"eta"`
	EtaPaper            *float64     `json:"eta_paper,omitempty"`
	Divergence          float64      `json:"divergence"`
	MeanLoss            float64      `json:"mean_loss"`
	MaxLoss             float64      `json:"max_loss"`
	EffectiveSampleSize float64      `json:"effective_sample_size"`
	N                   int          `json:"n"`
	Curve               []curvePoint `json:"curve,omitempty"`
}

type curvePoint struct {
	Rho  float64 `json:"rho"`
	Risk float64 `json:"risk"`
}

func (a *app) risk(set dro.Set, f *riskFlags, path string) error {
	losses, err := a.readLosses(path, f.column)
	if err != nil {
		return err
	}
	ratios := make([]float64, len(losses))
	worst, err := set.WorstCase(ratios, losses, f.set.rho)
	if err != nil {
		return err
	}
	result := riskJSON{
		Risk: worst.Risk, Lambda: worst.Z.Lambda, Eta: worst.Z.Eta, EtaPaper: paperEta(set, worst.Z),
		Divergence: worst.Divergence, MeanLoss: worst.MeanLoss, MaxLoss: worst.MaxLoss,
		EffectiveSampleSize: worst.EffectiveSampleSize, N: len(losses),
	}
	if f.curve {
		if result.Curve, err = riskCurve(set, losses, f.set.rho); err != nil {
			return err
		}
	}
	if f.weights != "" {
		if err := writeWeights(f.weights, losses, ratios); err != nil {
			return err
		}
	}
	if f.json {
		return printJSON(a.Stdout, result)
	}
	a.printRisk(set, f, &result, worst.Saturated)
	return nil
}

// paperEta returns η in the paper's coordinates, which only Cressie-Read has.
func paperEta(set dro.Set, z dro.Z) *float64 {
	if _, ok := set.(dro.CressieRead); !ok {
		return nil
	}
	p := dro.Problem{Set: set, Coordinates: dro.Paper}
	eta := p.Shift(z).Eta
	return &eta
}

// riskCurve returns the risk at five radii a decade, two decades to each side.
func riskCurve(set dro.Set, losses []float64, rho float64) ([]curvePoint, error) {
	if !set.HasRadius() {
		return nil, fmt.Errorf("--curve: %s has no radius: leave --curve out, or choose another set", set.Name())
	}
	var radii []float64
	for i := -10; i <= 10; i++ {
		radii = append(radii, rho*math.Pow(10, float64(i)/5))
	}
	worst, err := dro.Curve(set, losses, radii)
	if err != nil {
		return nil, err
	}
	points := make([]curvePoint, len(radii))
	for i := range points {
		points[i] = curvePoint{radii[i], worst[i].Risk}
	}
	return points, nil
}

// writeWeights writes the worst distribution: r_i/n is the weight of sample i.
func writeWeights(path string, losses, ratios []float64) error {
	err := export.Replace(path, func(w io.Writer) error {
		fmt.Fprintln(w, "loss,ratio")
		var err error
		for i := 0; i < len(losses) && err == nil; i++ {
			_, err = fmt.Fprintf(w, "%v,%v\n", losses[i], ratios[i])
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("--weights: %w", err)
	}
	return nil
}

func (a *app) printRisk(set dro.Set, f *riskFlags, r *riskJSON, saturated bool) {
	rows := [][2]string{
		{"risk", fmt.Sprintf("%.10g", r.Risk)},
		{"mean loss", fmt.Sprintf("%.10g", r.MeanLoss)}, {"max loss", fmt.Sprintf("%.10g", r.MaxLoss)},
		{"η", fmt.Sprintf("%.6g (unshifted)", r.Eta)}, {"divergence", fmt.Sprintf("%.6g", r.Divergence)},
		{"effective n", fmt.Sprintf("%.6g of %d", r.EffectiveSampleSize, r.N)},
	}
	if set.HasRadius() {
		rows = append(rows, [2]string{"λ", fmt.Sprintf("%.6g", r.Lambda)})
	}
	if r.EtaPaper != nil {
		rows = append(rows, [2]string{"η, paper", fmt.Sprintf("%.6g (shifted by λ/(k−1))", *r.EtaPaper)})
	}
	for _, row := range rows {
		fmt.Fprintf(a.Stdout, "%-12s %s\n", row[0], row[1])
	}
	for _, p := range r.Curve {
		fmt.Fprintf(a.Stdout, "ρ = %-10.4g risk %.8g\n", p.Rho, p.Risk)
	}
	if saturated && set.HasRadius() {
		fmt.Fprintln(a.Stdout, "the radius does not bind: a larger one would not raise the risk")
	}
	fmt.Fprintf(a.Stdout, "%s\n", convention(set))
}

// convention says what ρ is measured in, on which packages differ.
func convention(set dro.Set) string {
	switch s := set.(type) {
	case dro.CressieRead:
		if s.K == 2 {
			return "D is the mean of φ(r) = (r − 1)²/2; for packages that leave out the ½, double ρ"
		}
		return fmt.Sprintf("D is the mean of φ(r) = (r^k − kr + k − 1)/(k(k − 1)) with k = %g", s.K)
	case dro.KL:
		return "D is the Kullback-Leibler divergence in nats: the mean of r log r − r + 1"
	case dro.SmoothedCVaR:
		return fmt.Sprintf("D is the mean of φ(r) = r log r + ((1 − μr)/μ) log((1 − μr)/(1 − μ)), "+
			"r ≤ 1/μ, with μ = %g", s.Mu)
	case dro.CVaR:
		return fmt.Sprintf("the mean of the largest %g of the losses: 0 ≤ r ≤ 1/μ with μ = %g", s.Mu, s.Mu)
	}
	return ""
}
