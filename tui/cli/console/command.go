package console

import (
	"path/filepath"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cell"
)

// Every command that the program advises is made here, or by the Place that PlaceOf gives to the
// interface and to the engine: it names the folder of the runs where that is not the default, and
// the box where another machine has forwarded this command.

// PlaceOf returns the place of a folder of runs.
func (c *Console) PlaceOf(runsDir string) runner.Place {
	p := runner.Place{Box: cell.OneLine(c.Forwarded.Box)}
	dir, err := filepath.Abs(runsDir)
	if err != nil { // this process has no folder
		dir = runsDir
	}
	if usual, err := filepath.Abs(c.usualRuns); err != nil || dir != usual {
		p.RunsDir = cell.OneLine(dir)
	}
	return p
}

// Command completes a command about the runs of this command.
func (c *Console) Command(line string) string { return c.PlaceOf(c.RunsDir).Command(line) }

// CommandThere completes a command that names its folder, such as that of a sweep.
func (c *Console) CommandThere(line string) string {
	return runner.Place{Box: cell.OneLine(c.Forwarded.Box)}.Command(line)
}

// HowToContinue is runner.Meta.HowToContinue, as the user would type it.
func (c *Console) HowToContinue(r *record.Run) string {
	how := r.Meta.HowToContinue()
	switch far := r.Mirrored(); {
	case r.Meta.Spec.IsScript():
		return how
	case far != nil:
		return runner.Place{Box: cell.OneLine(far.Box)}.Command(how)
	}
	return c.PlaceOf(filepath.Dir(r.Dir)).Command(how)
}
