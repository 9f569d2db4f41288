package tui

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/record"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// newsFolder is an archive whose runs have logs that a test writes.
type newsFolder struct {
	tuitest.Archive
	logs map[string][]runner.Event
}

// newsLog is a log of a newsFolder.
type newsLog struct {
	from *newsFolder
	id   string
	at   int
}

func (f *newsFolder) Open(r *record.Run) eventlog.Log { return &newsLog{from: f, id: r.Meta.ID} }

func (*newsLog) Skipped() int   { return 0 }
func (*newsLog) Share() float64 { return 1 }

func (l *newsLog) Read() ([]runner.Event, error) {
	events := l.from.logs[l.id][l.at:]
	l.at += len(events)
	return events, nil
}

// news adds an event to the log of a run, so many minutes after the start, and lets the interface
// look.
func (f *newsFolder) news(r *driver, id string, minute int, e runner.Event) {
	h := e.Header()
	h.Seq, h.Time = int64(len(f.logs[id])+1), minutesOn(minute)
	f.logs[id] = append(f.logs[id], e)
	r.script.Now = minutesOn(minute)
	r.Send(newTick(r.script.Now))
	r.Run(r.List())
}

func minutesOn(n int) time.Time { return tuitest.Epoch0().Add(time.Duration(n) * time.Minute) }

// foot returns the last line of the screen.
func (r *driver) foot(t *testing.T) string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(tuitest.Text(r.shot(t)), "\n"), "\n")
	return lines[len(lines)-1]
}

func newNews(t *testing.T) (*newsFolder, *driver) {
	t.Helper()
	f := &newsFolder{Archive: tuitest.NewArchive(t), logs: map[string][]runner.Event{}}
	old := &runner.WarningEvent{Message: "this was before"}
	old.Seq, old.Time = 1, minutesOn(-30)
	f.logs["shapes-pan-s1"] = []runner.Event{old}
	return f, f.open(t)
}

// open opens the interface on the page Runs, by the clock of the archive.
func (f *newsFolder) open(t *testing.T) *driver {
	t.Helper()
	r := browsing(t, f, "3", 80, 24)
	r.alerts = alertState{} // it began by the clock of this machine
	r.Send(newTick(minutesOn(0)))
	r.Run(r.List())
	return r
}

// TestAlertsAtTheFoot: the newest alert stands in the last line for a while or until a key is
// pressed, and the footer counts those since the last look, which lists them all.
func TestAlertsAtTheFoot(t *testing.T) {
	f, r := newNews(t)
	if foot := r.foot(t); strings.Contains(foot, "alert") {
		t.Errorf("at the start: %q, want no alert", foot)
	}
	warning := &runner.WarningEvent{Message: "class 3 has no test samples: its accuracy does " +
		"not apply, and the worst class is the worst of the others"}
	f.news(r, "shapes-sfk-s1", 1, warning)
	if n := strings.Count(r.footer(), "\n"); n > 0 {
		t.Errorf("a long alert takes %d lines of the page, want none", n)
	}
	first := r.foot(t)
	r.Wait(time.Minute, time.Second)
	counted := r.foot(t)
	if !strings.Contains(counted, "1 alert") || !strings.Contains(counted, "? help") {
		t.Errorf("after a minute: %q, want the keys and the count", counted)
	}
	f.news(r, "shapes-pgd-s2", 3, runner.NewStatus(runner.Head{Step: 40}, runner.Failed,
		errors.New("step 40: batch loss is NaN: lower lr")))
	second := r.shot(t)
	r.Press("N")
	f.news(r, "shapes-erm-s1", 4, runner.NewStatus(runner.Head{Step: 320}, runner.Done, nil))
	list := r.shot(t)
	r.Press("esc")
	after := r.foot(t)
	tuitest.Golden(t, "alerts", strings.Join([]string{first, counted, after, ""}, "\n")+
		tuitest.Text(second)+tuitest.Text(list)+tuitest.Styles(list))
	r.fits(t, "alerts")
}

// TestNoteAtTheStart: what is not kept stands at the foot once, until a key is pressed.
func TestNoteAtTheStart(t *testing.T) {
	_, r := newNews(t)
	r.Config.Note = "not kept: how you look at runs (/home/me is not a folder)"
	r.Send(newTick(minutesOn(1)))
	if foot := r.foot(t); !strings.Contains(foot, "not kept: how you look at runs") {
		t.Errorf("at the start: %q, want the note", foot)
	}
	r.Press("down")
	r.Send(newTick(minutesOn(2)))
	if foot := r.foot(t); strings.Contains(foot, "not kept") {
		t.Errorf("after a key: %q, want the note once", foot)
	}
}

// TestAlertWaitsForItsTurn: an alert does not take the place of what a key has led to, nor of a
// text that is typed.
func TestAlertWaitsForItsTurn(t *testing.T) {
	f, r := newNews(t)
	r.Press("x") // the run has ended
	asked := r.foot(t)
	f.news(r, "shapes-sfk-s1", 0, &runner.WarningEvent{Message: "few samples"})
	if foot := r.foot(t); foot != asked {
		t.Errorf("after a key: %q, want %q", foot, asked)
	}
	r.Send(newTick(minutesOn(1)))
	if foot := r.foot(t); !strings.Contains(foot, "N 1 alert · shapes-sfk-s1: few samples") {
		t.Errorf("later: %q, want the alert", foot)
	}
	r.Press("/")
	f.news(r, "shapes-sfk-s2", 2, &runner.WarningEvent{Message: "few samples"})
	if foot := r.foot(t); strings.Contains(foot, "alert") {
		t.Errorf("while a filter is typed: %q", foot)
	}
	r.Press("esc", "down")
	if foot := r.foot(t); !strings.Contains(foot, "N 2 alerts") {
		t.Errorf("afterwards: %q, want the count", foot)
	}
}

