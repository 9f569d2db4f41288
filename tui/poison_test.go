package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"github.com/charmbracelet/x/ansi"
)

// TestPoisonedRuns poisons one string of a run after another: neither the screens nor an export
// contain it unchanged.
func TestPoisonedRuns(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	const id = "csv-sfk-s1-20261126-144349-y7qd"
	fixture := os.DirFS(filepath.Join("..", "runner", "record", "testdata", "format1", id))
	if err := os.CopyFS(filepath.Join(dir, id), fixture); err != nil {
		t.Fatal(err)
	}
	places := 0
	tuitest.PoisonEach(t, dir, func(where string) {
		if places++; !testsize.Long() && places%3 != 0 || testing.Short() && places%63 != 0 {
			return
		}
		r := browsing(t, lab.Folder(dir), "2", 120, 40)
		r.Config.RunsDir = out
		r.fits(t, where)
		if runs, _ := record.List(dir); len(runs) == 1 {
			r.Send(lab.Watch{IDs: []string{id}})
			r.Wait(time.Second, time.Second/2)
			r.fits(t, where)
			for range 3 {
				r.Press("e")
				r.fits(t, where)
				r.Press("esc", "tab")
			}
			r.Press("i")
			r.fits(t, where)
			r.Press("esc")
		}
		r.Press("3")
		r.fits(t, where)
		files, err := filepath.Glob(filepath.Join(out, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if bad := tuitest.Steered(string(text)); bad != "" {
				t.Fatalf("with %s, an export has %s", where, bad)
			}
			os.Remove(path)
		}
	})
}

// poisoned is a Source in which a text precedes every string that is shown.
type poisoned struct {
	lab.Source
	text string
}

func (p poisoned) spoil(r *record.Run) *record.Run {
	tuitest.PoisonStrings(&r.Meta, p.text)
	tuitest.PoisonStrings(r.Summary(), p.text)
	return r
}

func (p poisoned) List() ([]*record.Run, []error) {
	runs, problems := p.Source.List()
	for _, r := range runs {
		p.spoil(r)
	}
	return runs, append(problems, errors.New(p.text+"unreadable"))
}

func (p poisoned) Find(id string) (*record.Run, error) {
	r, err := p.Source.Find(id)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.text, err)
	}
	return p.spoil(r), nil
}

func (p poisoned) Open(r *record.Run) eventlog.Log { return &poisonedLog{p.Source.Open(r), p.text} }

type poisonedLog struct {
	eventlog.Log
	text string
}

func (l *poisonedLog) Read() ([]runner.Event, error) {
	events, err := l.Log.Read()
	for _, e := range events {
		tuitest.PoisonStrings(e, l.text)
	}
	return events, err
}

// poisonedPresets returns the presets of the tests and a broken one, as if they came from files.
func poisonedPresets(text string) []presets.Preset {
	broken := presets.Preset{Preset: runner.Preset{Name: "broken", Spec: spec.Defaults()},
		Problem: errors.New(text + "broken")}
	list := append(tuitest.Presets(), broken)
	for i := range list {
		p := &list[i]
		tuitest.PoisonStrings(p, text)
		p.File = text + p.Name + ".yaml"
	}
	return list
}

// poisonedFolder is a folder of two runs with groups and a sweep. The sweep locks its running runs,
// so the folder is renamed for each text rather than copied.
type poisonedFolder struct {
	runs  string
	sweep string
}

func newPoisonedFolder(t *testing.T) *poisonedFolder {
	t.Helper()
	p := &poisonedFolder{runs: t.TempDir(), sweep: "mine"}
	tuitest.NewSweep(t, filepath.Join(p.runs, p.sweep))
	a := tuitest.Archive{Folder: lab.Folder(p.runs)}
	for seed := range uint64(2) {
		m := tuitest.Archived(dro.SFK, seed+1, "shapes", tuitest.Epoch0())
		m.Groups, m.GroupCounts = []string{"hills", "coast"}, measure.Counts{Train: []int{5, 7},
			Test: []int{1, 2}}
		a.Add(t, fmt.Sprintf("shapes-sfk-s%d", seed+1), m,
			[]runner.Status{runner.Done, runner.Failed}[seed], "bad luck")
	}
	return p
}

