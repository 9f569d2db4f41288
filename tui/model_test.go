package tui

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// TestVerbsOfAnotherProcess: the interface passes pause and stop on to another process that trains
// the runs.
func TestVerbsOfAnotherProcess(t *testing.T) {
	r := watching(t, 120, 40)
	r.Config.RunsGoOn = true
	r.Press("p", "x", "y", "3", "p")
	if want := []string{"pause", "stop", "pause"}; !slices.Equal(r.asked.List, want) {
		t.Errorf("asked %v, want %v", r.asked.List, want)
	}
}

// TestAnswered: the footer says what was asked of a run and whether it failed.
func TestAnswered(t *testing.T) {
	r := watching(t, 120, 40)
	for want, ask := range map[string]tea.Cmd{"Asked to pause: a-run": r.Ask("pause", "a-run"),
		"Saved at step 7: a-run":           r.Ask("checkpoint", "a-run"),
		"Set c to 70 · u undoes it: a-run": r.Turn("a-run", "c", "70")} {
		if r.Send(ask()); !strings.Contains(r.footer(), want) {
			t.Errorf("the footer says %q, want %q", r.footer(), want)
		}
	}
	r.Send(lab.Answered{Verb: "resume", ID: "b-run"},
		lab.Answered{Verb: "resume", ID: "c-run", Err: errors.New("no such run")})
	if !r.Mine["b-run"] {
		t.Error("a run that was resumed is not ours")
	}
	if r.Mine["c-run"] {
		t.Error("a run that could not be resumed is ours")
	}
	if f := r.footer(); !strings.Contains(f, "no such run") {
		t.Errorf("the footer says %q, want no such run in it", f)
	}
}

// TestPace: the interface looks at the files less and less often while nothing happens.
func TestPace(t *testing.T) {
	r := watching(t, 80, 24)
	r.Wait(30*time.Second, time.Second/5) // to the end of the runs
	for _, c := range []struct {
		later, want time.Duration
	}{{0, readSeldom}, {longQuietAfter + time.Second, readRarely}} {
		r.Send(kit.Tick(r.script.Now.Add(c.later)))
		if got := r.pace(); got != c.want {
			t.Errorf("%v later: %v, want %v", c.later, got, c.want)
		}
	}
	if r.Press("?"); r.pace() != readEvery {
		t.Errorf("after a key: %v, want %v", r.pace(), readEvery)
	}
}

func TestLeave(t *testing.T) {
	r := watching(t, 80, 24)
	r.Press("q")
	if !r.quit {
		t.Error("q does not leave, though no run is of this program")
	}
	r.quit = false
	for id := range r.script.Logs {
		r.Mine[id] = true
	}
	r.Press("q")
	if r.quit {
		t.Fatal("q leaves, though runs of this program go on")
	}
	if r.overlay == nil {
		t.Fatal("q asks nothing, though runs of this program go on")
	}
	r.Press("q", "n", "esc")
	if r.quit {
		t.Fatal("Esc leaves")
	}
	if r.overlay != nil {
		t.Fatalf("after Esc the question %q stays", r.overlay.Title)
	}
	r.Press("ctrl+c", "ctrl+c")
	if !r.quit {
		t.Error("two ctrl+c do not leave")
	}
}

// TestStarted: runs that Launch has started are watched and belong to the user.
func TestStarted(t *testing.T) {
	s := tuitest.NewScript(t)
	r := newDriver(t, s, 80, 24)
	var ids []string
	for id := range s.Logs {
		ids = append(ids, id)
	}
	r.Send(lab.Started{IDs: ids[:2]})
	if r.current != watchPage {
		t.Errorf("after a start page %d is shown, want Watch", r.current+1)
	}
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "4 live, 2 watched") {
		t.Errorf("the screen lacks 4 live, 2 watched:\n%s", s)
	}
	for _, id := range ids[:2] {
		if !r.Mine[id] {
			t.Errorf("the run %s, which was started, is not ours", id)
		}
	}
	r.Send(lab.Started{Err: fmt.Errorf("rho: 0: want\x1b[31m a number")})
	if f := r.footer(); !strings.Contains(f, "rho: 0: want\\x1b[31m a number") {
		t.Errorf("the footer says %q", f)
	}
}

