package look

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"drolab/dro"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/page"
	cells "drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// evalFlags are the flags of `eval`.
type evalFlags struct {
	dataset, split, out, sheet string
	format                     *page.Format // of out; nil without out
	radii                      []float64
	top, draws                 int
}

func evalCommand(con *console.Console) *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use:   "eval RUN|RUN@STEP",
		Short: "Evaluate a checkpoint on data: losses, predictions, likelihood ratios",
		Long: `Evaluate the network of a checkpoint (the newest by default) on a dataset (the run's own by
default). Another dataset is read with the columns, scales, categories and names of the run's
training split, which the run keeps. Options that its name leaves out, such as label=, are also
those of the run. A table without a label is only predicted. A dataset without a test split is
used as a whole.

--out writes one line per sample: row (its place in the files, from 0), label, group,
prediction, loss, p_CLASS, and ratio_RADIUS, the likelihood ratio of the exact worst case at
that radius. Measures other than accuracies have 95 % intervals from resampled samples. --top
prints the samples with the largest likelihood ratios.`,
		Example: `drolab eval latest --dataset new.csv --out predictions.csv
drolab eval latest@selected --split train --top 50 --sheet worst.png
drolab eval latest --rho .1,1 --out losses.npz`,
		Args:              console.One("a run", "drolab eval latest"),
		ValidArgsFunction: con.CompleteRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return eval(c.Context(), con, args[0], &f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.dataset, "dataset", "", "the data, as in presets (default the run's own)")
	flags.StringVar(&f.split, "split", "test", "the split: train, val or test")
	flags.Float64SliceVar(&f.radii, "rho", nil, "radii of likelihood ratios (default the run's)")
	flags.StringVar(&f.out, "out", "",
		"write one line per sample to a new FILE.csv, .jsonl or .npz")
	flags.IntVar(&f.draws, "draws", 399, "resamples for intervals of measures; 0: no intervals")
	flags.IntVar(&f.top, "top", 0, "print this many samples, those with the largest "+
		"likelihood ratios")
	flags.StringVar(&f.sheet, "sheet", "", "write the pictures of --top (default 50) to FILE.png")
	console.WritesFiles(c, "out", "sheet")
	con.JSONFlag(c, "the result")
	return c
}

// evaluation is a view of a checkpoint, with the likelihood ratios at some radii.
type evaluation struct {
	*certificate.View
	radii  []float64
	ratios [][]float64 // of each radius; none without labels
	worst  []dro.Worst
	certificate.Decisions
}

func eval(ctx context.Context, con *console.Console, name string, f *evalFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	e, err := examine(ctx, con, name, f)
	if err != nil {
		return err
	}
	defer e.Close()
	if f.top > 0 && len(e.ratios) == 0 {
		return errors.New("--top: the samples have no labels, so there are no losses to rank by")
	}
	if err := e.write(f); err != nil {
		return err
	}
	result := e.result(f)
	return con.Result(result, func() {
		e.print(con.Stdout, result)
		if f.top > 0 {
			e.printTop(con.Stdout, result.Top)
		}
	})
}

// check rejects flags that would otherwise fail only after the work.
func (f *evalFlags) check() (err error) {
	if f.sheet != "" && f.top == 0 {
		f.top = 50
	}
	switch {
	case f.top < 0:
		return fmt.Errorf("--top %d: expected a number of samples", f.top)
	case f.draws != 0 && f.draws < 39:
		return fmt.Errorf("--draws %d: expected 0, or at least 39", f.draws)
	}
	if f.out != "" {
		f.format, err = page.FormatOf(f.out)
	}
	return err
}

