package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/export"
	"drolab/runner/record"

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

// looked is a checkpoint's view of a split.
type looked struct {
	run   *record.Run
	step  int64
	data  *data.Dataset
	split data.Source
	*runner.Samples
	set    dro.Set
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
	defer l.data.Close()
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
func (a *app) inspect(name string, f *evalFlags) (l *looked, err error) {
	l = &looked{}
	var state *runner.State
	if l.run, state, err = a.loadCheckpoint(name); err != nil {
		return nil, err
	}
	l.step = state.Step
	meta := &l.run.Meta
	if l.set, err = meta.Spec.Set(); err != nil {
		return nil, err
	}
	l.radii = f.radii
	if len(l.radii) == 0 {
		l.radii = []float64{meta.Spec.Rho}
	}
	if !l.set.HasRadius() {
		l.radii = l.radii[:1]
	}
	if l.data, err = meta.OpenFor(f.dataset, a.data); err != nil {
		return nil, err
	}
	err = l.use(state, f.split, a.threads)
	if err != nil {
		l.data.Close()
	}
	return l, err
}

// loadCheckpoint reads what RUN, RUN@STEP or RUN@selected means.
func (a *app) loadCheckpoint(name string) (*record.Run, *runner.State, error) {
	r, step, err := a.findStep(name)
	if err != nil {
		return nil, nil, err
	}
	if step < 0 {
		newest, ok, err := r.Saved()
		if err != nil || !ok {
			return nil, nil, errors.Join(fmt.Errorf("run %s has no checkpoint", r.Meta.ID), err)
		}
		step = newest.Step
	}
	state, err := r.Load(step)
	return r, state, err
}

func (l *looked) use(state *runner.State, split string, threads int) (err error) {
	splits := map[string]data.Source{"train": l.data.Train, "val": l.data.Val, "test": l.data.Test}
	if l.split = splits[split]; l.split == nil || l.split.Len() == 0 {
		return fmt.Errorf("--split %s: the dataset has none such: want train, val or test", oneLine(split))
	}
	if l.Samples, err = l.run.Meta.Inspect(state, l.data, l.split, threads); err != nil {
		return err
	}
	if l.Losses == nil {
		return nil
	}
	for _, rho := range l.radii {
		ratios, worst, err := l.Ratios(l.set, rho)
		if err != nil {
			return fmt.Errorf("--rho %v: %w", rho, err)
		}
		l.ratios, l.worst = append(l.ratios, ratios), append(l.worst, worst)
	}
	return nil
}

// write makes the files that were asked for.
func (l *looked) write(f *evalFlags) error {
	if f.sheet != "" {
		if err := contactSheet(f.sheet, l.split, l.picked(f.top), l.Samples); err != nil {
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

// picked lists so many samples in the order of their likelihood ratio at the first radius.
func (l *looked) picked(most int) []int {
	order := make([]int, len(l.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(l.ratios[0][j], l.ratios[0][i]), cmp.Compare(l.Losses[j], l.Losses[i]))
	})
	return order[:min(most, len(order))]
}

// head names what row says of a sample.
func (l *looked) head() []string {
	head := []string{"row"}
	if l.Losses != nil {
		head = append(head, "label")
	}
	if l.data.Grouped {
		head = append(head, "group")
	}
	head = append(head, "prediction")
	if l.Losses != nil {
		head = append(head, "loss")
	}
	for _, c := range l.data.Classes {
		head = append(head, "p_"+c)
	}
	for k := range l.ratios {
		head = append(head, l.ratioName(k))
	}
	return head
}

func (l *looked) ratioName(k int) string {
	if !l.set.HasRadius() {
		return "ratio"
	}
	return "ratio_" + strconv.FormatFloat(l.radii[k], 'g', -1, 64)
}

func (l *looked) row(i int) []string {
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	row := []string{strconv.Itoa(l.Rows[i])}
	if l.Losses != nil {
		row = append(row, l.data.Classes[l.Labels[i]])
	}
	if l.data.Grouped {
		row = append(row, l.data.Groups[l.Groups[i]])
	}
	row = append(row, l.data.Classes[l.Predictions[i]])
	if l.Losses != nil {
		row = append(row, exact(l.Losses[i]))
	}
	for _, p := range l.Of(i) {
		row = append(row, strconv.FormatFloat(float64(p), 'g', -1, 32))
	}
	for _, r := range l.ratios {
		row = append(row, exact(r[i]))
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
		rows = append(rows, []string{strconv.Itoa(l.Rows[i]), clean(l.data.Classes[l.Labels[i]]),
			clean(l.data.Groups[l.Groups[i]]), clean(l.data.Classes[l.Predictions[i]]),
			fmt.Sprintf("%.4f", l.Losses[i]), fmt.Sprintf("%.4g", l.ratios[0][i])})
	}
	fmt.Fprintln(w)
	grid(w, rows)
}
