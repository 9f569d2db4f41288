package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"drolab/runner/record"
	"drolab/runner/sweep"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func (a *app) doctorCommand() *cobra.Command {
	var mend, asJSON bool
	c := &cobra.Command{
		Use: "doctor", Short: "Check every file of all runs, and say what is wrong", Args: nothing,
		Long: `Check every file of all runs, and of sweeps: checksums, links, owners and modes, what
crashes left, summaries that are missing. Nothing is changed without --mend, which loses nothing:
what is in the way is moved to .set-aside in the folder of the runs, and so is a copy of what is
changed. Runs that somebody records are left alone. It fails while something is wrong.`,
		Example: "drolab doctor\ndrolab doctor --mend",
		RunE: func(*cobra.Command, []string) error {
			look := record.Examine
			if mend {
				look = record.Mend
			}
			list, runs, err := look(a.runs)
			for _, dir := range sweep.Under(a.runs) {
				more, also := sweep.Examine(dir, mend)
				for _, f := range more {
					if f.Run = filepath.Base(dir); filepath.Clean(dir) == filepath.Clean(a.runs) {
						f.Run = ""
					}
				}
				list, err = append(list, more...), errors.Join(err, also)
			}
			if err != nil {
				return err
			}
			if asJSON {
				if list == nil {
					list = []*record.Finding{}
				}
				err = printJSON(a.Stdout, list)
			} else {
				a.tellFindings(list, runs)
			}
			return errors.Join(err, unwell(list))
		},
	}
	c.Flags().BoolVar(&mend, "mend", false, "make good what can be, losing nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "print what is wrong as JSON")
	return c
}

// tellFindings prints two lines a finding.
func (a *app) tellFindings(list []*record.Finding, runs int) {
	for _, f := range list {
		where := f.File
		if f.Run != "" {
			where = f.Run + " " + f.File
		}
		a.say("%s: %s", where, f.What)
		switch {
		case f.Mended:
			a.say("    mended")
		case f.Failed != "":
			a.say("    could not be mended: %s", f.Failed)
		default:
			a.say("    %s", f.Remedy)
		}
	}
	if len(list) == 0 {
		a.say("nothing is wrong with %s in %s", kit.Plural(runs, "run"), a.runs)
	}
}

// unwell is an error while something is wrong.
func unwell(list []*record.Finding) error {
	left := 0
	for _, f := range list {
		if !f.Mended {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	return fmt.Errorf("%s left to see to: drolab doctor --help", kit.Plural(left, "finding"))
}
