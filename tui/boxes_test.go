package tui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/box"
	"drolab/runner/machine"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// TestBoxesInHeader: a box without a link is named before how many runs are live elsewhere, and
// what has no room is left out.
func TestBoxesInHeader(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	states := []struct {
		name  string
		state box.State
		want  string
	}{
		{"gpu1", box.State{Linked: true, Live: 2}, "gpu1 2 live"},
		{"gpu2", box.State{Word: "down", Since: now.Add(-43 * time.Second)}, "gpu2 no link 40s"},
		{"gpu3", box.State{}, "gpu3 connects"},
		{"gpu4", box.State{Word: "lock is held", Elsewhere: true}, "gpu4 0 live"},
		{"gpu5", box.State{Linked: true}, "gpu5 0 live"},
	}
	elsewhere := box.State{Elsewhere: true, Known: now.Add(-time.Hour)}
	if note := noteOf("gpu6", elsewhere, now); note.text != "gpu6 silent 1h" || !note.without {
		t.Errorf("of a mirror that another process keeps and that is old: %v", note)
	}
	full := box.State{Linked: true, Live: 2, Unwritable: "disk full"}
	if note := noteOf("gpu7", full, now); note.text != "gpu7 no mirror" || !note.without {
		t.Errorf("of a mirror that cannot be written: %v", note)
	}
	elsewhere = box.State{Elsewhere: true, Known: now, Live: 2}
	if note := noteOf("gpu8", elsewhere, now); note.text != "gpu8 2 live" || note.without {
		t.Errorf("of a mirror that another process keeps: %v", note)
	}
	m := &Model{Lab: &lab.Lab{Theme: kit.NewTheme(colorprofile.TrueColor, true, false)}}
	for _, s := range states {
		note := noteOf(s.name, s.state, now)
		if note.text != s.want {
			t.Errorf("box %s: %q, want %q", s.name, note.text, s.want)
		}
		m.boxes.notes = append(m.boxes.notes, note)
	}
	all := m.boxes.notes
	for _, c := range []struct {
		notes []boxNote
		cells int
		want  string
	}{
		{all, 90, "gpu1 2 live · gpu2 no link 40s · gpu3 connects · gpu4 0 live · gpu5 0 live · " +
			"4 running"},
		{all, 50, "gpu2 no link 40s · gpu3 connects · 4 running"},
		{all, 40, "2 of 5 boxes no link · 4 running"},
		{all, 30, "2 of 5 boxes no link"},
		{all[1:3], 30, "2 boxes no link · 4 running"},
		{all[:2], 30, "gpu2 no link 40s · 4 running"},
		{all[3:], 40, "gpu4 0 live · gpu5 0 live · 4 running"},
		{all[3:], 30, "2 boxes 0 live · 4 running"},
		{all[3:], 20, "2 boxes · 4 running"},
		{all[1:2], 20, "gpu2 no link 40s"},
		{all, 10, "4 running"},
		{nil, 30, "4 running"},
	} {
		m.boxes.notes = c.notes
		if got := m.withBoxes("4 running", c.cells); got != c.want {
			t.Errorf("%d cells, %d boxes: %q, want %q", c.cells, len(c.notes), got, c.want)
		}
	}
}

// TestLostForAMoment: a link that is lost for a moment changes nothing in the header, and is no
// trouble yet.
func TestLostForAMoment(t *testing.T) {
	now := time.Now()
	for age, lost := range map[time.Duration]bool{10 * time.Second: false, time.Minute: true} {
		s := box.State{Word: "down", Since: now.Add(-age), Known: now.Add(-age), Live: 2}
		note := noteOf("gpu1", s, now)
		if got := note.without; got != lost || note.text == "gpu1 2 live" == lost {
			t.Errorf("lost for %v: %q, without a link: %v, want %v", age, note.text, got, lost)
		}
		if got := troubleOf(s, now) != ""; got != lost {
			t.Errorf("lost for %v: trouble %v, want %v", age, got, lost)
		}
	}
}

