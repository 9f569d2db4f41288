package look

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"drolab/runner/publish"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func exportCommand(con *console.Console) *cobra.Command {
	var to, out string
	var lines, words []string
	for _, f := range publish.Formats() {
		lines = append(lines, fmt.Sprintf("  %-16s%s", f.Name, f.Doc))
		words = append(words, f.Name+"\t"+f.Doc)
	}
	c := &cobra.Command{
		Use:   "export RUN|RUN@STEP... --to FORMAT --out PATH",
		Short: "Write runs for other programs",
		Long: "Write a run, or the network of one of its checkpoints " +
			"(the newest by default), for other programs. The formats whose name begins with " +
			"costs compare several runs, named as in drolab compare. The formats:\n\n" +
			strings.Join(lines, "\n"),
		Example: `drolab export latest --to python --out model.py
drolab export latest@selected --to onnx --out model.onnx
drolab export latest --to tensorboard --out logs/latest
drolab export shapes --to costs-svg --out costs.svg`,
		Args: console.OneOrMore("a run",
			"drolab export latest --to python --out model.py"),
		ValidArgsFunction: con.CompleteRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return exportTo(c.Context(), con, args, to, out)
		},
	}
	c.Flags().StringVar(&to, "to", "", "the format")
	c.Flags().StringVar(&out, "out", "", "file or folder to write; it must not exist")
	console.Choices(c, "to", words...)
	console.WritesFiles(c, "out")
	return c
}

func exportTo(ctx context.Context, con *console.Console, names []string, to, out string) error {
	f, err := publish.Find(to)
	if err != nil {
		return errors.New("--to: " + err.Error())
	}
	if out == "" {
		return errors.New("--out: give a file or folder to write")
	}
	if f.WriteAll != nil {
		return exportAll(ctx, con, names, f, out)
	}
	if len(names) > 1 {
		return fmt.Errorf("--to %s writes one run, and %d are named: name one", to, len(names))
	}
	name := names[0]
	r, step := &publish.Run{}, int64(0)
	if r.Run, step, err = con.FindStep(name); err != nil {
		return err
	}
	if f.Network || step >= 0 { // a checkpoint that is named has to exist
		if r.State, err = r.Load(step); err != nil {
			return err
		}
	}
	if f.Network {
		if r.Encoder, err = r.Meta.EncoderFrom(ctx, con.DataDir); err != nil {
			return err
		}
	}
	if err := f.Write(r, out); err != nil {
		return err
	}
	con.PrintLine("run %s is written to %s", r.Meta.ID, out)
	return nil
}

// exportAll writes a comparison of runs.
func exportAll(
	ctx context.Context, con *console.Console, names []string, f *publish.Format, out string,
) error {
	runs, err := con.FindSeveral(ctx, names)
	if err != nil {
		return err
	}
	if err := f.WriteAll(runs, out); err != nil {
		return err
	}
	con.PrintLine("a comparison of %s is written to %s", kit.Plural(len(runs), "run"), out)
	return nil
}
