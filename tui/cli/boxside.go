package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"drolab/runner/box"
	"drolab/tui/cli/console"
)

// boxSideCommand is the command that ssh starts on a box, for a drolab elsewhere. It is no command
// of this package, since its output is not for people. It ends with its input.
const boxSideCommand = "box-side"

// serveBox sends the runs of this machine.
func serveBox(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
	console.YieldToRuns()
	ticks := time.NewTicker(box.LookEvery)
	defer ticks.Stop()
	host := console.Host()
	side := &box.FarSide{
		RunsDir: runsDir(),
		Cache:   catalogues(),
		Hello:   box.Hello{Version: host.Version, System: host.System, Cores: runtime.NumCPU()},
		Ticks:   ticks.C,
		Now:     time.Now,
	}
	if err := side.Serve(ctx, stdin, stdout); err != nil {
		fmt.Fprintf(stderr, "drolab: %v\n", err)
		return 1
	}
	return 0
}

// runsDir and catalogues return the folders of the runs and of the catalogues.
func runsDir() string { return folder("DROLAB_RUNS", "XDG_STATE_HOME", ".local/state", "runs") }

func catalogues() string { return folder("", "XDG_CACHE_HOME", ".cache", "catalogues") }
