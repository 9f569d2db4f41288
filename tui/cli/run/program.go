package run

import (
	"fmt"
	"os"
	"strings"

	"drolab/runner/bridge"
	"drolab/runner/spec"
	"drolab/tui/cli/console"
	"drolab/tui/cli/trainer"

	"github.com/spf13/cobra"
)

func trustCommand(tr *trainer.Trainer) *cobra.Command {
	return &cobra.Command{
		Use: "trust PROGRAM...", Short: "Let runs start a program, as its file is now",
		Long: `Let runs start a program of yours, as its file is now. A run that trains a program starts it only if
you have started that very file before, by naming it to drolab run, or say so here: a folder of runs, a sweep or
a preset that comes from a stranger starts nothing. After a change of the file, say it again.`,
		Example: "drolab trust train.py",
		Args:    console.OneOrMore("a program", "drolab trust train.py"),
		RunE: func(_ *cobra.Command, paths []string) error {
			var wrong console.Failures
			for _, path := range paths {
				p := spec.Program{Path: path}
				if err := trust(tr, p); err != nil {
					wrong = wrong.And(err)
				}
			}
			return wrong.OrNil()
		},
	}
}

// trust approves a program that was named on the command line.
func trust(tr *trainer.Trainer, p spec.Program) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	s := spec.Spec{Model: p.String()}
	s.SettleProgram(dir)
	p, _ = s.Program()
	if err := bridge.Approvals(tr.Programs).Approve(p.Path); err != nil {
		return fmt.Errorf("the program %w", err)
	}
	return nil
}

// trustNamed approves the programs that specs have because the command line says so:
// by a name in place of a preset, or by --set.
func (f *runFlags) trustNamed(tr *trainer.Trainer, name string, specs []spec.Spec) error {
	says := func(text string) bool { return strings.Contains(text, spec.ProgramPrefix) }
	named := spec.IsProgramName(name)
	for _, assignment := range f.set {
		named = named || strings.HasPrefix(assignment, "model=") && says(assignment)
	}
	if !named {
		return nil
	}
	seen := map[string]bool{}
	for i := range specs {
		p, ok := specs[i].Program()
		if !ok || seen[p.Path] {
			continue
		}
		seen[p.Path] = true
		if err := trust(tr, p); err != nil {
			return err
		}
	}
	return nil
}
