package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/samples"

	tea "charm.land/bubbletea/v2"
)

// onSamples returns a driver on the Samples page, with a made-up pick of the only run of a folder.
func onSamples(t testing.TB, table bool, w, h int, environ ...string) *driver {
	t.Helper()
	r := aboutToSample(t, w, h, environ...)
	r.samples().Evaluate = func(
		_ context.Context, q certificate.ViewOf,
	) (*certificate.Pick, error) {
		pick := tuitest.NewPick(&q.Run.Meta, table)
		pick.Split = q.Split
		return pick, nil
	}
	r.Press("P")
	return r
}

// aboutToSample returns a driver on the Runs page with one run.
func aboutToSample(t testing.TB, w, h int, environ ...string) *driver {
	t.Helper()
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	a.Add(t, "shapes-sfk-s1", tuitest.Archived(dro.SFK, 1, "shapes", tuitest.Epoch0()),
		runner.Done, "")
	return browsing(t, a.Folder, "3", w, h, environ...)
}

func (r *driver) samples() *samples.Page { return r.pages[samplesPage].(*samples.Page) }

func TestViewsOfSamples(t *testing.T) {
	of := func(table bool) opener {
		return func(t testing.TB, w, h int, environ ...string) *driver {
			t.Helper()
			return onSamples(t, table, w, h, environ...)
		}
	}
	pictures, table := of(false), of(true)
	for _, v := range representative([]view{
		{"zoom", pictures, 40, 12, "down z", []string{"── ▸ Row 419 ───────── 2.850 at ρ 0.5 ──",
			"\n▀▀▀▀▀▀█████▀▀▀▀▀    4.750 at ρ 1\n"}},
		{"wrong", pictures, 80, 24, "f + v", []string{" the 32 heaviest of 94 wrong ─╮",
			"│▸ 419  cross     crescent   8.550   4.750   ││", "▸ 4.750 at ρ 1 "}},
		{"class", pictures, 120, 40, "f f f s s", []string{
			"─ the 4 heaviest of 50 in class hexagon · by row ─╮",
			"│ ▸hexagon          hexagon ", "│  →triangle        →triangle ",
			"││ predicted → triangle "}},
		{"list", pictures, 120, 40, "v down down -", []string{
			"│▸ 338  square    hexagram   8.123   1.263 ", "▸ 1.263 at ρ 0.1 "}},
		{"table", table, 80, 24, "down", []string{
			"│▸ 419  cross     crescent    2.850  water,… ││", "││ age           21.25 "}},
		{"zoomed table", table, 80, 24, "enter", []string{"╭─ ▸ Row 0 ────────────────────────────",
			"│ group     land, in the hills ", "│ colour                 blue "}},
		{"group", table, 120, 40, "F s", []string{
			"─ the 20 heaviest of 250 in group water, by the coast ─╮",
			"│▸ 433  hexagon   triangle   6.285   2.095  water, by the coast "}},
		{"define", table, 80, 24, "i", []string{"▸ Samples ─",
			"│ Radii, + and -: the run's ρ 0.5 and its risk_radii: 0.1, 0.5, 1. "}},
		{"help", pictures, 80, 60, "?", []string{"▸ Keys on Samples ─",
			"│ v         thumbnails or a list ", "│ Not now (The run has no other checkpoint): "}},
	}) {
		t.Run(v.name, v.check)
	}
}

// TestSamplesTab: the tab Samples appears once a run was asked for, from Runs or from Watch. The
// page stays as it is when the same run is asked for again.
func TestSamplesTab(t *testing.T) {
	r := aboutToSample(t, 120, 40)
	asked := 0
	r.samples().Evaluate = func(
		_ context.Context, q certificate.ViewOf,
	) (*certificate.Pick, error) {
		asked++
		return tuitest.NewPick(&q.Run.Meta, false), nil
	}
	if strings.Contains(r.header(), "Samples") {
		t.Error("a tab before a run was asked for")
	}
	r.Press("6")
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "P on a run of Watch (2) or Runs (3)") {
		t.Errorf("without a run:\n%s", s)
	}
	r.Press("3", "P")
	if r.current != samplesPage {
		t.Errorf("P on Runs turns to page %d, want %d", r.current+1, samplesPage+1)
	}
	if h := r.header(); !strings.Contains(h, "6 Samples") {
		t.Errorf("the header is %q, want 6 Samples in it", h)
	}
	if asked != 1 {
		t.Errorf("after P on Runs the run was evaluated %d times, want once", asked)
	}
	r.Press("f", "3", "enter")
	if r.current != watchPage {
		t.Fatalf("Enter turns to page %d, want %d", r.current+1, watchPage+1)
	}
	r.Press("P")
	if r.current != samplesPage {
		t.Errorf("P on Watch turns to page %d, want %d", r.current+1, samplesPage+1)
	}
	if asked != 1 {
		t.Errorf("after P on Watch the run was evaluated %d times, want once", asked)
	}
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, " wrong") {
		t.Errorf("after P on Watch the filter for wrong samples is gone:\n%s", s)
	}
	if r.Press("r"); asked != 2 {
		t.Errorf("after r the run was evaluated %d times, want twice", asked)
	}
}

