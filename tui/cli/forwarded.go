package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"drolab/runner/box"
	"drolab/tui/cli/console"
)

// serveForwarded runs a command of this machine for a drolab elsewhere, which has started it over
// ssh. When the connection ends, so does it.
func serveForwarded(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP, syscall.SIGTERM)
	w := &box.Worker{Version: console.Version(), Command: selfCommand, Hangup: hangup}
	if err := w.Serve(ctx, stdin, stdout); err != nil {
		fmt.Fprintf(stderr, "drolab: %v\n", err)
		return 1
	}
	return 0
}

// forwarded returns what a machine that has forwarded the command tells of itself. The processes
// that the command starts are not told.
func forwarded() (f box.Forwarded) {
	text := os.Getenv(box.ForwardedVariable)
	os.Unsetenv(box.ForwardedVariable)
	_ = json.Unmarshal([]byte(text), &f) // without the text, no machine has forwarded it
	return f
}
