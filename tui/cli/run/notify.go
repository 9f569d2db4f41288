package run

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

// notifyTime is the time that the user's command may take. The process that trained the run waits
// for the command before it ends.
const notifyTime = 30 * time.Second

// notifier returns the function that runs the user's command when a run is done or has failed, with
// the summary as JSON on the command's input; nil without a command. The command is the user's own,
// from --notify or DROLAB_NOTIFY. It never comes from a preset or a run, which anybody may have
// written. Its arguments hold nothing of the run.
func (tr *Trainer) notifier(runsDir string) func(queue.Outcome) {
	if tr.Notify == "" {
		return nil
	}
	return func(o queue.Outcome) {
		if o.Status != runner.Done && o.Status != runner.Failed {
			return
		}
		if err := tr.notify(runsDir, o.ID); err != nil {
			tr.Note(fmt.Sprintf("notifying of run %s: %v", o.ID, err))
		}
	}
}

func (tr *Trainer) notify(runsDir, id string) error {
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
	cmd := exec.CommandContext(ctx, "sh", "-c", tr.Notify)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/C", tr.Notify)
	}
	cmd.Stdin = bytes.NewReader(append(b, '\n'))
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.200s", tr.Notify, err, bytes.TrimSpace(out))
	}
	return nil
}
