package look

import (
	"context"
	"fmt"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

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
		RunE: func(c *cobra.Command, args []string) error {
			if filepath.Ext(out) != ".npz" {
				return fmt.Errorf("give the file, as in --out features.npz")
			}
			return features(c.Context(), con, args[0], dataset, splits, out)
		},
	}
	flags := c.Flags()
	flags.StringVar(&dataset, "dataset", "", "the data, as in presets (default the run's own)")
	flags.StringSliceVar(&splits, "split", nil,
		"splits: test, val, train (default: all that have samples)")
	flags.StringVar(&out, "out", "", "file to write, FILE.npz; it must not exist")
	console.WritesFiles(c, "out")
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

func features(
	ctx context.Context, con *console.Console, name, dataset string, splits []string, out string,
) error {
	r, step, err := con.FindStep(name)
	if err != nil {
		return err
	}
	f, err := certificate.Features(ctx, certificate.ViewOf{Run: r, Step: step, Dataset: dataset,
		Means: userMeans(con), Inspection: certificate.Inspection{Threads: con.Threads}}, splits)
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
			fmt.Fprintf(con.Stdout, "note: %s\n", cell.OneLine(note))
		}
		for _, p := range f.Splits {
			fmt.Fprintf(con.Stdout, "%s@%d: %d features of %d samples of %s, %s\n", result.Run,
				result.Step, result.Features, len(p.Rows), cell.Clean(result.Dataset), p.Split)
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