// examine applies the network of a checkpoint to the samples, and finds the worst cases.
func examine(
	ctx context.Context, con *console.Console, name string, f *evalFlags,
) (*evaluation, error) {
	r, step, err := con.FindStep(name)
	if err != nil {
		return nil, err
	}
	how := certificate.Inspection{Threads: con.Threads, Probabilities: f.out != "", Scores: true}
	look, err := certificate.NewView(ctx, certificate.ViewOf{Run: r, Step: step,
		Dataset: f.dataset, Split: f.split, Means: userMeans(con), Inspection: how})
	if err != nil {
		return nil, err
	}
	e := &evaluation{View: look, radii: f.radii}
	if len(e.radii) == 0 {
		e.radii = []float64{r.Meta.Spec.Rho}
	}
	if err := e.weigh(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.Decisions = look.Decisions(f.draws, con.Threads, 1)
	return e, nil
}

// weigh finds the worst case at each radius.
func (e *evaluation) weigh() error {
	if !e.Set.HasRadius() {
		e.radii = e.radii[:1]
	}
	if !e.Labelled() {
		return nil
	}
	for _, rho := range e.radii {
		ratios, worst, err := e.Weigh(rho)
		if err != nil {
			return err
		}
		e.ratios, e.worst = append(e.ratios, ratios), append(e.worst, worst)
	}
	return nil
}

// write writes the files that the flags ask for.
func (e *evaluation) write(f *evalFlags) error {
	if f.sheet != "" {
		if err := contactSheet(f.sheet, e.Src, e.topSamples(f.top), e.Samples); err != nil {
			return fmt.Errorf("--sheet: %w", err)
		}
	}
	if f.format == nil {
		return nil
	}
	return f.format.WriteNew(f.out, e.fields().Long(page.Indices(len(e.Rows))))
}

// topSamples returns at most most samples, those with the largest likelihood ratios first.
func (e *evaluation) topSamples(most int) []int {
	order := e.Order()
	return order[:min(most, len(order))]
}

// fields returns the columns of the file that the samples have values for.
func (e *evaluation) fields() (list page.Fields[int]) {
	add := func(has bool, head string, cell func(i int) string) {
		if has {
			list.Add(head, cell)
		}
	}
	d := e.Data
	add(true, "row", func(i int) string { return strconv.Itoa(e.Rows[i]) })
	add(e.Labelled(), "label", func(i int) string { return d.Classes[e.Labels[i]] })
	add(d.Grouped, "group", e.Group)
	add(true, "prediction", func(i int) string { return d.Classes[e.Predictions[i]] })
	add(e.Labelled(), "loss", func(i int) string { return page.Exact(e.Losses[i]) })
	for k, c := range d.Classes {
		add(true, "p_"+c, func(i int) string {
			return strconv.FormatFloat(float64(e.Of(i)[k]), 'g', -1, 32)
		})
	}
	for k, r := range e.ratios {
		add(true, e.ratioName(k), func(i int) string { return page.Exact(r[i]) })
	}
	return list
}

func (e *evaluation) ratioName(k int) string {
	if !e.Set.HasRadius() {
		return "ratio"
	}
	return "ratio_" + page.Exact(e.radii[k])
}

func (e *evaluation) printTop(w io.Writer, top []pickedSample) {
	fmt.Fprintln(w)
	t := page.New("row", "label", "group", "prediction", "loss", e.ratioName(0))
	for _, s := range top {
		t.Add(strconv.Itoa(s.Row), s.Label, s.Group, s.Prediction,
			fmt.Sprintf("%.4f", s.Loss.Float()), fmt.Sprintf("%.4g", s.Ratio.Float()))
	}
	console.Blocks(w, t)
}

// evalResult is what eval --json prints.
type evalResult struct {
	Run     string   `json:"run"`
	Step    int64    `json:"step"`
	Dataset string   `json:"dataset"`
	Split   string   `json:"split"`
	Samples int      `json:"samples"`
	Notes   []string `json:"notes,omitempty"`

	certificate.Totals
	certificate.Decisions
	// Threshold is the threshold that the evaluation of the checkpoint chose, if it chose one.
	Threshold measure.Number `json:"threshold,omitzero"`

	Classes []string `json:"classes"`
	Groups  []string `json:"groups,omitempty"`

	Risks []riskAt       `json:"risks,omitempty"`
	Top   []pickedSample `json:"top,omitempty"`
}

// riskAt is the risk of the exact worst case at a radius.
type riskAt struct {
	Rho  float64        `json:"rho"`
	Risk measure.Number `json:"robust_risk"`
}

type pickedSample struct {
	Row        int            `json:"row"`
	Label      string         `json:"label"`
	Group      string         `json:"group"`
	Prediction string         `json:"prediction"`
	Loss       measure.Number `json:"loss"`
	Ratio      measure.Number `json:"ratio"`
}

func (e *evaluation) result(f *evalFlags) *evalResult {
	d := e.Data
	out := &evalResult{Run: e.Run.Meta.ID, Step: e.Step, Dataset: d.Name, Split: e.Split,
		Samples: len(e.Rows), Notes: d.Notes, Totals: e.Totals(), Decisions: e.Decisions,
		Threshold: e.View.Threshold, Classes: d.Classes}
	if out.ByGroup != nil {
		out.Groups = d.Measured()
	}
	for k, w := range e.worst {
		out.Risks = append(out.Risks, riskAt{e.radii[k], measure.Num(w.Risk)})
	}
	for _, i := range e.topSamples(f.top) {
		out.Top = append(out.Top, pickedSample{e.Rows[i], d.Classes[e.Labels[i]],
			e.Group(i), d.Classes[e.Predictions[i]], measure.Num(e.Losses[i]),
			measure.Num(e.ratios[0][i])})
	}
	return out
}

// print prints the result for a person.
func (e *evaluation) print(w io.Writer, r *evalResult) {
	fmt.Fprintf(w, "%s@%d on %d samples of %s\n", r.Run, r.Step, r.Samples,
		cells.Clean(r.Dataset))
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", cells.OneLine(note))
	}
	if !e.Labelled() {
		counts := make([]int, len(r.Classes))
		for _, p := range e.Predictions {
			counts[p]++
		}
		t := page.New("predicted", "n")
		for i, c := range r.Classes {
			t.Rank(float64(counts[i]), cells.Clean(c), fmt.Sprint(counts[i]))
		}
		console.Blocks(w, t)
		return
	}
	part, names, counts, accuracy := "class", r.Classes, r.ClassCounts, r.ByClass
	if e.Data.Grouped {
		part, names, counts, accuracy = "group", r.Groups, r.GroupCounts, r.ByGroup
	}
	fmt.Fprintf(w, "loss %s, accuracy %s, worst %s %s\n", console.Short(r.Loss),
		console.Percent(r.Accuracy), part, console.Percent(r.Worst))
	for _, at := range r.Risks {
		if e.Set.HasRadius() {
			fmt.Fprintf(w, "robust risk at ρ = %g: %s\n", at.Rho, console.Short(at.Risk))
		} else {
			fmt.Fprintf(w, "robust risk (%s): %s\n", e.Set.Label(), console.Short(at.Risk))
		}
	}
	e.printDecisions(w)
	var columns []measure.Measure
	t := page.New(part, "n", "accuracy")
	for _, m := range measure.Decisions() {
		if e.Rates[m.Name] != nil {
			columns = append(columns, m)
			t.Head(m.Head())
		}
	}
	for i, name := range names {
		row := []string{cells.Clean(name), fmt.Sprint(counts[i]),
			console.Percent(accuracy[i]) + console.Between(measure.Wilson(accuracy[i], counts[i]))}
		for _, m := range columns {
			row = append(row, console.Figure(&m, e.Rates[m.Name][i])+
				console.Between(e.RateIntervals[m.Name][i]))
		}
		t.Rank(-accuracy[i].Float(), row...)
	}
	console.Blocks(w, t)
	if len(columns) > 0 {
		fmt.Fprintf(w, "rates count the samples classified as %s\n",
			cells.Clean(e.Data.Classes[1]))
	}
	if r.Threshold.Applies() {
		fmt.Fprintf(w, "F1, rates and gaps are at the threshold %s\n", console.Short(r.Threshold))
	}
}

// printDecisions prints the measures of decisions, with their intervals.
func (e *evaluation) printDecisions(w io.Writer) {
	t := page.New("measure", "95 % interval")
	for _, m := range measure.Decisions() {
		if n := e.Measures.Named(m.Name); n.Applies() {
			t.Add(m.Title, console.Figure(&m, n)+console.Between(e.Intervals[m.Name]))
		}
	}
	console.Blocks(w, t)
}
