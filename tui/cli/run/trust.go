package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"drolab/runner/bridge"
	"drolab/runner/spec"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func trustCommand(tr *Trainer) *cobra.Command {
	return &cobra.Command{
		Use: "trust PROGRAM...", Short: "Approve a program, so that runs may start it",
		Long: `Approve a program of yours, in its current version, so that runs may start it. A run starts a
program only if you have approved exactly this file, with this command or by naming it to
drolab run. A runs folder, sweep or preset from a stranger therefore starts nothing. After a
change of the file, approve it again.

A sweep file with commands for Slurm jobs (setup:) needs the same approval.`,
		Example: "drolab trust train.py",
		Args:    console.OneOrMore("a program", "drolab trust train.py"),
		RunE: func(_ *cobra.Command, paths []string) error {
			return console.TryAll(paths, func(path string) error {
				return trust(tr, spec.Program{Path: path})
			})
		},
	}
}

// trust approves a program that was named on the command line.
func trust(tr *Trainer, p spec.Program) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	s := spec.Spec{Model: p.String()}
	s.SettleProgram(dir)
	p, _ = s.Program()
	err = bridge.Approvals(tr.Programs).Approve(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the program %s is not there", p.Path)
	}
	return err
}

// trustNamed approves the programs of specs if the command line names a program: in place of a
// preset, or with --set.
func (f *runFlags) trustNamed(tr *Trainer, name string, specs []spec.Spec) error {
	sets := func(assignment string) bool {
		return strings.HasPrefix(assignment, "model=") &&
			strings.Contains(assignment, spec.ProgramPrefix)
	}
	if !spec.IsProgramName(name) && !slices.ContainsFunc(f.set, sets) {
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
