package launch

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/spec"
	"drolab/runner/train"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"github.com/google/go-cmp/cmp"
)

// launchOf returns a driver on the page, the page, and the Starter that records its requests.
func launchOf(t *testing.T) (*tuitest.Driver, *Page, *tuitest.Starter) {
	t.Helper()
	s := &tuitest.Starter{}
	l := tuitest.NewLab(t, tuitest.NewArchive(t), lab.Config{Verbs: s,
		Processor: lab.Processor{CPU: "a processor"}}, 120, 38)
	p := New(l, tuitest.Presets)
	return tuitest.NewDriver(l, p), p, s
}

// goTo moves the cursor to a setting.
func (l *Page) goTo(t *testing.T, key string) {
	t.Helper()
	l.right, l.box = true, 0
	l.row = slices.IndexFunc(l.settings(), func(t spec.Setting) bool { return t.Key == key })
	if l.row < 0 {
		t.Fatalf("no setting %s", key)
	}
}

// TestSettingsAreThoseThatAreRead: the page shows the settings that the chosen methods read, and no
// others.
func TestSettingsAreThoseThatAreRead(t *testing.T) {
	_, l, _ := launchOf(t)
	keys := func(algorithms ...dro.Algorithm) (list []string) {
		l.spec().Algorithms = algorithms
		for _, s := range l.settings() {
			list = append(list, s.Key)
		}
		return list
	}
	all := keys(dro.Algorithms()...)
	foreign := func(key string) bool { // settings of programs, of CVaR, of adamw and of mlp
		return slices.Contains([]string{"program_patience", "weights", "checkpoint_gb", "mu",
			"beta1", "beta2", "adam_eps", "hidden", "activation", "dropout"}, key)
	}
	if want := slices.DeleteFunc(presets.Keys(), foreign); !slices.Equal(all, want) {
		t.Errorf("settings\n%v, want\n%v", all, want)
	}
	l.spec().Optimizer = "adamw"
	list := keys(dro.ERM)
	if !slices.Contains(list, "beta1") {
		t.Errorf("the settings of adamw are %v, want beta1 among them", list)
	}
	if slices.Contains(list, "momentum") {
		t.Errorf("the settings of adamw are %v, want no momentum", list)
	}
	for key, readers := range map[string][]dro.Algorithm{"c": {dro.SFK},
		"lambda": {dro.SFK, dro.PGD, dro.PAN}, "rho": dro.PaperMethods()} {
		for _, a := range dro.PaperMethods() {
			got, want := slices.Contains(keys(a), key), slices.Contains(readers, a)
			if got != want {
				t.Errorf("%s of %s: shown is %v, want %v", key, a, got, want)
			}
		}
	}
}

