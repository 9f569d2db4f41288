package look

import (
	"io"
	"os"
	"path/filepath"

	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func recordCommand(con *console.Console) *cobra.Command {
	var into string
	var checkpoint int64
	c := &cobra.Command{
		Use: "record RUN...", Short: "Pack finished runs into small files, to keep or to share",
		Long: `Pack finished runs into small files, RUN` + record.PackedExt +
			` each. A file has
the run's settings and origin, all its evaluations, some hundred steps and its summary. With
--checkpoint it also has the checkpoint of that step. The same run gives the same bytes. The commands show, compare and report take such a
file in place of RUN; the runs that come with the program are recorded:paper and
recorded:paper/RUN. RUN is as in drolab compare.`,
		Example:           "drolab record paper-gentle --into kept\ndrolab compare kept/*.tar.gz",
		Args:              console.OneOrMore("some runs", "drolab record latest"),
		ValidArgsFunction: con.CompleteRead,
		RunE: func(c *cobra.Command, args []string) error {
			runs, err := con.FindSeveral(c.Context(), args)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(into, 0o755); err != nil {
				return err
			}
			return console.TryAll(runs, func(r *record.Run) error {
				return pack(con, into, r, checkpoint)
			})
		},
	}
	c.Flags().Int64Var(&checkpoint, "checkpoint", 0, "step of a checkpoint to keep; 0 keeps none")
	c.Flags().StringVar(&into, "into", ".", "folder of the files")
	return c
}

// pack writes one packed run, whole or not at all.
func pack(con *console.Console, into string, r *record.Run, checkpoint int64) error {
	name := filepath.Join(into, r.Meta.ID+record.PackedExt)
	write := func(w io.Writer) error { return record.Pack(w, r, checkpoint) }
	if err := page.Replace(name, write); err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err == nil {
		con.PrintLine("%s: %.1f kB", con.PathHere(name), float64(info.Size())/1e3)
	}
	return err
}
