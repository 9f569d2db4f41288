package tui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// onSweep returns a driver on the Sweep page over a runs folder with a sweep.
func onSweep(t testing.TB, w, h int, environ ...string) *driver {
	t.Helper()
	return sweepingIn(t, swept(t), w, h, environ...)
}

// swept returns a runs folder with a sweep.
func swept(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	tuitest.NewSweep(t, filepath.Join(dir, "mine"))
	return dir
}

func sweepingIn(t testing.TB, dir string, w, h int, environ ...string) *driver {
	t.Helper()
	s := &tuitest.Script{Folder: lab.Folder(dir), Now: tuitest.Epoch0()}
	r := newDriver(t, s, w, h, environ...)
	r.Config.RunsDir, r.Source = dir, lab.Folder(dir)
	r.Press("5")
	return r
}

func TestViewsOfSweep(t *testing.T) {
	dir := swept(t)
	open := func(t testing.TB, w, h int, environ ...string) *driver {
		t.Helper()
		r := sweepingIn(t, dir, w, h, environ...)
		r.Config.StopSweep = func(string) error { return nil }
		return r
	}
	for _, v := range representative([]view{
		{"moved", open, 80, 24, "down right", []string{
			"│ sfk lr=0.002789  ✓██████████ 1.2000 ▸✓█",
			"│ ✓ seed 2   0.7000    8 of 8 epochs  done "}},
		{"chosen", open, 80, 24, "tab", []string{"╭─ Chosen by val_loss ─",
			"│ sfk     rho=0.05 lr=0.08626  0.75 ± 3.18   45.0 ± 0.0  90.0 ± 0.0 "}},
		{"trouble", open, 80, 24, "tab tab", []string{"╭─ What failed, was lost or requeued ─",
			"│ ✗ 5: sfk rho=0.2 lr=0.08626, seed 2: loss is NaN at step 12: lower lr "}},
		{"axis", open, 120, 40, "a b", []string{"│ lr            0.0028    ",
			"│ pgd rho=1    ▸✓█", "╭─ pgd rho=1 lr=0.002789 ────── mean 0.7500 ─╮"}},
		{"failed", open, 80, 24, "down down tab tab shift+tab shift+tab", []string{
			"│ pgd lr=0.08626  ▸✓█", "│ ✓ seed 2   1.5000    8 of 8 epochs  done "}},
		{"small", open, 40, 12, "tab", []string{"── Chosen by val_loss ── 1 in trouble ──",
			" erm     rho=0.05 lr=0.08626\n … 10 columns without room\n\n " +
				"Each method's setting is the best of\n"}},
		{"stop", open, 80, 24, "x", []string{"Stop the sweep?",
			"36 runs: 1 failed · 25 done · 2 running · 8 queued", "y stop"}},
		{"help", open, 80, 24, "?", []string{"▸ Keys on Sweep ─",
			"│ Tab v     show the setting, the choice or the failures below the map "}},
	}) {
		t.Run(v.name, v.check)
	}
}

// TestSweepTab: there is a tab Sweep if there is a sweep, and the interface opens there if its
// folder is that of a sweep.
func TestSweepTab(t *testing.T) {
	r := newDriver(t, &tuitest.Script{Folder: lab.Folder(t.TempDir())}, 120, 40)
	if strings.Contains(r.header(), "Sweep") {
		t.Error("a tab without a sweep")
	}
	r.Press("5")
	for _, want := range []string{"5 Sweep", "sweep start"} {
		if s := tuitest.Text(r.shot(t)); !strings.Contains(s, want) {
			t.Errorf("without a sweep the screen lacks %q:\n%s", want, s)
		}
	}
	f := tuitest.NewSweep(t, filepath.Join(r.Config.RunsDir, "mine"))
	r.Press("1")
	r.Run(r.Init())
	if !strings.Contains(r.header(), "5 Sweep") {
		t.Error("no tab with a sweep")
	}
	m := newModel(lab.Config{RunsDir: f.Dir}, lab.Folder(f.Dir), tuitest.Presets)
	if m.current != sweepPage {
		t.Errorf("a sweep's folder begins on page %d, want %d", m.current+1, sweepPage+1)
	}
	m = newModel(lab.Config{RunsDir: f.Dir,
		Opening: lab.Opening{Attach: true}}, lab.Folder(f.Dir), tuitest.Presets)
	if m.current != watchPage {
		t.Errorf("attached, a sweep's folder begins on page %d, want %d", m.current+1, watchPage+1)
	}
	r.size(44, 20)
	s := r.header()
	for _, want := range []string{" 5 ", "Launch"} {
		if !strings.Contains(s, want) {
			t.Errorf("in 44 cells the header is %q, want %q in it", s, want)
		}
	}
	if strings.Contains(s, "Sweep") {
		t.Errorf("in 44 cells the header is %q, want no name of page 5", s)
	}
}