// TestSettingTextRoundTrip: presets.Set reads the displayed text of a setting back to the same
// value.
func TestSettingTextRoundTrip(t *testing.T) {
	for _, p := range presets.List() {
		for _, key := range presets.Keys() {
			s := spec.Defaults()
			if err := presets.Set(&s, key+"="+p.Spec.Text(key)); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if got, want := s.Text(key), p.Spec.Text(key); got != want {
				t.Errorf("%s: %s = %q came back as %q", p.Name, key, want, got)
			}
		}
	}
	s := spec.Defaults()
	s.Imbalance, s.Mean = spec.KeepRatios(0.5, 1), []float64{0.25, 1e-7}
	back := spec.Defaults()
	for _, key := range []string{"imbalance", "mean"} {
		if err := presets.Set(&back, key+"="+s.Text(key)); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(back.Imbalance, s.Imbalance) {
		t.Errorf("the imbalance comes back as %v, want %v", back.Imbalance, s.Imbalance)
	}
	if diff := cmp.Diff(s.Mean, back.Mean); diff != "" {
		t.Errorf("the mean that comes back differs (-want +got):\n%s", diff)
	}
}

func TestChoicesAreValid(t *testing.T) {
	for _, st := range spec.AllSettings() {
		if st.Choices == nil {
			continue
		}
		for _, choice := range st.Choices() {
			s := spec.Defaults()
			s.Algorithms = []dro.Algorithm{dro.SFK}
			if choice == (dro.TV{}).Name() { // TV has no dual
				s.Algorithms = []dro.Algorithm{"batch"}
			}
			if err := presets.Set(&s, st.Key+"="+choice); err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(); err != nil {
				t.Errorf("%s=%s: %v", st.Key, choice, err)
			}
		}
	}
}

// TestLaunchPassesOverRefusedChoices: a choice that the methods refuse is skipped in both
// directions, and the page says why.
func TestLaunchPassesOverRefusedChoices(t *testing.T) {
	r, l, _ := launchOf(t)
	l.goTo(t, "uncertainty")
	l.set("uncertainty", "smoothed-cvar")
	for _, c := range []struct{ key, refused, to string }{
		{"space", "cvar", "cressie-read"}, {"left", "tv", "smoothed-cvar"},
	} {
		r.Press(c.key)
		if got := l.spec().Uncertainty; got != c.to {
			t.Errorf("%s leads to %s, want %s", c.key, got, c.to)
		}
		if want := "uncertainty " + c.refused; l.problem == nil ||
			!strings.Contains(l.problem.Error(), want) {
			t.Errorf("%s: the problem is %v, want %q in it", c.key, l.problem, want)
		}
	}
	r.Press("left")
	if got := l.spec().Uncertainty; got != "kl" {
		t.Errorf("left leads to %s, want kl", got)
	}
	if l.problem != nil {
		t.Errorf("left has the problem %v, want none", l.problem)
	}
}

func TestLaunchStartsWhatIsShown(t *testing.T) {
	r, l, s := launchOf(t)
	l.goTo(t, "algorithms")
	r.Press("right", "space", "right", "space") // without pgd and pan
	l.goTo(t, "seeds")
	r.Press("right", "right", "space")
	l.goTo(t, "rho")
	r.Press("e", "0", ".", "7", "enter")
	want := l.presets()[1].Spec
	want.Algorithms, want.Seeds, want.Rho = []dro.Algorithm{dro.SFK, dro.ERM}, 3, 0.7
	if !reflect.DeepEqual(*l.spec(), want) {
		t.Fatalf("the spec is\n%+v, want\n%+v", *l.spec(), want)
	}
	r.Press("enter")
	if len(s.Requests) != 0 {
		t.Fatalf("asked for %+v before the review", s.Requests)
	}
	if v := r.View(); r.Overlay == nil || !strings.Contains(v, "rho 0.7 (preset:") {
		t.Fatalf("the review does not name the changed rho:\n%s", v)
	}
	r.Press("esc", "enter", "enter")
	asked := []runner.Request{{Preset: "shapes", Specs: want.Expand(), Parts: 4}}
	if !reflect.DeepEqual(s.Requests, asked) {
		t.Fatalf("asked for %+v, want %+v", s.Requests, asked)
	}
	m, _ := tuitest.Sent[lab.Started](r)
	if diff := cmp.Diff([]string{"shapes-sfk-s1"}, m.IDs); diff != "" {
		t.Errorf("the started runs differ (-want +got):\n%s", diff)
	}
	if l.Starting == "" {
		t.Error("nothing says that the runs are being started")
	}
}

// TestLaunchPrepares: what another page prepares is reviewed here before it starts. Without its
// preset, the first one is reviewed.
func TestLaunchPrepares(t *testing.T) {
	r, l, s := launchOf(t)
	last := l.presets()[len(l.presets())-1].Name
	l.goTo(t, "rho")
	r.Send(lab.Prepare{Preset: last})
	if len(s.Requests) != 0 {
		t.Fatalf("asked for %+v before the review", s.Requests)
	}
	if v := r.View(); r.Overlay == nil || !strings.Contains(v, "Start "+last+"?") {
		t.Fatalf("%s is not reviewed:\n%s", last, v)
	}
	if r.Press("enter"); len(s.Requests) != 1 || s.Requests[0].Preset != last {
		t.Fatalf("asked for %+v, want one start of %s", s.Requests, last)
	}
	r.Send(lab.Prepare{Preset: "gone"})
	if first := l.presets()[1].Name; !strings.Contains(r.View(), "Start "+first+"?") {
		t.Errorf("%s is not reviewed:\n%s", first, r.View())
	}
}

// TestLaunchMovesTheStart: a start outside the box of another set moves into it, and is marked as
// changed. A start that is typed outside the box is refused.
func TestLaunchMovesTheStart(t *testing.T) {
	_, l, _ := launchOf(t)
	l.spec().Eta = -1
	l.goTo(t, "uncertainty")
	l.set("uncertainty", "kl")
	if l.problem != nil {
		t.Errorf("the set kl is refused: %v", l.problem)
	}
	if got := l.spec().Uncertainty; got != "kl" {
		t.Errorf("the set is %s, want kl", got)
	}
	if got := l.spec().Eta; got != 0 {
		t.Errorf("the start is η = %v, want it moved to 0", got)
	}
	l.set("eta", "-1")
	if l.problem == nil {
		t.Error("η = -1, outside the box, is not refused")
	}
	if got := l.spec().Eta; got != 0 {
		t.Errorf("a refused η makes the start %v, want 0 as before", got)
	}
}

func TestLaunchRefuses(t *testing.T) {
	r, l, s := launchOf(t)
	l.goTo(t, "rho")
	r.Press("e", "ctrl+u", "-", "1", "enter")
	if !l.editing {
		t.Error("after rho=-1 the form is closed, want it open")
	}
	if l.problem == nil {
		t.Error("rho=-1 is not refused")
	}
	if got, want := l.spec().Rho, l.presets()[1].Spec.Rho; got != want {
		t.Errorf("after rho=-1 rho is %v, want %v as before", got, want)
	}
	r.Press("q", "1", "?") // text, not commands
	if r.Overlay != nil {
		t.Errorf("a key opened %q while typing", r.Overlay.Title)
	}
	if got := l.line.String(); !l.editing || got != "-1q1?" {
		t.Errorf("typed is %q (editing: %v), want -1q1?", got, l.editing)
	}
	r.Press("esc")
	l.goTo(t, "algorithms")
	for range dro.PaperMethods() {
		r.Press("space", "right")
	}
	if l.problem == nil {
		t.Error("taking the last method away is not refused")
	}
	if got := l.spec().Algorithms; len(got) != 1 {
		t.Errorf("the methods are %v, want one left", got)
	}
	r.Press("tab")
	for l.preset().Name != "paper" {
		r.Press("down")
	}
	r.Press("enter")
	if len(s.Requests) != 0 {
		t.Errorf("started without data: %v", s.Requests)
	}
	if n := r.Notice.Text; !strings.Contains(n, "drolab data fetch cifar10") {
		t.Errorf("the notice is %q, want drolab data fetch cifar10 in it", n)
	}
}

// TestLaunchOffersRegisteredData: a registered data source is offered, and shown as not yet on this
// machine.
func TestLaunchOffersRegisteredData(t *testing.T) {
	defer source.Register(data.Provider{Name: "toy", Purpose: "for a test",
		Open: func(string, data.Options) (*data.Dataset, error) {
			return nil, errors.New("not on this machine")
		},
		Files: &data.Files{Folder: "toy", Remote: []data.Remote{{Name: "toy.bin", Size: 1}}}})()
	_, l, _ := launchOf(t)
	l.goTo(t, "dataset")
	entries := l.findDatasets()().(datasetsMsg).entries
	e, ok := entries["toy"]
	if !ok {
		t.Errorf("toy is not among the known data %+v", entries)
	}
	if e.Available {
		t.Error("toy, which has no files, is said to be on this machine")
	}
	if list := l.choices(); !slices.Contains(list, "toy") {
		t.Errorf("offered are %q, want toy among them", list)
	}
}

func TestLaunchUndo(t *testing.T) {
	r, l, _ := launchOf(t)
	l.goTo(t, "uncertainty")
	r.Press("right")
	if !l.edited("uncertainty") {
		t.Error("after a choice the set does not count as changed")
	}
	if got := l.origin("uncertainty"); !strings.Contains(got, "cressie-read") {
		t.Errorf("the origin of the set is %q, want cressie-read in it", got)
	}
	r.Press("u")
	if l.edited("uncertainty") {
		t.Error("after undo the set counts as changed")
	}
	if want := l.presets()[1].Spec; !reflect.DeepEqual(*l.spec(), want) {
		t.Errorf("undo left\n%+v, want\n%+v", *l.spec(), want)
	}
	r.Press("u")
	if r.Notice.Text == "" {
		t.Error("nothing says why there is nothing to undo")
	}
}

func TestLaunchMouse(t *testing.T) {
	r, l, _ := launchOf(t)
	lay := layLaunch(r.Body.W, r.Body.H, false, 0)
	w, h := kit.Inside(true, lay.settings.W, lay.settings.H)
	for i, it := range l.settingItems(w, h) {
		if it.entry < 0 {
			continue
		}
		l.right = false
		r.Send(kit.Click{X: lay.settings.X + 5, Y: lay.settings.Y + 1 + i})
		if !l.right || l.row != it.entry {
			t.Fatalf("a click on line %d: row %d, want %d", i, l.row, it.entry)
		}
		break
	}
	r.Send(kit.Click{X: 3, Y: 8})
	if l.right {
		t.Error("after a click on a preset the settings have the focus")
	}
	if l.at == 0 {
		t.Error("after a click on a preset the cursor is on the film")
	}
	at := l.at
	r.Send(kit.Wheel{X: 3, Y: 3, Down: false})
	if l.at != at-1 {
		t.Errorf("the wheel went from preset %d to %d, want %v", at, l.at, at-1)
	}
	r.Send(kit.Wheel{X: lay.settings.X + 3, Y: 3, Down: true})
	if !l.right {
		t.Error("after the wheel over the settings the presets have the focus")
	}
	if l.at != at-1 {
		t.Errorf("after the wheel over the settings preset %d is chosen, want %d", l.at, at-1)
	}
}

// TestLaunchReasonsWhole: on a small screen, the reason of the preset for a setting is shown to its
// end.
func TestLaunchReasonsWhole(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 24}} {
		r, l, _ := launchOf(t)
		r.Size(size[0], size[1]-2)
		r.Press("tab", "down", "down", "down", "down")
		want := strings.Fields(l.fromPreset("rho"))
		got := strings.Fields(strings.ReplaceAll(tuitest.Text(r.Shot()), "│", " "))
		if !strings.Contains(strings.Join(got, " "), strings.Join(want, " ")) {
			t.Errorf("at %v the screen is without %q:\n%s", size, want, tuitest.Text(r.Shot()))
		}
	}
}

