package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/export"
	"drolab/runner/inspect"
	"drolab/runner/page"

	"github.com/spf13/cobra"
)

// evalFlags are the flags of `eval`.
type evalFlags struct {
	dataset, split, out, sheet string
	radii                      []float64
	top                        int
	json                       bool
}

func (a *app) evalCommand() *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use: "eval RUN[@STEP]", Short: "Use a checkpoint on data: losses, predictions, likelihood ratios",
		Long: `Use the network of a checkpoint, the newest without a step, on a dataset, by default the run's own. Another
one is read by the columns, scales, categories and names of the run's training split, which are kept with
it: what the dataset's name says nothing of, such as label=, is as there, and a table without a label is
predicted. A dataset without a test split is used as a whole. --out writes a line a sample: row (its place in
the files, from 0), label, group, prediction, loss, p_ and a class, and ratio_ and a radius: the likelihood
ratio of the exact worst case at that radius. --top prints the samples that the adversary picks.`,
		Example: `drolab eval latest --dataset new.csv --out predictions.csv
drolab eval latest@selected --split train --top 50 --sheet worst.png
drolab eval latest --rho .1,1 --out losses.npz`,
		Args:              exactlyOne("a run", "drolab eval latest"),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return a.eval(args[0], &f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.dataset, "dataset", "", "the data, as in presets (default the run's own)")
	flags.StringVar(&f.split, "split", "test", "train, val or test")
	flags.Float64SliceVar(&f.radii, "rho", nil, "radii of likelihood ratios (default the run's)")
	flags.StringVar(&f.out, "out", "", "write a line a sample to FILE.csv, .jsonl or .npz")
	flags.IntVar(&f.top, "top", 0, "print so many samples of the largest likelihood ratio")
	flags.StringVar(&f.sheet, "sheet", "", "write the pictures of --top (default 50) to FILE.png")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

// looked is a look with its ratios at some radii.
type looked struct {
	*inspect.Look
	radii  []float64
	ratios [][]float64 // of each radius; none without labels
	worst  []dro.Worst
}

func (a *app) eval(name string, f *evalFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	l, err := a.inspect(name, f)
	if err != nil {
		return err
	}
	defer l.Close()
	if f.top > 0 && len(l.ratios) == 0 {
		return errors.New("--top: the samples have no labels, so no losses for an adversary to pick by")
	}
	if err := l.write(f); err != nil {
		return err
	}
	if f.json {
		return printJSON(a.Stdout, l.result(f))
	}
	l.print(a.Stdout)
	if f.top > 0 {
		l.printTop(a.Stdout, f.top)
	}
	return nil
}

// check refuses what would fail only after the work.
func (f *evalFlags) check() error {
	if f.sheet != "" && f.top == 0 {
		f.top = 50
	}
	if f.top < 0 {
		return fmt.Errorf("--top %d: want a number of samples", f.top)
	}
	if f.out == "" {
		return nil
	}
	_, err := export.Of(f.out)
	return err
}

// inspect uses the network of a checkpoint.
func (a *app) inspect(name string, f *evalFlags) (*looked, error) {
	r, step, err := a.findSaved(name)
	if err != nil {
		return nil, err
	}
	how := runner.Inspection{Threads: a.threads, Probabilities: f.out != ""}
	look, err := inspect.At(inspect.Question{Run: r, Step: step, Dataset: f.dataset, Split: f.split,
		DataDir: a.data, Inspection: how})
	if err != nil {
		return nil, err
	}
	l := &looked{Look: look, radii: f.radii}
	if len(l.radii) == 0 {
		l.radii = []float64{r.Meta.Spec.Rho}
	}
	if err := l.weigh(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// weigh finds the worst case at each radius.
func (l *looked) weigh() error {
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

// write makes the files that were asked for.
func (l *looked) write(f *evalFlags) error {
	if f.sheet != "" {
		if err := contactSheet(f.sheet, l.Src, l.picked(f.top), l.Samples); err != nil {
			return fmt.Errorf("--sheet: %w", err)
		}
	}
	if f.out == "" {
		return nil
	}
	format, err := export.Of(f.out)
	if err != nil {
		return err
	}
	return format.Put(f.out, l.sheet())
}

// picked lists so many samples, the heaviest first.
func (l *looked) picked(most int) []int {
	order := l.Order()
	return order[:min(most, len(order))]
}

// head names what row says of a sample.
func (l *looked) head() []string {
	head := []string{"row"}
	if l.Labelled() {
		head = append(head, "label")
	}
	if l.Data.Grouped {
		head = append(head, "group")
	}
	head = append(head, "prediction")
	if l.Labelled() {
		head = append(head, "loss")
	}
	for _, c := range l.Data.Classes {
		head = append(head, "p_"+c)
	}
	for k := range l.ratios {
		head = append(head, l.ratioName(k))
	}
	return head
}

func (l *looked) ratioName(k int) string {
	if !l.Set.HasRadius() {
		return "ratio"
	}
	return "ratio_" + page.Exact(l.radii[k])
}

func (l *looked) row(i int) []string {
	row := []string{strconv.Itoa(l.Rows[i])}
	if l.Labelled() {
		row = append(row, l.Data.Classes[l.Labels[i]])
	}
	if l.Data.Grouped {
		row = append(row, l.Data.Groups[l.Groups[i]])
	}
	row = append(row, l.Data.Classes[l.Predictions[i]])
	if l.Labelled() {
		row = append(row, page.Exact(l.Losses[i]))
	}
	for _, p := range l.Of(i) {
		row = append(row, strconv.FormatFloat(float64(p), 'g', -1, 32))
	}
	for _, r := range l.ratios {
		row = append(row, page.Exact(r[i]))
	}
	return row
}

func (l *looked) sheet() *export.Sheet {
	return &export.Sheet{Name: "samples", Head: l.head(), Rows: func(yield func([]string) bool) {
		for i := range l.Rows {
			if !yield(l.row(i)) {
				return
			}
		}
	}}
}

func (l *looked) printTop(w io.Writer, most int) {
	rows := [][]string{{"row", "label", "group", "prediction", "loss", l.ratioName(0)}}
	for _, i := range l.picked(most) {
		rows = append(rows, []string{strconv.Itoa(l.Rows[i]), clean(l.Data.Classes[l.Labels[i]]),
			clean(l.Data.Groups[l.Groups[i]]), clean(l.Data.Classes[l.Predictions[i]]),
			fmt.Sprintf("%.4f", l.Losses[i]), fmt.Sprintf("%.4g", l.ratios[0][i])})
	}
	fmt.Fprintln(w)
	grid(w, rows)
}
