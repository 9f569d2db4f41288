package watch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// TestTurns: over a slow line, the parts of the page show news in turns, each within one round. The
// effect of a key is shown at once.
func TestTurns(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 120, 38)
	r.Wait(5*time.Second, time.Second/5)
	r.Round = time.Second
	w := r.watch
	r.View()
	table := func() string {
		lines := strings.Split(tuitest.Text(r.Shot()), "\n")
		return strings.Join(lines[1:5], "\n")
	}
	before, changes := table(), 0
	for range 20 { // looks in two rounds, in which every run logs eight times
		r.Wait(time.Second/10, time.Second/10)
		if now := table(); now != before {
			before = now
			changes++
		}
	}
	if changes != 2 {
		t.Errorf("the table was drawn anew %d times in two rounds, want 2", changes)
	}
	start := *r.Now
	*r.Now = start.Add(time.Second) // all runs log
	r.Send(kit.Tick(start.Add(time.Millisecond)))
	if !w.hasUnshown() {
		t.Fatal("nothing waits for its turn, though all runs have logged")
	}
	if table() != before {
		t.Fatal("the table shows what is new before its turn")
	}
	if r.Press("down"); table() == before {
		t.Error("a key does not show all that is new")
	}
	for i := range 4 { // nothing more comes
		r.Send(kit.Tick(start.Add(time.Duration(i) * time.Second)))
	}
	if w.hasUnshown() {
		t.Error("after two rounds parts do not show all there is")
	}
}

// TestLogPaneWaitsForNoTurn: what happened to a run is in the log pane at the next look, whenever
// the other parts have their turns.
func TestLogPaneWaitsForNoTurn(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 120, 38)
	r.Wait(5*time.Second, time.Second/5)
	r.Round = time.Second
	r.Press("w")
	r.View()
	at := *r.Now
	for k := range 10 { // looks in one round
		text := fmt.Sprintf("event %d", k)
		r.watch.Runs.Run().Add([]runner.Event{&runner.WarningEvent{
			Head: runner.Head{Time: at}, Message: text}})
		at = at.Add(r.Round / 10)
		r.watch.noteTurns(at, true)
		if screen := tuitest.Text(r.Shot()); !strings.Contains(screen, text) {
			t.Fatalf("look %d: the log pane lacks %q:\n%s", k, text, screen)
		}
	}
}

// TestOneClockInEachFrame: the table and the panels name the same epochs in every frame, although
// they show news in turns and a move of the cursor one after the other.
func TestOneClockInEachFrame(t *testing.T) {
	r := newDriver(t, clockScripts(t, 1)["methods"], 200, 60)
	r.Wait(5*time.Second, time.Second/5)
	r.Round = time.Second
	r.watch.after = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	r.View()
	named := regexp.MustCompile(`(?:mean of |· )(epochs? [0-9.]+(?:–[0-9.]+)?)`)
	clocks := map[string]bool{}
	for k := range testsize.Pick(70, 100, 100) {
		r.Wait(time.Second/5, time.Second/5)
		if k%7 == 0 {
			r.Press("down")
		}
		screen := tuitest.Text(r.Shot())
		var here []string
		for line := range strings.SplitSeq(screen, "\n") {
			if strings.Contains(line, "worst %") || strings.Contains(line, "Who suffers") {
				for _, m := range named.FindAllStringSubmatch(line, -1) {
					here = append(here, m[1])
				}
			}
		}
		if len(here) == 0 {
			continue
		}
		clocks[here[0]] = true
		if len(slices.Compact(here)) > 1 {
			t.Fatalf("look %d: a frame speaks of %q:\n%s", k, here, screen)
		}
	}
	if len(clocks) < 4 {
		t.Errorf("the clock did not move: %v", clocks)
	}
}

// TestColumnsTakeTurns: of panels side by side, one has its turn at each look, even if looks come
// late, and each panel has one turn in every round, those of figures in every second one.
func TestColumnsTakeTurns(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 200, 60)
	r.Wait(5*time.Second, time.Second/5)
	r.Round = time.Second
	w := r.watch
	r.View()
	shown := func() (list []int) {
		for i := range w.count() {
			list = append(list, w.turns.drawn[w.first()+i].wanted)
		}
		return list
	}
	const looks = 100
	at, together := *r.Now, 0
	waits := make([]int, w.count())
	w.noteTurns(at, true)
	for k := range looks {
		at = at.Add(2*time.Second/5 + time.Duration(k%5)*time.Millisecond)
		before := shown()
		w.noteTurns(at, true)
		side := map[int]int{} // panels with a turn, by their line
		for i, n := range shown() {
			if waits[i]++; n != before[i] {
				waits[i] = 0
				side[w.turns.placed[i].Y]++
			}
			if most := (3 + 1) * evalTurn; waits[i] > most {
				t.Fatalf("panel %d waits for %d looks", i, waits[i])
			}
		}
		for _, n := range side {
			if n > 1 {
				together++
			}
		}
	}
	if together > looks/50 {
		t.Errorf("%d of %d looks change panels beside each other", together, looks)
	}
}

