package look

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/data"
	"drolab/runner/foreign"
	"drolab/runner/measure"
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
	seeded         bool // --seed is given

	as, mapping       string
	maps, keep, group []string
	dry, follow       bool
	idle              time.Duration
}

// predictions is the word of --as for a table of predictions.
const predictions = "predictions"

func importCommand(con *console.Console) *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import PATH...",
		Short: "Turn logs and predictions of other programs into runs, to compare with drolab's",
		Long: `Turn what other programs wrote into runs: logs with their curves, or a table of predictions.
A file or folder is recognised by its content. A folder may have many runs.

The logs are those of group_DRO, Lightning (metrics.csv), Transformers (trainer_state.json),
TensorBoard, W&B (.wandb) and DomainBed, and any CSV or JSON lines with a step or an epoch.
What is known becomes drolab's measure or setting. The rest become logged values and notes:
--dry-run prints what becomes of what. --map names the measure that a value of the log is, with
/100 for percent. A log that was imported before is the same run, and is imported on if it has
grown. --follow imports a log while another program writes it.

A table of predictions has the columns label and prediction, or label and a column p_CLASS for
each class. It is a .csv, .csv.gz, .tsv or .parquet file, named with options as datasets are;
drolab eval --out writes such tables. The columns group, split and loss are optional. Losses are
in nats; the default is −log of the label's probability. Other columns are ignored. The run needs
--method.

The uncertainty set, its radii and the data are those of --preset. If predictions are in the order
of the data's split, as far as labels and groups show, the run is tested against runs on these
data. Otherwise it is shown beside them without tests. Of a log, that it is on these data is your
word, unless it has other sizes of groups.`,
		Example: `drolab import lightning_logs --dry-run
drolab import runs/erm --map 'val/acc=val_accuracy/100' --preset waterbirds
drolab import --follow runs/now
drolab import 'forest.parquet?label=income&group=sex' --method forest --preset csv --seed 2`,
		Args:              console.OneOrMore("a log, a folder or a table", "drolab import runs"),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: func(c *cobra.Command, args []string) error {
			f.seeded = c.Flags().Changed("seed")
			return f.importPaths(c.Context(), con, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.method, "method", "", "name of the method (default: as a log says)")
	flags.StringVar(&f.preset, "preset", "", "preset or YAML file of the runs to compare with")
	flags.StringArrayVar(&f.set, "set", nil,
		"change a setting of the preset, as in those runs (repeatable)")
	flags.StringSliceVar(&f.splits, "split", nil, "splits to take: test, val, train (default "+
		"all; a table without a split column needs exactly one)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the training")
	flags.StringVar(&f.as, "as", "", "take the files for logs of this kind, whatever they hold")
	flags.StringArrayVar(&f.maps, "map", nil,
		"a value of the log is this measure: NAME=MEASURE (repeatable)")
	flags.StringVar(&f.mapping, "mapping", "",
		"a YAML file with a line NAME: MEASURE for each --map")
	flags.StringArrayVar(&f.keep, "keep", nil, "log only values whose names match, as in "+
		"'train/*' (repeatable; a run has 64 at most)")
	flags.StringSliceVar(&f.group, "groups", nil, "names of the groups of the data")
	flags.BoolVar(&f.dry, "dry-run", false, "print what becomes of what, and import nothing")
	flags.BoolVar(&f.follow, "follow", false, "follow one log until its end or Ctrl-C")
	flags.DurationVar(&f.idle, "idle", 0, "end --follow once nothing was written for this long, "+
		"as in 10m (default: wait)")
	con.JSONFlag(c, "the runs")
	console.MustComplete(c, "preset", console.CompletePresets)
	console.Choices(c, "split", runner.Splits()...)
	console.Choices(c, "as", append(foreign.KindNames(), predictions)...)
	return c
}

// importPaths imports logs or, if the one path is none, predictions.
func (f *importFlags) importPaths(ctx context.Context, con *console.Console, paths []string) error {
	ctx, cancel := con.SignalContext(ctx, console.Outlive)
	defer cancel()
	if f.as == predictions {
		return f.importPredictions(ctx, con, paths)
	}
	found, err := f.find(ctx, con, paths)
	unknown, none := errors.AsType[*foreign.UnknownError](err)
	table := f.as == "" && len(paths) == 1 && !f.follow && !f.dry
	table = table && (errors.Is(err, fs.ErrNotExist) || none && !unknown.Folder)
	switch {
	case table && none && f.method == "":
		return fmt.Errorf("%w; a table of predictions needs --method NAME", err)
	case table && f.method != "":
		return f.importPredictions(ctx, con, paths)
	case err != nil:
		return err
	}
	return f.importLogs(ctx, con, found)
}