// farArchive is a folder with the runs of an archive and, of a box, with two live runs and one that
// is done.
func farArchive(t *testing.T, known time.Time) (lab.Source, []box.Linked) {
	t.Helper()
	there := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for i, method := range []dro.Algorithm{dro.SFK, dro.ERM} {
		there.Add(t, "far-"+string(method)+"-s1", tuitest.Archived(method, 1, "far",
			tuitest.Epoch0().Add(time.Duration(i)*time.Second)), runner.Running, "")
	}
	there.Add(t, "far-pgd-s1", tuitest.Archived(dro.PGD, 1, "far", tuitest.Epoch0()), runner.Done,
		"")
	boxes := []box.Linked{tuitest.NewBox(t, "gpu1", string(there.Folder), known)}
	here := tuitest.NewArchive(t)
	return lab.WithBoxes(t.Context(), lab.OpenCatalogued(string(here.Folder), "", true), boxes,
		""), boxes
}

// onFar returns a driver over the runs of an archive and of a box that was last heard at a time.
func onFar(t *testing.T, known time.Time, w, h int, environ ...string) *driver {
	t.Helper()
	source, boxes := farArchive(t, known)
	r := newDriver(t, &tuitest.Script{Folder: "unused", Now: tuitest.Epoch0()}, w, h, environ...)
	r.Source, r.Config.Boxes, r.Config.RunsDir = source, boxes, "/runs"
	r.bind(r.pages) // the keys know that there are boxes
	return r
}

// TestSilentBox: runs of a box that nobody hears are shown as they were known last, on every page:
// with their age, and without a time left or a speed. They count as live nowhere. A moment without
// a link changes nothing.
func TestSilentBox(t *testing.T) {
	for _, c := range []struct {
		known  time.Duration
		silent bool
	}{{10 * time.Second, false}, {3 * time.Hour, true}} {
		r := onFar(t, tuitest.Epoch0().Add(-c.known), 200, 60)
		r.Wait(time.Second, time.Second/5)
		sees := func(page, text string, want bool) {
			t.Helper()
			if s := tuitest.Text(r.shot(t)); strings.Contains(s, text) != want {
				t.Errorf("known %v ago, %s: shows %q %v, want %v:\n%s", c.known, page, text, !want,
					want, s)
			}
		}
		r.Press("3")
		sees("Runs", "running, 3 h ago", c.silent)
		sees("Runs", "running", true)
		r.Press("2")
		r.Send(lab.Watch{IDs: []string{"far-sfk-s1", "far-erm-s1"}})
		r.Wait(time.Second, time.Second/5)
		sees("Watch", "running, 3 h ago", c.silent)
		sees("Watch", "Box gpu1 has no link: its runs are shown as they were known 3 h ago",
			c.silent)
		sees("Watch", "2 without a link", c.silent)
		sees("Watch", "2 running", !c.silent)
		sees("Watch", "2000", !c.silent) // samples a second
		if _, _, live := r.watch.Progress(); live == c.silent {
			t.Errorf("known %v ago: the terminal is told of live runs: %v", c.known, live)
		}
		if got := strings.Contains(r.watch.Story(), "known 3 h ago"); got != c.silent {
			t.Errorf("known %v ago: the story %q says so: %v", c.known, r.watch.Story(), got)
		}
		track := r.watch.Runs.Tracks[0]
		trained := func(steps int64, after time.Duration) runner.Head {
			return runner.Head{Step: track.Step + steps, Time: tuitest.Epoch0().Add(after)}
		}
		track.Add([]runner.Event{
			&runner.StatusEvent{Head: trained(0, 0), Status: runner.Running},
			&runner.StepEvent{Head: trained(1, 7*time.Second)}})
		left, ok := track.Remaining()
		if !ok {
			t.Fatal("nobody knows how long the run takes")
		}
		r.Send(kit.Changed{})
		sees("Watch", kit.Duration(left), !c.silent)
		r.Send(lab.Compare{Runs: tuitest.Found(t, r.Source, "far-pgd-s1", "shapes-pgd-s1")})
		sees("Compare", "Box gpu1 has no link", c.silent)
		r.Send(lab.Watch{}) // the newest: live ones first
		r.Wait(time.Second, time.Second/5)
		if got := slices.Contains(r.watch.Runs.IDs(), "far-sfk-s1"); got != !c.silent {
			t.Errorf("known %v ago: the newest are %v: the far ones %v", c.known,
				r.watch.Runs.IDs(), got)
		}
	}
}

