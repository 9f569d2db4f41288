package cli

import (
	"fmt"
	"io"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
)

// report prints what runs came to: a table for people, or one JSON object.
func (a *app) report(runs []*record.Run, asJSON bool) error {
	if asJSON {
		return printJSON(a.Stdout, summaries(runs))
	}
	printRuns(a.Stdout, runs)
	return nil
}

// runList is the object that run, runs, show and resume print with --json.
type runList struct {
	Runs []*runner.Summary `json:"runs"`
}

// summaries returns the runs' summaries with lists where a reader of JSON
// expects lists: [] and not null before the first evaluation.
func summaries(runs []*record.Run) runList {
	list := runList{Runs: []*runner.Summary{}}
	for _, r := range runs {
		s := *r.Summary()
		if s.ClassAccuracy == nil {
			s.ClassAccuracy = []runner.Number{}
		}
		list.Runs = append(list.Runs, &s)
	}
	return list
}

// printRuns prints a table with a row a measure and a column a run or, where
// an algorithm has several runs, a list of the runs and their comparison.
func printRuns(w io.Writer, runs []*record.Run) {
	fmt.Fprintln(w)
	if repeated(runs) {
		printList(w, runs)
		printComparison(w, compare.Runs(runs, compare.Options{}))
	} else {
		grid(w, runTable(runs))
	}
	fmt.Fprint(w, definitions)
}

func repeated(runs []*record.Run) bool {
	seen := map[dro.Algorithm]bool{}
	for _, r := range runs {
		if seen[r.Meta.Spec.Algorithm()] {
			return true
		}
		seen[r.Meta.Spec.Algorithm()] = true
	}
	return false
}

// definitions says what the figures of the tables are.
const definitions = `
Accuracies are those of the last iterate on the test split, per class; "worst" is the lowest class, "mean" all images.
Losses are mean cross-entropies in nats, unaugmented. Robust risk is R_ρ of the test losses: their largest mean over all
reweightings Q with D_φ(Q‖P) ≤ ρ. For Cressie-Read φ(t) = (t^k − kt + k − 1)/(k(k − 1)), so χ² is (t − 1)²/2;
for packages that leave out the ½, double ρ. Dual gap = F(x; λ, η) − R_ρ(x) and ‖∇F‖ = ‖∇_x F(x; λ, η)‖, both on the whole
training split; the paper calls (x, λ, η) ε-stationary when both are at most ε, so from the ε shown (ERM: ‖∇F‖ of the
mean loss). Paper's x is SFK's output by Algorithm 1, the step t' of least ‖∇f‖² + gap² on a batch: its mean and worst.
`

func runTable(runs []*record.Run) [][]string {
	row := func(title string, cell func(*record.Run) string) []string {
		cells := []string{title}
		for _, r := range runs {
			cells = append(cells, cell(r))
		}
		return cells
	}
	number := func(title string, format func(runner.Number) string, value func(*runner.Summary) runner.Number) []string {
		return row(title, func(r *record.Run) string { return format(value(r.Summary())) })
	}
	rows := [][]string{
		row("", func(r *record.Run) string {
			return fmt.Sprintf("%s s%d", r.Meta.Spec.Algorithm(), r.Meta.Spec.Seed)
		}),
		row("preset", func(r *record.Run) string { return clean(r.Meta.Preset) }),
		row("status", func(r *record.Run) string { return string(r.Status()) }),
		row("set, ρ", func(r *record.Run) string { return setAndRadius(&r.Meta.Spec) }),
		row("epochs", func(r *record.Run) string {
			return fmt.Sprintf("%.3g/%d", r.Summary().Epochs, r.Meta.Spec.Epochs)
		}),
	}
	for class, name := range sharedGroups(runs) {
		rows = append(rows, number(name, percent, func(s *runner.Summary) (n runner.Number) {
			if class < len(s.ClassAccuracy) {
				n = s.ClassAccuracy[class]
			}
			return n
		}))
	}
	return append(rows,
		number("worst", percent, func(s *runner.Summary) runner.Number { return s.WorstClassAccuracy }),
		number("mean", percent, func(s *runner.Summary) runner.Number { return s.TestAccuracy }),
		number("train loss", short, func(s *runner.Summary) runner.Number { return s.TrainLoss }),
		number("test loss", short, func(s *runner.Summary) runner.Number { return s.TestLoss }),
		number("robust risk", short, func(s *runner.Summary) runner.Number { return s.RobustRisk }),
		number("dual gap", short, func(s *runner.Summary) runner.Number { return s.DualGap }),
		number("‖∇F‖", short, func(s *runner.Summary) runner.Number { return s.FullGradNorm }),
		number("ε-stationary", short, stationary),
		number("λ", short, func(s *runner.Summary) runner.Number { return s.Lambda }),
		number("η", short, func(s *runner.Summary) runner.Number { return s.Eta }),
		row("paper's x", func(r *record.Run) string { return paperIterate(r.Summary().PaperIterate) }),
		number("images/s", whole, func(s *runner.Summary) runner.Number { return s.ImagesPerSecond }),
	)
}

// stationary returns the least ε at which the paper's two-part test holds.
func stationary(s *runner.Summary) runner.Number {
	if !s.DualGap.Applies() || !s.FullGradNorm.Applies() {
		return s.FullGradNorm
	}
	return runner.Num(max(s.DualGap.Float(), s.FullGradNorm.Float()))
}

func paperIterate(p *runner.PaperIterate) string {
	if p == nil {
		return "–"
	}
	return fmt.Sprintf("%s, %s", percent(p.TestAccuracy), percent(p.WorstClassAccuracy))
}

// setAndRadius names the uncertainty set as a column has room for.
func setAndRadius(s *runner.Spec) string {
	switch s.Uncertainty {
	case "cressie-read":
		if s.K == 2 {
			return fmt.Sprintf("χ², %.3g", s.Rho)
		}
		return fmt.Sprintf("k=%.3g, %.3g", s.K, s.Rho)
	case "chi2":
		return fmt.Sprintf("χ², %.3g", s.Rho)
	case "cvar":
		return fmt.Sprintf("cvar %.3g", s.Mu)
	case "smoothed-cvar":
		return fmt.Sprintf("scvar %.3g, %.3g", s.Mu, s.Rho)
	}
	return fmt.Sprintf("%s, %.3g", s.Uncertainty, s.Rho)
}

// sharedGroups returns the titles of the rows per class, with the number of
// training samples where the runs agree on it; none where the runs are of
// different data.
func sharedGroups(runs []*record.Run) []string {
	first := runs[0].Meta
	same := true
	for _, r := range runs {
		if strings.Join(r.Meta.Groups, "\n") != strings.Join(first.Groups, "\n") {
			return nil
		}
		same = same && fmt.Sprint(r.Meta.TrainCounts) == fmt.Sprint(first.TrainCounts)
	}
	var titles []string
	for i, name := range first.Groups {
		title := clean(name)
		if same && i < len(first.TrainCounts) {
			title = fmt.Sprintf("%s (%d)", title, first.TrainCounts[i])
		}
		titles = append(titles, title)
	}
	return titles
}
