package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
	"drolab/tui/cli/console"
)

// loggedRun is a run that a test records, and what a Trainer says meanwhile.
type loggedRun struct {
	t      *testing.T
	tr     *Trainer
	dir    string
	rec    runner.Recorder
	id     string
	stderr bytes.Buffer
}

// newLoggedRun returns a run that has begun, and whose alerts a command is told from a level on.
func newLoggedRun(t *testing.T, level alert.Level, command string) *loggedRun {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the command is of a shell")
	}
	l := &loggedRun{t: t, dir: t.TempDir()}
	store, err := record.Open(l.dir)
	eventtest.Must(t, err)
	m := eventtest.Meta(1)
	l.rec, err = store.Create(m, nil)
	eventtest.Must(t, err)
	t.Cleanup(func() { l.rec.Close() })
	l.id = m.ID
	env := console.Env{Stdout: &bytes.Buffer{}, Stderr: &l.stderr}
	env.Notify = command
	l.tr = &Trainer{Console: console.New(env), NotifyLevel: level}
	l.log(eventtest.Status(0, runner.Running))
	return l
}

func (l *loggedRun) log(e runner.Event) {
	l.t.Helper()
	eventtest.Must(l.t, l.rec.Append(e))
}

func (l *loggedRun) warn(text string) { l.log(&runner.WarningEvent{Message: text}) }

// notes returns the lines on stderr.
func (l *loggedRun) notes() []string {
	text := strings.TrimSpace(l.stderr.String())
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// texts returns the alerts in a file of objects, as texts.
func texts(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var list []string
	for d := json.NewDecoder(bytes.NewReader(b)); d.More(); {
		var of struct{ ID, Level, Alert, Text string }
		eventtest.Must(t, d.Decode(&of))
		list = append(list, of.Level+" "+of.Alert+" "+of.Text)
	}
	return strings.Join(list, "; ")
}

// TestTellsOfALiveRun: a look tells what the log has got since the last one, in its order, and the
// end tells the rest. What was told before a resume is not told again.
func TestTellsOfALiveRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "told")
	l := newLoggedRun(t, alert.Warn, fmt.Sprintf("cat >> '%s'", file))
	l.warn("before")
	l.log(&runner.ResumeEvent{})
	l.log(eventtest.Status(0, runner.Running))
	l.warn("before")
	l.warn("few samples")
	n := l.tr.notifier(l.dir)
	n.look(l.id)
	n.look(l.id)
	l.warn("many classes")
	l.warn("few samples")
	n.look(l.id)
	l.log(runner.NewStatus(runner.Head{Step: 3}, runner.Failed, errors.New("NaN")))
	n.ended(queue.Outcome{ID: l.id, Status: runner.Failed, Err: errors.New("NaN")})
	const want = "warn warning few samples; warn warning many classes; error failed failed: NaN"
	if got := texts(t, file); got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if len(n.runs) > 0 || len(l.notes()) > 0 {
		t.Errorf("%d runs are left, notes %q, want none", len(n.runs), l.notes())
	}
}

// TestTalkativeCommand: a command may write without end, its words are cut in the note on a
// failure, and what it leaves in the background is no failure.
func TestTalkativeCommand(t *testing.T) {
	for command, want := range map[string]string{
		"head -c 1000000 /dev/zero | tr '\\0' x; exit 3": strings.Repeat("x", 200),
		"exit 3":           "exit 3: exit status 3",
		"sleep 3 & exit 0": "",
	} {
		if testing.Short() && want == "" {
			continue // a second passes until the process in the background is given up
		}
		l := newLoggedRun(t, alert.End, command)
		n := l.tr.notifier(l.dir)
		l.log(eventtest.Status(1, runner.Done))
		n.ended(queue.Outcome{ID: l.id, Status: runner.Done})
		if got := strings.Join(l.notes(), "; "); !strings.HasSuffix(got, want) ||
			(got == "") != (want == "") {
			t.Errorf("%s: noted %q, want %q at its end", command, got, want)
		}
	}
}

// TestTellsOfFullDisk: a failure that the log could not take is told all the same.
func TestTellsOfFullDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "told")
	l := newLoggedRun(t, alert.End, fmt.Sprintf("cat >> '%s'", file))
	l.warn("few samples")
	n := l.tr.notifier(l.dir)
	if n.look != nil {
		t.Error("logs of live runs are looked at for nothing")
	}
	n.ended(queue.Outcome{ID: l.id, Status: runner.Stopped})
	if got := texts(t, file); got != "" {
		t.Errorf("of a stopped run: told %q", got)
	}
	n.ended(queue.Outcome{ID: l.id, Status: runner.Failed, Err: errors.New("the disk is full")})
	if got := texts(t, file); got != "error failed failed: the disk is full" {
		t.Errorf("told %q, want the failure", got)
	}
}

// TestHangingCommand: a command that hangs is killed and run once more, for the newest alert, and
// costs one line. So does one that fails.
func TestHangingCommand(t *testing.T) {
	for _, c := range []struct {
		command     string
		time        time.Duration
		least, most int // how often it is run: one that is killed early may have written nothing
		note        string
	}{
		{"echo >> '%s'; exec sleep 600", 50 * time.Millisecond, 0, 2,
			"has not ended in time, and was killed"},
		{"echo >> '%s'; echo no bell; exit 3", time.Minute, 4, 4, "exit status 3: no bell"},
	} {
		file := filepath.Join(t.TempDir(), "tries")
		l := newLoggedRun(t, alert.Info, fmt.Sprintf(c.command, file))
		l.tr.notifyTime = c.time
		for _, text := range []string{"one", "two", "three"} {
			l.warn(text)
		}
		l.log(eventtest.Status(3, runner.Done))
		l.tr.notifier(l.dir).ended(queue.Outcome{ID: l.id, Status: runner.Done})
		tries, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if n := len(tries); n < c.least || n > c.most {
			t.Errorf("%s: run %d times, want %d to %d", c.note, n, c.least, c.most)
		}
		if notes := l.notes(); len(notes) != 1 || !strings.Contains(notes[0], c.note) {
			t.Errorf("notes %q, want one with %q", notes, c.note)
		}
	}
}