// TestPaletteFinds: the palette finds keys, pages, panels, presets, settings with their values,
// runs and definitions, by whole words or by some of their letters, and Enter goes there.
func TestPaletteFinds(t *testing.T) {
	all := watching(t, 120, 38)
	all.Press("3", "1")
	for typed, want := range map[string]string{"setting rho": "setting rho = 0.2",
		"preset race": "preset race: SFK-DRO against PGD", "page compare": "page Compare",
		"panel machine": "panel Machine", "define worst": "define ",
		"run shapes-pgd": "run shapes-pgd-s1-2026", "cmpr": "compare",
		"eta": "define η", "lambda": "define λ", "rho": "setting rho"} {
		all.Press("ctrl+p")
		all.Type(typed)
		if s := tuitest.Text(all.shot(t)); !strings.Contains(s, want) {
			t.Errorf("%q does not find %q:\n%s", typed, want, s)
		}
		if all.Press("esc"); all.overlay != nil {
			t.Fatalf("Esc leaves the search of %q open", typed)
		}
	}
	r := watching(t, 120, 38)
	r.Press(":") // page Runs was not shown yet
	r.Type("run shapes-pgd")
	r.Press("enter")
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "╭─ shapes-pgd-s1-2026") {
		t.Errorf("Enter does not lead to the run of pgd on page Runs:\n%s", s)
	}
	r.Press("1", ":")
	r.Type("preset race")
	if r.Press("enter"); r.current != launchPage || r.overlay != nil {
		t.Errorf("Enter leads to page %d, want Launch", r.current)
	}
	r.Press(":")
	r.Type("panel settings")
	if r.Press("enter"); r.current != watchPage || !strings.Contains(
		tuitest.Text(r.shot(t)), "▸ Settings") {
		t.Errorf("Enter does not lead to the panel Settings:\n%s", tuitest.Text(r.shot(t)))
	}
	r.Press("1", ":")
	r.Type("setting epochs")
	r.Press("enter", "e", "7", "enter")
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "race ◇ epochs 7") {
		t.Errorf("the epochs of race are not 7:\n%s", s)
	}
}

// TestNamesAreFoundFirst: what has the typed name comes first, before what only begins with it, has
// it as a word, or has its letters, on whatever page one is.
func TestNamesAreFoundFirst(t *testing.T) {
	r := watching(t, 120, 38)
	r.Press("3", "1")
	for _, c := range []struct{ page, typed, want string }{
		{"1", "epochs", "setting epochs = "}, {"2", "epochs", "setting epochs = "},
		{"2", "λ", "define λ"}, {"2", "lambda", "define λ"}, {"3", "η", "define η"},
		{"3", "eta", "define η"}, {"1", "eta", "setting eta = "}, {"3", "watch", "watch the sel"},
		{"1", "compare", "page Compare"}, {"2", "race", "preset race"}, {"2", "pause", "pause"},
		{"2", "rho", "setting rho = "}, {"3", "machine", "panel Machine"},
	} {
		r.Press(c.page, ":")
		r.Type(c.typed)
		rows := r.overlay.Form.(*palette).rows()
		if len(rows) == 0 || !strings.HasPrefix(rows[0].Help, c.want) {
			t.Errorf("page %s: %q finds %q first, want %q", c.page, c.typed, rows[0].Help, c.want)
		}
		if r.Press("esc"); r.overlay != nil {
			t.Fatalf("Esc leaves the search of %q open", c.typed)
		}
	}
}

