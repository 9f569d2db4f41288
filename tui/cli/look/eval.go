package look

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"path/filepath"
	"strconv"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/page"
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

// evaluated is a look at a checkpoint, with the likelihood ratios at some radii.
type evaluated struct {
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
func examine(con *console.Console, name string, f *evalFlags) (*evaluated, error) {
	r, step, err := con.FindStep(name)
	if err != nil {
		return nil, err
	}
	how := certificate.Inspection{Threads: con.Threads, Probabilities: f.out != "", Scores: true}
	look, err := certificate.NewView(certificate.ViewOf{Run: r, Step: step, Dataset: f.dataset,
		Split: f.split, Means: means(con), Inspection: how})
	if err != nil {
		return nil, err
	}
	l := &evaluated{View: look, radii: f.radii}
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
func (l *evaluated) weigh() error {
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
func (l *evaluated) write(f *evalFlags) error {
	if f.sheet != "" {
		if err := contactSheet(f.sheet, l.Src, l.picked(f.top), l.Samples); err != nil {
			return fmt.Errorf("--sheet: %w", err)
		}
	}
	if f.format == nil {
		return nil
	}
	return f.format.WriteNew(f.out, l.fields().Long(page.Indices(len(l.Rows))))
}

// picked returns at most most samples, those with the largest likelihood ratios first.
func (l *evaluated) picked(most int) []int {
	order := l.Order()
	return order[:min(most, len(order))]
}

// fields returns the columns of the file that the samples have values for.
func (l *evaluated) fields() (list page.Fields[int]) {
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

func (l *evaluated) ratioName(k int) string {
	if !l.Set.HasRadius() {
		return "ratio"
	}
	return "ratio_" + page.Exact(l.radii[k])
}

func (l *evaluated) printTop(w io.Writer, top []pickedSample) {
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

func (l *evaluated) result(f *evalFlags) *evalResult {
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
	for _, i := range l.picked(f.top) {
		out.Top = append(out.Top, pickedSample{l.Rows[i], d.Classes[l.Labels[i]],
			l.Group(i), d.Classes[l.Predictions[i]], measure.Num(l.Losses[i]),
			measure.Num(l.ratios[0][i])})
	}
	return out
}

// print prints the result for a person.
func (l *evaluated) print(w io.Writer, r *evalResult) {
	fmt.Fprintf(w, "%s@%d on %d samples of %s\n", r.Run, r.Step, r.Samples,
		console.Clean(r.Dataset))
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", console.OneLine(note))
	}
	if !l.Labelled() {
		counts := make([]int, len(r.Classes))
		for _, p := range l.Predictions {
			counts[p]++
		}
		t := page.New("predicted", "n")
		for i, c := range r.Classes {
			t.Rank(float64(counts[i]), console.Clean(c), fmt.Sprint(counts[i]))
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
		row := []string{console.Clean(name), fmt.Sprint(counts[i]),
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
			console.Clean(l.Data.Classes[1]))
	}
	if r.Threshold.Applies() {
		fmt.Fprintf(w, "F1, rates and gaps are at the threshold %s\n", console.Short(r.Threshold))
	}
}

// printDecisions prints the measures of decisions, with their intervals.
func (l *evaluated) printDecisions(w io.Writer) {
	t := page.New("measure", "95 % interval")
	for _, m := range measure.Decisions() {
		if n := l.Measures.Named(m.Name); n.Applies() {
			t.Add(m.Title, console.Figure(&m, n)+console.Between(l.Intervals[m.Name]))
		}
	}
	console.Blocks(w, t)
}

func featuresCommand(con *console.Console) *cobra.Command {
	var dataset, out string
	var splits []string
	c := &cobra.Command{
		Use:   "features RUN|RUN@STEP --out FILE.npz",
		Short: "Write the frozen features of a checkpoint, for NumPy",
		Long: `Run the network of a checkpoint (the newest by default) over a dataset (the run's own by
default), and write the inputs of its last layer, without augmentation and in evaluation mode.

The arrays of the file are x (samples × features); y and g, the names of class and group, if
the data have them; split; and row, the sample's place in its files, from 0. For the last layer
the file has weight (classes × features), bias, and classes, the names of its rows. The logits
are x @ weight.T + bias. drolab reads the file as npz:FILE.`,
		Example: `drolab features latest --out features.npz
drolab features latest@selected --split val,test --dataset new.csv --out features.npz`,
		Args:              console.One("a run", "drolab features latest --out features.npz"),
		ValidArgsFunction: con.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			if filepath.Ext(out) != ".npz" {
				return fmt.Errorf("give the file, as in --out features.npz")
			}
			return features(con, args[0], dataset, splits, out)
		},
	}
	flags := c.Flags()
	flags.StringVar(&dataset, "dataset", "", "the data, as in presets (default the run's own)")
	flags.StringSliceVar(&splits, "split", nil,
		"splits: test, val, train (default: all that have samples)")
	flags.StringVar(&out, "out", "", "file to write, FILE.npz; it must not exist")
	con.JSONFlag(c, "the description of the file")
	console.Choices(c, "split", runner.Splits()...)
	return c
}

// featuresResult is what features --json prints.
type featuresResult struct {
	Run      string         `json:"run"`
	Step     int64          `json:"step"`
	Dataset  string         `json:"dataset"`
	File     string         `json:"file"`
	Features int            `json:"features"`
	Samples  map[string]int `json:"samples"` // by split
	Notes    []string       `json:"notes,omitempty"`
	Classes  []string       `json:"classes"`
	Groups   []string       `json:"groups,omitempty"`
}

func features(con *console.Console, name, dataset string, splits []string, out string) error {
	r, step, err := con.FindStep(name)
	if err != nil {
		return err
	}
	f, err := certificate.Features(certificate.ViewOf{Run: r, Step: step, Dataset: dataset,
		Means: means(con), Inspection: certificate.Inspection{Threads: con.Threads}}, splits)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := page.WriteArrays(out, arrays(f)); err != nil {
		return err
	}
	result := featuresResult{Run: r.Meta.ID, Step: f.Step, Dataset: f.Data.Name, File: out,
		Features: len(f.Layer.Weights[0]), Samples: map[string]int{}, Notes: f.Data.Notes,
		Classes: f.Data.Classes, Groups: f.Data.Measured()}
	for _, p := range f.Splits {
		result.Samples[p.Split] = len(p.Rows)
	}
	return con.Result(result, func() {
		for _, note := range result.Notes {
			fmt.Fprintf(con.Stdout, "note: %s\n", console.OneLine(note))
		}
		for _, p := range f.Splits {
			fmt.Fprintf(con.Stdout, "%s@%d: %d features of %d samples of %s, %s\n", result.Run,
				result.Step, result.Features, len(p.Rows), console.Clean(result.Dataset), p.Split)
		}
	})
}

// arrays returns the arrays of the file.
func arrays(f *certificate.LastLayer) []page.Array {
	var x, weight, members [][]float32
	var y, g, split []string
	var row []int64
	groups := f.Data.Measured()
	for _, p := range f.Splits {
		x = append(x, p.Features...)
		for i, at := range p.Rows {
			split, row = append(split, p.Split), append(row, int64(at))
			y = append(y, f.Data.Classes[p.Labels[i]])
			g = append(g, f.Data.Groups[p.Groups[i]])
			if f.Data.Members == nil {
				continue
			}
			in := make([]float32, len(groups))
			for _, k := range p.In(i) {
				in[k] = 1
			}
			members = append(members, in)
		}
	}
	list := []page.Array{{Name: "x", Values: x}, {Name: "split", Values: split},
		{Name: "row", Values: row}}
	if !f.Data.Unlabelled {
		list = append(list, page.Array{Name: "y", Values: y})
	}
	switch {
	case f.Data.Members != nil:
		list = append(list, page.Array{Name: "g", Values: members},
			page.Array{Name: "group_names", Values: groups})
	case f.Data.Grouped:
		list = append(list, page.Array{Name: "g", Values: g})
	}
	for k, w := range f.Layer.Weights {
		weight = append(weight, make([]float32, len(w)))
		for j, v := range w {
			weight[k][j] = float32(v)
		}
	}
	return append(list, page.Array{Name: "weight", Values: weight},
		page.Array{Name: "bias", Values: f.Layer.Bias},
		page.Array{Name: "classes", Values: f.Data.Classes})
}

// contactSheet writes the pictures of samples in rows, in the order of the list. A frame is red if
// the prediction is wrong and green if it is right. The file must not exist.
func contactSheet(path string, src data.Source, list []int, s *certificate.Samples) error {
	shape := src.Shape()
	if !certificate.Pictured(shape) {
		return errors.New("the samples are not pictures")
	}
	const across, frame, wanted = 10, 2, 64
	scale := max(1, wanted/max(shape.H, shape.W))
	w, h := scale*shape.W+2*frame+2, scale*shape.H+2*frame+2
	down := (len(list) + across - 1) / across
	sheet := image.NewRGBA(image.Rect(0, 0, across*w, down*h))
	draw.Draw(sheet, sheet.Bounds(), image.White, image.Point{}, draw.Src)
	for k, i := range list {
		colour := color.RGBA{0x2c, 0xa0, 0x2c, 0xff}
		if s.Predictions[i] != s.Labels[i] {
			colour = color.RGBA{0xd6, 0x27, 0x28, 0xff}
		}
		at := image.Pt(k%across*w+1, k/across*h+1)
		box := image.Rect(0, 0, w-2, h-2).Add(at)
		draw.Draw(sheet, box, image.NewUniform(colour), image.Point{}, draw.Src)
		paint(sheet, box.Inset(frame), certificate.PictureOf(src, i), scale)
	}
	return page.NewFile(path, func(w io.Writer) error { return png.Encode(w, sheet) })
}

// paint draws one picture into a box, enlarged by scale.
func paint(sheet *image.RGBA, box image.Rectangle, p *certificate.Picture, scale int) {
	for y := range box.Dy() {
		for x := range box.Dx() {
			c := p.At(x/scale, y/scale)
			sheet.SetRGBA(box.Min.X+x, box.Min.Y+y, color.RGBA{c[0], c[1], c[2], 0xff})
		}
	}
}