// TestEnterReviews: Enter opens the review from either panel, whatever the setting, and starts
// nothing. Enter in a typed value takes the value.
func TestEnterReviews(t *testing.T) {
	r, l, s := launchOf(t)
	l.spec().Samples = 400
	r.Press("tab")
	every := testsize.Pick(12, 1, 1) // of the settings
	for i := range l.settings() {
		if i%every > 0 {
			r.Press("down")
			continue
		}
		r.Press("enter")
		if r.Overlay == nil || r.Overlay.Title != "Start shapes?" {
			t.Fatalf("Enter on %s does not open the review", l.key())
		}
		r.Press("esc", "e", "enter")
		if r.Overlay != nil || l.editing {
			t.Fatalf("Enter in the value of %s: overlay %v, typing %v, want neither", l.key(),
				r.Overlay, l.editing)
		}
		r.Press("down")
	}
	if len(s.Requests) != 0 {
		t.Errorf("reviews have started %+v", s.Requests)
	}
}

// TestFirstLetterReplaces: the first letter that is typed takes the place of the old value.
func TestFirstLetterReplaces(t *testing.T) {
	r, l, _ := launchOf(t)
	l.goTo(t, "epochs")
	r.Press("e", "1", "2", "enter")
	if got := l.spec().Epochs; got != 12 {
		t.Errorf("after e 1 2 the epochs are %d, want 12", got)
	}
	r.Press("e", "end", "0", "enter")
	if got := l.spec().Epochs; got != 120 {
		t.Errorf("after e End 0 the epochs are %d, want 120", got)
	}
}

