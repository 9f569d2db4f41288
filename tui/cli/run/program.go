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
		Use: "trust PROGRAM...", Short: "Approve a program, so that runs may start it",
		Long: `Approve a program of yours, in its current version, so that runs may start it. A run starts a
program only if you have approved exactly this file, with this command or by naming it to
drolab run. A runs folder, sweep or preset from a stranger therefore starts nothing. After a
change of the file, approve it again.`,
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

// trustNamed approves the programs of specs if the command line names a program: in place of a
// preset, or with --set.
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