// TestSweepReachesOtherPages: Enter watches the runs of a setting and c compares the chosen runs,
// although the sweep's folder is not the runs folder.
func TestSweepReachesOtherPages(t *testing.T) {
	r := onSweep(t, 120, 40)
	r.Press("enter")
	if r.current != watchPage {
		t.Errorf("Enter turns to page %d, want %d", r.current+1, watchPage+1)
	}
	got := r.watch.Runs.IDs()
	if len(got) != 2 || !strings.HasPrefix(got[0], "mine-sfk-s1-") {
		t.Errorf("Enter watches %v, want the two runs of mine-sfk-s1-", got)
	}
	r.Press("5", "c")
	s := tuitest.Text(r.shot(t))
	if r.current != comparePage {
		t.Errorf("c turns to page %d, want %d", r.current+1, comparePage+1)
	}
	if !strings.Contains(s, "6 selected runs") {
		t.Errorf("the screen lacks 6 selected runs:\n%s", s)
	}
	if r.Press("y"); !strings.HasPrefix(r.notice.Text, "Copied ") {
		t.Errorf("y on Compare: %q", r.notice.Text)
	}
	// Esc goes back, and then has nowhere to go: no circle.
	r.Press("enter") // watches the compared runs
	for _, want := range []pageID{comparePage, sweepPage, sweepPage} {
		if r.Press("esc"); r.current != want {
			t.Errorf("Esc led to page %d, want %d", r.current+1, want+1)
		}
	}
	if r.notice.Text != kit.NoWayBack {
		t.Errorf("Esc at the start: %q, want %v", r.notice.Text, kit.NoWayBack)
	}
}

// TestSweepFits draws the page with many keys on screens of many sizes.
func TestSweepFits(t *testing.T) {
	dir := swept(t)
	for _, environ := range [][]string{nil, {"DROLAB_ASCII=1"}} {
		r := sweepingIn(t, dir, 80, 24, environ...)
		keys := []string{"up", "down", "left", "right", "tab", "a", "b", "pgdown",
			"pgup", "g", "G", "s"}
		for i := range testsize.Pick(8, 160, 160) { // 160 are every width
			r.Press("5", keys[i*7919%len(keys)])
			r.size(40+i*37%160, 12+i*23%50)
			r.Send(click(i*13%r.w, i*29%r.h),
				tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
			if r.current == sweepPage {
				r.fits(t, fmt.Sprint("step ", i))
			}
		}
	}
}

// TestSweepGoesOn: the page follows changes in the folder, including runs that are added to the
// sweep.
func TestSweepGoesOn(t *testing.T) {
	r := onSweep(t, 80, 24)
	dir := filepath.Join(r.Config.RunsDir, "mine")
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "36 runs") &&
		!strings.Contains(s, "8 queued") {
		t.Fatalf("the screen has neither 36 runs nor 8 queued:\n%s", s)
	}
	tuitest.GrowSweep(t, dir)
	r.Send(kit.Tick(tuitest.Epoch0().Add(time.Hour)))
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "26 queued") {
		t.Errorf("a sweep that has grown by 18 runs:\n%s", s)
	}
	var asked []string
	r.Config.StopSweep = func(dir string) error { asked = append(asked, dir); return nil }
	r.Press("x", "esc", "x", "y")
	if !slices.Equal(asked, []string{dir}) {
		t.Errorf("stopped %v", asked)
	}
	r.Config.ReadOnly = true
	if r.Press("x", "y"); len(asked) != 1 {
		t.Error("a read-only view stops a sweep")
	}
}