// TestReviewTells: the review names the methods and seeds, what differs from the preset, and what
// the runs will warn of.
func TestReviewTells(t *testing.T) {
	r, l, _ := launchOf(t)
	for _, set := range [][2]string{{"algorithms", "[sfk, dfr]"}, {"seeds", "3"},
		{"samples", "4000"}, {"lr_drop_epoch", "30"}, {"val_fraction", ".3"}} {
		l.goTo(t, set[0])
		if l.set(set[0], set[1]); l.problem != nil {
			t.Fatal(l.problem)
		}
	}
	r.Press("enter")
	got := tuitest.Text(r.Shot())
	for _, want := range []string{"Methods   sfk, dfr", "Seeds     1 to 3", "epoch",
		"algorithms [sfk, dfr] (preset: [sfk, pgd, pan, erm])", "seeds 3 (preset: 1)",
		"lr_drop_epoch is 30 and the run has 8 epochs: lr never drops"} {
		if !strings.Contains(got, want) {
			t.Errorf("the review lacks %q:\n%s", want, got)
		}
	}
}

// warns returns the forecast of runs that warn.
func warns(text ...string) train.Forecast { return train.Forecast{Warnings: text} }

// TestWarningsComeLate: what the runs will warn of is added to the review that asked for it, and to
// no other.
func TestWarningsComeLate(t *testing.T) {
	r, l, _ := launchOf(t)
	r.Press("enter")
	old := l.asked
	r.Press("esc", "enter")
	r.Send(warningsMsg{old, warnings{Forecast: warns("an old warning")}})
	r.Send(warningsMsg{l.asked, warnings{Forecast: warns("a warning")}})
	got := tuitest.Text(r.Shot())
	if strings.Contains(got, "an old warning") {
		t.Errorf("the review shows what an earlier one asked for:\n%s", got)
	}
	if !strings.Contains(got, "! a warning") {
		t.Errorf("the review is without its warning:\n%s", got)
	}
}

