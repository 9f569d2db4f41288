package console

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// DebugLog is a file for the report of a bug: which program ran, on which machine and terminal,
// which command with which flags, and what the interface was told, each with its time. It contains
// no values of flags, no names of files or runs, no text that was typed and nothing of the user's
// data. Several processes, such as a command and the engine that it starts, may write one file. The
// nil DebugLog writes nothing.
type DebugLog struct {
	mu    sync.Mutex
	f     *os.File
	begun time.Time
}

// OpenDebugLog opens a file and appends to it; "" opens none.
func OpenDebugLog(path string) (*DebugLog, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("DROLAB_DEBUG: %w", err)
	}
	return &DebugLog{f: f, begun: time.Now()}, nil
}

// Printf writes a line, with the process and the milliseconds since it opened the file. A line is
// lost if it cannot be written.
func (l *DebugLog) Printf(format string, args ...any) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " ")
	fmt.Fprintf(l.f, "%d %8.1f ms  %s\n", os.Getpid(),
		float64(time.Since(l.begun).Microseconds())/1e3, text)
}

// terminalVariables are the variables of the environment that say what a terminal is able to do.
var terminalVariables = []string{"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
	"COLORFGBG", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE", "DROLAB_ASCII", "DROLAB_CONTRAST",
	"DROLAB_PIXELS"}

// WriteStart writes what is known when the program starts: its version, the machine and the
// terminal.
func (c *Console) WriteStart() {
	if c.Debug == nil {
		return
	}
	host := Host()
	c.Debug.Printf("drolab %s, %s, %s, %s, %d cores, kernels: %s, begun %s", host.Version, host.Go,
		host.System, host.CPU, runtime.NumCPU(), host.Kernel, c.Debug.begun.Format(time.RFC3339))
	var variables []string
	for _, variable := range c.Environ {
		name, value, _ := strings.Cut(variable, "=")
		for _, known := range terminalVariables {
			if name == known {
				variables = append(variables, fmt.Sprintf("%s=%q", name, value))
			}
		}
		if name == "TMUX" || name == "STY" || name == "SSH_TTY" || name == "SSH_CONNECTION" {
			variables = append(variables, name+" is set")
		}
	}
	width, height, ok := c.Size()
	c.Debug.Printf("terminal: %v, %d columns, %d rows, %s", ok, width, height,
		strings.Join(variables, " "))
}

// WriteCommand writes the name of the command that runs, and the names of the flags that it was
// given.
func (c *Console) WriteCommand(of *cobra.Command) {
	if c.Debug == nil {
		return
	}
	var flags []string
	of.Flags().Visit(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
	c.Debug.Printf("command: %s", strings.Join(append([]string{of.CommandPath()}, flags...), " "))
}
