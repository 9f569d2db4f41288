package trainer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"time"

	"drolab/runner"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cli/console"
)

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
			t.Note(fmt.Sprintf("telling of run %s: %v", o.ID, err))
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
