package tui

import (
	"image/color"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// view is a screen of the interface: a page, the keys that are pressed there, and texts that it
// shows then.
type view struct {
	name  string
	open  opener
	w, h  int
	keys  string // separated by blanks
	wants []string
}

// opener returns a driver on a page.
type opener func(t testing.TB, w, h int, environ ...string) *driver

// pages returns the pages as they are opened. Watch is among them twice: for runs without groups
// and with them.
func pages(t testing.TB) []view {
	a, dir := tuitest.NewArchive(t), swept(t)
	on := func(page string) opener {
		return func(t testing.TB, w, h int, environ ...string) *driver {
			t.Helper()
			return browsing(t, a, page, w, h, environ...)
		}
	}
	return []view{
		{name: "launch", open: on("1")},
		{name: "watch", open: watching},
		{name: "groups", open: grouping},
		{name: "runs", open: on("3")},
		{name: "compare", open: on("4")},
		{name: "sweep", open: func(t testing.TB, w, h int, environ ...string) *driver {
			t.Helper()
			return sweepingIn(t, dir, w, h, environ...)
		}},
		{name: "samples", open: func(t testing.TB, w, h int, environ ...string) *driver {
			t.Helper()
			return onSamples(t, false, w, h, environ...)
		}},
		{name: "film", open: func(t testing.TB, w, h int, environ ...string) *driver {
			t.Helper()
			r := on("7")(t, w, h, environ...)
			r.Press("right", "right", "right")
			return r
		}},
	}
}

// golden returns what the golden screen of a page holds: its text and its styles, at the one size
// that is golden. It leaves out the header and the footer, whose tabs and hints change with every
// page that is added.
func (v *view) golden(t testing.TB) string {
	t.Helper()
	const w, h = 120, 40
	lines := strings.Split(v.open(t, w, h).screen(), "\n")
	e := render.Shot(strings.Join(lines[1:h-1], "\n"), w, h-2)
	return tuitest.Text(e) + tuitest.Styles(e)
}

func TestGoldens(t *testing.T) {
	views := pages(t)
	for _, p := range views[0].open(t, 80, 24).pages {
		name := strings.ToLower(p.Title())
		if !slices.ContainsFunc(views, func(v view) bool { return v.name == name }) {
			t.Errorf("page %s has no golden screen: add a row %q to pages", p.Title(), name)
		}
	}
	for _, v := range views {
		t.Run(v.name, func(t *testing.T) { tuitest.Golden(t, v.name, v.golden(t)) })
	}
}

// TestEveryTerminal: in every size and on every kind of terminal, a page fills the screen exactly,
// and has only the characters and colours that the terminal can show. With -short the two largest
// sizes are left out.
func TestEveryTerminal(t *testing.T) {
	testsize.NotShort(t, "draws each page for each kind of terminal: TestGoldens has the same "+
		"screens")
	variants := tuitest.Variants()
	for i, v := range pages(t) {
		for k, name := range slices.Sorted(maps.Keys(variants)) {
			if testing.Short() && (i+k)%6 != 0 { // every page and every terminal once at least
				continue
			}
			environ := variants[name]
			t.Run(v.name+", "+name, func(t *testing.T) {
				r := v.open(t, 80, 24, environ...)
				for _, size := range testsize.Few(2, tuitest.Sizes()...) {
					r.size(size[0], size[1])
					r.fits(t, v.name)
					e := r.shot(t)
					for i := range e.Width() * e.Height() {
						c := e.CellAt(i%e.Width(), i/e.Width())
						if c != nil && !(shows(name, c.Style.Fg) && shows(name, c.Style.Bg)) {
							t.Fatalf("%q has the colours %v on %v", c.Content, c.Style.Fg,
								c.Style.Bg)
						}
					}
				}
			})
		}
	}
}

// shows reports whether a terminal of tuitest.Variants shows a colour; nil is its own colour.
func shows(terminal string, c color.Color) bool {
	_, basic := c.(ansi.BasicColor)
	_, indexed := c.(ansi.IndexedColor)
	switch terminal {
	case "nocolor":
		return c == nil
	case "16":
		return c == nil || basic
	case "256":
		return c == nil || basic || indexed
	}
	return true
}

func TestWatchLight(t *testing.T) {
	r := watching(t, 120, 40)
	dark := r.shot(t)
	r.Send(tea.BackgroundColorMsg{Color: color.White})
	light := r.shot(t)
	if got, want := tuitest.Text(light), tuitest.Text(dark); got != want {
		t.Errorf("on a light background the text is\n%s\nwant\n%s", got, want)
	}
	if got := tuitest.Styles(light); got == tuitest.Styles(dark) {
		t.Errorf("on a light background the styles are those of a dark one:\n%s", got)
	}
}

// check presses the keys of a view, and looks for its texts on the screen.
func (v *view) check(t *testing.T) {
	t.Helper()
	r := v.open(t, v.w, v.h)
	r.Press(strings.Fields(v.keys)...)
	r.fits(t, v.name)
	s := tuitest.Text(r.shot(t))
	for _, want := range v.wants {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
}

// representative returns all views or, with -short, every third one.
func representative(views []view) []view {
	every := testsize.Pick(3, 1, 1)
	var list []view
	for i := 0; i < len(views); i += every {
		list = append(list, views[i])
	}
	return list
}

func TestViewsOfWatch(t *testing.T) {
	for _, v := range representative([]view{
		{"zoom", watching, 80, 24, "z", []string{"╭─ Loss · batch loss ─────────────────────",
			"⠈⠉⠓⠦⢤⣀⣀⠉⣄⣀⡀         ▲ pan  0.83 ", "panel 1 of "}},
		{"phase", watching, 80, 24, "tab tab f f z", []string{"─ Dual variables · phase portrait ─",
			" sfk · λ across, η up ─╮", "│      1┤ │                                 ▲ "}},
		{"dots", watching, 120, 40, "d", []string{"│    │      ╰┴┴╰────╮▲──╮ ",
			"│   6┤╶╮╰──╮ ", "Curve style: lines"}},
		{"time", watching, 120, 40, "a a l s", []string{" symlog · by time · EMA .9 ─",
			"│    0s                  5s                  10s ", "Smoothing: EMA .9"}},
		{"log", watching, 120, 40, "w", []string{"Log by step", "││+3 classes ",
			"│      120  pgd s1  12 training losses are above eta_max = 10 "}},
		{"help", watching, 80, 24, "?", []string{"▸ Keys on Watch ─",
			"│ Enter     zoom the panel, and back; at the crosshair, choose its run ", "Esc back"}},
		{"define", watching, 80, 24, "tab tab i", []string{"▸ Dual variables · λ ─",
			"│ λ: the price of reweighting; a small λ lets the adversary reweight more. "}},
		{"hidden", watching, 80, 24, "space down b b", []string{
			"\n    ▶ sfk s1 ", "@1–3   worst  vs sfk ",
			"▸ ■ ▶ pgd s1 ", "Baseline: sfk s1"}},
		{"blocked", watching, 80, 24, "p", []string{
			"sfk s1 runs in another process and can only be watched here"}},
		{"one", watching, 120, 40, "v v", []string{"─ Loss · batch and test ─",
			"│     batch loss ", "│     test loss ", "│ 0.5┤ "}},
		{"knobs", ofOurs, 80, 24, "t - 1 enter", []string{"▸ Change a setting of sfk s1 ─",
			"│ ▸ lr               0.01  new -1 ",
			"│ ! lr: -1: expected a number ≥ 1.2e-38 (float32's least) "}},
		{"quit", ofOurs, 80, 24, "q", []string{"▸ Quit? ─", "Unfinished: 4 runs of this program",
			"Quitting saves a checkpoint and stops them.", "y stop them and quit   Esc back"}},
		{"palette", watching, 80, 24, ":", []string{"▸ Find ─", "│ :      ",
			"│   Enter  zoom the panel, and back; at the crosshair, choose its… │"}},
		{"empty", empty("2"), 80, 24, "", []string{"No runs yet",
			"1 starts some, 3 lists what was recorded in"}},
		{"too small", watching, 30, 5, "", []string{"too small: 40x12 needed"}},
	}) {
		t.Run(v.name, v.check)
	}
}

// ofOurs returns a driver on the Watch page, half-way through four runs that this program trains.
func ofOurs(t testing.TB, w, h int, environ ...string) *driver {
	t.Helper()
	r := watching(t, w, h, environ...)
	for id := range r.script.Logs {
		r.Mine[id] = true
	}
	return r
}

// empty opens a page in a folder without runs.
func empty(page string) opener {
	return func(t testing.TB, w, h int, environ ...string) *driver {
		t.Helper()
		return browsing(t, tuitest.Archive{Folder: lab.Folder(t.TempDir())}, page, w, h, environ...)
	}
}

// grouping returns a driver on the Watch page, late in three runs that have groups and select a
// step.
func grouping(t testing.TB, w, h int, environ ...string) *driver {
	t.Helper()
	r := newDriver(t, tuitest.NewGroupScript(t), w, h, environ...)
	r.Press("2")
	r.Wait(14*time.Second, time.Second/5)
	return r
}

func TestViewsOfGroups(t *testing.T) {
	for _, v := range representative([]view{
		{"validation", grouping, 120, 40, "m", []string{" val worst  vs erm     val risk ",
			"Showing the validation split",
			"water, by the coast◂  29.0 =   29.0     29.0 =  190 "}},
		{"marks", grouping, 120, 40, "tab f", []string{"▸ Who suffers, by group · marks · test ─",
			"water, by the coast◂ ·    ·●"}},
		{"classes", grouping, 120, 40, "tab f f f z", []string{
			"─ Who suffers, by group · test loss ─", "water, by the coast◂█",
			"? n < min_group 20: not called worst │"}},
		{"zoom", grouping, 120, 40, "tab b b b z", []string{" vs sfk ",
			"│water, by the coast◂       27.0              27.0 =              27.0 =        47"}},
		{"worst", grouping, 120, 40, "tab tab tab tab tab f z", []string{"─ Test accuracy · mean ─",
			"│  40┤                                   ⣀◆S⠉ ", "⡀          ▼ group  70.0 "}},
		{"define", grouping, 120, 40, "tab i", []string{"▸ Who suffers, by group · test ─",
			"│ Group accuracy: share of the group's test samples classified correctly. ",
			"│ S on a curve marks the selected step: of the evaluations so far, the best "}},
	}) {
		t.Run(v.name, v.check)
	}
}

func TestViewsOfLaunch(t *testing.T) {
	launch := pages(t)[launchPage].open
	for _, v := range representative([]view{
		{"changed", launch, 120, 40, "tab down right right space down down down e ctrl+u 1 enter",
			[]string{"│ ▸ shapes ◇ seeds 3 ρ 1 ",
				"◇ seeds            [x]1 [x]2 [x]3 [ ]4 [ ]5 [ ]6  preset: 1 ",
				"▸◇ rho              1               preset: 0.2 ",
				"│ Preset  0.2: at 0.5 the adversary's few samples of a batch are all noise"}},
		{"ticked", launch, 80, 24, "tab right space down e", []string{
			"  ◇ algorithms       [x]sfk [x]pan [x]erm +", " ▸· seeds            1 ",
			"│ Means   repeats of each method; Compare's * needs 3, Watch's tests need 4 "}},
		{"invalid", launch, 80, 24, "tab down down down down e ctrl+u - 1",
			[]string{"▸· rho              -1 ", "│ ! rho: -1: expected a number > 0 "}},
		{"no data", launch, 120, 40, "down down", []string{"│ ▸ paper            no data ││",
			"│ Data    cifar10 is not on this machine. drolab data fetch cifar10 downloads it",
			"│ Time    not known yet: alexnet has never trained on cifar10 here "}},
		{"narrow settings", launch, 40, 12, "tab down down", []string{"\n▸  seed             1\n",
			"── Start ─ 4 runs: 4 methods × 1 seed ──", " Means   first seed of initialisation,"}},
		{"help", launch, 80, 60, "?", []string{"▸ Keys on Launch ─",
			"│ Enter     review, then start; on the film, play it ",
			"│ Not now (Press Tab to go to the settings first): "}},
	}) {
		t.Run(v.name, v.check)
	}
}

func TestViewsOfRuns(t *testing.T) {
	runs := pages(t)[runsPage+1].open
	for _, v := range representative([]view{
		{"filter", runs, 120, 40, "/ a l g o : s f k space - d o n e", []string{
			"│ /algo:sfk -done ", "─ 2 of 12 runs · last epoch, mean ± deviation ",
			"│▸   ✗ 2026-03-14 paper   ● sfk       7 failed ",
			"│    ╍ 2026-03-14 race    ● sfk       1 interrupted "}},
		{"wrong filter", runs, 80, 24, "/ r h o > = x", []string{
			"│ /rho>=x ", "│ ! rho>=x: expected a number after >= ", "─ 12 runs · last epoch, "}},
		{"no match", runs, 80, 24, "/ n o t h i n g", []string{"─ 0 of 12 runs · last epoch, ",
			"│ No runs match. Esc clears the filter "}},
		{"no such value", runs, 80, 24, "/ s t a t u s = r u n enter", []string{
			"│ No runs match status=run: expected "}},
		{"sorted", runs, 120, 40, "s s s s s s s", []string{" worst %↓ ",
			"40.4±0.1   70.4±0.1", "│▸   ✓ 2026-03-14 shapes          ◆ erm     n=2 done "}},
		{"ticked", runs, 80, 24, "space down space G s", []string{
			" mean ± deviation · 4 selected ", " preset↓ ",
			"│ [x]✓ 2026-03-14 shapes        ◆ erm    n=2 done ",
			"│▸   ✓ 2026-03-14 my \\x1b[31mo… ◆ erm "}},
		{"failed", runs, 120, 40, "/ f a i l e d enter", []string{
			"│ /failed  Esc clears the filter ",
			"│ State    failed at step 120 of 320: loss is NaN at step 12 ",
			" Enter watch  Space select  Esc clear filter  r resume "}},
		{"delete", runs, 80, 24, "space down space D", []string{
			" · 4 selected ", "▸ Delete? ─",
			"done: shapes-erm-s1 ", "done: shapes-pan-s2 ",
			"│ This cannot be undone: curves, checkpoints and figures are deleted. │"}},
		{"blocked", runs, 80, 24, "x", []string{"\n The run has ended\n"}},
		{"help", runs, 80, 60, "?", []string{"▸ Keys on Runs ─",
			"│ R         replay the selected runs as if they were training now ",
			"│ C         choose columns, and the one to sort by "}},
		{"empty", empty("3"), 80, 24, "", []string{"│ no runs in /runs yet: start some on page 1 ",
			"╭─ Details ─"}},
	}) {
		t.Run(v.name, v.check)
	}
}

func TestViewsOfCompare(t *testing.T) {
	compare := pages(t)[comparePage+1].open
	unlike := func(t testing.TB, w, h int, environ ...string) *driver {
		t.Helper()
		r := compare(t, w, h, environ...)
		r.Send(lab.Compare{Runs: tuitest.Found(t, r.Source, "shapes-sfk-s1", "mine-erm-s1",
			"paper-sfk-s7")})
		return r
	}
	for _, v := range representative([]view{
		{"costs", compare, 80, 24, "v", []string{"╭─ ▸ What it costs ─",
			"│ sfk, pgd, pan and erm are all on the front, from the best worst class (sfk,  │",
			"│ worst class, %                                             better: up, right │",
			"●─sfk ", "◆─erm", "── mean, %│"}},
		{"small costs", compare, 40, 12, "v", []string{"── ▸ What it costs ─",
			"\n On the front: sfk, pgd, pan, erm.\n worst class, %       better: up, right\n"}},
		{"other costs", compare, 120, 40, "v a", []string{"╭─ ▸ What it costs ─",
			"│ robust risk, nats  ", "better: down, left │", "── test loss, nats│"}},
		{"curves", compare, 80, 24, "v v m m", []string{"╭─ ▸ mean accuracy ─",
			"│ ● sfk  ■ pgd  ▲ pan  ◆ erm  mean and 95 % t interval over seeds ",
			"▲ pan n=2  80.1│", "│     80┤ "}},
		{"notes", compare, 80, 24, "v v v", []string{"╭─ ▸ Read with care ─",
			"│ ! erm: 1 run left out because a newer one has the same seed: ",
			"│   algorithms     sfk, pgd, pan, erm ", "│ Definitions "}},
		{"scrolled", compare, 40, 12, "right right down down down", []string{
			" ↑ 3 ↓ 6      ■ pgd  ▲ pan    ◆ erm\n ← 1              2      2        2\n",
			" cross         30.3   20.2     10.3\n"}},
		{"help", compare, 80, 24, "?", []string{"▸ Keys on Compare ─",
			"│ v         table, costs, curves or notes, if they do not fit together "}},
		{"empty", empty("4"), 80, 24, "", []string{
			"│  No run is done yet, so there is nothing to compare. ",
			"│  Select runs on page 3 with the space bar and press c there. "}},
		{"unlike", unlike, 120, 40, "", []string{"╭─ ▸ 3 selected runs ── last epoch, 8 ·",
			"││ ! left out because they are not done: paper-sfk-s7 (failed) ",
			"│ worst class         40.3     +30.2    10.1 "}},
	}) {
		t.Run(v.name, v.check)
	}
}