// TestBoxesSays: Boxes says how each link stands and why there is none, whole.
func TestBoxesSays(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	word := strings.Repeat("a long story of ssh ", 12) + "\x1b[31mthe end"
	hello := &box.Hello{Version: "v1.2.3", System: "linux/amd64", Cores: 32, CPU: "Xeon",
		Memory: 512 << 30, RunsDir: "/runs\x1b[2J", Advice: "a logout ends runs"}
	for what, c := range map[string]struct {
		state box.State
		wants []string
		lacks []string
	}{
		"the first try": {box.State{}, []string{"gpu1 connecting", "none known yet"},
			[]string{"Reason"}},
		"a full disk here": {box.State{Linked: true, Since: ago(3 * time.Second), Hello: hello,
			Unwritable: "this machine cannot write the mirror: disk full"},
			[]string{"linked for 3s; its runs are shown as they were known last",
				"Mirror this machine cannot write the mirror: disk full"}, []string{"Reason"}},
		"a link": {box.State{Linked: true, Complete: true, Since: ago(754 * time.Second),
			Hello: hello, Runs: 231, Live: 2, Bytes: 1234567,
			Problems: []string{"run a: \x1b[2Jis not the name of a run", "run b: has no seal"}},
			[]string{"gpu1 linked for 12m34s", "231 runs, 2 live",
				"Xeon · 32 cores · 512 GiB",
				"v1.2.3 on linux/amd64", `/runs\x1b[2J`, "1.2 MB", "a logout ends runs",
				`run a: \x1b[2Jis not the name of a run`, "run b: has no seal"},
			[]string{"known", "Clock"}},
		"a link whose list is coming": {box.State{Linked: true, Since: ago(3 * time.Second)},
			[]string{"linked for 3s; the list of its runs is coming"}, nil},
		"no link": {box.State{Word: word, Since: ago(40 * time.Second), Runs: 7, Live: 1,
			Next: now.Add(12 * time.Second), Known: ago(3 * time.Hour)},
			[]string{"no link for 40s; next try in 12s", `\x1b[31mthe end`, "7 runs",
				"as known 3 h ago"}, nil},
		"no link, at the next try": {box.State{Word: word, Since: ago(40 * time.Second)},
			[]string{"no link for 40s; trying again now"}, nil},
		"a link on which runs come": {box.State{Linked: true, Since: ago(3 * time.Second),
			Asked: 1000, Come: 120}, []string{"linked for 3s; 120 of 1000 runs have come"}, nil},
		"GPUs": {box.State{Linked: true, Hello: hello, GPUs: []machine.GPU{
			{Index: 3, Name: "H200\x1b[2J", Use: machine.Part{Used: 37, Of: 100},
				Memory:      machine.Part{Used: 12 << 30, Of: 140 << 30},
				Temperature: 61}, {Index: 4, Name: "in MIG mode"}}},
			[]string{`GPU 3 H200\x1b[2J · 37 % in use · 12 of 140 GiB · 61 °C`,
				"GPU 4 in MIG mode"}, nil},
		"another process": {box.State{Linked: true, Elsewhere: true, Known: ago(0)},
			[]string{"another drolab on this machine keeps its mirror up to date"},
			[]string{"no link"}},
		"another process, and no link": {box.State{Word: word, Elsewhere: true, Known: ago(0),
			Since: ago(40 * time.Second)}, []string{"keeps its mirror up to date; from this one " +
			"there is no link for 40s, and nothing can be asked", "the end"}, nil},
		"another process without a link": {box.State{Elsewhere: true, Known: ago(4 * time.Minute)},
			[]string{"has heard nothing for 4 min"}, nil},
		"another process that heard nothing": {box.State{Elsewhere: true},
			[]string{"has heard nothing yet"}, nil},
		"a clock that is ahead": {box.State{Linked: true, Hello: hello, Offset: 3 * time.Minute},
			[]string{"3 min ahead of the clock of this machine"}, nil},
		"a clock that is behind": {box.State{Linked: true, Hello: hello, Offset: -2 * time.Hour},
			[]string{"2 h behind the clock of this machine"}, nil},
	} {
		for _, ascii := range []bool{false, true} {
			theme := kit.NewTheme(colorprofile.TrueColor, true, ascii)
			for _, w := range []int{36, 76, boxCells} {
				lines := describeBox(theme, "gpu1", c.state, now, w)
				for _, line := range lines {
					if cell.Width(line) > w {
						t.Errorf("%s, %d cells: a line has %d: %q", what, w, cell.Width(line), line)
					}
				}
				text := strings.Join(strings.Fields(ansi.Strip(strings.Join(lines, " "))), " ")
				if w < boxCells { // a word may be broken there
					continue
				}
				for _, want := range c.wants {
					if !strings.Contains(text, theme.Greek(want)) {
						t.Errorf("%s: %q lacks %q", what, text, want)
					}
				}
				for _, lack := range c.lacks {
					if strings.Contains(text, lack) {
						t.Errorf("%s: %q has %q, want it without", what, text, lack)
					}
				}
			}
		}
	}
}

