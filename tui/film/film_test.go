package film

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// evaluation is what the captions take from a line of a log, read without the code of drolab.
type evaluation struct {
	Type     string    `json:"type"`
	Epoch    float64   `json:"epoch"`
	Mean     float64   `json:"test_accuracy"`
	Loss     float64   `json:"train_loss"`
	Accuracy []float64 `json:"class_accuracy"`
	Weight   []float64 `json:"class_weight"`
}

// unpacked returns a file of the recorded run of a method and a seed.
func unpacked(t *testing.T, method string, seed int, name string) []byte {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("../../presets/recorded/shapes/shapes-%s-s%d-2*.tar.gz",
		method, seed))
	if len(files) != 1 {
		t.Fatalf("%d recorded runs of %s with seed %d, want 1", len(files), method, seed)
	}
	id := strings.TrimSuffix(filepath.Base(files[0]), ".tar.gz")
	b, err := exec.Command("tar", "xzOf", files[0], id+"/"+name).Output()
	if err != nil {
		t.Skipf("tar: %v", err)
	}
	return b
}

// evaluations returns those of the recorded run of a method.
func evaluations(t *testing.T, method string) (list []evaluation) {
	lines := bufio.NewScanner(strings.NewReader(string(unpacked(t, method, 1, "events.jsonl"))))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e evaluation
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Type == "eval" {
			list = append(list, e)
		}
	}
	return list
}