// TestFoundOnAnotherPage: an action that the search finds waits until its page, which was never
// opened, has what it shows. Esc leads back.
func TestFoundOnAnotherPage(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := newDriver(t, tuitest.NewScript(t), 80, 24)
		r.Late = late
		r.Press(":")
		r.Type("define what the panel")
		_, cmd := r.Update(kit.Press("enter"))
		if r.current != watchPage || r.overlay != nil || r.notice.Text != "" {
			t.Fatalf("before the runs are there: page %d, a dialog: %v, and %q", r.current+1,
				r.overlay != nil, r.notice.Text)
		}
		axis := r.watch.Board.Axis
		r.Update(kit.Press("a")) // for the dialog, and not for the page
		if r.Run(cmd); r.overlay == nil || r.watch.Board.Axis != axis {
			t.Errorf("late %v: a dialog is open: %v, with the notice %q; the axis is %s, want %s",
				late, r.overlay != nil, r.notice.Text, r.watch.Board.Axis, axis)
		}
		r.Press("esc", "esc")
		if r.current != launchPage {
			t.Errorf("late %v: Esc leads to page %d, want Launch", late, r.current+1)
		}
	}
}

// TestHelpIsSearched: letters in the help find its keys, and Enter does what the key does.
func TestHelpIsSearched(t *testing.T) {
	r := watching(t, 120, 38)
	r.Press("3", "?")
	r.Type("filter")
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "▸ /") {
		t.Fatalf("the key / is not found:\n%s", s)
	}
	if r.Press("enter"); !r.pages[runsPage].Typing() {
		t.Error("no filter is typed")
	}
}

// TestFooterTakesTheMouse: a click on a hint does what its key does; a click beside the hints does
// nothing.
func TestFooterTakesTheMouse(t *testing.T) {
	r := watching(t, 120, 38)
	r.Press("3")
	at := func(hint string) int {
		before, _, found := strings.Cut(ansi.Strip(r.footer()), hint)
		if !found {
			t.Fatalf("the footer %q lacks %s", ansi.Strip(r.footer()), hint)
		}
		return cell.Width(before)
	}
	r.Send(click(at("? help")-2, 37))
	if r.overlay != nil {
		t.Errorf("a click beside the hints opens %q", r.overlay.Title)
	}
	r.Send(click(at("? help")+3, 37))
	if r.overlay == nil {
		t.Fatal("a click on help opens nothing")
	}
	r.Press("esc")
	r.Send(click(at("/ filter"), 37))
	if !r.pages[runsPage].Typing() {
		t.Error("after a click on filter no filter is typed")
	}
}

// TestDialogsTakeTheMouse: a click on a hint of a dialog, of a form or of a text that is typed does
// what its key does.
func TestDialogsTakeTheMouse(t *testing.T) {
	r := watching(t, 120, 38)
	on := func(hint string) tea.MouseClickMsg {
		before, _, found := strings.Cut(ansi.Strip(r.footer()), hint)
		if !found {
			t.Fatalf("the footer %q lacks %s", ansi.Strip(r.footer()), hint)
		}
		return click(cell.Width(before), 37)
	}
	r.Press("3", "/")
	r.Type("rho")
	if r.Send(on("Enter take")); r.pages[runsPage].Typing() {
		t.Error("after a click on take, the filter is still typed")
	}
	r.Press("?")
	if r.Send(on("Esc back")); r.overlay != nil {
		t.Errorf("after a click on back, %q is still open", r.overlay.Title)
	}
	r.Press("esc", "v")
	if r.Send(on("Esc cancel")); r.overlay != nil {
		t.Errorf("after a click on cancel, the form %q is still open", r.overlay.Title)
	}
	answered := false
	r.open(kit.NewQuestion("Stop?", []string{"It saves a checkpoint."}, kit.Answer{
		Keys: []string{"y"}, Name: "stop it", Then: func() tea.Msg {
			answered = true
			return nil
		}}))
	if r.Send(on("y stop it")); r.overlay != nil || !answered {
		t.Errorf("after a click on the answer it is taken: %v, and the question open: %v, "+
			"want true and false", answered, r.overlay != nil)
	}
}

// TestReasonsAreAskedOnce: a key asks once why it is blocked, whether it works or not.
func TestReasonsAreAskedOnce(t *testing.T) {
	r := watching(t, 120, 38)
	for _, why := range []string{"", "Not now"} {
		asked, done := 0, false
		r.keys[r.current] = append([]kit.Key{{Keys: kit.On("ctrl+t"), Help: "a toy",
			Why: func() string {
				asked++
				return why
			},
			Act: kit.Just(func() { done = true })}}, r.keys[r.current]...)
		r.Update(kit.Press("ctrl+t"))
		if asked != 1 || done != (why == "") {
			t.Errorf("with the reason %q it is asked %d times and done: %v, want once and %v",
				why, asked, done, why == "")
		}
	}
}