// TestSpaceTogglesInPlace: the space bar changes the box or the choice under the cursor and leaves
// the cursor there, whatever settings come or go. A second time it takes back what a box was.
func TestSpaceTogglesInPlace(t *testing.T) {
	_, l, _ := launchOf(t)
	for i := range l.presets() {
		if i == 0 || l.list[i].Problem != nil {
			continue
		}
		l.at = i
		for _, s := range slices.Clone(l.settings()) {
			l.specs[i] = l.list[i].Spec
			l.goTo(t, s.Key)
			boxes := max(1, len(l.boxesOf(s.Key)))
			if l.boxesOf(s.Key) == nil && l.choices() == nil {
				continue
			}
			for box := range boxes {
				l.specs[i] = l.list[i].Spec
				l.goTo(t, s.Key)
				l.box = box
				before := l.boxesOf(s.Key)
				l.space()
				if l.key() != s.Key || l.box != box {
					t.Fatalf("%s, %s: the cursor is on box %d of %s, want %d", l.preset().Name,
						s.Key, l.box, l.key(), box)
				}
				if before == nil || l.problem != nil {
					continue
				}
				after := l.boxesOf(s.Key)
				if last := s.Key == "seeds" && box == 0; after[box].on == before[box].on && !last {
					t.Fatalf("%s, %s: box %d stays %v", l.preset().Name, s.Key, box, before[box].on)
				}
				for k := range before[:box] {
					if s.Key == "algorithms" && after[k].on != before[k].on {
						t.Fatalf("%s: box %d ticks box %d, too", s.Key, box, k)
					}
				}
				l.space()
				if again := l.boxesOf(s.Key); again[box].on != before[box].on {
					t.Fatalf("%s, %s: the box %d is %v after two presses, and was %v",
						l.preset().Name, s.Key, box, again[box].on, before[box].on)
				}
			}
		}
	}
}

// TestFooterNamesTheArrows: on a row of boxes or choices the footer names the keys that go on
// among them, and nowhere else.
func TestFooterNamesTheArrows(t *testing.T) {
	_, l, _ := launchOf(t)
	for _, s := range l.settings() {
		l.goTo(t, s.Key)
		beside := l.boxesOf(s.Key) != nil || l.choices() != nil
		for _, row := range l.Keys() {
			if name := row.Keys.Keys()[0]; name == "left" || name == "right" {
				if shown := row.Hint != "" && row.Blocked() == ""; shown != beside {
					t.Errorf("%s: the footer names %s: %v, want %v", s.Key, name, shown, beside)
				}
			}
		}
	}
}
