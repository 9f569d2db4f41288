package trainer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/engine"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/cli/machine"
)

// Trainer starts runs and sends them requests.
type Trainer struct{ *console.Console }

// HasEngine reports whether runs can outlive this process.
func (t *Trainer) HasEngine() bool { return engine.Supported && t.Self != nil }

// Client returns a client of the engine of a runs folder.
func (t *Trainer) Client(runsDir string) *engine.Client {
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // then datasets named by a relative path are not found
	}
	return engine.NewClient(engine.Client{RunsDir: runsDir, RuntimeDir: t.RuntimeDir,
		Version: machine.Version(), Note: t.Note,
		Means:   runner.Means{DataDir: Absolute(dir, t.DataDir), Threads: t.Threads, Dir: dir},
		Program: programMeans,
		Command: func() *exec.Cmd {
			return t.Self("engine", "--runs", runsDir, "--data", Absolute(dir, t.DataDir),
				"--notify", t.Notify)
		}})
}

// programMeans returns the interpreter and the environment for programs that this process asks to
// start.
func programMeans() *runner.ProgramMeans {
	python, _ := exec.LookPath("python3") // the run reports a missing python3
	return &runner.ProgramMeans{Python: python, Env: os.Environ()}
}

// Absolute returns path, taken as relative to the folder dir if it is relative.
func Absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Queue returns a queue of this process. Its runs stop when the user wants that or cancel is
// called. When the terminal is lost, the runs are saved and continue.
func (t *Trainer) Queue(
	ctx context.Context, store *record.Store,
) (q *queue.Queue, cancel context.CancelFunc) {
	made := make(chan *queue.Queue, 1)
	ctx, cancel = t.Orderly(ctx, func() {
		q := <-made
		made <- q
		SaveAll(q)
	})
	machine.Lean()
	q = queue.NewQueue(ctx, t.Settings(store))
	made <- q
	return q, cancel
}

// Settings returns the settings of runs in this process. No other process can tell these runs to
// continue when the disk has room again.
func (t *Trainer) Settings(store *record.Store) queue.Settings {
	return queue.Settings{Store: store, Host: machine.Host(), DataDir: t.DataDir,
		Threads: t.Threads, Alone: true, Ended: t.notifier(store.Dir()), Reports: store.Dir(),
		Programs: bridge.Approvals(t.Programs)}
}

// SaveAll asks every run for a checkpoint, without waiting, because soon nobody may be there to be
// told the result. A run that refuses the request has just had many others.
func SaveAll(q *queue.Queue) {
	for _, r := range q.Live() {
		go q.Checkpoint(r.ID)
	}
}

// notifyTime is the time that the user's command may take. The process that trained the run waits
// for the command before it ends.
const notifyTime = 30 * time.Second

// notifier returns the function that runs the user's command when a run is done or has failed, with
// the summary as JSON on the command's input; nil without a command. The command is the user's own,
// from --notify or DROLAB_NOTIFY. It never comes from a preset or a run, which anybody may have
// written. Its arguments hold nothing of the run.
func (t *Trainer) notifier(runsDir string) func(queue.Outcome) {
	if t.Notify == "" {
		return nil
	}
	return func(o queue.Outcome) {
		if o.Status != runner.Done && o.Status != runner.Failed {
			return
		}
		if err := t.ring(runsDir, o.ID); err != nil {
			t.Note(fmt.Sprintf("notifying of run %s: %v", o.ID, err))
		}
	}
}

func (t *Trainer) ring(runsDir, id string) error {
	r, err := record.Find(runsDir, id)
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(console.Summaries([]*record.Run{r}).Runs[0], "", "  ")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", t.Notify)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/C", t.Notify)
	}
	cmd.Stdin = bytes.NewReader(append(b, '\n'))
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.200s", t.Notify, err, bytes.TrimSpace(out))
	}
	return nil
}
