package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/eventlog"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cli/console"
)

// notifyTime is the time that the user's command may take. The process that trained the run waits
// for the command before it ends.
const notifyTime = 30 * time.Second

// A notifier runs the user's command for the alerts of the runs that a process trains. It reads
// their logs, as any other process could: training knows nothing of it. The command is the user's
// own, from --notify or DROLAB_NOTIFY. It never comes from a preset or a run, which anybody may
// have written. Its arguments hold nothing of the run.
type notifier struct {
	look  func(id string)     // tells what the log of a live run has got; nil: nobody wants it
	ended func(queue.Outcome) // tells the rest, and waits until all is told; nil without a command

	tr      *Trainer
	runsDir string
	mu      sync.Mutex
	runs    map[string]*toldRun // that have not ended
}

// toldRun is one life of a run, from a start or a resume to its end.
type toldRun struct {
	id      string
	tail    eventlog.Log
	from    alert.Reader
	waiting []alert.Alert // not told yet
	telling sync.WaitGroup
	busy    bool // the alerts that wait are being told
	noted   bool // that the command fails
}

// notifier returns the notifier of a process. Without a command it does nothing.
func (tr *Trainer) notifier(runsDir string) *notifier {
	n := &notifier{tr: tr, runsDir: runsDir, runs: map[string]*toldRun{}}
	if tr.Notify == "" {
		return n
	}
	n.ended = n.tellEnd
	if tr.NotifyLevel != alert.End {
		n.look = func(id string) { n.read(id, nil) }
	}
	return n
}

// read takes in what the log of a run has got, and tells it in the background. The outcome is that
// of a run that has ended, or nil.
func (n *notifier) read(id string, o *queue.Outcome) *toldRun {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.runs[id]
	if r == nil {
		run, err := record.Find(n.runsDir, id)
		if err != nil {
			n.tr.Note(fmt.Sprintf("notifying of run %s: %v", id, err))
			return nil
		}
		tail := run.Tail()
		tail.Only(alert.EventTypes()...)
		r = &toldRun{id: id, tail: tail}
		n.runs[id] = r
	}
	hasFailed, err := r.read(n.tr.NotifyLevel)
	if err != nil {
		n.tr.Note(fmt.Sprintf("notifying of run %s: %v", id, err))
	}
	if o != nil && o.Status == runner.Failed && !hasFailed { // the disk may be why, and be full
		a, _ := alert.Of(runner.NewStatus(runner.Head{Time: time.Now().UTC()}, o.Status, o.Err))
		r.waiting = append(r.waiting, a)
	}
	if len(r.waiting) > 0 && !r.busy {
		r.busy = true
		r.telling.Go(func() { n.tell(r) })
	}
	return r
}

// read takes in the rest of a log. It reports whether that says that the run has failed.
func (r *toldRun) read(level alert.Level) (hasFailed bool, err error) {
	for {
		events, err := r.tail.Read()
		if err != nil || len(events) == 0 {
			return hasFailed, err
		}
		for _, e := range events {
			if s, ok := e.(*runner.StatusEvent); ok {
				hasFailed = s.Status == runner.Failed
			}
			a, ok, resumed := r.from.Add(e)
			switch {
			case resumed:
				r.waiting = nil // that was for the process before to tell
			case ok && level.Wants(a):
				r.waiting = append(r.waiting, a)
			}
		}
	}
}

// tellEnd tells the rest of a run that has ended. Stops are not told: the user has asked for them.
func (n *notifier) tellEnd(o queue.Outcome) {
	if n.tr.NotifyLevel == alert.End && o.Status != runner.Done && o.Status != runner.Failed {
		return
	}
	r := n.read(o.ID, &o)
	n.mu.Lock()
	delete(n.runs, o.ID)
	n.mu.Unlock()
	if r != nil {
		r.telling.Wait()
	}
}

// tell runs the command for each alert that waits, in their order. A command that hangs is run once
// more, for the newest of them. The first failure of a run is noted.
func (n *notifier) tell(r *toldRun) {
	for {
		n.mu.Lock()
		if len(r.waiting) == 0 {
			r.busy = false
			n.mu.Unlock()
			return
		}
		a := r.waiting[0]
		r.waiting = r.waiting[1:]
		n.mu.Unlock()
		err := n.tr.notify(n.runsDir, a.In(r.id, ""))
		if err == nil {
			continue
		}
		text := fmt.Sprintf("notifying of run %s: %v", r.id, err)
		n.mu.Lock()
		if late := len(r.waiting) - 1; late > 0 && errors.Is(err, errHangs) {
			r.waiting = r.waiting[late:]
			text += fmt.Sprintf("; it is run once more, for the last of %d alerts that wait",
				late+1)
		}
		n.mu.Unlock()
		if !r.noted {
			r.noted = true
			n.tr.Note(text)
		}
	}
}

// errHangs is worded to follow a command.
var errHangs = errors.New("has not ended in time, and was killed")

// notify runs the user's command with the summary of a run and an alert as JSON on its input.
func (tr *Trainer) notify(runsDir string, a alert.Alert) error {
	r, err := record.Find(runsDir, a.Run)
	if err != nil {
		return err
	}
	text, err := notice(r, a)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(),
		cmp.Or(tr.notifyTime, notifyTime))
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", tr.Notify)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, "cmd", "/C", tr.Notify)
	}
	var said beginning
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &said, &said
	cmd.WaitDelay = time.Second
	endWhole(cmd)
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", tr.Notify, errHangs)
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // it has left something in the background
		return nil
	}
	if words := bytes.TrimSpace(said); len(words) > 0 {
		return fmt.Errorf("%s: %w: %s", tr.Notify, err, words)
	}
	return fmt.Errorf("%s: %w", tr.Notify, err)
}

// beginning keeps the first bytes that are written to it. A command may write without end.
type beginning []byte

// Write implements io.Writer.
func (b *beginning) Write(p []byte) (int, error) {
	const most = 200
	*b = append(*b, p[:min(len(p), most-len(*b))]...)
	return len(p), nil
}

// notice returns the summary of a run with an alert as three more fields.
func notice(r *record.Run, a alert.Alert) ([]byte, error) {
	summary, err := json.Marshal(console.Summaries([]*record.Run{r}).Runs[0])
	if err != nil {
		return nil, err
	}
	more, err := json.Marshal(struct {
		Level alert.Level `json:"level"`
		Alert string      `json:"alert"`
		Text  string      `json:"text"`
	}{a.Level, a.Name, a.Text})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	whole := append(append(bytes.TrimSuffix(summary, []byte("}")), ','), more[1:]...)
	if err := json.Indent(&b, whole, "", "  "); err != nil {
		return nil, err
	}
	return append(b.Bytes(), '\n'), nil
}

// tellInterrupted tells that runs were interrupted, as this process alone may notice it: the one
// that trained them is gone. The log says so from then on, and nobody else tells it.
func (tr *Trainer) tellInterrupted(runsDir string, runs ...*record.Run) error {
	if tr.Notify == "" || !tr.NotifyLevel.Wants(alert.Alert{Level: alert.Error}) {
		return nil
	}
	store, err := record.Open(runsDir)
	if err != nil {
		return err
	}
	var problems []error
	for _, r := range runs {
		if r.Status() != runner.Interrupted || r.Mirrored() != nil {
			continue
		}
		a, ok, err := store.LogInterrupted(r.Meta.ID)
		if ok {
			err = tr.notify(runsDir, a)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("notifying of run %s: %w", r.Meta.ID, err))
		}
	}
	return errors.Join(problems...)
}