// TestHeaderKeepsTheState: at every width the header says how many runs train, whatever else has no
// room: the program's name, the names of other pages, that the view is read-only.
func TestHeaderKeepsTheState(t *testing.T) {
	r := watching(t, 120, 38)
	for _, readOnly := range []bool{false, true} {
		r.Config.ReadOnly = readOnly
		for w := kit.LeastWidth; w <= 120; w++ {
			r.size(w, 24)
			header := ansi.Strip(r.header())
			for _, want := range []string{" 2 Watch ", " 4 running "} {
				if !strings.Contains(header, want) {
					t.Errorf("read-only %v, %d cells: the header %q lacks %q", readOnly, w, header,
						want)
				}
			}
			for _, tab := range r.tabs() {
				if page, ok := r.tabAt(tab.x + 1); !ok || page != tab.page {
					t.Errorf("%d cells: a click on tab %d shows page %d", w, tab.page+1, page+1)
				}
			}
		}
		if header := ansi.Strip(r.header()); strings.Contains(header, "read-only") != readOnly {
			t.Errorf("read-only %v: the header is %q", readOnly, header)
		}
	}
}

// TestTitle: the title of the window says how far the watched runs are and how many train, and is
// the program's name once they have ended.
func TestTitle(t *testing.T) {
	r := watching(t, 120, 38)
	part, _, live := r.watch.Progress()
	if !live {
		t.Fatal("no run is live")
	}
	want := fmt.Sprintf("drolab %d %%", int(100*part))
	if got := r.View().WindowTitle; !strings.HasPrefix(got, want) {
		t.Errorf("the title is %q, want %q first", got, want)
	}
}

// TestViewerReads: a viewer of a shared interface reads who can do what a key does.
func TestViewerReads(t *testing.T) {
	r := watching(t, 120, 38)
	r.Config.Shared, r.Config.ReadOnly = true, true
	r.Press("3", "D")
	if got := r.notice.Text; !strings.Contains(got, "Only the owner") {
		t.Errorf("D says %q, want Only the owner in it", got)
	}
}

// TestHelpTakesEveryLetter: of letters that come in one piece into the help, as over a slow line,
// none reaches the page behind it.
func TestHelpTakesEveryLetter(t *testing.T) {
	r := watching(t, 120, 40)
	axis := r.watch.Board.Axis
	r.Press("?")
	for _, letter := range "pause" {
		r.Model.press(tea.KeyPressMsg{Code: letter, Text: string(letter)}) // no command runs
	}
	form, ok := r.overlay.Form.(*palette)
	if !ok || form.line.String() != "pause" {
		t.Errorf("after the help and pause there is %+v, want the search for pause", r.overlay)
	}
	if r.watch.Board.Axis != axis {
		t.Errorf("the axis is %s, want %s as before: a letter has reached the page",
			r.watch.Board.Axis, axis)
	}
}

func TestPalette(t *testing.T) {
	r := watching(t, 80, 24)
	r.Press(":")
	idle := false
	for _, row := range r.overlay.Form.(*palette).rows() {
		if can := row.Blocked() == ""; can && idle {
			t.Errorf("%s comes after what cannot be done", row.Help)
		} else {
			idle = !can
		}
	}
	r.Type("log pane")
	if s := tuitest.Text(r.shot(t)); strings.Contains(s, "smoothing") {
		t.Errorf("what was not asked for:\n%s", s)
	}
	r.Press("backspace", "backspace", "backspace", "backspace", "backspace", "backspace",
		"backspace", "backspace")
	r.Type("warnings")
	r.Press("enter")
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "Log by step") {
		t.Errorf("the log pane is not open:\n%s", s)
	}
	if r.overlay != nil {
		t.Errorf("the palette %q stays open", r.overlay.Title)
	}
	r.Press(":")
	r.Type("zzz")
	r.Press("enter")
	if r.overlay == nil {
		t.Fatal("Enter closes a palette that found nothing")
	}
	if s := tuitest.Text(r.shot(t)); !strings.Contains(s, "No match") {
		t.Errorf("the palette lacks No match:\n%s", s)
	}
	r.Press("esc", ":", "down", "down", "down", "up")
	r.size(40, 12)
	r.fits(t, "palette on a small screen")
	r.Press("esc", "3", ":")
	r.Type("filter")
	if r.Press("enter"); !r.pages[runsPage].Typing() {
		t.Error("no filter is typed")
	}
}

