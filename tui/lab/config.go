package lab

import (
	"io"

	"drolab/runner"
)

// Config is the world as the interface sees it.
type Config struct {
	Verbs runner.Verbs
	// RunsGoOn says that another process runs the runs: leaving ends none.
	RunsGoOn bool
	// ReadOnly says that Verbs refuse everything, and that nothing is deleted.
	ReadOnly bool
	// Guest says that whoever looks need not be who started the program: no file is
	// read but those of runs, and none is written. ReadOnly goes with it.
	Guest bool
	// Attach begins with the runs that are live, or the newest.
	Attach bool
	// Replay begins with a replay of the runs Kept, which are all that is shown; nil
	// shows those in RunsDir.
	Replay *Replay
	Kept   *Kept
	// StopSweep stops the sweep in a folder, its runs with a checkpoint; nil cannot.
	StopSweep func(dir string) error
	// RunsDir and DataDir are the folders of the runs and of the datasets.
	RunsDir, DataDir string
	// CPU is this machine's processor, as in the runs that were trained on it.
	CPU string
	// Cores is how many of it runs may use.
	Cores int
	// Dir is a folder whose presets are listed beside the program's own; empty is
	// none.
	Dir string
	// Ring is what the terminal itself is told.
	Ring Ring
	// Stdin and Stdout are the terminal.
	Stdin  io.Reader
	Stdout io.Writer
	// Environ is the environment, as os.Environ gives it: TERM, COLORTERM,
	// NO_COLOR, DROLAB_ASCII, SSH_CONNECTION, SSH_TTY and the locale are looked at.
	Environ []string
}
