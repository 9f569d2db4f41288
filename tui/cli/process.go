package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"drolab/runner/data/source"
	"drolab/tui/cli/console"
)

// Process runs the program as a system starts it, and returns its exit status.
func Process(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if slices.Equal(args, []string{readerCommand}) {
		signal.Ignore(os.Interrupt, syscall.SIGHUP)
		if err := source.Serve(stdin, stdout); err != nil {
			fmt.Fprintf(stderr, "drolab: %v\n", err)
			return 1
		}
		return 0
	}
	if err := checkHome(); err != nil {
		fmt.Fprintf(stderr, "drolab: %v\n", err)
		return 1
	}
	env := environment(stdin, stdout, stderr)
	if slices.Equal(args, []string{boxSideCommand}) {
		return serveBox(ctx, env)
	}
	if slices.Equal(args, []string{boxSideCommand, "run"}) {
		return serveForwarded(ctx, stdin, stdout, stderr)
	}
	defer source.ReadApart(func() *exec.Cmd { return selfCommand(readerCommand) })()
	if os.Getenv("NO_COLOR") != "" {
		os.Setenv("NO_COLOR", "1") // the libraries take only some values; the convention is any
	}
	return Main(ctx, env, args)
}

// environment returns what a command is given of this process.
func environment(stdin io.Reader, stdout, stderr io.Writer) console.Env {
	return console.Env{
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		DataDir:    folder("DROLAB_DATA", "XDG_CACHE_HOME", ".cache"),
		RunsDir:    folder("DROLAB_RUNS", "XDG_STATE_HOME", ".local/state", "runs"),
		Catalogues: folder("", "XDG_CACHE_HOME", ".cache", "catalogues"),
		BoxEnv: console.BoxEnv{
			Boxes:   os.Getenv("DROLAB_BOXES"),
			SSH:     cmp.Or(os.Getenv("DROLAB_SSH"), "ssh"),
			Mirrors: folder("", "XDG_CACHE_HOME", ".cache", "boxes"),
		},
		Forwarded:     forwarded(),
		Views:         folder("", "XDG_STATE_HOME", ".local/state", "views"),
		Keys:          folder("", "XDG_STATE_HOME", ".local/state", "share"),
		Programs:      folder("", "XDG_STATE_HOME", ".local/state", "programs"),
		ASCII:         ascii(),
		Environ:       os.Environ(),
		SignalContext: signalContext,
		LimitSignal:   limitSignal,
		DebugFile:     os.Getenv("DROLAB_DEBUG"),
		Notifying: console.Notifying{Notify: os.Getenv("DROLAB_NOTIFY"),
			NotifyLevel: os.Getenv("DROLAB_NOTIFY_LEVEL")},
		Ring: os.Getenv("DROLAB_RING"),
		Self: selfCommand, RuntimeDir: os.Getenv("XDG_RUNTIME_DIR"),
	}
}

// signalContext returns a context for a command that has to put something in order before it ends.
// The first interrupt cancels the context; the second, with the handler gone, ends the process at
// once. With hangup the command outlives the terminal that it was started from and the readers of
// its output; hangup is called when the terminal is closed.
func signalContext(ctx context.Context, hangup func()) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	if hangup != nil {
		signal.Ignore(syscall.SIGPIPE)
		gone := make(chan os.Signal, 1)
		signal.Notify(gone, syscall.SIGHUP)
		go func() {
			for range gone {
				hangup()
			}
		}()
	}
	return ctx, stop
}

// selfCommand returns the command that is this program again. On Linux it does not need the
// program's file, which go run removes and an update replaces.
func selfCommand(args ...string) *exec.Cmd {
	path := "/proc/self/exe"
	if runtime.GOOS != "linux" {
		var err error
		if path, err = os.Executable(); err != nil {
			path = os.Args[0]
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0] = os.Args[0]
	return cmd
}

// readerCommand is the command that reads a data set for the process that started it. Only the
// program itself uses it. It is no command of tui/cli, since it is started each time and its output
// is not for people. It ends with the process that started it, even if a terminal interrupts both.
const readerCommand = "reader"

// checkHome returns an error if the folders of the user are not known. Without it, what has to last
// would lie in whatever folder the program is started from.
func checkHome() error {
	home, err := os.UserHomeDir()
	state, cache := os.Getenv("XDG_STATE_HOME"), os.Getenv("XDG_CACHE_HOME")
	if err == nil && filepath.IsAbs(home) || filepath.IsAbs(state) && filepath.IsAbs(cache) {
		return nil
	}
	return errors.New("the home folder is not known: set HOME, or XDG_STATE_HOME and " +
		"XDG_CACHE_HOME, to the path of a folder, beginning with /")
}

// folder returns the value of own or, where that is empty, drolab's folder in
// the user's folder of that kind (XDG base directories).
func folder(own, kind, fallback string, below ...string) string {
	if dir := os.Getenv(own); dir != "" {
		return dir
	}
	base := os.Getenv(kind)
	if !filepath.IsAbs(base) { // the specification's rule; it covers the empty one
		home, _ := os.UserHomeDir() // see checkHome
		base = filepath.Join(home, fallback)
	}
	return filepath.Join(append([]string{base, "drolab"}, below...)...)
}

// ascii reports whether the terminal may lack the characters of bars and lines.
func ascii() bool {
	term := os.Getenv("TERM")
	return os.Getenv("DROLAB_ASCII") != "" || term == "linux" || term == "dumb"
}