// importLogs imports logs, or says what would become of them.
func (f *importFlags) importLogs(
	ctx context.Context, con *console.Console, found []foreign.Found,
) error {
	o, err := f.options(ctx, con)
	if err != nil {
		return err
	}
	if f.dry {
		return f.plan(ctx, con, found, o)
	}
	store, err := record.Open(con.RunsDir)
	if err != nil {
		return err
	}
	if f.follow {
		return f.followLog(ctx, con, store, found, o)
	}
	var ids []string
	var failed console.Failures
	seeds := &foreign.Seeds{}
	for i := range found {
		meter := con.NewMeter("reading "+cell.OneLine(found[i].Path), megabytes)
		o.Progress = func(done, total int64) { meter.Show(done, total, 0) }
		done, err := found[i].Import(ctx, store, o, seeds)
		meter.End()
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: %d of %d logs are imported, and the same command "+
				"goes on", len(ids), len(found))
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		ids = append(ids, done.Meta.ID)
		if !con.AsJSON {
			printImported(con, done)
		}
	}
	if con.AsJSON {
		runs, err := f.runs(con, ids)
		if err != nil {
			return err
		}
		if err := con.JSON(console.Summaries(runs)); err != nil {
			return err
		}
	}
	return failed.OrNil()
}

func (f *importFlags) runs(con *console.Console, ids []string) (list []*record.Run, err error) {
	for _, id := range ids {
		r, err := con.Find(id)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// printImported prints the run that a log is now, and what is to be known of it.
func printImported(con *console.Console, done *foreign.Outcome) {
	con.PrintLine("%s", done.Meta.ID)
	switch {
	case done.Followed:
		fmt.Fprintf(con.Stderr, "note: %s: this log is being followed, so nothing is imported\n",
			done.Meta.ID)
		return
	case done.Known:
		fmt.Fprintf(con.Stderr, "note: %s: this log was imported before, and is as it was\n",
			done.Meta.ID)
		return
	case done.Grown:
		fmt.Fprintf(con.Stderr, "note: %s: imported on\n", done.Meta.ID)
	}
	for _, note := range done.Meta.Imported.Absent {
		fmt.Fprintf(con.Stderr, "note: %s: %s\n", done.Meta.ID, cell.OneLine(note))
	}
}

// options returns the options of the import of logs.
func (f *importFlags) options(ctx context.Context, con *console.Console) (*foreign.Options, error) {
	if f.method != "" {
		if err := certificate.CheckName(f.method); err != nil {
			return nil, fmt.Errorf("--method %w", err)
		}
	}
	if len(f.splits) > 0 {
		return nil, errors.New("--split is for tables of predictions: a log has its splits")
	}
	var q certificate.Import
	if err := f.fill(ctx, con, &q); err != nil {
		return nil, err
	}
	o := &foreign.Options{Method: f.method, Preset: q.Preset, Spec: q.Spec, Map: f.maps,
		Keep: f.keep, Groups: f.group, Host: console.Host()}
	o.Stated = f.preset != "" || q.Spec.Dataset != spec.Defaults().Dataset
	if f.seeded {
		o.Seed = &f.seed
	}
	if f.mapping != "" {
		list, err := foreign.ReadMapping(f.mapping)
		if err != nil {
			return nil, err
		}
		o.Map = slices.Concat(list, f.maps)
	}
	if q.Data != nil {
		defer q.Data.Close()
		parts := measure.PartsOf(q.Data)
		o.Data, o.Checksum = &parts, q.Data.Checksum
	}
	return o, nil
}

// importPredictions imports a table of predictions.
func (f *importFlags) importPredictions(
	ctx context.Context, con *console.Console, paths []string,
) error {
	if len(paths) != 1 {
		return errors.New("give one table of predictions: drolab import predictions.csv --method " +
			"xgboost")
	}
	for flag, given := range map[string]bool{"map": len(f.maps) > 0, "mapping": f.mapping != "",
		"keep": len(f.keep) > 0, "groups": len(f.group) > 0, "dry-run": f.dry,
		"follow": f.follow} {
		if given {
			return fmt.Errorf("--%s is for logs, and %s is none that drolab knows", flag, paths[0])
		}
	}
	return importFile(ctx, con, f, paths[0])
}

func importFile(ctx context.Context, con *console.Console, f *importFlags, file string) error {
	if err := certificate.CheckName(f.method); err != nil {
		return fmt.Errorf("--method %w", err)
	}
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