// TestEnterOpensWhatIsUnderTheCursor: the first Enter on Runs opens the run under the cursor, in
// whatever order the answers arrive.
func TestEnterOpensWhatIsUnderTheCursor(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := browsing(t, tuitest.NewArchive(t), "3", 120, 40)
		r.Late = late
		r.Press("end", "enter")
		list, _ := r.Source.List()
		last := list[len(list)-1].Meta.ID
		if got := r.watch.Runs.IDs(); r.current != watchPage || !slices.Equal(got, []string{last}) {
			t.Errorf("late %v: on page %d are watched %v, want %s", late, r.current+1, got, last)
		}
	}
}

// TestStopAll: X stops the runs that were started last, and no others.
func TestStopAll(t *testing.T) {
	r := watching(t, 120, 40)
	r.Press("X")
	if len(r.asked.List) > 0 {
		t.Fatalf("nothing was started, and X asks for %v", r.asked.List)
	}
	if r.overlay != nil {
		t.Fatalf("nothing was started, and X opens %q", r.overlay.Title)
	}
	var ids []string
	for id := range r.script.Logs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	r.Send(lab.Started{IDs: ids[:2]})
	r.Press("X")
	if r.overlay == nil {
		t.Fatal("X asks no question")
	}
	if len(r.asked.List) > 0 {
		t.Fatalf("X asks for %v before the answer", r.asked.List)
	}
	if r.Press("y"); !slices.Equal(r.asked.List, []string{"stop", "stop"}) {
		t.Errorf("asked %v, want two stops", r.asked.List)
	}
	if want := "Asked to stop 2 runs"; !strings.Contains(r.footer(), want) {
		t.Errorf("the footer says %q, want %q", r.footer(), want)
	}
	r.Send(lab.AllAnswered{{Verb: "stop", ID: "a", Err: errors.New("no such run")},
		{Verb: "stop", ID: "b"}})
	if f := r.footer(); !strings.Contains(f, "no such run") {
		t.Errorf("one of two runs was not asked, and the footer says %q", f)
	}
}

// readingVerbs are Verbs that are reading.
type readingVerbs struct {
	runner.Verbs
	now *runner.Reading
}

func (r readingVerbs) Reading() *runner.Reading { return r.now }

// TestBusy: keys do nothing while runs are being started.
func TestBusy(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 80, 24)
	r.Press("enter")
	_, cmd := r.Update(kit.Press("enter"))
	_, ask := r.Update(cmd()) // which is not answered yet
	r.Press("3", "down", "enter", "q")
	if r.current != launchPage {
		t.Errorf("while runs are started a key turns to page %d, want %d", r.current+1,
			launchPage+1)
	}
	if r.quit {
		t.Error("while runs are started q ends the interface")
	}
	if f := r.footer(); !strings.Contains(f, "Starting") {
		t.Errorf("the footer is %q, want Starting in it", f)
	}
	idle := r.Config.Verbs
	r.Config.Verbs = readingVerbs{idle, &runner.Reading{What: "samples", Done: 4000, Of: 10_000,
		Left: 150 * time.Second}}
	want := "… reading samples: 4000 of 10000, ETA 2:30"
	if got := r.footer(); !strings.Contains(got, "Starting") || !strings.Contains(got, want) {
		t.Errorf("while data are read the footer is %q, want %q in it", got, want)
	}
	for _, grown := range []int{1, 0} { // what has not changed is not drawn again
		before := r.version
		if r.tick(tuitest.Epoch0()); r.version-before != grown {
			t.Errorf("a tick draws the screen anew %d times, want %d", r.version-before, grown)
		}
	}
	r.Config.Verbs = idle
	r.Run(ask)
	if r.current != launchPage {
		t.Errorf("after a start that failed page %d is shown, want %d", r.current+1, launchPage+1)
	}
	if f := r.footer(); !strings.Contains(f, "no room") {
		t.Errorf("the footer is %q, want no room in it", f)
	}
	r.Config.Verbs = &tuitest.Starter{}
	if r.Press("enter", "enter"); r.current != watchPage {
		t.Errorf("started, the page is %d, want %d", r.current+1, watchPage+1)
	}
}

