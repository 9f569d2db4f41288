package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"

	"drolab/presets"
	"drolab/runner/record"
	cells "drolab/tui/cell"

	"github.com/charmbracelet/x/term"
)

// Env is the world as the commands see it.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// DataDir and RunsDir are the folders in use without --data and --runs.
	DataDir, RunsDir string
	// Keys is the folder of the keys of drolab share.
	Keys string
	// Catalogues is the folder of what is remembered of folders of runs; "" remembers nothing.
	Catalogues string
	// Views is the folder of how the user looks at folders of runs; "" keeps nothing.
	Views string
	// ASCII keeps the progress bars to letters that every terminal has.
	ASCII bool
	// Environ is the environment, for what the interface takes from it.
	Environ []string
	// Orderly returns a context that is cancelled when the user wants the
	// command to end. A command that does not ask for it is ended at once. With
	// hangup it goes on when its terminal is closed, and hangup is called then.
	Orderly func(ctx context.Context, hangup func()) (context.Context, context.CancelFunc)
	// Warned returns what is closed when the process hears that its time is about to
	// be over (USR1), until forget is called; nil: it hears nothing.
	Warned func() (warned <-chan struct{}, forget func())
	// Self returns the command that is this program with other arguments, not
	// started; nil keeps all runs in this process.
	Self func(args ...string) *exec.Cmd
	// Ring is in use without --ring.
	Ring string
	// Programs is the folder that says which programs the user has started before.
	Programs string
	// Notify is the command in use without --notify.
	Notify string
	// RuntimeDir is the user's folder for sockets ($XDG_RUNTIME_DIR), or empty.
	RuntimeDir string
}

// Console is what every command has: the world, in which it reads and prints.
type Console struct {
	Env
	// Stdout and Stderr clean all that is printed: names and settings come from files of
	// other people. Only the interface, which draws with its own care, has the terminal
	// itself.
	Stdout, Stderr *cells.Writer
	Threads        int
	// AsJSON asks for a command's result as JSON: see JSONFlag. Explain asks for what its words
	// mean: see ExplainFlag.
	AsJSON, Explain bool

	seen      []*record.Run // that were found by their names
	catalogue *record.Catalogue

	mu      sync.Mutex
	drawing bool   // the interface has the terminal
	noted   string // said already
}

// New returns the console of a world.
func New(env Env) *Console {
	c := &Console{Env: env, Stdout: cells.NewWriter(env.Stdout),
		Stderr: cells.NewWriter(env.Stderr)}
	c.Fit(true)
	return c
}

// Fit breaks lines that are longer than the terminal's between words, or does not. Where there is
// no terminal lines stay as they are: other programs read them.
func (c *Console) Fit(on bool) {
	c.Stdout.Width, c.Stderr.Width = 0, 0
	if columns, _, ok := c.Size(); ok && on {
		c.Stdout.Width = columns
	}
	if columns, _, ok := c.SizeErr(); ok && on {
		c.Stderr.Width = columns
	}
}

// Outlive is a hangup that changes nothing.
func Outlive() {}

// saw notes runs that a command is about to read.
func (c *Console) saw(runs ...*record.Run) { c.seen = append(c.seen, runs...) }

// TellPassedOver says what was left out of all that was printed or written: whichever
// command has read the runs.
func (c *Console) TellPassedOver() {
	var list Failures
	for _, r := range c.seen {
		if err := r.PassedOver(); err != nil && !slices.ContainsFunc(list, func(e error) bool {
			return e.Error() == err.Error()
		}) {
			list = append(list, err)
		}
	}
	if len(list) > 0 {
		PrintError(c.Stderr, list)
	}
}

// Catalogue is that of the folder of runs.
func (c *Console) Catalogue() *record.Catalogue {
	if c.catalogue == nil {
		c.catalogue = record.NewCatalogue(c.RunsDir, c.Catalogues)
	}
	return c.catalogue
}

// Say prints a line. What it tells of runs comes from files.
func (c *Console) Say(format string, args ...any) {
	fmt.Fprintln(c.Stdout, OneLine(fmt.Sprintf(format, args...)))
}

// Print prints a document as it is.
func (c *Console) Print(text string) error {
	_, err := io.WriteString(c.Stdout, text)
	return err
}

// Note says something on the side, but for the interface, which has the
// screen.
func (c *Console) Note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.noted != text && !c.drawing {
		c.noted = text
		fmt.Fprintf(c.Stderr, "note: %s\n", OneLine(text))
	}
}

// terminalSize returns the size in cells of the terminal that w is.
func terminalSize(w any) (width, height int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(f.Fd()) {
		return 0, 0, false
	}
	width, height, err := term.GetSize(f.Fd())
	return width, height, err == nil
}

// OnTerminal tells whether a person can be shown the interface.
func (c *Console) OnTerminal() bool {
	_, _, in := terminalSize(c.Stdin)
	_, _, out := c.Size()
	return in && out
}

// Draws says whether the interface has the terminal now, which notes keep out of then.
func (c *Console) Draws(now bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawing = now
}

// Size is that of the terminal that Stdout is, in cells.
func (c *Console) Size() (width, height int, ok bool) { return terminalSize(c.Env.Stdout) }

// SizeErr is that of the terminal that Stderr is.
func (c *Console) SizeErr() (width, height int, ok bool) { return terminalSize(c.Env.Stderr) }

// Failures are several things that went wrong, to be printed one a line.
type Failures []error

func (f Failures) Error() string { return errors.Join(f...).Error() }

// And adds what went wrong, each of several; nil adds nothing.
func (f Failures) And(err error) Failures {
	switch err := err.(type) {
	case nil:
		return f
	case Failures:
		return append(f, err...)
	default:
		return append(f, err)
	}
}

// OrNil returns nil where nothing failed.
func (f Failures) OrNil() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// PrintError prints what went wrong, each of several in a line of its own.
func PrintError(w io.Writer, err error) {
	list := Failures{err}
	if several, ok := err.(Failures); ok {
		list = several
	}
	if wrong := (presets.Errors)(nil); errors.As(err, &wrong) {
		list = Failures(wrong)
	}
	for _, e := range list {
		fmt.Fprintf(w, "drolab: %s\n", OneLine(e.Error()))
	}
}