// TestMoveBytes: at 200×60 a key that moves the cursor sends at most keyBudget bytes. Once the keys
// rest, the panels follow, and then the screen is as if it were drawn anew.
func TestMoveBytes(t *testing.T) {
	const keyBudget = 3000
	r := newDriver(t, tuitest.NewScript(t), 200, 60)
	r.Wait(10*time.Second, time.Second/5)
	r.Round = time.Second
	var resting []tea.Msg // what comes once the keys rest
	r.watch.after = func(_ time.Duration, f func(time.Time) tea.Msg) tea.Cmd {
		resting = append(resting, f(time.Time{}))
		return nil
	}
	wire := render.NewRenderer(200, 58)
	wire.Frame(t, r.View())
	for _, key := range []string{"down", "down", "up", "end"} {
		r.Press(key)
		n := wire.Frame(t, r.View())
		if t.Logf("%s: %d bytes", key, n); n == 0 || n > keyBudget {
			t.Errorf("%s sends %d bytes, want at most %d", key, n, keyBudget)
		}
	}
	after := 0
	for len(resting) > 0 {
		next := resting[0]
		resting = resting[1:]
		r.Send(next)
		after += wire.Frame(t, r.View())
	}
	t.Logf("once the keys rest, %d bytes", after)
	if after == 0 {
		t.Error("no panel has followed the cursor")
	}
	shown := r.View()
	r.watch.touch()
	if anew := r.View(); anew != shown {
		t.Errorf("the screen differs from one that is drawn anew, of the run %s",
			r.watch.Runs.Run().Label)
	}
}

// TestFirstEvaluations: in every frame from the start on, the stars and the sentence speak of the
// runs that have figures in the table. While the sentence waits for a run, nothing has a star.
func TestFirstEvaluations(t *testing.T) {
	// Of these scripts, the first begins without the baseline, and in the second a run has its
	// first evaluation between two turns of the story.
	for _, seed := range testsize.Few[uint64](1, 16, 0) {
		checkFirstEvaluations(t, clockScripts(t, seed)["methods"])
	}
}

func checkFirstEvaluations(t *testing.T, s *tuitest.Script) {
	t.Helper()
	r := newDriver(t, s, 200, 60)
	r.Round = time.Second
	shown := regexp.MustCompile(`[0-9]+\.[0-9]`)
	figures := map[int]bool{} // the numbers of runs that had some
	for k := range 40 {
		r.Wait(time.Second/5, time.Second/5)
		screen := tuitest.Text(r.Shot())
		lines := strings.Split(screen, "\n")
		head, _, ok := strings.Cut(lines[0], "worst %")
		if !ok {
			continue
		}
		at, best, star, n := utf8.RuneCountInString(head), "", "", 0
		for _, line := range lines[1:5] {
			cell := string([]rune(line)[at : at+len("worst %")+1])
			v := shown.FindString(cell)
			if v == "" {
				continue
			}
			if n++; best == "" || len(v) > len(best) || len(v) == len(best) && v > best {
				best = v
			}
			if strings.Contains(cell, "★") {
				star = v
			}
		}
		figures[n] = true
		if strings.Contains(screen, "Waiting for") {
			if strings.Contains(screen, "★") {
				t.Fatalf("look %d: the sentence waits, and a star stands:\n%s", k, screen)
			}
			continue
		}
		if star != best {
			t.Fatalf("look %d: the star is at %q, want it at %s:\n%s", k, star, best, screen)
		}
		if waits := strings.Contains(screen, "no evaluation yet"); waits != (n < 4) {
			t.Fatalf("look %d: %d runs have figures; a run waits: %v:\n%s", k, n, waits, screen)
		}
	}
	if len(figures) < 2 {
		t.Errorf("the runs began at once: %v", figures)
	}
}