// TestBeginsWithLiveRuns: if runs are live, the interface begins with them, unless a key was
// pressed first.
func TestBeginsWithLiveRuns(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 80, 24)
	if r.current != launchPage {
		t.Errorf("after a key page %d is shown, want %d", r.current+1, launchPage+1)
	}
	if h := r.header(); !strings.Contains(h, "4 live") {
		t.Errorf("the header is %q, want 4 live in it", h)
	}
	r.used, r.begun = false, false
	r.tick(tuitest.Epoch0()) // a slow disk answers after the first tick
	r.Send(lab.Listed{Runs: r.live})
	if r.current != watchPage {
		t.Errorf("with live runs page %d is shown first, want %d", r.current+1, watchPage+1)
	}
	if n := len(r.watch.Runs.Tracks); n != 4 {
		t.Errorf("%d runs are watched, want 4", n)
	}
}

// TestKeys: no key does two things on a page at once, and the help lists every key that does
// something.
func TestKeys(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 80, 24)
	for id, table := range r.keys {
		seen := map[string]*kit.Key{}
		for i := range table {
			row := &table[i]
			for _, k := range row.Keys.Keys() {
				// A row for replays and a row for other runs may share a key, since they never
				// apply together. Esc does the first of its rows that has something to leave.
				moments := func(a, b *kit.Key) bool {
					replay := func(k *kit.Key) bool { return strings.HasPrefix(k.Help, "replay:") }
					return (replay(a) != replay(b) || k == "esc") &&
						(a.Blocked() != "" || b.Blocked() != "")
				}
				if before := seen[k]; before != nil && !moments(before, row) &&
					(before.Blocked() == "") == (row.Blocked() == "") {
					t.Errorf("%q does two things on page %d", k, id+1)
				}
				seen[k] = row
			}
			if row.Hint != "" && row.Help == "" {
				t.Errorf("%q is in the footer and not in the help", row.Name(false))
			}
			if row.Act == nil {
				t.Errorf("%q does nothing", row.Name(false))
			}
		}
	}
}

// TestHelpTellsWhatWorks: the help does not list a key as working if pressing it would only explain
// why it does not work.
func TestHelpTellsWhatWorks(t *testing.T) {
	r := browsing(t, tuitest.Archive{Folder: lab.Folder(t.TempDir())}, "3", 80, 60)
	r.Press("?")
	works, idle, ok := strings.Cut(strings.Join(r.overlay.Lines, "\n"), "Not now")
	if !ok {
		t.Errorf("in an empty list the help has no part Not now:\n%s", works)
	}
	if strings.Contains(works, "↑") {
		t.Errorf("in an empty list ↑ is among the keys that work:\n%s", works)
	}
	if !strings.Contains(idle, "↑") {
		t.Errorf("in an empty list ↑ is not among the keys that do nothing:\n%s", idle)
	}
	r = watching(t, 110, 60)                       // in one column
	for _, page := range []string{"1", "2", "3"} { // in the first row, with nothing open
		r.Press(page, "home", "?")
		works, _, _ := strings.Cut(strings.Join(r.overlay.Lines, "\n"), "Not now")
		r.Press("esc")
		if strings.Contains(works, "↑") {
			t.Errorf("page %s: in the first row ↑ is among the keys that work:\n%s", page, works)
		}
		if page != "3" && strings.Contains(works, "Esc") {
			t.Errorf("page %s: with nothing open Esc is among the keys that work:\n%s", page, works)
		}
	}
}