// say puts a text into the name of the sweep's folder and into the notes of the runs.
func (p *poisonedFolder) say(t *testing.T, text string) {
	t.Helper()
	name := strings.NewReplacer("/", "", "\x00", "").Replace("m" + text)
	if err := os.Rename(filepath.Join(p.runs, p.sweep), filepath.Join(p.runs, name)); err != nil {
		t.Fatal(err)
	}
	p.sweep = name
	label, err := json.Marshal(record.Label{Note: text + "note", Tags: []string{"tag"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"shapes-sfk-s1", "shapes-sfk-s2"} {
		if err := os.WriteFile(filepath.Join(p.runs, id, "label.json"), label, 0o600); err != nil {
			t.Fatal(err)
		}
		recordtest.Reseal(t, filepath.Join(p.runs, id))
	}
}

// driver returns a driver in whose world every name and message contains the text.
func (p *poisonedFolder) driver(t *testing.T, text string, w, h int, environ ...string) *driver {
	t.Helper()
	p.say(t, text)
	folder := lab.Folder(p.runs)
	r := newDriver(t, &tuitest.Script{Folder: folder, Now: tuitest.Epoch0()}, w, h, environ...)
	r.Model.Source = poisoned{folder, text}
	r.Config.RunsDir, r.Config.DataDir, r.Config.CPU = p.runs,
		r.Config.DataDir+"/"+text, text+"processor"
	r.bind(newPages(r.Lab, func() []presets.Preset { return poisonedPresets(text) }, r.watch))
	r.samples().Evaluate = func(
		_ context.Context, q certificate.ViewOf,
	) (*certificate.Pick, error) {
		pick := tuitest.NewPick(&q.Run.Meta, len(text)%2 == 0)
		tuitest.PoisonStrings(pick, text)
		return pick, nil
	}
	r.Run(r.Init())
	return r
}

// visit turns to every page and, if keys is set, presses each key there.
func (r *driver) visit(t *testing.T, what string, keys bool) {
	t.Helper()
	runs := tuitest.Found(t, r.Model.Source, "shapes-sfk-s1", "shapes-sfk-s2")
	r.Send(lab.Watch{IDs: []string{"shapes-sfk-s1", "shapes-sfk-s2"}}, lab.Compare{Runs: runs},
		lab.Samples{Run: runs[0]})
	for i, rows := range r.keys {
		turn := func() {
			r.Press("esc", "esc", fmt.Sprint(i+1))
			if r.current != pageID(i) {
				t.Fatalf("page %d is not turned to", i+1)
			}
		}
		for turn(); r.current == pageID(i); turn() {
			r.Wait(time.Second, time.Second)
			r.printable(t, fmt.Sprintf("%s, page %d", what, i+1))
			if len(rows) == 0 || !keys {
				break
			}
			key := rows[0].Keys.Keys()[0]
			rows = rows[1:]
			r.Press(key)
			r.printable(t, fmt.Sprintf("%s, page %d, key %s", what, i+1, key))
			r.Press("down", "right")
			r.printable(t, fmt.Sprintf("%s, page %d, key %s and on", what, i+1, key))
		}
	}
}

// printable checks the screen as it is drawn and the bytes that a terminal would get for it.
func (r *driver) printable(t *testing.T, what string) {
	t.Helper()
	r.fits(t, what)
	s := r.View().Content
	tuitest.Printable(t, what, s)
	for y, line := range strings.Split(s, "\n") {
		if got := ansi.StringWidth(line); got != r.w {
			t.Fatalf("%s: line %d has %d cells of %d where a terminal counts clusters:\n%q",
				what, y, got, r.w, line)
		}
	}
}

// sequences matches the sequences by which the renderer moves the cursor and draws.
var sequences = regexp.MustCompile(`\x1b\[[?0-9;]*[A-Za-z]|\x1b[=>78]|[\r\x08]`)

// TestEveryControlEverywhere puts every control into names, notes, errors and all other text that
// is shown, in every page and mode, and checks the bytes that are sent.
func TestEveryControlEverywhere(t *testing.T) {
	modes := [][]string{nil, {"DROLAB_ASCII=1"}, {"NO_COLOR=1"}, {"COLORTERM=", "TERM=xterm"}}
	sizes := [][2]int{{120, 40}, {40, 12}, {200, 60}, {80, 24}}
	const each = 6 // the number of controls in a text, few enough for it to be shown whole
	i, world := 0, newPoisonedFolder(t)
	for some := range slices.Chunk(tuitest.Poisons(), each) {
		text, mode, size := strings.Join(some, ""), modes[i%4], sizes[i/2%4]
		if i++; !testsize.Long() && i%5 != 0 || testing.Short() && i%7 != 0 { // one goroutine draws
			continue
		}
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			r := world.driver(t, text, size[0], size[1], mode...)
			r.visit(t, fmt.Sprintf("%v %v", mode, size), i%20 == 0 || testsize.Long())
			for _, msg := range []any{lab.Started{Err: errors.New(text)},
				kit.Notice{Text: text + "notice"}, lab.Answered{ID: text, Verb: "pause"},
				lab.Answered{ID: "x", Verb: "pause", Err: errors.New(text)}} {
				r.Send(msg)
				r.printable(t, fmt.Sprintf("%T", msg))
			}
			wr := render.NewRenderer(size[0], size[1])
			wr.Frame(t, r.View().Content)
			if bad := tuitest.Steered(sequences.ReplaceAllString(wr.Sent(), "")); bad != "" {
				t.Errorf("the renderer sends %s", bad)
			}
		})
	}
}
