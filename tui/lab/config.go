package lab

import (
	"context"
	"fmt"
	"io"
	"strings"

	"drolab/runner"
	"drolab/runner/box"
	"drolab/runner/bridge"
	"drolab/runner/record"
)

// Config is the world as the interface sees it.
type Config struct {
	Verbs runner.Verbs
	// RunsGoOn says that another process runs the runs: leaving ends none.
	RunsGoOn bool
	// ReadOnly says that Verbs refuse everything, and that nothing is deleted.
	ReadOnly bool
	// Shared says that the viewer need not be the user who started the program: only files of runs
	// are read, and none is written. ReadOnly goes with it.
	Shared bool
	Opening
	// FixedRuns are all runs that are shown; if it is nil, the runs in RunsDir are shown.
	FixedRuns *FixedRuns
	// Boxes are the other machines whose runs are shown, too.
	Boxes []box.Linked
	// Programs knows the programs that the user has started; no other program is started. "" asks
	// about none, and no program evaluates.
	Programs bridge.Approvals
	Outside
	Reports
	// Context ends when the interface is left, and with it what a page reads for itself. nil never
	// ends.
	Context context.Context
	// RunsDir and DataDir are the folders of the runs and of the datasets.
	RunsDir, DataDir string
	Remembering
	Processor
	// Dir is a folder whose presets are listed beside the program's own; "" is none.
	Dir string
	// Ring says what the terminal itself is told.
	Ring Ring
	// Stdin and Stdout are the terminal.
	Stdin  io.Reader
	Stdout io.Writer
	// Environ is the environment, as os.Environ gives it. The interface reads TERM, COLORTERM,
	// NO_COLOR, DROLAB_ASCII, DROLAB_CONTRAST, DROLAB_PIXELS, SSH_CONNECTION, SSH_TTY, TMUX
	// and the locale.
	Environ []string
}

// Outside holds what is done outside of the interface.
type Outside struct {
	// Place completes the commands that the interface advises.
	Place runner.Place
	// StopSweep stops the sweep in a folder; its runs stop with a checkpoint. nil cannot stop any.
	StopSweep func(dir string) error
}

// Processor is that of this machine.
type Processor struct {
	CPU   string // as recorded in the runs that were trained on it
	Cores int    // that runs may use
}

// Reports holds what the interface tells its caller; nil is told nothing.
type Reports struct {
	// Story gets the story of the watched runs when the interface is left.
	Story func(sentence string)
	// Interrupted gets runs of this machine that were found interrupted.
	Interrupted func([]*record.Run) error
	// Debug gets each message to the interface, described without data, for the report of a bug.
	Debug func(format string, args ...any)
}

// UntilLeft returns a context that ends when the interface is left.
func (c *Config) UntilLeft() context.Context {
	if c.Context == nil {
		return context.Background()
	}
	return c.Context
}

// Opening says how the interface begins; the zero Opening begins with Launch.
type Opening struct {
	Attach bool    // with the runs that are live, or the newest
	Film   bool    // with the film
	Loop   bool    // which is played again and again
	Live   bool    // with runs that it starts for a demonstration
	Replay *Replay // with a replay of the runs of FixedRuns
	Note   string  // what the foot says once, before anything else
}

// Remembering holds the folders of what is remembered about folders of runs; "" remembers nothing.
type Remembering struct {
	Catalogues string // the catalogues of the runs in them
	Views      string // how the user looks at them
}

// Ring says what the terminal itself is told of the watched runs; the zero Ring tells it nothing.
// Terminals disagree on the sequences, and some write unknown ones onto the screen, so the user
// chooses them.
type Ring struct {
	Notify   string // "9" or "777": the sequence that tells of a run that is done or failed
	Progress bool   // show the progress of the runs on the window's icon or tab (OSC 9;4)
}

// ParseRing reads "9", "777", "progress" or two of them with a comma; "" or "off" tells nothing.
func ParseRing(text string) (r Ring, err error) {
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		switch word {
		case "", "off":
		case "9", "777":
			r.Notify = word
		case "progress":
			r.Progress = true
		default:
			return Ring{}, fmt.Errorf(
				"ring: %q: expected 9, 777 or progress, or two of them as 9,progress", word)
		}
	}
	return r, nil
}
