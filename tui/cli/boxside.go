package cli

import (
	"context"
	"fmt"
	"time"

	"drolab/runner/box"
	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/machine"
	"drolab/tui/cli/console"
	"drolab/tui/cli/run"
)

// boxSideCommand is the command that ssh starts on a box, for a drolab elsewhere. It is no command
// of this package, since its output is not for people. It ends with its input.
const boxSideCommand = "box-side"

// serveBox sends the runs of this machine, and does what the other side asks.
func serveBox(ctx context.Context, env console.Env) int {
	console.YieldToRuns()
	yieldThread()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends nvidia-smi
	ticks := time.NewTicker(box.LookEvery)
	defer ticks.Stop()
	host := console.Host()
	side := &box.FarSide{
		RunsDir: env.RunsDir,
		Cache:   env.Catalogues,
		Hello: box.Hello{Version: host.Version, System: host.System, CPU: host.CPU,
			Cores: machine.Threads(), Memory: machine.Memory(), Advice: engine.LogoutAdvice()},
		Ticks:   ticks.C,
		Now:     time.Now,
		Verbs:   run.FarVerbs(env),
		GPUs:    machine.WatchGPUs(ctx),
		DataDir: env.DataDir,
		Approved: func(path string) error {
			_, err := bridge.Approvals(env.Programs).Check(path)
			return err
		},
	}
	if err := side.Serve(ctx, env.Stdin, env.Stdout); err != nil {
		fmt.Fprintf(env.Stderr, "drolab: %v\n", err)
		return 1
	}
	return 0
}