// TestHelpFits: on a screen of 120×40, every key of Watch that works now is in view.
func TestHelpFits(t *testing.T) {
	r := watching(t, 120, 40)
	r.Press("2", "?")
	screen := tuitest.Text(r.shot(t))
	for i := range r.keys[watchPage] {
		row := &r.keys[watchPage][i]
		first := kit.Wrap(row.Help, 40)[0]
		works := r.blockReason(row, row.Blocked()) == ""
		if row.Help != "" && works && !strings.Contains(screen, first) {
			t.Errorf("%s is out of view: %s", row.Names(false), row.Help)
		}
	}
}

// TestReadOnly: a read-only interface has no key in its footer or help that starts, changes or
// deletes runs, and refuses such keys.
func TestReadOnly(t *testing.T) {
	r := watching(t, 120, 40)
	r.Config.ReadOnly, r.Config.RunsGoOn = true, true
	for _, page := range []string{"1", "2", "3"} {
		r.Press(page)
		footer := tuitest.Text(r.shot(t))
		for _, b := range r.keys[r.current] {
			if !b.Alters {
				continue
			}
			key := b.Keys.Keys()[0]
			r.Press(key)
			if r.overlay != nil {
				t.Errorf("page %s: %s opens %q", page, key, r.overlay.Title)
			}
			if len(r.asked.List) > 0 {
				t.Errorf("page %s: %s asks for %v", page, key, r.asked.List)
			}
			if f := r.footer(); !strings.Contains(f, "read-only") {
				t.Errorf("page %s: after %s the footer says %q, want read-only in it", page, key, f)
			}
			r.Press("?")
			if help := tuitest.Text(r.shot(t)); strings.Contains(help, b.Help) {
				t.Errorf("page %s: the help offers %s:\n%s", page, key, help)
			}
			if b.Hint != "" && strings.Contains(footer, b.Name(false)+" "+b.Hint+" ") {
				t.Errorf("page %s: the footer offers %s", page, key)
			}
			r.Press("esc")
		}
	}
	r.Press("q")
	if !r.quit {
		t.Error("q does not leave")
	}
}

// TestSharedView: for other viewers, the interface offers no key that reads or writes a file other
// than those of runs. It refuses such keys, and the clicks that would do the same.
func TestSharedView(t *testing.T) {
	r := watching(t, 120, 40)
	t.Chdir(t.TempDir())
	r.Config.ReadOnly, r.Config.Shared, r.Config.RunsGoOn = true, true, true
	for _, page := range []string{"1", "2"} {
		r.Press(page)
		for _, b := range r.keys[r.current] {
			if !b.Local {
				continue
			}
			key := b.Keys.Keys()[0]
			r.Press(key)
			if r.overlay != nil {
				t.Errorf("page %s: %s opens %q", page, key, r.overlay.Title)
			}
			if r.pages[r.current].Typing() {
				t.Errorf("page %s: after %s text is typed", page, key)
			}
			if f := r.footer(); !strings.Contains(f, " view ") {
				t.Errorf("page %s: after %s the footer says %q, want the view in it", page, key, f)
			}
		}
	}
	r.Press("1")
	for _, shared := range []bool{true, false} {
		r.Config.Shared = shared
		changed := false
		for y := range 30 {
			// If the cell is a setting, the second click changes it, as the space bar does.
			r.Send(click(60, y))
			r.Send(click(60, y))
			changed = changed || r.pages[r.current].Typing() ||
				strings.Count(r.screen(), cell.Changed) > 1 // the legend has one
			r.Press("esc")
		}
		if changed == shared {
			t.Errorf("shared %v: clicks change a setting: %v", shared, changed)
		}
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) > 0 {
		t.Errorf("the files %v were written, want none", files)
	}
}

