package look

import (
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
		RunE: func(_ *cobra.Command, args []string) error {
			return eval(con, args[0], &f)
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
	con.JSONFlag(c, "the result")
	return c
}

// evaluation is a look at a checkpoint, with the likelihood ratios at some radii.
type evaluation struct {
	*certificate.View
	radii  []float64
	ratios [][]float64 // of each radius; none without labels
	worst  []dro.Worst
	certificate.Decisions
}

func eval(con *console.Console, name string, f *evalFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	l, err := examine(con, name, f)
	if err != nil {
		return err
	}
	defer l.Close()
	if f.top > 0 && len(l.ratios) == 0 {
		return errors.New("--top: the samples have no labels, so there are no losses to rank by")
	}
	if err := l.write(f); err != nil {
		return err
	}
	result := l.result(f)
	return con.Result(result, func() {
		l.print(con.Stdout, result)
		if f.top > 0 {
			l.printTop(con.Stdout, result.Top)
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
		return fmt.Errorf("--top %d: want a number of samples", f.top)
	case f.draws != 0 && f.draws < 39:
		return fmt.Errorf("--draws %d: want 0, or at least 39", f.draws)
	}
	if f.out != "" {
		f.format, err = page.FormatOf(f.out)
	}
	return err
}

// examine applies the network of a checkpoint to the samples, and finds the worst cases.
func examine(con *console.Console, name string, f *evalFlags) (*evaluation, error) {
	r, step, err := con.FindStep(name)
	if err != nil {
		return nil, err
	}
	how := certificate.Inspection{Threads: con.Threads, Probabilities: f.out != "", Scores: true}
	look, err := certificate.NewView(certificate.ViewOf{Run: r, Step: step, Dataset: f.dataset,
		Split: f.split, Means: userMeans(con), Inspection: how})
	if err != nil {
		return nil, err
	}
	l := &evaluation{View: look, radii: f.radii}
	if len(l.radii) == 0 {
		l.radii = []float64{r.Meta.Spec.Rho}
	}
	if err := l.weigh(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.Decisions = look.Decisions(f.draws, con.Threads, 1)
	return l, nil
}

// weigh finds the worst case at each radius.
func (l *evaluation) weigh() error {
	if !l.Set.HasRadius() {
		l.radii = l.radii[:1]
	}
	if !l.Labelled() {
		return nil
	}
	for _, rho := range l.radii {
		ratios, worst, err := l.Weigh(rho)
		if err != nil {
			return err
		}
		l.ratios, l.worst = append(l.ratios, ratios), append(l.worst, worst)
	}
	return nil
}

// write writes the files that the flags ask for.
func (l *evaluation) write(f *evalFlags) error {
	if f.sheet != "" {
		if err := contactSheet(f.sheet, l.Src, l.topSamples(f.top), l.Samples); err != nil {
			return fmt.Errorf("--sheet: %w", err)
		}
	}
	if f.format == nil {
		return nil
	}
	return f.format.WriteNew(f.out, l.fields().Long(page.Indices(len(l.Rows))))
}

// topSamples returns at most most samples, those with the largest likelihood ratios first.
func (l *evaluation) topSamples(most int) []int {
	order := l.Order()
	return order[:min(most, len(order))]
}

// fields returns the columns of the file that the samples have values for.
func (l *evaluation) fields() (list page.Fields[int]) {
	add := func(has bool, head string, cell func(i int) string) {
		if has {
			list.Add(head, cell)
		}
	}
	d := l.Data
	add(true, "row", func(i int) string { return strconv.Itoa(l.Rows[i]) })
	add(l.Labelled(), "label", func(i int) string { return d.Classes[l.Labels[i]] })
	add(d.Grouped, "group", l.Group)
	add(true, "prediction", func(i int) string { return d.Classes[l.Predictions[i]] })
	add(l.Labelled(), "loss", func(i int) string { return page.Exact(l.Losses[i]) })
	for k, c := range d.Classes {
		add(true, "p_"+c, func(i int) string {
			return strconv.FormatFloat(float64(l.Of(i)[k]), 'g', -1, 32)
		})
	}
	for k, r := range l.ratios {
		add(true, l.ratioName(k), func(i int) string { return page.Exact(r[i]) })
	}
	return list
}

func (l *evaluation) ratioName(k int) string {
	if !l.Set.HasRadius() {
		return "ratio"
	}
	return "ratio_" + page.Exact(l.radii[k])
}

func (l *evaluation) printTop(w io.Writer, top []pickedSample) {
	fmt.Fprintln(w)
	t := page.New("row", "label", "group", "prediction", "loss", l.ratioName(0))
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

func (l *evaluation) result(f *evalFlags) *evalResult {
	d := l.Data
	out := &evalResult{Run: l.Run.Meta.ID, Step: l.Step, Dataset: d.Name, Split: l.Split,
		Samples: len(l.Rows), Notes: d.Notes, Totals: l.Totals(), Decisions: l.Decisions,
		Threshold: l.View.Threshold, Classes: d.Classes}
	if out.ByGroup != nil {
		out.Groups = d.Measured()
	}
	for k, w := range l.worst {
		out.Risks = append(out.Risks, riskAt{l.radii[k], measure.Num(w.Risk)})
	}
	for _, i := range l.topSamples(f.top) {
		out.Top = append(out.Top, pickedSample{l.Rows[i], d.Classes[l.Labels[i]],
			l.Group(i), d.Classes[l.Predictions[i]], measure.Num(l.Losses[i]),
			measure.Num(l.ratios[0][i])})
	}
	return out
}

// print prints the result for a person.
func (l *evaluation) print(w io.Writer, r *evalResult) {
	fmt.Fprintf(w, "%s@%d on %d samples of %s\n", r.Run, r.Step, r.Samples,
		cells.Clean(r.Dataset))
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", cells.OneLine(note))
	}
	if !l.Labelled() {
		counts := make([]int, len(r.Classes))
		for _, p := range l.Predictions {
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
	if l.Data.Grouped {
		part, names, counts, accuracy = "group", r.Groups, r.GroupCounts, r.ByGroup
	}
	fmt.Fprintf(w, "loss %s, accuracy %s, worst %s %s\n", console.Short(r.Loss),
		console.Percent(r.Accuracy), part, console.Percent(r.Worst))
	for _, at := range r.Risks {
		if l.Set.HasRadius() {
			fmt.Fprintf(w, "robust risk at ρ = %g: %s\n", at.Rho, console.Short(at.Risk))
		} else {
			fmt.Fprintf(w, "robust risk (%s): %s\n", l.Set.Label(), console.Short(at.Risk))
		}
	}
	l.printDecisions(w)
	var columns []measure.Measure
	t := page.New(part, "n", "accuracy")
	for _, m := range measure.Decisions() {
		if l.Rates[m.Name] != nil {
			columns = append(columns, m)
			t.Head(m.Head())
		}
	}
	for i, name := range names {
		row := []string{cells.Clean(name), fmt.Sprint(counts[i]),
			console.Percent(accuracy[i]) + console.Between(measure.Wilson(accuracy[i], counts[i]))}
		for _, m := range columns {
			row = append(row, console.Figure(&m, l.Rates[m.Name][i])+
				console.Between(l.RateIntervals[m.Name][i]))
		}
		t.Rank(-accuracy[i].Float(), row...)
	}
	console.Blocks(w, t)
	if len(columns) > 0 {
		fmt.Fprintf(w, "rates count the samples classified as %s\n",
			cells.Clean(l.Data.Classes[1]))
	}
	if r.Threshold.Applies() {
		fmt.Fprintf(w, "F1, rates and gaps are at the threshold %s\n", console.Short(r.Threshold))
	}
}

// printDecisions prints the measures of decisions, with their intervals.
func (l *evaluation) printDecisions(w io.Writer) {
	t := page.New("measure", "95 % interval")
	for _, m := range measure.Decisions() {
		if n := l.Measures.Named(m.Name); n.Applies() {
			t.Add(m.Title, console.Figure(&m, n)+console.Between(l.Intervals[m.Name]))
		}
	}
	console.Blocks(w, t)
}
