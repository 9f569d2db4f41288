package run

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/lab"
)

// Trainer has the commands that train, show live runs and send them requests.
type Trainer struct {
	*console.Console
	Ring lab.Ring // how the interface rings; known once the flags are parsed
	// NotifyLevel says of which alerts --notify tells; known once the flags are parsed.
	NotifyLevel alert.Level

	notifyTime time.Duration // in the place of the constant, for tests; 0: it
}

// hasEngine reports whether runs can outlive this process.
func (tr *Trainer) hasEngine() bool { return engine.Supported && tr.Self != nil }

// client returns a client of the engine of a runs folder.
func (tr *Trainer) client(runsDir string) *engine.Client {
	dir, _ := os.Getwd() // with "" datasets named by a relative path are not found
	return engine.NewClient(engine.Client{RunsDir: runsDir, Place: tr.PlaceOf(runsDir),
		RuntimeDir: tr.RuntimeDir,
		Version:    console.Version(), Note: tr.Note,
		Means: runner.Means{DataDir: absolutePath(dir, tr.DataDir), Threads: tr.Threads,
			Dir: dir},
		Program: programMeans,
		Command: func() *exec.Cmd {
			return tr.Self("engine", "--runs", runsDir, "--data", absolutePath(dir, tr.DataDir),
				"--notify", tr.Notify, "--notify-level", string(tr.NotifyLevel))
		}})
}

// FarVerbs returns what does on this machine what a drolab elsewhere asks over its link.
func FarVerbs(env console.Env) runner.Verbs {
	if !engine.Supported || env.Self == nil {
		return engine.ReadOnly{}
	}
	return (&Trainer{Console: console.New(env)}).client(env.RunsDir)
}

// programMeans returns the interpreter and the environment for programs that this process asks to
// start.
func programMeans() *runner.ProgramMeans {
	python, _ := exec.LookPath("python3") // the run reports a missing python3
	return &runner.ProgramMeans{Python: python, Env: os.Environ()}
}

// absolutePath returns path, taken as relative to the folder dir if it is relative.
func absolutePath(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// queue returns a queue of this process. Its runs stop when the user wants that or cancel is
// called. When the terminal is lost, the runs are saved and continue.
func (tr *Trainer) queue(
	ctx context.Context, store *record.Store,
) (q *queue.Queue, cancel context.CancelFunc) {
	console.CollectEarly()
	trainings, stop := context.WithCancel(ctx)
	q = queue.NewQueue(trainings, tr.settings(store))
	ctx, cancel = tr.SignalContext(ctx, func() { saveAll(q) })
	context.AfterFunc(ctx, stop)
	return q, cancel
}

// settings returns the settings of runs in this process. No other process can tell these runs to
// continue when the disk has room again.
func (tr *Trainer) settings(store *record.Store) queue.Settings {
	tells := tr.notifier(store.Dir())
	return queue.Settings{Store: store, Host: console.Host(), DataDir: tr.DataDir,
		Threads: tr.Threads, Alone: true, Look: tells.look, Ended: tells.ended,
		Reports: store.Dir(), Programs: bridge.Approvals(tr.Programs)}
}

// saveAll asks every run for a checkpoint, without waiting, because soon nobody may be there to be
// told the result. A run that refuses the request has just had many others.
func saveAll(q *queue.Queue) {
	for _, r := range q.Live() {
		go q.Checkpoint(r.ID)
	}
}
