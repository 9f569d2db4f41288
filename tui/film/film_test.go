package film

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestCaptions recomputes every figure of the captions from the recorded files, at many moments.
func TestCaptions(t *testing.T) {
	r, err := load(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	var meta struct {
		Classes []string
		Counts  struct{ Train []int } `json:"class_counts"`
	}
	if err := json.Unmarshal(unpacked(t, "erm", 1, "run.json"), &meta); err != nil {
		t.Fatal(err)
	}
	erm, auto := evaluations(t, "erm"), evaluations(t, "sfk-auto")
	weak := slices.Index(meta.Classes, r.name(r.weak))
	own := func(e evaluation) float64 { return e.Accuracy[weak] }
	all := func(e evaluation) float64 { return e.Mean }
	loss := func(e evaluation) float64 { return e.Loss }
	total := 0
	for _, n := range meta.Counts.Train {
		total += n
	}
	in := func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	for at, c := range chapters() {
		for seconds := chapterBefore(at).until; seconds < c.until; seconds += .7 {
			chapter, part := place(seconds)
			epoch := part * r.epochs
			if chapter != at {
				t.Fatalf("at %g s chapter %d is shown, want %d", seconds, chapter, at)
			}
			if epoch < 1 && at > 0 {
				t.Fatalf("at %g s, in chapter %d, epoch %g is shown, want 1 or more", seconds, at,
					epoch)
			}
			if at == 0 {
				if n := len(kit.Wrap(question, leastWidth-3)); n > 3 {
					t.Errorf("the first caption has %d lines", n)
				}
				continue
			}
			says := c.says(r, epoch)
			if lines := kit.Wrap(says, leastWidth-3); len(lines) > 3 {
				t.Errorf("epoch %g: no room for %q", epoch, lines[3:])
			}
			var want []string
			a, b := mean(erm, epoch, own), mean(auto, epoch, own)
			gain := mean(auto, epoch, all) - mean(erm, epoch, all)
			switch at {
			case 1:
				want = []string{in(mean(erm, epoch, all)), in(a) + " of class " +
					meta.Classes[weak],
					fmt.Sprintf("%d of %d training", meta.Counts.Train[weak], total)}
				if (a < mean(erm, epoch, all)-.1) != strings.Contains(says, "but only") {
					t.Errorf("epoch %g: %s", epoch, says)
				}
			case 2:
				w := mean(auto, epoch, func(e evaluation) float64 { return e.Weight[weak] })
				want = []string{fmt.Sprintf("weighs %.1f times", w)}
				if (w >= 1) != strings.Contains(says, "count more") {
					t.Errorf("epoch %g: %s", epoch, says)
				}
			case 3:
				want = []string{in(b), in(a)}
				if (b > a) != strings.Contains(says, "learns class") {
					t.Errorf("epoch %g: %s", epoch, says)
				}
			case 4:
				want = []string{fmt.Sprintf("%.1f points", 100*math.Abs(gain)), fmt.Sprintf(
					"is %.3f, where erm has %.3f", mean(auto, epoch, loss), mean(erm, epoch, loss))}
				if (gain >= 0) != strings.Contains(says, "above erm's") {
					t.Errorf("epoch %g: %s", epoch, says)
				}
			}
			for _, w := range want {
				if !strings.Contains(says, w) {
					t.Errorf("epoch %g: %q lacks %q", epoch, says, w)
				}
			}
		}
	}
}

// TestCaptionOfSeeds recomputes what is said of all seeds. 2.82003 is the quantile of Student's t
// with eleven degrees of freedom at 1 − .05/6: two sides, and three methods to choose from.
func TestCaptionOfSeeds(t *testing.T) {
	r, err := load(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	var worst [2][]float64
	for i, m := range []string{"erm", string(methods()[r.best()])} {
		for seed := 1; seed <= 12; seed++ {
			var s struct {
				Worst float64 `json:"worst_class_accuracy"`
			}
			if err := json.Unmarshal(unpacked(t, m, seed, "summary.json"), &s); err != nil {
				t.Fatal(err)
			}
			worst[i] = append(worst[i], 100*s.Worst)
		}
	}
	sum := func(list []float64) (s float64) {
		for _, v := range list {
			s += v
		}
		return s
	}
	by, squares := (sum(worst[1])-sum(worst[0]))/12, 0.0
	for i := range worst[0] {
		squares += math.Pow(worst[1][i]-worst[0][i]-by, 2)
	}
	half := 2.82003 * math.Sqrt(squares/11/12)
	says := saySeeds(r, r.epochs)
	for _, want := range []string{"12 seeds", fmt.Sprintf("%.1f to %.1f %%", sum(worst[0])/12,
		sum(worst[1])/12), fmt.Sprintf("%+.1f [%+.1f, %+.1f]", by, by-half, by+half)} {
		if !strings.Contains(says, want) {
			t.Errorf("%q lacks %q", says, want)
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

// TestGallery: on every screen the pictures fill their panel, with a line of words below the last.
func TestGallery(t *testing.T) {
	r, err := load(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	p := New(&lab.Lab{Theme: kit.BareTheme(false)})
	p.recording = r
	for size, pictures := range map[[2]int]int{{80, 18}: 2, {120, 34}: 2, {200, 54}: 6} {
		panel := p.scene(kit.Area(0, 0, size[0], size[1]), chapters()[3], 20)[2]
		words := panel.Lines[len(panel.Lines)-2]
		if !strings.Contains(words, "×") ||
			strings.Count(strings.Join(panel.Lines, "\n"), "×") != pictures {
			t.Errorf("%v: not %d pictures to the end of\n%s", size, pictures,
				strings.Join(panel.Lines, "\n"))
		}
		cells := cell.Width(strings.TrimRight(strings.Trim(words, "│"), " "))
		if 2*cells < panel.W {
			t.Errorf("%v: the pictures end at %d of %d cells", size, cells, panel.W)
		}
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
