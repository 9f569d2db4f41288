package look

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// dataCard is the description of a dataset that `data show` prints.
type dataCard struct {
	Dataset  string         `json:"dataset"`
	Shape    [3]int         `json:"shape"` // channels or features, rows, columns
	Checksum string         `json:"checksum"`
	Samples  map[string]int `json:"samples"` // of each split
	Classes  []string       `json:"classes"`
	Groups   []string       `json:"groups,omitempty"`
	Trained  []string       `json:"training_groups,omitempty"` // if Groups overlap
	Cells    []dataCell     `json:"cells"`

	Columns  []data.Column         `json:"columns,omitempty"`
	Missing  map[string]int        `json:"missing,omitempty"`
	Marks    map[string]int        `json:"missing_words,omitempty"`
	Constant []string              `json:"constant_features,omitempty"`
	Notes    []string              `json:"notes,omitempty"`
	Warnings []string              `json:"warnings,omitempty"` // the texts of Checks
	Checks   []measure.DataWarning `json:"checks,omitempty"`
}

// dataCell counts the samples of a class and, where they are given, a group.
type dataCell struct {
	Class string `json:"class"`
	Group string `json:"group,omitempty"`
	Train int    `json:"train"`
	Val   int    `json:"val,omitempty"`
	Test  int    `json:"test"`
}

func dataShowCommand(con *console.Console) *cobra.Command {
	var valFraction float64
	var minGroup int
	c := &cobra.Command{
		Use:   "show DATASET",
		Short: "Describe a dataset: splits, classes, groups, missing values",
		Long: `Describe a dataset, named as in presets: the classes and groups with their counts in every
split, missing values and constant features. The command warns of columns that give the label
away, identifiers, duplicate columns, test rows that are also training rows, and groups too
small to measure. A group is too small if the 95 % interval (Wilson) of an accuracy of one half
is wider than ± 10 points.`,
		Example: "drolab data show csv:example\n" +
			"drolab data show 'adult.csv?label=income&group=sex'",
		Args:              console.One("a dataset", "drolab data show csv:example"),
		ValidArgsFunction: completeDatasets(con),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel := con.SignalContext(c.Context(), nil)
			defer cancel()
			card, err := openCard(ctx, con, args[0], valFraction, minGroup)
			if err != nil {
				return err
			}
			return con.Result(card, func() { card.print(con.Stdout) })
		},
	}
	c.Flags().Float64Var(&valFraction, "val-fraction", 0,
		"share of the training split to hold out (the setting val_fraction)")
	c.Flags().IntVar(&minGroup, "min-group", spec.Defaults().MinGroup,
		"fewest test samples of a worst group (the setting min_group)")
	con.JSONFlag(c, "the card")
	return c
}

