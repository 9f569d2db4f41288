package look

import (
	"errors"
	"fmt"
	"path/filepath"

	"drolab/runner/record"
	"drolab/runner/sweep"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func doctorCommand(con *console.Console) *cobra.Command {
	var mend bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check every file of all runs, and report problems",
		Args:  console.None,
		Long: `Check every file of all runs and sweeps: checksums, links, owners and modes, leftovers of
crashes, missing summaries. The catalogue, from which lists are read quickly, is checked
against the runs' files. Runs that are being recorded are left alone.

Nothing changes without --mend, and --mend loses nothing: a file that is in the way is moved to
.set-aside in the runs folder, and so is a copy of every file that is changed. The command
fails while problems remain. What a crash left and a run does not need is named, and is no
problem.`,
		Example: "drolab doctor\ndrolab doctor --mend",
		RunE: func(*cobra.Command, []string) error {
			look := record.Examine
			if mend {
				look = record.Mend
			}
			list, runs, err := look(con.RunsDir)
			list = append(list, con.Catalogue().Examine(mend)...)
			for _, dir := range sweep.Under(con.RunsDir) {
				more, also := sweep.Examine(dir, mend)
				for _, f := range more {
					f.Run = filepath.Base(dir)
					if filepath.Clean(dir) == filepath.Clean(con.RunsDir) {
						f.Run = ""
					}
				}
				list, err = append(list, more...), errors.Join(err, also)
			}
			if err != nil {
				return err
			}
			err = con.Result(append([]*record.Finding{}, list...), func() {
				tellFindings(con, list, runs)
			})
			return errors.Join(err, unwell(list))
		},
	}
	c.Flags().BoolVar(&mend, "mend", false, "repair what can be repaired, losing nothing")
	con.JSONFlag(c, "the problems")
	return c
}

// tellFindings prints two lines per finding.
func tellFindings(con *console.Console, list []*record.Finding, runs int) {
	for _, f := range list {
		where := f.File
		if f.Run != "" {
			where = f.Run + " " + f.File
		}
		con.Say("%s: %s", where, f.What)
		switch {
		case f.Mended:
			con.Say("    mended")
		case f.Failed != "":
			con.Say("    could not be repaired: %s", f.Failed)
		default:
			con.Say("    %s", f.Remedy)
		}
	}
	if unwell(list) == nil {
		con.Say("No problems found in %s in %s", kit.Plural(runs, "run"), con.RunsDir)
	}
}

// unwell returns an error if damage remains. What a crash left is none.
func unwell(list []*record.Finding) error {
	left := 0
	for _, f := range list {
		if !f.Mended && !f.Leftover {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	return fmt.Errorf("%s left: see drolab doctor --help", kit.Plural(left, "finding"))
}
