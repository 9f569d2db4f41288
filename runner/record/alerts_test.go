package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/eventlog"
)

// told returns the alerts of a folder, as name@step, the newest first.
func told(t *testing.T, a *Alerts, dir string) string {
	t.Helper()
	runs, problems := List(dir)
	list, more := a.Read(runs)
	for _, err := range slices.Concat(problems, more) {
		t.Error(err)
	}
	var words []string
	for _, x := range list {
		words = append(words, fmt.Sprintf("%s@%d", x.Name, x.Step))
	}
	return strings.Join(words, " ")
}

// TestAlerts: alerts are read as logs grow, and an interruption is found, once, where no log says
// it. A log that says it is the memory of it.
func TestAlerts(t *testing.T) {
	s := newStore(t)
	s.now = time.Now // as that of the files
	r := create(t, s, newMeta(1))
	id := filepath.Base(r.in.Path)
	a := &Alerts{}
	want := func(when, want string) {
		t.Helper()
		if got := told(t, a, s.dir); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
		if got := told(t, &Alerts{}, s.dir); got != want {
			t.Errorf("%s, read anew: %q, want %q", when, got, want)
		}
	}
	must(t, r.Append(status(0, runner.Running)))
	want("at the start", "")
	must(t, r.Append(&runner.WarningEvent{Message: "few samples"}))
	appendSteps(t, r, 1, 3)
	want("with a warning", "warning@0")
	if _, ok, err := s.LogInterrupted(id); ok || err != nil {
		t.Errorf("of a live run: interrupted %v, %v", ok, err)
	}
	must(t, r.Close())
	want("without an owner", "interrupted@3 warning@0")
	before := len(read(t, r.in.Path, eventlog.LogName))
	x, ok, err := s.LogInterrupted(id)
	if err != nil || !ok || x.Run != id || x.Step != 3 || x.Level != alert.Error {
		t.Errorf("interrupted: %+v, %v, %v", x, ok, err)
	}
	if _, ok, err := s.LogInterrupted(id); ok || err != nil {
		t.Errorf("a second time: interrupted %v, %v", ok, err)
	}
	want("with the event", "interrupted@3 warning@0")
	tail := &eventlog.Tail{Path: filepath.Join(r.in.Path, eventlog.LogName)}
	if h := history(t, tail); tail.Skipped() > 0 || len(h.Steps) != 3 {
		t.Errorf("the log has %d steps and %d lines that are none, want 3 and 0", len(h.Steps),
			tail.Skipped())
	}
	found, _, err := Examine(s.dir, false)
	must(t, err)
	if len(found) > 0 {
		t.Errorf("the doctor found %s, want nothing", findings(found))
	}
	if after := read(t, r.in.Path, eventlog.LogName); !strings.Contains(string(after[before:]),
		`"type":"alert"`) {
		t.Errorf("the log got %s, want an alert", after[before:])
	}
	again, _ := reopen(t, s, id)
	must(t, again.Append(&runner.ResumeEvent{}))
	must(t, again.Append(status(0, runner.Running)))
	must(t, again.Append(status(3, runner.Done)))
	must(t, again.Finish(newMeta(1).Ended(runner.Done, "", 3, newState(3))))
	must(t, again.Close())
	want("after its end", "done@3 interrupted@3 warning@0")
	if _, ok, err := s.LogInterrupted(id); ok || err != nil {
		t.Errorf("after its end: interrupted %v, %v", ok, err)
	}
	old := time.Now().Add(-2 * time.Hour)
	must(t, os.Chtimes(filepath.Join(r.in.Path, eventlog.LogName), old, old))
	if got := told(t, &Alerts{Since: time.Now().Add(-time.Hour)}, s.dir); got != "" {
		t.Errorf("of the last hour: %q, want none", got)
	}
}

// TestAlertsOfBox: of a run whose log is on its box, the verdict is the alert.
func TestAlertsOfBox(t *testing.T) {
	s := newStore(t)
	meta := newMeta(1)
	meta.Created = time.Now()
	r := create(t, s, meta)
	must(t, r.Append(status(0, runner.Running)))
	must(t, r.Append(&runner.WarningEvent{Message: "few samples"}))
	appendSteps(t, r, 1, 3)
	must(t, r.Append(runner.NewStatus(runner.Head{Step: 3}, runner.Failed, errGone)))
	must(t, r.Close())
	run, err := Find(s.dir, filepath.Base(r.in.Path))
	must(t, err)
	head, err := run.Head()
	must(t, err)
	dir := filepath.Join(t.TempDir(), "gpu1", "runs")
	m, err := OpenMirror(dir, "gpu1")
	must(t, err)
	must(t, m.Put(head))
	runs, _ := List(dir)
	list, problems := (&Alerts{}).Read(runs)
	if len(problems) > 0 || len(list) != 1 || list[0].Box != "gpu1" || list[0].Name != "failed" ||
		list[0].Text != "failed: "+errGone.Error() || list[0].Time.IsZero() {
		t.Errorf("without the log: %+v, %v", list, problems)
	}
	if runs[0].QuietSince(time.Now().Add(-time.Hour)) {
		t.Error("a run that was heard of just now is quiet")
	}
	if !runs[0].QuietSince(time.Now().Add(time.Hour)) {
		t.Error("a run that was heard of before is not quiet")
	}
	_, _, err = m.Append(head.ID, LogState{}, read(t, r.in.Path, eventlog.LogName))
	must(t, err)
	if got := told(t, &Alerts{}, dir); got != "failed@3 warning@0" {
		t.Errorf("with the log: %q, want failed@3 warning@0", got)
	}
	must(t, m.Close())
}

// TestAlertsOfDamagedLog: a damaged line hides no alert before it or behind it, and is said.
func TestAlertsOfDamagedLog(t *testing.T) {
	s := newStore(t)
	s.now = time.Now
	r := create(t, s, newMeta(1))
	log := filepath.Join(r.in.Path, eventlog.LogName)
	must(t, r.Append(status(0, runner.Running)))
	must(t, r.Append(&runner.WarningEvent{Message: "few samples"}))
	must(t, r.Append(&runner.WarningEvent{Message: "a line to damage"}))
	appendSteps(t, r, 1, 3)
	must(t, r.Append(runner.NewStatus(runner.Head{Step: 3}, runner.Failed, errGone)))
	must(t, r.Close())
	grown := &Alerts{}
	if got := told(t, grown, s.dir); got != "failed@3 warning@0 warning@0" {
		t.Errorf("of the sound log: %q", got)
	}
	flip(t, log, "a line to damage")
	for name, a := range map[string]*Alerts{"as it was known": grown, "read anew": {}} {
		runs, problems := List(s.dir)
		if len(runs) != 0 || len(problems) != 1 ||
			!strings.Contains(problems[0].Error(), "line 4 checksum differs") {
			t.Fatalf("List() = %v, %v, want no run and why", runs, problems)
		}
		list, _ := a.Read(Unread(problems))
		want := map[bool]int{true: 3, false: 2}[a == grown] // the first has read the line before
		if len(list) != want || list[0].Name != alert.Failed ||
			list[want-1].Text != "few samples" || list[0].Run != filepath.Base(r.in.Path) {
			t.Errorf("%s: %+v, want %d alerts, the first before the damaged line", name, list, want)
		}
	}
}