// openCard opens a dataset. A table with missing values is opened with a category for them,
// and the card says so.
func openCard(
	ctx context.Context, con *console.Console, name string, valFraction float64, minGroup int,
) (*dataCard, error) {
	m := con.Readings("samples")
	defer m.End()
	o := data.Options{Dir: con.DataDir, Difficulty: spec.Defaults().Difficulty,
		ValFraction: valFraction, Progress: m.Progress(ctx)}
	d, err := source.OpenContext(ctx, name, o)
	if err != nil && strings.Contains(err.Error(), "missing value") &&
		!strings.Contains(name, "missing=") {
		sign := "?"
		if strings.Contains(name, "?") {
			sign = "&"
		}
		again, e := source.OpenContext(ctx, name+sign+"missing=category", o)
		if e == nil {
			again.Notes = append(again.Notes, "values are missing and were read with "+
				"missing=category: a run has to choose how to treat them")
		}
		if e == nil || !strings.Contains(e.Error(), "missing value") {
			d, err = again, e // missing values are handled: e is another error, or nil
		}
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return cardOf(d, minGroup), nil
}

func cardOf(d *data.Dataset, minGroup int) *dataCard {
	c := &dataCard{Dataset: d.Name, Shape: [3]int{d.Shape.C, d.Shape.H, d.Shape.W},
		Checksum: d.Checksum, Samples: map[string]int{"train": d.Train.Len(), "test": d.Test.Len()},
		Classes: d.Classes, Columns: d.Encoder.Columns, Missing: d.Missing, Marks: d.Marks,
		Notes: d.Notes, Constant: constantFeatures(d)}
	if d.Val != nil {
		c.Samples["val"] = d.Val.Len()
	}
	if c.Groups = d.Measured(); d.Members != nil {
		c.Trained = d.Groups
	}
	c.count(d)
	if text := measure.DataChecks(d); text != "" {
		c.Notes = append(slices.Clone(c.Notes), text)
	}
	c.Checks = measure.DataWarnings(d, minGroup)
	c.Warnings = lists.Map(c.Checks, func(w measure.DataWarning) string { return w.Text })
	return c
}

// count counts the samples of each class of each group; combinations without samples are left out.
func (c *dataCard) count(d *data.Dataset) {
	kinds := max(1, len(c.Groups))
	cells := make([]dataCell, len(d.Classes)*kinds)
	for i := range cells {
		cells[i].Class = d.Classes[i/kinds]
		if c.Groups != nil {
			cells[i].Group = c.Groups[i%kinds]
		}
	}
	tally := func(src data.Source, to func(*dataCell) *int) {
		if src == nil {
			return
		}
		in := d.MeasuredIn(src)
		for i := range src.Len() {
			for _, g := range in(i) {
				if c.Groups == nil {
					g = 0
				}
				*to(&cells[src.Label(i)*kinds+g])++
			}
		}
	}
	tally(d.Train, func(c *dataCell) *int { return &c.Train })
	tally(d.Val, func(c *dataCell) *int { return &c.Val })
	tally(d.Test, func(c *dataCell) *int { return &c.Test })
	c.Cells = slices.DeleteFunc(cells, func(c dataCell) bool { return c.Train+c.Val+c.Test == 0 })
}

// constantFeatures names the features of a table that are the same for all training samples.
func constantFeatures(d *data.Dataset) (list []string) {
	if d.Shape.H*d.Shape.W > 1 {
		return nil
	}
	names := measure.FeatureNames(d)
	first, x := make([]float32, d.Shape.C), make([]float32, d.Shape.C)
	varies := make([]bool, d.Shape.C)
	for i := range d.Train.Len() {
		d.Train.Read(x, i)
		if i == 0 {
			copy(first, x)
		}
		for k, v := range x {
			varies[k] = varies[k] || v != first[k]
		}
	}
	for k, v := range varies {
		if !v {
			list = append(list, names[k])
		}
	}
	return list
}

// print prints totals, what is wrong, and then the classes and groups, the smallest first if there
// are many.
func (c *dataCard) print(w *cell.Writer) {
	what := kit.Plural(c.Shape[0], "feature")
	if c.Shape[1]*c.Shape[2] > 1 {
		what = fmt.Sprintf("pictures of %d×%d×%d", c.Shape[0], c.Shape[1], c.Shape[2])
	}
	fmt.Fprintf(w, "%s: %s, %d classes", cell.Clean(c.Dataset), what, len(c.Classes))
	if c.Groups != nil {
		fmt.Fprintf(w, ", %d groups", len(c.Groups))
	}
	if c.Trained != nil {
		fmt.Fprintf(w, ", which overlap; methods train on %s",
			cell.OneLine(strings.Join(spec.FirstFew(c.Trained), ", ")))
	}
	fmt.Fprintf(w, "\nchecksum %s\n\n", c.Checksum)
	missing, warnings := []string{}, c.Warnings
	for _, name := range slices.Sorted(maps.Keys(c.Missing)) {
		missing = append(missing, fmt.Sprintf("%d values of column %s", c.Missing[name], name))
	}
	var marks []string
	for _, word := range slices.Sorted(maps.Keys(c.Marks)) {
		marks = append(marks, fmt.Sprintf("%d cells are %q", c.Marks[word], word))
	}
	if marks != nil {
		missing = slices.Insert(missing, 0, strings.Join(marks, ", "))
	}
	if !w.All {
		missing, c.Constant = spec.FirstFew(missing), spec.FirstFew(c.Constant)
		c.Notes = spec.FirstFew(c.Notes)
		warnings = measure.DataBrief(c.Checks)
	}
	for i, list := range [][]string{missing, c.Constant, c.Notes, warnings} {
		for _, line := range list {
			fmt.Fprintf(w, "%s: %s\n", []string{"missing", "constant", "note", "warning"}[i],
				cell.OneLine(line))
		}
	}
	fmt.Fprintln(w)
	console.Blocks(w, c.table())
}

// table returns a table with a row for each class and group, below a row with the sums.
func (c *dataCard) table() *page.Table {
	var list page.Fields[dataCell]
	list.Words("class", func(n dataCell) string { return cell.Clean(n.Class) })
	if c.Groups != nil {
		list.Add("group", func(n dataCell) string { return cell.Clean(n.Group) })
	}
	list.Add("n train", func(n dataCell) string { return fmt.Sprint(n.Train) })
	list.Add("n val", func(n dataCell) string { return fmt.Sprint(n.Val) })
	list.Add("n test", func(n dataCell) string { return fmt.Sprint(n.Test) })
	all := dataCell{"all", "", c.Samples["train"], c.Samples["val"], c.Samples["test"]}
	t := list.Table(append([]dataCell{all}, c.Cells...),
		func(n dataCell) float64 { return -float64(n.Test) })
	delete(t.Ranks, 0)
	return t
}