// newsOnDisk is a newsFolder whose runs say where they are.
type newsOnDisk struct{ *newsFolder }

func (f newsOnDisk) List() ([]*record.Run, []error) { return f.Folder.List() }

// TestAlertsOfRunsThatAreGone: a run that was deleted is not listed any more.
func TestAlertsOfRunsThatAreGone(t *testing.T) {
	f, r := newNews(t)
	f.news(r, "shapes-sfk-s1", 1, &runner.WarningEvent{Message: "few samples"})
	f.news(r, "shapes-sfk-s2", 2, &runner.WarningEvent{Message: "fewer samples"})
	r.Source, r.alerts = newsOnDisk{f}, alertState{}
	lists := func() string {
		r.Run(r.List())
		r.Press("N")
		list := tuitest.Text(r.shot(t))
		r.Press("esc")
		return list
	}
	if list := lists(); !strings.Contains(list, ": few samples") {
		t.Fatalf("Alerts before the run is deleted:\n%s", list)
	}
	if err := os.RemoveAll(filepath.Join(string(f.Folder), "shapes-sfk-s1")); err != nil {
		t.Fatal(err)
	}
	if list := lists(); strings.Contains(list, ": few samples") ||
		!strings.Contains(list, ": fewer samples") {
		t.Errorf("Alerts, with a run that is gone:\n%s", list)
	}
}

// TestAlertsOfDamagedRuns: a run whose log is damaged is listed with the alerts that can be read,
// each once, until it is gone.
func TestAlertsOfDamagedRuns(t *testing.T) {
	store, err := record.Open(t.TempDir())
	must(t, err)
	meta := tuitest.Archived(dro.SFK, 1, "race", tuitest.Epoch0())
	meta.ID = "race-sfk-s1"
	run, err := store.Create(meta, nil)
	must(t, err)
	must(t, run.Append(&runner.WarningEvent{Message: "few samples"}))
	must(t, run.Append(&runner.WarningEvent{Message: "a line to damage"}))
	gone := errors.New("the disk is gone")
	must(t, run.Append(runner.NewStatus(runner.Head{Step: 3}, runner.Failed, gone)))
	must(t, run.Close())
	log := filepath.Join(store.Dir(), meta.ID, eventlog.LogName)
	text, err := os.ReadFile(log)
	must(t, err)
	must(t, os.WriteFile(log, bytes.Replace(text, []byte("to damage"), []byte("to_damage"), 1),
		0o600))
	r := newDriver(t, &tuitest.Script{Folder: "unused", Now: time.Now()}, 80, 24)
	r.Source = lab.OpenCatalogued(store.Dir(), "", true)
	for range 2 {
		r.Run(r.List())
		r.Press("N")
		list := tuitest.Text(r.shot(t))
		r.Press("esc")
		for _, want := range []string{": few samples", ": the disk is gone"} {
			if n := strings.Count(list, want); n != 1 {
				t.Errorf("Alerts have %q %d times, want once:\n%s", want, n, list)
			}
		}
	}
	must(t, record.Delete(store.Dir(), meta.ID))
	r.Run(r.List())
	if n := len(r.alerts.list); n != 0 {
		t.Errorf("of a run that is gone %d alerts are listed, want none", n)
	}
}

// TestLookIsKept: the next start counts what has happened since the last look.
func TestLookIsKept(t *testing.T) {
	f, r := newNews(t)
	r.Config.Views = t.TempDir()
	r.keep.recalled = true
	f.news(r, "shapes-sfk-s1", 1, &runner.WarningEvent{Message: "few samples"})
	r.Press("N", "esc")
	r.Send(newTick(minutesOn(2)))
	views, err := lab.ReadViews(r.Config.Views, r.Config.RunsDir)
	if err != nil || len(views[alertsView][lookedName]) != 1 {
		t.Fatalf("kept %v, %v, want the time of the look", views, err)
	}
	f.news(r, "shapes-sfk-s2", 3, &runner.WarningEvent{Message: "few samples"})
	for text, want := range map[string]int{views[alertsView][lookedName][0]: 1,
		"yesterday": 0, "2999-01-01T00:00:00Z": 0, "2000-01-01T00:00:00Z": 3} {
		next := f.open(t)
		next.Send(viewsMsg{views: lab.Views{alertsView: {lookedName: {text}}}})
		if n := len(next.alerts.fresh); n != want {
			t.Errorf("looked at %s: %d alerts are fresh, want %d", text, n, want)
		}
	}
}

// TestInterruptedIsHandedOn: the caller of the interface hears of runs of this machine that were
// found interrupted, and of no others.
func TestInterruptedIsHandedOn(t *testing.T) {
	f, r := newNews(t)
	var told []string
	r.Config.Interrupted = func(runs []*record.Run) error {
		for _, run := range runs {
			told = append(told, run.Meta.ID)
		}
		return errors.New("no bell")
	}
	runs := tuitest.Found(t, f, "race-sfk-s1", "race-pgd-s1", "shapes-sfk-s1")
	r.Send(beatMsg(lab.Over{Runs: runs}))
	if len(told) != 1 || told[0] != "race-sfk-s1" {
		t.Errorf("told of %q, want race-sfk-s1", told)
	}
	if foot := r.foot(t); !strings.Contains(foot, "no bell") {
		t.Errorf("the foot is %q, want the error", foot)
	}
}
