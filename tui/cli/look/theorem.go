package look

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cli/console"
)

// theorems holds several runs against Theorem 1.
func theorems(con *console.Console, runs []*record.Run) error {
	var list []certificate.Held
	var lines []string
	for _, r := range runs {
		h, err := certificate.Hold(r, con.DataDir, true)
		if err != nil {
			lines = append(lines, console.Clean(err.Error()))
		} else if list = append(list, h); len(h.Unmet) > 0 {
			lines = append(lines, console.Clean(h.ID)+" does not meet: "+
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

// printTheorems prints a line for each ε of the runs that meet the theorem's conditions, and the
// slopes over three or more. Runs that lack nothing but steps show when they became stationary.
func printTheorems(con *console.Console, list []certificate.Held) {
	groups := map[float64][]*certificate.Theorem{}
	for _, h := range list {
		t := h.Theorem
		if t != nil && (len(h.Unmet) == 0 || len(h.Unmet) == 1 && !t.GradNorm.Applies()) {
			groups[t.Epsilon] = append(groups[t.Epsilon], t)
		}
	}
	t := page.New("ε", "runs", "‖∇F‖", "F − R_ρ", "largest", "T", "n_z T", "until stationary")
	var eps, prescribed, taken []float64
	for _, e := range slices.Backward(slices.Sorted(maps.Keys(groups))) {
		of := groups[e]
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
	if slope, err := certificate.Slope(eps, taken); slope.Applies() {
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
