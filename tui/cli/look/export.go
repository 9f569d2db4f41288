package look

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"drolab/runner/publish"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func exportCommand(con *console.Console) *cobra.Command {
	var to, out string
	var lines, words []string
	for _, f := range publish.Formats() {
		lines = append(lines, fmt.Sprintf("  %-13s%s", f.Name, f.Doc))
		words = append(words, f.Name+"\t"+f.Doc)
	}
	c := &cobra.Command{
		Use: "export RUN|RUN@STEP --to FORMAT --out PATH", Short: "Write a run for other programs",
		Long: "Write a run, or the network of one of its checkpoints " +
			"(the newest by default), for other programs. The formats:\n\n" +
			strings.Join(lines, "\n"),
		Example: `drolab export latest --to python --out model.py
drolab export latest@selected --to onnx --out model.onnx
drolab export latest --to tensorboard --out logs/latest`,
		Args:              console.One("a run", "drolab export latest --to python --out model.py"),
		ValidArgsFunction: con.CompleteRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return exportTo(c.Context(), con, args[0], to, out)
		},
	}
	c.Flags().StringVar(&to, "to", "", "the format")
	c.Flags().StringVar(&out, "out", "", "file or folder to write; it must not exist")
	console.Choices(c, "to", words...)
	console.WritesFiles(c, "out")
	return c
}

func exportTo(ctx context.Context, con *console.Console, name, to, out string) error {
	f, err := publish.Find(to)
	if err != nil {
		return errors.New("--to: " + err.Error())
	}
	if out == "" {
		return errors.New("--out: give a file or folder to write")
	}
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
