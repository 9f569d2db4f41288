package cli

import (
	"bufio"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"drolab/runner/record"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func (a *app) deleteCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete RUN...", Short: "Remove runs for good, with their checkpoints",
		Long: `Remove runs for good: curves, checkpoints and figures. It asks before, unless --yes is given. A run that
goes on is refused: stop it first.`,
		Example:           "drolab delete latest",
		Args:              atLeastOne("some runs", "drolab delete latest"),
		ValidArgsFunction: a.completeRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := a.chosen(args, false, nil)
			if err != nil {
				return err
			}
			if !yes {
				if err := a.sure(runs); err != nil {
					return err
				}
			}
			return a.remove(runs)
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

// sure asks whether the runs shall go. Where nobody can be asked, they stay.
func (a *app) sure(runs []*record.Run) error {
	for _, r := range runs {
		fmt.Fprintf(a.Stderr, "  %s  %s\n", clean(r.Meta.ID), oneLine(statusLine(r)))
	}
	fmt.Fprintf(a.Stderr, "Remove %s for good? Type yes: ", kit.Plural(len(runs), "run"))
	if a.Stdin == nil {
		return errors.New("nobody to ask: give --yes to remove them without")
	}
	answer, _ := bufio.NewReader(a.Stdin).ReadString('\n') // what does not come is no yes
	if strings.ToLower(strings.TrimSpace(answer)) != "yes" {
		return errors.New("nothing is removed: the answer was not yes (--yes does not ask)")
	}
	return nil
}

func (a *app) remove(runs []*record.Run) error {
	var list failures
	for _, r := range runs {
		if err := record.Delete(filepath.Dir(r.Dir), r.Meta.ID); err != nil {
			list = append(list, err)
			continue
		}
		a.say("run %s is removed", r.Meta.ID)
	}
	return list.orNil()
}