// TestBoxes: a key and the search open Boxes on every page and in every size. It stays up to date,
// and without boxes it says how to add one.
func TestBoxes(t *testing.T) {
	r := onFar(t, tuitest.Epoch0().Add(-3*time.Hour), 80, 24)
	r.Wait(time.Second, time.Second/5)
	for _, page := range []string{"1", "2", "3", "4"} {
		r.Press(page, "M")
		r.fits(t, "Boxes on page "+page)
		s := tuitest.Text(r.shot(t))
		for _, want := range []string{"gpu1", "No route to host",
			"3 runs, 2 live, as known 3 h ago"} {
			if !strings.Contains(s, want) {
				t.Errorf("page %s: Boxes lacks %q:\n%s", page, want, s)
			}
		}
		r.Press("esc")
	}
	r.Press("M")
	for _, size := range [][2]int{{40, 12}, {120, 40}, {200, 60}} {
		r.size(size[0], size[1])
		r.fits(t, "Boxes")
	}
	before := r.screen()
	r.script.Now = r.script.Now.Add(2 * time.Hour)
	r.Wait(time.Second, time.Second/5)
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "as known 5 h ago") {
		t.Errorf("two hours later Boxes lacks as known 5 h ago:\n%s\nbefore:\n%s", s, before)
	}
	r.Press("esc", ":")
	r.Type("box gpu1")
	if r.Press("enter"); r.overlay == nil || r.overlay != r.boxes.overlay {
		t.Error("the search for box gpu1 does not open Boxes")
	}

	r = newDriver(t, tuitest.NewScript(t), 80, 24)
	r.Press("M")
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "drolab --box NAME") {
		t.Errorf("without boxes Boxes lacks drolab --box NAME:\n%s", s)
	}
	if strings.Contains(r.footer(), "boxes") {
		t.Errorf("without boxes the footer is %q", r.footer())
	}
}

// TestFarRunsAreRefused: what cannot be done to a run of a box now is refused before a question,
// whole: with the reason why nothing can be asked of the box, or with the command that does it
// there.
func TestFarRunsAreRefused(t *testing.T) {
	const (
		link    = "box gpu1: no link for "
		samples = "far-sfk-s1 is on box gpu1: drolab eval far-sfk-s1 --box gpu1"
	)
	for _, w := range testsize.Few(1, 40, 80, 200) {
		r := onFar(t, tuitest.Epoch0(), w, 24)
		r.Wait(time.Second, time.Second/5)
		r.Send(lab.Watch{IDs: []string{"far-sfk-s1"}})
		r.Press("3", "/")
		r.Type("far algo:sfk")
		r.Press("enter")
		for page, keys := range map[string]map[string]string{
			"2": {"F": link, "p": link, "x": link, "t": link, "C": link, "P": samples},
			"3": {"F": link, "p": link, "x": link, "n": link, "#": link, "A": link, "D": link,
				"P": samples},
		} {
			r.Press(page)
			for key, want := range keys {
				r.Press(key)
				if r.overlay != nil {
					t.Fatalf("page %s: %s asks %q, want a refusal", page, key, r.overlay.Title)
				}
				r.fits(t, "a notice")
				foot := ansi.Strip(r.footer())
				if !strings.HasPrefix(spaceless(foot), spaceless(want)) {
					t.Errorf("%d cells, page %s: %s says %q, want %q", w, page, key, foot, want)
				}
				if shown := spaceless(foot); shown != spaceless(r.notice.Text) {
					t.Errorf("%d cells, page %s: %s shows %q, want all of %q", w, page, key, foot,
						r.notice.Text)
				}
				r.Press("M", "esc")
			}
		}
		if r.asked.List != nil {
			t.Errorf("asked of runs here: %v, want nothing", r.asked.List)
		}
	}
}

