package look

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cli/console"
)

// held is a run that was held against Theorem 1.
type held struct {
	ID    string   `json:"id"`
	Unmet []string `json:"unmet"`
	// Theorem is nil if no bounds of the run's losses are proved.
	*certificate.Theorem `json:"theorem,omitempty"`
}

// holdAgainst holds a run against Theorem 1. Without the data there is no proof.
func holdAgainst(
	con *console.Console, r *record.Run, evals []*runner.EvalEvent, withData bool,
) (h held, err error) {
	h.ID = r.Meta.ID
	past, err := r.Past(-1)
	if err != nil {
		return h, err
	}
	var a dro.Assumptions
	unproved := certificate.Provable(&r.Meta.Spec)
	if unproved == nil && !withData {
		unproved = errors.New("losses with proved bounds (not looked for without the data)")
	}
	if unproved == nil {
		frozen, err := certificate.Freeze(past, means(con), con.Threads)
		if err != nil {
			return h, err
		}
		defer func() { err = errors.Join(err, frozen.Close()) }()
		if a, err = frozen.Proved(); err != nil {
			return h, err
		}
		t, err := frozen.Theorem(a, evals)
		if err != nil {
			return h, err
		}
		h.Theorem = &t
	}
	h.Unmet = certificate.Unmet(past, a, unproved)
	return h, nil
}

// theorems holds several runs against Theorem 1.
func theorems(con *console.Console, runs []*record.Run) error {
	var list []held
	for _, r := range runs {
		evals, err := r.Evaluations()
		if err != nil {
			return err
		}
		h, err := holdAgainst(con, r, evals, true)
		if err != nil {
			return err
		}
		list = append(list, h)
	}
	return con.Result(list, func() {
		printTheorems(con, list)
		var lines []string
		for _, h := range list {
			if len(h.Unmet) > 0 {
				lines = append(lines, console.Clean(h.ID)+" does not meet: "+
					strings.Join(h.Unmet, "; "))
			}
		}
		for _, line := range spec.FirstFew(lines) {
			fmt.Fprintln(con.Stdout, line)
		}
	})
}

// printTheorems prints a line for each ε of the runs that meet the theorem's conditions, and the
// slopes over three or more. Runs that lack nothing but steps show when they became stationary.
func printTheorems(con *console.Console, list []held) {
	groups := map[float64][]*certificate.Theorem{}
	for _, h := range list {
		if len(h.Unmet) == 0 || len(h.Unmet) == 1 && h.Theorem != nil && !h.GradNorm.Applies() {
			groups[h.Epsilon] = append(groups[h.Epsilon], h.Theorem)
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
			reached = append(reached, h.Reached)
		}
		mean := measure.MeanOf(reached)
		t.Add(fmt.Sprintf("%.3g", e), fmt.Sprint(len(norms)), console.Short(measure.MeanOf(norms)),
			console.Short(measure.MeanOf(gaps)), console.Short(measure.NumIf(len(norms) > 0, largest)), of[0].T.String(),
			of[0].SamplesZ.String(), fmt.Sprintf("%.3g of %d", mean.Float(), len(of)))
		if mean.Applies() {
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
evaluation first found the iterate's ‖∇F‖ and F − R_ρ at most ε, and the number of runs, short ones
too.
`
