package cli

import (
	"errors"
	"strings"

	"drolab/runner/publish"

	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	var to, out string
	var lines []string
	for _, f := range publish.Formats() {
		lines = append(lines, "  "+f.Name+strings.Repeat(" ", 13-len(f.Name))+f.Doc)
	}
	c := &cobra.Command{
		Use: "export RUN[@STEP] --to FORMAT --out PATH", Short: "Write a run for other programs",
		Long: "Write a run, or the network of one of its checkpoints (the newest without a step), for other " +
			"programs.\nThe formats are\n\n" + strings.Join(lines, "\n"),
		Example: `drolab export latest --to python --out model.py
drolab export latest@selected --to onnx --out model.onnx
drolab export latest --to tensorboard --out logs/latest`,
		Args:              exactlyOne("a run", "drolab export latest --to python --out model.py"),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(_ *cobra.Command, args []string) error { return a.export(args[0], to, out) },
	}
	c.Flags().StringVar(&to, "to", "", "the format")
	c.Flags().StringVar(&out, "out", "", "the file or folder to write, which must be new")
	mustComplete(c, "to", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var words []string
		for _, f := range publish.Formats() {
			words = append(words, f.Name+"\t"+f.Doc)
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	})
	return c
}

func (a *app) export(name, to, out string) error {
	f, err := publish.Find(to)
	if err != nil {
		return errors.New("--to: " + err.Error())
	}
	if out == "" {
		return errors.New("--out: give the file or folder to write")
	}
	r, step := &publish.Run{}, int64(0)
	if r.Run, step, err = a.findSaved(name); err != nil {
		return err
	}
	if f.Network {
		if r.State, err = r.Load(step); err != nil {
			return err
		}
		if r.Encoder, err = r.Meta.EncoderFrom(a.data); err != nil {
			return err
		}
	}
	if err := f.Write(r, out); err != nil {
		return err
	}
	a.say("run %s is in %s", r.Meta.ID, out)
	return nil
}
