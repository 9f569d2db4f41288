package run

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/cli/trainer"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func deleteCommand(tr *trainer.Trainer) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete RUN...", Short: "Delete runs for good, with their checkpoints",
		Long: `Delete runs for good: curves, checkpoints and figures. The command asks first, unless --yes is
given. It refuses a live run: stop it first.`,
		Example:           "drolab delete latest",
		Args:              console.OneOrMore("some runs", "drolab delete latest"),
		ValidArgsFunction: tr.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := chosen(tr, args, false, nil)
			if err != nil {
				return err
			}
			if !yes {
				if err := sure(tr, runs); err != nil {
					return err
				}
			}
			return remove(tr, runs)
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// sure asks the user to confirm that the runs are deleted, and fails without a yes. If nobody can
// be asked, the runs stay.
func sure(tr *trainer.Trainer, runs []*record.Run) error {
	for _, r := range runs {
		fmt.Fprintf(tr.Stderr, "  %s  %s\n", console.Clean(r.Meta.ID),
			console.OneLine(console.StatusLine(r)))
	}
	fmt.Fprintf(tr.Stderr, "Delete %s for good? Type yes: ", kit.Plural(len(runs), "run"))
	if tr.Stdin == nil {
		return errors.New("no terminal to ask on: use --yes to delete without asking")
	}
	answer, _ := bufio.NewReader(tr.Stdin).ReadString('\n') // no answer is not a yes
	if strings.ToLower(strings.TrimSpace(answer)) != "yes" {
		return errors.New("nothing deleted: the answer was not yes (--yes skips the question)")
	}
	return nil
}

func remove(tr *trainer.Trainer, runs []*record.Run) error {
	var list console.Failures
	for _, r := range runs {
		if err := record.Delete(filepath.Dir(r.Dir), r.Meta.ID); err != nil {
			list = append(list, err)
			continue
		}
		tr.Say("run %s is deleted", r.Meta.ID)
	}
	return list.OrNil()
}
