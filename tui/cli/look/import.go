package look

import (
	"context"
	"errors"
	"fmt"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/data"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// importFlags are the flags of `import`.
type importFlags struct {
	method, preset string
	set, splits    []string
	seed           uint64
}

func importCommand(con *console.Console) *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import FILE --method NAME",
		Short: "Turn another program's predictions into a run, to compare with drolab's",
		Long: `Turn a table of predictions into a finished run without steps. The table is a .csv, .csv.gz,
.tsv or .parquet file, named with options as datasets are; drolab eval --out writes such
tables.

The table has the columns label and prediction, or label and a column p_CLASS for each class.
The columns group, split and loss are optional. Losses are in nats; the default is −log of the
label's probability. Other columns are ignored. The uncertainty set, its radii and the data are
those of --preset.

If the rows are in the order of the data's split, as far as labels and groups show, the run is
tested against runs on these data. Otherwise it is shown beside them without tests.`,
		Example: `drolab import predictions.csv --method xgboost
drolab import 'forest.parquet?label=income&group=sex' --method forest --preset csv --seed 2`,
		Args:              console.One("a table", "drolab import predictions.csv --method xgboost"),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: func(c *cobra.Command, args []string) error {
			return importFile(c.Context(), con, &f, args[0])
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.method, "method", "", "name of the method")
	flags.StringVar(&f.preset, "preset", "", "preset or YAML file of the runs to compare with")
	flags.StringArrayVar(&f.set, "set", nil,
		"change a setting of the preset, as in those runs (repeatable)")
	flags.StringSliceVar(&f.splits, "split", nil, "splits to take: test, val, train (default "+
		"all; a table without a split column needs exactly one)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the training")
	con.JSONFlag(c, "the run")
	console.MustComplete(c, "preset", console.CompletePresets)
	console.Choices(c, "split", runner.Splits()...)
	return c
}

func importFile(ctx context.Context, con *console.Console, f *importFlags, file string) error {
	if err := certificate.CheckName(f.method); err != nil {
		return fmt.Errorf("--method %w", err)
	}
	ctx, cancel := con.SignalContext(ctx, console.Outlive)
	defer cancel()
	q := certificate.Import{Method: f.method, File: file, Host: console.Host()}
	if err := f.fill(ctx, con, &q); err != nil {
		return err
	}
	if q.Data != nil {
		defer q.Data.Close()
	}
	p, err := certificate.ReadPredictions(ctx, file, f.splits, q.Data)
	if err != nil {
		return err
	}
	store, err := record.Open(con.RunsDir)
	if err != nil {
		return err
	}
	m, err := p.Import(store, q)
	if err != nil {
		return err
	}
	r, err := con.Find(m.ID)
	if err != nil {
		return err
	}
	return con.Result(console.Summaries([]*record.Run{r}), func() {
		con.PrintLine("%s", m.ID)
		for _, note := range append(p.Notes, m.Imported.Absent...) {
			fmt.Fprintf(con.Stderr, "note: %s\n", cell.OneLine(note))
		}
	})
}

// fill fills in what the run is compared by: the settings of the preset, and its data if they are
// on this machine.
func (f *importFlags) fill(ctx context.Context, con *console.Console, q *certificate.Import) error {
	p := presets.Preset{Preset: runner.Preset{Spec: spec.Defaults()}}
	if f.preset != "" {
		var err error
		if p, err = presets.Load(f.preset); err != nil {
			return err
		}
	}
	for _, set := range f.set {
		if err := presets.Set(&p.Spec, set); err != nil {
			return fmt.Errorf("--set: %w", err)
		}
	}
	if wrong := p.Check(&p.Spec); len(wrong) > 0 {
		return wrong
	}
	q.Preset, q.Spec, q.Spec.Seed = p.Name, p.Spec, f.seed
	if f.preset == "" {
		return nil
	}
	d, err := runner.OpenData(ctx, q.Spec.Dataset, q.Spec.DataOptions(con.DataDir))
	if _, missing := errors.AsType[*data.MissingError](err); missing {
		return nil
	}
	q.Data = d
	return err
}
