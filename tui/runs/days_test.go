package runs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// TestAgo: a start is told by how long ago it was, and by its day where that says more.
func TestAgo(t *testing.T) {
	now := tuitest.Epoch0()
	for since, want := range map[time.Duration]string{
		20 * time.Second: "now", -50 * time.Second: "now",
		12 * time.Minute: "12 min ago", 90 * time.Minute: "1 h ago",
		50 * time.Hour: "2 d ago", 200 * 24 * time.Hour: now.Add(-200 * 24 * time.Hour).UTC().
				Format("2006-01-02"),
	} {
		if got := ago(now.Add(-since), now, true); got != want {
			t.Errorf("%v ago is written %q, want %q", since, got, want)
		}
	}
	if got := ago(now.Add(-12*time.Minute), now, false); got != "12 min" {
		t.Errorf("on a narrow screen 12 minutes ago is %q, want 12 min", got)
	}
	if got := grouped(10_000); got != "10 000" {
		t.Errorf("grouped(10000) = %q, want 10 000", got)
	}
}

// TestDays: a list in the order of the starts has a head before each day, rows and lines lead to
// one another, and a click on a head does nothing.
func TestDays(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for i := range 6 { // two runs a day
		at := tuitest.Epoch0().Add(-time.Duration(i/2) * 24 * time.Hour).
			Add(-time.Duration(i) * time.Minute)
		m := tuitest.Archived(dro.ERM, 1, "shapes", at)
		m.Spec.Rho = float64(i + 1)
		a.Add(t, fmt.Sprintf("run-%d", i), m, runner.Done, "")
	}
	r, p := runsOf(t, a)
	r.Send(minuteMsg(tuitest.Epoch0().Add(time.Minute)))
	if want := []int{0, 2, 4}; !slices.Equal(p.days, want) {
		t.Fatalf("days begin with the lines %v, want %v", p.days, want)
	}
	for i := range p.shown {
		if got, head := p.lineAt(p.rowOf(i)); got != i || head {
			t.Errorf("row %d has line %d (head: %v), want line %d", p.rowOf(i), got, head, i)
		}
	}
	text := tuitest.Text(r.Shot())
	for _, want := range []string{"Today · 2 lines", "Yesterday · 2 lines", "2 d ago"} {
		if !strings.Contains(text, want) {
			t.Errorf("the list lacks %q:\n%s", want, text)
		}
	}
	top := layRuns(r.Body.W, r.Body.H).top
	if r.Send(kit.Click{X: 9, Y: top + 3}); p.at != 0 {
		t.Errorf("a click on a head goes to line %d, want 0", p.at)
	}
	if r.Send(kit.Click{X: 9, Y: top + 5}); p.at != 3 {
		t.Errorf("a click on the fourth run goes to line %d, want 3", p.at)
	}
	p.sortBy("preset")
	if p.days != nil {
		t.Errorf("sorted by preset, days begin with the lines %v, want none", p.days)
	}
}

// TestFilterIsCompleted: Tab completes a key and its value, the title counts what is listed, and an
// error has a line of its own.
func TestFilterIsCompleted(t *testing.T) {
	r, p := runsOf(t, tuitest.NewArchive(t))
	r.Press("/")
	r.Type("pres")
	r.Press("tab")
	r.Type(":ra")
	r.Press("tab")
	if got := p.line.String(); got != "preset:race" {
		t.Errorf("Tab makes %q, want preset:race", got)
	}
	if text := tuitest.Text(r.Shot()); !strings.Contains(text, "2 of 12 runs") {
		t.Errorf("the title does not say 2 of 12 runs:\n%s", text)
	}
	r.Type(")")
	want := "! the ) after preset:race closes no ("
	if text := tuitest.Text(r.Shot()); !strings.Contains(text, want) {
		t.Errorf("the screen lacks %q:\n%s", want, text)
	}
}
