package lab

import (
	"fmt"
	"io"
	"strings"

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
	// Programs are those that the user has started; nil asks about none, and none but these
	// is started. ProgramsDir is their folder, for measuring with one; empty starts none.
	Programs    Programs
	ProgramsDir string
	Hooks
	// RunsDir and DataDir are the folders of the runs and of the datasets.
	RunsDir, DataDir string
	Remembering
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

// Remembering is the folders of what is remembered of folders of runs; empty is none.
type Remembering struct {
	Catalogues string // what is in them
	Views      string // how the user looks at them
}

// Hooks are what the interface asks of who opened it.
type Hooks struct {
	// StopSweep stops the sweep in a folder, its runs with a checkpoint; nil cannot.
	StopSweep func(dir string) error
	// Told gets the story of the watched runs when the interface is left; nil is not told.
	Told func(sentence string)
}

// Ring is what the terminal itself is told of the watched runs; the zero Ring is nothing.
// Terminals disagree on the sequences, and some write those that they do not know onto the
// screen: so the user says which.
type Ring struct {
	Notify   string // "9" or "777": the sequence that tells of a run that is done or failed
	Progress bool   // how far the runs are, on the window's icon or tab (OSC 9;4)
}

// ParseRing reads "9", "777", "progress" or two of them with a comma; "" or "off" is nothing.
func ParseRing(text string) (r Ring, err error) {
	for word := range strings.SplitSeq(text, ",") {
		switch word = strings.TrimSpace(word); word {
		case "", "off":
		case "9", "777":
			r.Notify = word
		case "progress":
			r.Progress = true
		default:
			return Ring{}, fmt.Errorf(
				"ring: %q: want 9, 777 or progress, or two of them as 9,progress", word)
		}
	}
	return r, nil
}

// Ended says that a watched run is done or has failed.
type Ended struct {
	Name   string
	Status runner.Status
}