// spaceless returns a text without blanks and line breaks: a line may be broken behind a minus.
func spaceless(text string) string { return strings.Join(strings.Fields(text), "") }

// TestBeginsWithFarRuns: where nothing is live here, the interface begins with the live runs of the
// boxes, once each box has answered, on Launch as on Watch. Runs of a silent box are not live, and
// a key that was pressed meanwhile keeps Launch.
func TestBeginsWithFarRuns(t *testing.T) {
	for i, c := range []struct {
		name, page string
		known      time.Duration
		pressed    bool
		want       bool
	}{
		{"from Launch", "1", 0, false, true},
		{"on Watch", "2", 0, true, true},
		{"after a key", "1", 0, true, false},
		{"silent", "1", time.Hour, false, false},
		{"silent, on Watch", "2", time.Hour, true, false},
	} {
		if testing.Short() && i%3 > 0 { // one that begins with them, and one that does not
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			r := onFar(t, tuitest.Epoch0().Add(-c.known), 80, 24)
			boxes, yesterday := r.Config.Boxes, tuitest.Epoch0().Add(-24*time.Hour)
			dir := boxes[0].Dir
			must(t, os.Chtimes(filepath.Join(dir, "mirror.lock"), yesterday, yesterday))
			r.Config.Boxes = []box.Linked{{Name: "gpu1", Link: box.NewLink("gpu1", dir, nil)}}
			r.begun, r.boxes = false, boxStates{}
			r.Send(kit.Tick(r.script.Now))
			r.Press(c.page)
			r.used = c.pressed
			r.Wait(time.Second, time.Second/5) // the box has not answered
			if n := len(r.watch.Living()); n != 0 {
				t.Errorf("before the box has answered %d live runs are watched, want none", n)
			}
			r.Config.Boxes = boxes
			r.Wait(time.Second, time.Second/5)
			got := r.current == watchPage && slices.Contains(r.watch.Runs.IDs(), "far-sfk-s1")
			if got != c.want {
				t.Errorf("page %d shows %v: the far ones %v, want %v", r.current+1,
					r.watch.Runs.IDs(), got, c.want)
			}
		})
	}
}

// TestFarEndRings: the end of a run of a box is told as that of a run here, with the box.
func TestFarEndRings(t *testing.T) {
	there := t.TempDir()
	store, err := record.Open(there)
	must(t, err)
	meta := tuitest.Archived(dro.SFK, 1, "far", tuitest.Epoch0())
	meta.ID = "far-sfk-s1"
	run, err := store.Create(meta, nil)
	must(t, err)
	defer run.Close()
	must(t, run.Append(&runner.StatusEvent{Status: runner.Running}))
	r := newDriver(t, &tuitest.Script{Folder: "unused", Now: tuitest.Epoch0()}, 80, 24)
	far := tuitest.NewBox(t, "gpu2", there, tuitest.Epoch0())
	r.Source = lab.WithBoxes(t.Context(), lab.OpenCatalogued(t.TempDir(), "", true),
		[]box.Linked{far}, "")
	r.Config.Ring = lab.Ring{Notify: "9"}
	r.Press("2")
	r.Send(lab.Watch{IDs: []string{meta.ID}})
	r.Wait(time.Second, time.Second/5)
	must(t, run.Append(&runner.StatusEvent{Status: runner.Done}))
	log, err := os.ReadFile(filepath.Join(there, meta.ID, "events.jsonl"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(far.Dir, meta.ID, "events.jsonl"), log, 0o600))
	r.Wait(time.Second, time.Second/5)
	if len(r.raw) != 1 || !strings.Contains(fmt.Sprint(r.raw[0].Msg), "on gpu2: done") {
		t.Errorf("the terminal is told %q, want one end on gpu2", r.raw)
	}
}

