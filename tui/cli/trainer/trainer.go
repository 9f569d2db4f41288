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

// Trainer is what starts and asks of runs.
type Trainer struct{ *console.Console }

// HasEngine tells whether runs can outlive this process.
func (t *Trainer) HasEngine() bool { return engine.Supported && t.Self != nil }

// Client asks the engine of a runs folder.
func (t *Trainer) Client(runsDir string) *engine.Client {
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // datasets that are named by a relative path are not found then
	}
	return &engine.Client{RunsDir: runsDir, RuntimeDir: t.RuntimeDir, Version: machine.Version(),
		Note:    t.Note,
		Means:   runner.Means{DataDir: Absolute(dir, t.DataDir), Threads: t.Threads, Dir: dir},
		Program: programMeans,
		Command: func() *exec.Cmd {
			return t.Self("engine", "--runs", runsDir, "--data", Absolute(dir, t.DataDir),
				"--notify", t.Notify)
		}}
}

// programMeans is what programs are started with that this process asks for.
func programMeans() *runner.ProgramMeans {
	python, _ := exec.LookPath("python3") // the run says that it is missing
	return &runner.ProgramMeans{Python: python, Env: os.Environ()}
}

// Absolute is a path as seen from a folder.
func Absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Queue returns a queue of this process, whose runs stop when the user wants
// that or cancel is called. When the terminal is lost they are saved and go on.
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

// Settings are those of runs in this process. No other process can tell them to
// go on when the disk has room again.
func (t *Trainer) Settings(store *record.Store) queue.Settings {
	return queue.Settings{Store: store, Host: machine.Host(), DataDir: t.DataDir,
		Threads: t.Threads, Alone: true, Ended: t.notifier(store.Dir()), Reports: store.Dir(),
		Programs: bridge.Approvals(t.Programs)}
}

// SaveAll asks for a checkpoint of every run, at a moment after which nobody
// may be there any more, or be told what came of it. A run that cannot be asked has
// just been asked a lot.
func SaveAll(q *queue.Queue) {
	for _, r := range q.Live() {
		go q.Checkpoint(r.ID)
	}
}

// notifyTime is how long a command may take that tells of a run: the process
// that ran the run waits for it before it ends.
const notifyTime = 30 * time.Second

// notifier returns what runs the user's command when a run is done or has failed,
// with the summary as JSON on its input; nil without a command. The command is
// the user's own, from --notify or DROLAB_NOTIFY, and never from a preset or a run,
// which may come from anybody. Nothing of the run is in its arguments.
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