// TestTabs: at every width each page has a tab, if only its number, and a click there turns to it.
func TestTabs(t *testing.T) {
	for _, w := range testsize.Few(2, kit.LeastWidth, 120, 60, 80) {
		r := watching(t, w, 40)
		for page := range r.pages {
			tabs := r.tabs()
			if len(tabs) != len(r.pages) {
				t.Fatalf("%d cells: %d tabs, want %d: %q", w, len(tabs), len(r.pages), r.header())
			}
			number := fmt.Sprintf(" %d ", page+1)
			if !strings.Contains(ansi.Strip(r.header()), number) {
				t.Errorf("%d cells: the header %q lacks%s", w, ansi.Strip(r.header()), number)
			}
			if r.Send(click(tabs[page].x+1, 0)); r.current != pageID(page) {
				t.Errorf("%d cells: a click on%sleads to page %d", w, number, r.current+1)
			}
		}
	}
}

// TestElsewhere: for a key that does nothing on this page, the footer says on which page it works.
func TestElsewhere(t *testing.T) {
	r := browsing(t, tuitest.NewArchive(t), "4", 120, 40)
	for key, want := range map[string]string{"x": "x works on page 2, Watch: stop",
		"#": "# works on page 3, Runs: add", "u": "u works on page 1, Launch: reset"} {
		if r.Press(key); !strings.Contains(r.footer(), want) {
			t.Errorf("%s: the footer says %q, want %q", key, r.footer(), want)
		}
	}
	if r.Press("ctrl+y"); r.notice.Text != "" {
		t.Errorf("of a key that does nothing anywhere: %q", r.notice.Text)
	}
}

// TestSuspend: Ctrl-Z suspends the program on every page.
func TestSuspend(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 120, 40)
	for _, page := range []string{"1", "2", "3", "4"} {
		r.Press(page)
		_, cmd := r.Update(kit.Press("ctrl+z"))
		if cmd == nil {
			t.Fatalf("page %s: nothing", page)
		}
		if _, ok := cmd().(tea.SuspendMsg); !ok {
			t.Errorf("page %s: no suspend", page)
		}
	}
}

// Runs that were selected on Runs are what Compare shows when it is turned to by its key; fork is
// a key of Watch, too.
func TestPickedAreCompared(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 120, 40)
	r.Press("3")
	r.pages[runsPage].Update(lab.Listed{Runs: tuitest.Found(t, tuitest.NewArchive(t),
		"shapes-sfk-s1", "shapes-erm-s1")})
	r.Press("space", "down", "space", "4")
	s := tuitest.Text(r.shot(t))
	if r.current != comparePage {
		t.Errorf("page %d is shown, want %d", r.current+1, comparePage+1)
	}
	if !strings.Contains(s, "2 selected runs") {
		t.Errorf("the screen lacks 2 selected runs:\n%s", s)
	}
}

// TestHeaderCountsAgain: on every page, the header counts the live runs that are not watched. A run
// that begins elsewhere counts within two seconds, and one that ends no longer counts.
func TestHeaderCountsAgain(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newClockedDriver(newDriver(t, s, 120, 40))
	r.Source, r.Config.RunsDir = s.Folder, store.Dir()
	begin := func(seed uint64) runner.Recorder {
		m := tuitest.Meta(dro.ERM, tuitest.Epoch0())
		m.Spec.Seed = seed
		run, err := store.Create(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Append(&runner.StatusEvent{Status: runner.Running}); err != nil {
			t.Fatal(err)
		}
		return run
	}
	end := func(run runner.Recorder) {
		if err := run.Append(&runner.StatusEvent{Status: runner.Done}); err != nil {
			t.Fatal(err)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range []string{"1", "2", "4"} {
		t.Run("page "+page, func(t *testing.T) {
			r.Press(page)
			first := begin(1)
			r.pass(2 * time.Second)
			if !strings.Contains(r.header(), "1 live") {
				t.Errorf("begun: %q", r.header())
			}
			second := begin(2)
			end(first)
			r.pass(2 * time.Second)
			if !strings.Contains(r.header(), "1 live") {
				t.Errorf("another begun and one ended: %q", r.header())
			}
			end(second)
			r.pass(time.Second)
			if strings.Contains(r.header(), "live") {
				t.Errorf("all ended: %q", r.header())
			}
		})
	}
}