// slowVerbs are the Verbs of a box that answers an order once the test says so.
type slowVerbs struct {
	runner.Verbs
	answer chan struct{}
}

func (v slowVerbs) CarryOut(runner.Order) (int64, error) {
	<-v.answer
	return 0, nil
}

// TestUnansweredBox: while a box owes an answer, the last line of every page says so and for how
// long, unless the user types.
func TestUnansweredBox(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 80, 24)
	synctest.Test(t, func(t *testing.T) {
		verbs := slowVerbs{answer: make(chan struct{})}
		gpu1 := tuitest.ServeBox(t, "gpu1", &box.FarSide{RunsDir: t.TempDir(), Verbs: verbs})
		r.Config.Boxes = []box.Linked{gpu1}
		var asking sync.WaitGroup
		asking.Go(func() {
			gpu1.Link.CarryOut(runner.Order{Verb: runner.Pause, Run: "race-sfk-s1"})
		})
		const said = "box gpu1 has not answered for"
		synctest.Wait()
		if foot := r.footer(); strings.Contains(foot, said) {
			t.Errorf("at once the last line is %q, want the keys", foot)
		}
		time.Sleep(18 * time.Second)
		for i := range r.pages {
			r.Press(fmt.Sprint(i + 1))
			r.notice = kit.Notice{Text: "N 1 alert", Unasked: true}
			if foot := r.footer(); !strings.Contains(foot, said+" 18 s") {
				t.Errorf("page %d: the last line is %q, want %s 18 s", i+1, foot, said)
			}
		}
		r.Starting = "Starting 2 runs …"
		if foot := r.footer(); !strings.Contains(foot, r.Starting+" "+said) {
			t.Errorf("during a start the last line is %q, want both", foot)
		}
		r.Starting, r.notice = "", kit.Notice{}
		before := r.version
		if r.tick(tuitest.Epoch0()); r.version == before {
			t.Error("a tick does not draw the screen anew, want the time to go on")
		}
		r.Press("?")
		if foot := r.footer(); strings.Contains(foot, said) {
			t.Errorf("with the help open the last line is %q, want its keys", foot)
		}
		r.Press("esc")
		verbs.answer <- struct{}{}
		asking.Wait()
		if foot := r.footer(); strings.Contains(foot, said) {
			t.Errorf("after the answer the last line is %q, want the keys", foot)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLongNotices: a notice is shown whole, in as many lines as it takes, and for longer then. One
// that half of the page cannot hold is cut.
func TestLongNotices(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 80, 24)
	r.Press("3")
	r.Wait(time.Second, time.Second/5)
	r.Run(kit.Complain(errors.New(strings.Repeat("word ", 40) + "end")))
	r.fits(t, "a long notice")
	if s := tuitest.Text(r.shot(t)); strings.Count(s, "word") != 40 || !strings.Contains(s, "end") {
		t.Errorf("the notice is cut:\n%s", s)
	}
	r.script.Now = r.script.Now.Add(noticeTime + time.Second)
	if r.Send(kit.Tick(r.script.Now)); r.notice.Text == "" {
		t.Error("a notice of three lines stands no longer than one of one line")
	}
	r.script.Now = r.script.Now.Add(3 * noticeTime)
	if r.Send(kit.Tick(r.script.Now)); r.notice.Text != "" {
		t.Error("the notice stands for ever")
	}
	r.Run(kit.Complain(errors.New(strings.Repeat("word ", 4000))))
	r.fits(t, "a very long notice")
	if n := len(strings.Split(r.footer(), "\n")); n != r.Body.H/2 {
		t.Errorf("a very long notice has %d lines, want %d", n, r.Body.H/2)
	}
}

// TestFarRunsShareNoCores: the review of a start counts the runs of this machine alone.
func TestFarRunsShareNoCores(t *testing.T) {
	r := onFar(t, tuitest.Epoch0(), 120, 40)
	r.Wait(time.Second, time.Second/5)
	r.Press("1", "enter")
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "shared with no other run") {
		t.Errorf("the review lacks shared with no other run:\n%s", s)
	}
}

// TestStartedThere: runs that were started or resumed on a box are watched at once, and are no runs
// of this process: leaving asks nothing. X stops them there.
func TestStartedThere(t *testing.T) {
	r := onFar(t, tuitest.Epoch0(), 120, 40)
	r.Wait(time.Second, time.Second/5)
	ids := []string{"far-sfk-s1", "far-erm-s1"}
	r.Send(lab.Started{IDs: ids, Box: "gpu1"})
	r.Send(lab.Answered{Verb: "resume", ID: "far-pgd-s1"})
	r.Wait(time.Second, time.Second/5)
	if got := r.watch.Runs.IDs(); r.current != watchPage || !slices.Equal(got, ids) {
		t.Errorf("on page %d are watched %v, want %v", r.current+1, got, ids)
	}
	if mine := r.Started(); len(mine) > 0 {
		t.Errorf("runs of this process are %v, want none", mine)
	}
	leaving, _ := r.askLeave()().(lab.Opened)
	r.EndOpening()
	if m, ok := leaving.Msg.(leaveMsg); !ok || len(m.live) > 0 {
		t.Errorf("leaving finds %v unfinished, want none", m.live)
	}
	r.Press("X")
	s := tuitest.Text(r.shot(t))
	for _, want := range append(ids, "2 runs on box gpu1:") {
		if !strings.Contains(s, want) {
			t.Errorf("X shows no %q:\n%s", want, s)
		}
	}
	if r.Press("y"); len(r.asked.List) > 0 {
		t.Errorf("this machine is asked for %v, want the box to be", r.asked.List)
	}
	if !strings.Contains(r.notice.Text, "box gpu1: no link") {
		t.Errorf("the notice is %q, want that the box has no link", r.notice.Text)
	}
}

// TestStartIsHeeded: while runs start after a question, as before one, keys do nothing.
func TestStartIsHeeded(t *testing.T) {
	r := onFar(t, tuitest.Epoch0(), 80, 24)
	begun := false
	r.Send(lab.Heeded{Starting: "Starting a run …", Begin: func() tea.Msg {
		begun = r.Starting != ""
		return nil
	}})
	if !begun {
		t.Error("the start has not begun, or nothing says so")
	}
}

// TestLaunchOnBoxes: the search finds the machine among the settings, and another page leads to the
// review of a start there.
func TestLaunchOnBoxes(t *testing.T) {
	r := onFar(t, tuitest.Epoch0(), 80, 24)
	r.Wait(time.Second, time.Second/5)
	r.Press("1", ":")
	r.Type("setting where")
	r.Press("enter", "space")
	s := tuitest.Text(r.shot(t))
	for _, want := range []string{"here | [gpu1]", "box gpu1: no link for"} {
		if !strings.Contains(s, want) {
			t.Errorf("Launch lacks %q:\n%s", want, s)
		}
	}
	if r.Press("enter"); r.overlay != nil {
		t.Errorf("Enter opens %q on a box without a link, want a notice", r.overlay.Title)
	}
	for _, size := range [][2]int{{40, 12}, {80, 24}, {200, 60}} {
		r.size(size[0], size[1])
		r.fits(t, "Launch on a box")
	}
}

// TestNoLinkLeavesComplaints: that a box has no link does not take the place of what became of a
// key.
func TestNoLinkLeavesComplaints(t *testing.T) {
	lost := kit.Notice{Text: "box gpu1: stop of run run-1 may have been done", Bad: true}
	for _, c := range []struct {
		shown kit.Notice
		want  string
	}{
		{kit.Notice{}, "box gpu1: no link: "},
		{kit.Notice{Text: "Asked to stop: run-1"}, "box gpu1: no link: "},
		{lost, lost.Text},
	} {
		r := onFar(t, tuitest.Epoch0().Add(-time.Minute), 120, 24)
		r.Wait(time.Second, time.Second/5)
		r.boxes.words = nil // the link is lost after the key
		r.notice = kit.Notice{}
		r.Send(c.shown)
		r.Wait(time.Second, time.Second/5)
		if got := r.notice.Text; !strings.HasPrefix(got, c.want) {
			t.Errorf("after %q the notice is %q, want %q", c.shown.Text, got, c.want)
		}
	}
}