// mean returns the mean of a figure of the last five evaluations up to an epoch.
func mean(list []evaluation, epoch float64, of func(evaluation) float64) float64 {
	var values []float64
	for _, e := range list {
		if e.Epoch <= epoch {
			values = append(values, of(e))
		}
	}
	values = values[max(0, len(values)-5):]
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// logs are the recorded runs of seed 1 as the tests read them: by method, with the names and the
// counts of the classes.
type logs struct {
	evals   map[string][]evaluation
	classes []string
	counts  []int
	total   int
	weak    int // the class that erm learns least in the end
}

func readLogs(t *testing.T) *logs {
	t.Helper()
	var meta struct {
		Classes []string
		Counts  struct{ Train []int } `json:"class_counts"`
	}
	if err := json.Unmarshal(unpacked(t, "erm", 1, "run.json"), &meta); err != nil {
		t.Fatal(err)
	}
	l := &logs{evals: map[string][]evaluation{}, classes: meta.Classes, counts: meta.Counts.Train}
	for _, m := range []string{"erm", "sfk-auto", "sfk", "pgd"} {
		l.evals[m] = evaluations(t, m)
	}
	for i, n := range l.counts {
		l.total += n
		if l.class("erm", 40, i) < l.class("erm", 40, l.weak) {
			l.weak = i
		}
	}
	return l
}

func (l *logs) class(method string, epoch float64, i int) float64 {
	return mean(l.evals[method], epoch, func(e evaluation) float64 { return e.Accuracy[i] })
}

func (l *logs) all(method string, epoch float64) float64 {
	return mean(l.evals[method], epoch, func(e evaluation) float64 { return e.Mean })
}

func (l *logs) loss(method string, epoch float64) float64 {
	return mean(l.evals[method], epoch, func(e evaluation) float64 { return e.Loss })
}

func (l *logs) weight(epoch float64, i int) float64 {
	return mean(l.evals["sfk-auto"], epoch, func(e evaluation) float64 { return e.Weight[i] })
}

func (l *logs) worst(method string, epoch float64) float64 {
	worst := 1.0
	for i := range l.classes {
		worst = min(worst, l.class(method, epoch, i))
	}
	return worst
}

// leader returns the method with the best worst class.
func (l *logs) leader(epoch float64) (best string) {
	for m := range l.evals {
		if best == "" || l.worst(m, epoch) > l.worst(best, epoch) {
			best = m
		}
	}
	return best
}

// inPercent writes an accuracy as the captions do, and inPoints a difference.
func inPercent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func inPoints(v float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f", 100*v), "-", "−", 1)
}

// captionWants returns the texts that the caption of a chapter has at an epoch.
func (l *logs) captionWants(chapter int, epoch float64) []string {
	base, own := l.class("erm", epoch, l.weak), l.class("sfk-auto", epoch, l.weak)
	name := l.classes[l.weak]
	switch chapter {
	case 3:
		but := "and "
		if base < l.all("erm", epoch)-.1 {
			but = "but only "
		}
		return []string{"right on " + inPercent(l.all("erm", epoch)) + " of the test images, " +
			but + "on " + inPercent(base) + " of class " + name,
			fmt.Sprintf("%d of %d training", l.counts[l.weak], l.total)}
	case 4:
		more, top := "more", l.weak
		if l.weight(epoch, l.weak) < 1 {
			more = "less"
		}
		for i := range l.classes {
			if l.weight(epoch, i) > l.weight(epoch, top) {
				top = i
			}
		}
		most := "No class weighs more."
		if top != l.weak {
			most = fmt.Sprintf("Class %s weighs most: %.1f times.", l.classes[top],
				l.weight(epoch, top))
		}
		return []string{fmt.Sprintf("class %s %.1f times its share", name,
			l.weight(epoch, l.weak)), "errors count " + more + ". " + most}
	case 5:
		lose, most := 0, -1
		change := func(i int) float64 {
			return l.class("sfk-auto", epoch, i) - l.class("erm", epoch, i)
		}
		for i := range l.classes {
			if i == l.weak || change(i) >= 0 {
				continue
			}
			lose++
			if most < 0 || change(i) < change(most) {
				most = i
			}
		}
		rest := "None of the 9 others loses."
		if lose > 0 {
			rest = fmt.Sprintf("Of the 9 others, %d lose, most of all %s (%s points).", lose,
				l.classes[most], inPoints(change(most)))
		}
		lead := "Its worst class, at " + inPercent(l.worst("sfk-auto", epoch)) + ", is the best"
		if at := l.leader(epoch); at != "sfk-auto" {
			lead = fmt.Sprintf("In its worst class %s leads with %s; sfk-auto has %s.", at,
				inPercent(l.worst(at, epoch)), inPercent(l.worst("sfk-auto", epoch)))
		}
		return []string{"right on " + inPercent(own) + " of class " + name + ", and erm on " +
			inPercent(base) + ".", rest, lead}
	case 6:
		gain, side := l.all("sfk-auto", epoch)-l.all("erm", epoch), "above"
		if gain < 0 {
			side = "below"
		}
		return []string{fmt.Sprintf("is %.3f, where erm has %.3f", l.loss("sfk-auto", epoch),
			l.loss("erm", epoch)), fmt.Sprintf("%.1f points %s erm's", 100*math.Abs(gain), side)}
	}
	return nil
}

// The rows of the panels: a class with its accuracy, a class with its weight, and a method.
var (
	barRow    = regexp.MustCompile(`^│ (\S+) +(▓*)(█*)(░*) +(\d+\.\d)(?: +([+−]\d+\.\d))? *$`)
	weightRow = regexp.MustCompile(`^ (\S+) +(▓*)(█*)(░*) +×(\d\.\d\d) *$`)
	methodRow = regexp.MustCompile(`^│ \S (\S+) +(\d+\.\d %)(★?) +(\d+\.\d %) *$`)
	footRow   = regexp.MustCompile(` (\d)/7 .* · epoch (\d+) of 40 $`)
)

// TestFrames recomputes from the recorded files what each frame of the film shows: every figure of
// the caption and of the panels, and the length of every bar. All of them are of the one epoch that
// the last line names.
func TestFrames(t *testing.T) {
	testsize.NotShort(t, "draws 300 frames at three sizes: TestPoster recomputes the last chapter")
	r, err := load(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	l := readLogs(t)
	p := New(&lab.Lab{Theme: kit.BareTheme(false)})
	p.recording = r
	for _, size := range [][2]int{{80, 22}, {120, 38}, {200, 58}} {
		w, h := size[0], size[1]
		seen := map[string]int{} // by chapter and kind of row
		for tick := range 5*length + 5 {
			p.at = float64(tick) / 5
			lines := p.View(w, h)
			foot := footRow.FindStringSubmatch(lines[h-1])
			if foot == nil {
				t.Fatalf("%v at %g s: the last line is %q", size, p.at, lines[h-1])
			}
			chapter, _ := strconv.Atoi(foot[1])
			epoch, _ := strconv.ParseFloat(foot[2], 64)
			where := fmt.Sprintf("%d×%d at %g s, epoch %g", w, h, p.at, epoch)
			caption := strings.Join(strings.Fields(strings.Join(lines[:head], " ")), " ")
			if lines := kit.Wrap(caption, w-2); chapter > 1 && len(lines) > head {
				t.Errorf("%s: no room for the caption %q", where, lines)
			}
			for _, want := range l.captionWants(chapter, epoch) {
				if !strings.Contains(caption, want) {
					t.Errorf("%s: the caption is %q, want %q", where, caption, want)
				}
			}
			for _, line := range lines[min(head, h)*min(1, chapter-1):] {
				left := strings.TrimSuffix(string([]rune(line)[:w*11/20]), "│")
				right := strings.Trim(string([]rune(line)[w*11/20:]), "│")
				if row := barRow.FindStringSubmatch(left); row != nil {
					seen[foot[1]+" bars"]++
					l.checkBar(t, where, row, chapter, epoch, cell.Width(left)-1-10-13)
				}
				if row := weightRow.FindStringSubmatch(right); row != nil {
					seen[foot[1]+" weights"]++
					l.checkWeight(t, where, row, chapter, epoch,
						cell.Width(right)-10-7)
				}
				if row := methodRow.FindStringSubmatch(left); row != nil {
					seen[foot[1]+" methods"]++
					l.checkMethod(t, where, row, epoch)
				}
			}
		}
		for chapter := 2; chapter <= 6; chapter++ {
			frames := int(5 * (chapters()[chapter-1].until - chapterBefore(chapter-1).until))
			for kind, rows := range map[string]int{"bars": 10, "weights": 10, "methods": 4} {
				if n := seen[fmt.Sprintf("%d %s", chapter, kind)]; n != frames*rows {
					t.Errorf("%v: chapter %d has %d rows of %s, want %d", size, chapter, n, kind,
						frames*rows)
				}
			}
		}
	}
}

// checkBar checks a class with its accuracy, where the whole bar has so many cells.
func (l *logs) checkBar(t *testing.T, where string, row []string, chapter int, epoch float64,
	room int,
) {
	t.Helper()
	class, method := slices.Index(l.classes, row[1]), "erm"
	if chapter > 3 {
		method = "sfk-auto"
	}
	base, own := l.class("erm", epoch, class), l.class(method, epoch, class)
	if want := fmt.Sprintf("%.1f", 100*own); row[5] != want {
		t.Errorf("%s: %s has %s %%, want %s", where, row[1], row[5], want)
	}
	if want := inPoints(own - base); chapter > 3 && row[6] != want {
		t.Errorf("%s: %s has %s points, want %s", where, row[1], row[6], want)
	}
	checkCells(t, where, row, own, base, 1, room)
}

// checkWeight checks a class with its weight. The longest bar is that of the greatest weight.
func (l *logs) checkWeight(t *testing.T, where string, row []string, chapter int, epoch float64,
	room int,
) {
	t.Helper()
	own, most := 1.0, 0.0
	if chapter > 3 {
		own = l.weight(epoch, slices.Index(l.classes, row[1]))
	}
	for i := range l.classes {
		for epoch := 1.0; epoch <= 40; epoch++ {
			most = max(most, l.weight(epoch, i))
		}
	}
	if want := fmt.Sprintf("%.2f", own); row[5] != want {
		t.Errorf("%s: %s weighs ×%s, want ×%s", where, row[1], row[5], want)
	}
	checkCells(t, where, row, own, 1, most, room)
}

// checkCells checks the parts of a bar: what a value has in common with another, has more or lacks.
func checkCells(t *testing.T, where string, row []string, own, base, most float64, room int) {
	t.Helper()
	cells := func(part string) float64 { return float64(cell.Width(part)) }
	for name, of := range map[string][2]float64{"own": {cells(row[2] + row[3]), own},
		"base": {cells(row[2] + row[4]), base}} {
		if off := math.Abs(of[0] - of[1]/most*float64(room)); off > .5+1e-9 {
			t.Errorf("%s: the bar of %s ends %.2f cells from its %s figure", where, row[1], off,
				name)
		}
	}
}

// checkMethod checks a row of the methods.
func (l *logs) checkMethod(t *testing.T, where string, row []string, epoch float64) {
	t.Helper()
	worst, all := inPercent(l.worst(row[1], epoch)), inPercent(l.all(row[1], epoch))
	if row[2] != worst || row[4] != all {
		t.Errorf("%s: %s has %s and %s, want %s and %s", where, row[1], row[2], row[4], worst, all)
	}
	star, equal := l.worst(row[1], epoch) == l.worst(l.leader(epoch), epoch), true
	for m := range l.evals {
		equal = equal && l.worst(m, epoch) == l.worst(row[1], epoch)
	}
	if want := star && !equal; (row[3] != "") != want {
		t.Errorf("%s: %s has a star: %v, want %v", where, row[1], !want, want)
	}
}

// TestPoster recomputes the end of the film from the summaries of all seeds: its caption, its large
// figures and its table. 2.82003 is the quantile of Student's t with eleven degrees of freedom at
// 1 − .05/6: two sides, and three methods to choose from.
func TestPoster(t *testing.T) {
	r, err := load(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	worst, all := map[string][]float64{}, map[string][]float64{}
	for _, m := range []string{"erm", "sfk-auto", "sfk", "pgd"} {
		for seed := 1; seed <= 12; seed++ {
			var s struct {
				Worst float64 `json:"worst_class_accuracy"`
				Mean  float64 `json:"test_accuracy"`
			}
			if err := json.Unmarshal(unpacked(t, m, seed, "summary.json"), &s); err != nil {
				t.Fatal(err)
			}
			worst[m], all[m] = append(worst[m], s.Worst), append(all[m], s.Mean)
		}
	}
	average := func(list []float64) (sum float64) {
		for _, v := range list {
			sum += v / 12
		}
		return sum
	}
	against := func(by map[string][]float64, m string) string {
		d, squares := average(by[m])-average(by["erm"]), 0.0
		for i := range by[m] {
			squares += math.Pow(by[m][i]-by["erm"][i]-d, 2)
		}
		half := 2.82003 * math.Sqrt(squares/11/12)
		return fmt.Sprintf("%s [%s, %s]", inPoints(d), inPoints(d-half), inPoints(d+half))
	}
	best := "erm"
	for m := range worst {
		if average(worst[m]) > average(worst[best]) {
			best = m
		}
	}
	gain, ends, _ := strings.Cut(against(worst, best), " ")
	p := New(&lab.Lab{Theme: kit.BareTheme(false)})
	p.recording = r
	for size, scale := range map[[2]int]int{{80, 22}: 1, {120, 38}: 2, {200, 58}: 3} {
		for p.at = posterBegins; p.at < length+2; p.at += testsize.Pick(1, .2, .2) {
			lines := p.View(size[0], size[1])
			says := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
			wants := []string{"12 seeds", fmt.Sprintf("%.1f to %.1f %%", 100*average(worst["erm"]),
				100*average(worst[best])), "by " + gain + " " + ends, "mean accuracy by " +
				against(all, best) + " points"}
			for m := range worst {
				for _, by := range []map[string][]float64{worst, all} {
					want := fmt.Sprintf("%s %.1f %s", m, 100*average(by[m]), against(by, m))
					if m == "erm" {
						want = fmt.Sprintf("erm %.1f baseline", 100*average(by[m]))
					}
					wants = append(wants, want)
				}
			}
			for _, want := range wants {
				if !strings.Contains(says, want) {
					t.Errorf("%v at %g s: no %q in\n%s", size, p.at, want,
						strings.Join(lines, "\n"))
				}
			}
			if n := strings.Count(says, ends); n != 3 { // caption, large figures and table
				t.Errorf("%v at %g s: the interval stands %d times, want 3", size, p.at, n)
			}
			numbers := []string{fmt.Sprintf("%.1f", 100*average(worst["erm"])),
				fmt.Sprintf("%.1f", 100*average(worst[best])), gain}
			for _, number := range numbers {
				for _, row := range p.Theme.Digits(number, scale, p.Theme.Text) {
					if !strings.Contains(strings.Join(lines[head:], "\n"), row) {
						t.Errorf("%v: %s is not there in large digits:\n%s", size, number,
							strings.Join(lines, "\n"))
					}
				}
			}
		}
	}
}

// TestView: at every moment and on every screen, each line has the page's width.
func TestView(t *testing.T) {
	r, err := load(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, ascii := range []bool{false, true} {
		p := New(&lab.Lab{Theme: kit.BareTheme(ascii)})
		p.recording = r
		for _, size := range [][2]int{{80, 22}, {120, 38}, {200, 58}, {40, 10}, {78, 20}} {
			for p.at = 0; p.at <= 62; p.at += 3 {
				lines := p.View(size[0], size[1])
				if len(lines) != size[1] {
					t.Fatalf("%v at %g s: %d lines, want %v", size, p.at, len(lines), size[1])
				}
				for i, line := range lines {
					if n := cell.Width(line); n != size[0] {
						t.Fatalf("%v at %g s: line %d has %d cells, want %v: %q", size, p.at, i, n,
							size[0], line)
					}
				}
			}
		}
	}
}

// TestPicturesStandApart: where the words about a picture stand beside it, a blank follows them,
// also the longest name of a class.
func TestPicturesStandApart(t *testing.T) {
	r, err := load(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	p := New(&lab.Lab{Theme: kit.BareTheme(false)})
	p.Theme.Draws = func(_, _ int, _ []byte, cells, lines int) []string {
		return slices.Repeat([]string{strings.Repeat("#", cells)}, lines)
	}
	p.recording = r
	const high = leastSide - 2
	pictures := 0
	for epoch := 1.; epoch <= r.epochs; epoch++ {
		e := r.tracks[mainMethod].latest(shownFor(epoch), 1)[0]
		for w := 30; w <= 90; w++ {
			words := []rune(cell.Strip(p.gallery(e, w, high)[1]))
			for at := 1; at < w; at++ {
				if words[at] == '#' && unicode.IsLetter(words[at-1]) {
					t.Fatalf("%d cells: a picture follows at once in %q", w, string(words))
				}
				if words[at] == '#' && words[at-1] == ' ' {
					pictures++
				}
			}
		}
	}
	if pictures == 0 {
		t.Error("no picture follows words")
	}
}

// TestTick: the film goes on with the time, but not by a rest or by a clock that is set back.
func TestTick(t *testing.T) {
	p := New(&lab.Lab{})
	p.recording = &recording{}
	now := time.Unix(1e9, 0)
	for _, step := range []struct{ since, at float64 }{
		{0, 0}, {.2, .2}, {3600, .2}, {-7200, .2}, {1, 1.2}} {
		now = now.Add(time.Duration(step.since * float64(time.Second)))
		if p.Update(kit.Tick(now)); math.Abs(p.at-step.at) > 1e-9 {
			t.Errorf("%g s after a tick the film is at %g s, want %g", step.since, p.at, step.at)
		}
	}
}

// replacedRuns is a Source whose runs are replaced by others, under their own names.
type replacedRuns struct {
	tuitest.Archive
	as map[string]string // by name: the run that is found in its place
}

func (s replacedRuns) Find(id string) (*record.Run, error) { return s.Archive.Find(s.as[id]) }

// TestLive: a demonstration goes on with its second preset once all runs of its first one have
// ended, even if they ended before the interface knew of their start, and it does so once.
func TestLive(t *testing.T) {
	folder := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for name, status := range map[string]runner.Status{"goes-on": runner.Running,
		"over": runner.Done, "killed": runner.Interrupted} {
		folder.Add(t, name, tuitest.Archived("erm", 1, "convex", tuitest.Epoch0()), status, "")
	}
	for _, c := range []struct {
		name   string
		ended  []lab.Ended // what Watch says of ends before the answer to the start
		states [][2]string // of the two runs, at each look
		looks  int         // until the second preset starts
	}{
		{"ended before the answer, unseen", nil, [][2]string{{"over", "over"}}, 1},
		{"ended before the answer, seen", make([]lab.Ended, 2), [][2]string{{"over", "over"}}, 1},
		{"other runs ended", make([]lab.Ended, 5),
			[][2]string{{"over", "goes-on"}, {"over", "goes-on"}, {"over", "over"}}, 3},
		{"one was killed", nil, [][2]string{{"goes-on", "goes-on"}, {"over", "killed"}}, 2},
		{"one was deleted", nil, [][2]string{{"goes-on", "over"}, {"gone", "over"}}, 2},
	} {
		source := replacedRuns{folder, map[string]string{}}
		p := New(&lab.Lab{Source: source, Config: lab.Config{Opening: lab.Opening{Live: true}}})
		p.after = func(_ time.Duration, f func(time.Time) tea.Msg) tea.Cmd {
			return func() tea.Msg { return f(time.Time{}) }
		}
		for _, e := range c.ended {
			if p.Update(e) != nil {
				t.Errorf("%s: goes on by a notice", c.name)
			}
		}
		looks := 0
		cmd := p.Update(lab.Started{IDs: []string{"a", "b"}})
		for {
			if cmd == nil {
				t.Fatalf("%s: the demonstration stops after %d looks", c.name, looks)
			}
			state := c.states[min(looks, len(c.states)-1)]
			source.as["a"], source.as["b"] = state[0], state[1]
			msg := cmd()
			if _, next := msg.(nextActMsg); next {
				break
			}
			looks++
			cmd = p.Update(msg)
		}
		if looks != c.looks {
			t.Errorf("%s: goes on after %d looks, want %d", c.name, looks, c.looks)
		}
		if p.Update(lab.Started{IDs: []string{"c"}}) != nil {
			t.Errorf("%s: a third preset is to come", c.name)
		}
	}
}

// TestLiveSaysWhatStarts: a demonstration says at once which preset it starts.
func TestLiveSaysWhatStarts(t *testing.T) {
	p := New(&lab.Lab{Config: lab.Config{Opening: lab.Opening{Live: true}}})
	if p.Seek() == nil || p.Starting != "Starting the runs of convex …" {
		t.Errorf("at the start it says %q", p.Starting)
	}
	if p.Update(nextActMsg{}) == nil || p.Starting != "Starting the runs of shapes …" {
		t.Errorf("at the second preset it says %q", p.Starting)
	}
}

// TestTurn: the arrows go by chapter, and stay within the film.
func TestTurn(t *testing.T) {
	p := New(&lab.Lab{})
	for i := range chapters() {
		if at, _ := place(p.at); at != i || p.at != chapterBefore(i).until {
			t.Errorf("chapter %d at %g s, want %d", at, p.at, i)
		}
		p.turn(+1)
	}
	if !p.ended() {
		t.Error("the film does not end")
	}
	for i := len(chapters()) - 1; i >= 0; i-- {
		p.turn(-1)
		if p.at != chapterBefore(i).until {
			t.Errorf("back at %g s, want chapter %d", p.at, i)
		}
	}
	p.turn(-1)
	if p.at != 0 {
		t.Errorf("the film is at %g s, want at its start", p.at)
	}
	if length != 60 {
		t.Errorf("the film takes %d s, want 60", length)
	}
}
