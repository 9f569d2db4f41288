package console

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"sync"

	"drolab/runner/box"
	"drolab/runner/record"
	"drolab/tui/cell"

	"github.com/spf13/cobra"
)

// Env is the environment in which the commands run.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// DataDir and RunsDir are the folders in use without --data and --runs.
	DataDir, RunsDir string
	// Keys is the folder of the keys of drolab share.
	Keys string
	// Catalogues is the folder of the catalogues of runs folders; with "" none is kept.
	Catalogues string
	BoxEnv
	// Forwarded is what a machine that has forwarded the command tells of itself.
	Forwarded box.Forwarded
	// Views is the folder that keeps how the user looks at each runs folder; with "" nothing is
	// kept.
	Views string
	// ASCII restricts bars, lines and charts to the characters that every terminal has.
	ASCII bool
	// Environ holds the environment variables, as os.Environ returns them.
	Environ []string
	// SignalContext returns a context that is cancelled when the user wants the command to end. A
	// command that does not call it is ended at once. If hangup is not nil, the command goes on
	// when its terminal is closed, and hangup is called then.
	SignalContext func(ctx context.Context, hangup func()) (context.Context, context.CancelFunc)
	// LimitSignal returns a channel that is closed when the process receives USR1, the signal that
	// its time is nearly over. The process listens until forget is called. A nil LimitSignal means
	// that it does not.
	LimitSignal func() (warned <-chan struct{}, forget func())
	// Self returns the command, not yet started, that runs this program with other arguments; nil
	// keeps all runs in this process.
	Self func(args ...string) *exec.Cmd
	// Ring is the value that --ring has if it is not given.
	Ring string
	// Programs is the folder that records which programs the user has started before.
	Programs string
	// DebugFile is the file of the log for the report of a bug (see DebugLog); "" is none.
	DebugFile string
	Notifying
	// RuntimeDir is the user's folder for sockets ($XDG_RUNTIME_DIR), or empty.
	RuntimeDir string
}

// Notifying has the values that --notify and --notify-level have if they are not given.
type Notifying struct{ Notify, NotifyLevel string }

// Console is what every command works with: its environment, its output and the flags of all
// commands.
type Console struct {
	Env
	// Stdout and Stderr clean all text that is printed, because names and settings come from files
	// of other people. Only the interface, which cleans what it draws itself, writes to the
	// terminal directly.
	Stdout, Stderr *cell.Writer
	// Debug is the log for the report of a bug; nil is none.
	Debug   *DebugLog
	Threads int
	Args    []string // the command line
	// AsJSON makes a command print its result as JSON: see JSONFlag. Explain makes a command define
	// its figures: see ExplainFlag.
	AsJSON, Explain bool

	usualRuns string        // the folder of the runs without --runs
	seen      []*record.Run // the runs that the command reads
	broken    Failures      // the runs that it leaves out
	catalogue *record.Catalogue
	boxes     boxes

	mu      sync.Mutex
	drawing bool   // the interface has the terminal
	noted   string // the note that was printed last
}

// New returns the console of an environment.
func New(env Env) *Console {
	renamed := env.Forwarded.Renamed
	c := &Console{Env: env, usualRuns: env.RunsDir,
		Stdout: cell.NewWriter(renamePaths(env.Stdout, renamed)),
		Stderr: cell.NewWriter(renamePaths(env.Stderr, renamed))}
	c.SetFolding(true)
	return c
}

// SetFolding sets whether lines that are longer than the terminal's are broken between words.
// Without a terminal lines stay as they are, because other programs read them.
func (c *Console) SetFolding(on bool) {
	c.Stdout.Width, c.Stderr.Width = 0, 0
	if on {
		c.Stdout.Width, c.Stderr.Width = c.columns(c.Stdout), c.columns(c.Stderr)
	}
}

// Outlive is a hangup function for SignalContext that does nothing: the command goes on without its
// terminal.
func Outlive() {}

// noteRead notes runs that a command is about to read.
func (c *Console) noteRead(runs ...*record.Run) { c.seen = append(c.seen, runs...) }

// Close ends what the command has left open, after its end.
func (c *Console) Close() { c.dropEmptyMirrors() }

// Broken returns the errors of the runs that were left out, as they cannot be read.
func (c *Console) Broken() error { return c.broken.OrNil() }

// PrintPassedOver prints what was passed over in the files of the runs that were read, and so is
// missing from the output. It serves all commands.
func (c *Console) PrintPassedOver() {
	printed := map[string]bool{}
	for _, r := range c.seen {
		if err := r.PassedOver(); err != nil && !printed[err.Error()] {
			printed[err.Error()] = true
			PrintError(c.Stderr, err)
		}
	}
}

// Catalogue returns the catalogue of the runs folder.
func (c *Console) Catalogue() *record.Catalogue {
	if c.catalogue == nil {
		c.catalogue = c.CatalogueOf(c.RunsDir)
	}
	return c.catalogue
}

// CatalogueOf returns the catalogue of a folder of runs, which shows how far it is while it reads
// many of them.
func (c *Console) CatalogueOf(dir string) *record.Catalogue {
	catalogue := record.NewCatalogue(dir, c.Catalogues)
	catalogue.Progress = c.whileRead()
	return catalogue
}

// PrintLine prints a line. It cleans the line, because text about runs comes from files.
func (c *Console) PrintLine(format string, args ...any) {
	fmt.Fprintln(c.Stdout, cell.OneLine(fmt.Sprintf(format, args...)))
}

// Note prints a note on Stderr, unless it repeats the last one or the interface has the screen.
func (c *Console) Note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.noted != text && !c.drawing {
		c.noted = text
		fmt.Fprintf(c.Stderr, "note: %s\n", cell.OneLine(text))
	}
}

// Commands returns the commands about the machine.
func Commands(con *Console) []*cobra.Command {
	return []*cobra.Command{benchCommand(con), boxCommand(con)}
}