// TestSamplesOfSharedView: a viewer of a shared interface cannot open data.
func TestSamplesOfSharedView(t *testing.T) {
	r := aboutToSample(t, 120, 40)
	r.Config.Shared = true
	r.samples().Evaluate = func(context.Context, certificate.ViewOf) (*certificate.Pick, error) {
		t.Error("a shared view evaluates")
		return nil, errors.New("no")
	}
	for _, key := range []string{"P", "6", "r", "m", "c", "3", "enter", "P"} {
		r.Press(key)
	}
	if r.current == samplesPage {
		t.Error("a shared view is on the page of samples")
	}
}

// TestSamplesFit draws the samples with many keys on screens of many sizes.
func TestSamplesFit(t *testing.T) {
	for _, environ := range testsize.Few(1, nil, []string{"DROLAB_ASCII=1"},
		[]string{"NO_COLOR=1"}, []string{"COLORTERM=", "TERM=xterm"}) {
		for _, table := range []bool{false, true} {
			r := onSamples(t, table, 80, 24, environ...)
			keys := []string{"up", "down", "left", "right", "v", "f", "F", "s", "+", "-", "z",
				"pgdown", "pgup", "G", "g", "m", "r", "c", "esc", "i"}
			presses := 2 * len(keys) // each key twice
			if testing.Short() {
				presses = len(keys) / 2
			}
			for i := range presses {
				r.Press(keys[i*7919%len(keys)])
				r.size(40+i*37%160, 12+i*23%50)
				r.Send(click(i*13%r.w, i*29%r.h),
					tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
				r.Send(kit.Tick(tuitest.Epoch0().Add(time.Duration(i) * time.Second)))
				r.Press("6")
				r.fits(t, fmt.Sprint(environ, table, " step ", i))
			}
		}
	}
}

// TestPoisonedSamples: no name of a class, group, column or dataset, and no value or note, reaches
// the terminal unchanged.
func TestPoisonedSamples(t *testing.T) {
	for _, table := range []bool{false, true} {
		r := aboutToSample(t, 120, 40)
		r.samples().Evaluate = func(
			_ context.Context, q certificate.ViewOf,
		) (*certificate.Pick, error) {
			pick := tuitest.NewPick(&q.Run.Meta, table)
			poison := func(list []string) (out []string) {
				for _, s := range list {
					out = append(out, tuitest.Poison+s)
				}
				return out
			}
			pick.Dataset += tuitest.Poison
			pick.Classes, pick.Groups = poison(pick.Classes), poison(pick.Groups)
			pick.Notes = poison(pick.Notes)
			for i := range pick.Parts {
				pick.Parts[i].Name += tuitest.Poison
			}
			for i := range pick.Encoder.Columns {
				c := &pick.Encoder.Columns[i]
				c.Name, c.Categories = c.Name+tuitest.Poison, poison(c.Categories)
			}
			return pick, nil
		}
		r.Press("P")
		for _, key := range []string{"f", "f", "f", "v", "z", "z", "F", "F", "F", "F", "i", "esc"} {
			r.Press(key)
			r.fits(t, key)
		}
		r.samples().Evaluate = func(
			context.Context, certificate.ViewOf,
		) (*certificate.Pick, error) {
			return nil, errors.New("odd.csv" + tuitest.Poison + ": no such file")
		}
		r.Press("r")
		r.fits(t, "an error")
	}
}

// BenchmarkSamples draws a screen full of pictures, with two colours in every cell.
func BenchmarkSamples(b *testing.B) {
	r := onSamples(b, false, 200, 60)
	b.ReportMetric(float64(render.NewRenderer(200, 60).Frame(b, r.View().Content)), "bytes")
	for b.Loop() {
		r.restyle()
		r.screen()
	}
}
