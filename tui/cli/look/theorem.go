package look

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// theorems holds several runs against Theorem 1, which asks for none of the flags of one run.
func theorems(con *console.Console, c *cobra.Command, f *theoryFlags, runs []*record.Run) error {
	for _, flag := range []string{"draws", "samples", "batches"} {
		if c.Flags().Changed(flag) {
			return fmt.Errorf("--%s is for one run: leave it out, or give one of the %d", flag,
				len(runs))
		}
	}
	var list []certificate.TheoremCheck
	var lines []string
	for _, r := range runs {
		h, err := certificate.CheckTheorem(c.Context(), r, con.DataDir, !f.log)
		if err != nil {
			lines = append(lines, cell.Clean(err.Error()))
		} else if list = append(list, h); len(h.Unmet) > 0 {
			lines = append(lines, cell.Clean(h.ID)+" does not meet: "+
				strings.Join(h.Unmet, "; "))
		}
	}
	return con.Result(list, func() {
		printTheorems(con, list)
		for _, line := range spec.FirstFew(lines) {
			fmt.Fprintln(con.Stdout, line)
		}
	})
}

// problem is what runs share whose figures are averaged.
type problem struct {
	dro.Assumptions
	T dro.Magnitude
}

// printTheorems prints a line for each problem of the runs that meet the theorem's conditions, and
// the slopes over three or more ε if nothing else differs. Runs that lack nothing but steps show
// when they became stationary.
func printTheorems(con *console.Console, list []certificate.TheoremCheck) {
	groups := map[problem][]*certificate.Theorem{}
	for _, h := range list {
		t := h.Theorem
		if t != nil && (len(h.Unmet) == 0 || len(h.Unmet) == 1 && !t.GradNorm.Applies()) {
			of := problem{t.Assumptions, t.T}
			of.Epsilon = math.Round(1e6*t.Epsilon) / 1e6 // it is 8ρλ0, rounded
			groups[of] = append(groups[of], t)
		}
	}
	t := page.New("ε", "runs", "‖∇F‖", "F − R_ρ", "largest", "T", "n_z T", "until stationary")
	var eps, prescribed, taken []float64
	others := map[dro.Assumptions]bool{}
	order := func(a, b problem) int {
		return cmp.Or(cmp.Compare(b.Epsilon, a.Epsilon), cmp.Compare(a.T, b.T),
			cmp.Compare(a.Rho, b.Rho), cmp.Compare(a.Gap, b.Gap))
	}
	for _, one := range slices.SortedFunc(maps.Keys(groups), order) {
		of, e := groups[one], one.Epsilon
		one.Epsilon = 0
		others[one.Assumptions] = true
		var norms, gaps, reached []measure.Number
		largest := 0.0
		for _, h := range of {
			if h.GradNorm.Applies() {
				norms, gaps = append(norms, h.GradNorm), append(gaps, h.DualGap)
				largest = max(largest, h.GradNorm.Float(), h.DualGap.Float())
			}
			if h.Reached.Applies() {
				reached = append(reached, h.Reached)
			}
		}
		mean, most := measure.MeanOf(reached), measure.NumIf(len(norms) > 0, largest)
		t.Add(fmt.Sprintf("%.3g", e), fmt.Sprint(len(norms)), console.Short(measure.MeanOf(norms)),
			console.Short(measure.MeanOf(gaps)), console.Short(most), of[0].T.String(),
			of[0].SamplesZ.String(),
			fmt.Sprintf("%s (%d of %d)", page.Digits(3).Text(mean), len(reached), len(of)))
		if len(reached) == len(of) {
			eps, taken = append(eps, e), append(taken, mean.Float())
			prescribed = append(prescribed, of[0].SamplesZ.Float64())
		}
	}
	if len(groups) == 0 {
		return
	}
	console.Blocks(con.Stdout, t)
	fmt.Fprint(con.Stdout, theoremNotes)
	if slope, err := certificate.Slope(eps, taken); slope.Applies() && len(others) == 1 {
		by, _ := certificate.Slope(eps, prescribed)
		fmt.Fprintf(con.Stdout, "Slopes against ε: n_z T %.2f (arithmetic), samples until "+
			"stationary %.2f ± %.2f (measured).\n", by.Float(), slope.Float(), err.Float())
	}
}

const theoremNotes = `Theorem 1: at the output, E ‖∇F‖ ≤ ε and E (F − R_ρ) ≤ ε. The means over the runs of T steps or
more are measured on the whole training split, and the largest is of both in any of them. T and
n_z T are prescribed. Until stationary is the mean number of samples drawn for x and z until an
evaluation first found the iterate's ‖∇F‖ and F − R_ρ at most ε, over the runs, short ones too, that
came so far.
`
