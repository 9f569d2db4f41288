package tui

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/runner"

	tea "charm.land/bubbletea/v2"
)

// fits fails where the screen is not exactly h lines of w cells, or where an
// escape sequence other than a style got through.
func (r *rig) fits(t *testing.T, what string) {
	t.Helper()
	s := r.screen()
	lines := strings.Split(s, "\n")
	if len(lines) != max(1, r.h) {
		t.Fatalf("%s: %d lines on a screen of %dx%d", what, len(lines), r.w, r.h)
	}
	for y, l := range lines {
		if width(l) != r.w && r.h > 0 && r.w > 0 {
			t.Fatalf("%s: line %d has %d cells of %d on a screen of %dx%d:\n%q", what, y, width(l), r.w, r.w, r.h, l)
		}
	}
	if bad := unstyled(s); bad != "" {
		t.Fatalf("%s: control character in the screen: %q", what, bad)
	}
	if r.env.ascii && !isASCII(s) {
		t.Fatalf("%s: not ASCII:\n%s", what, s)
	}
}

// unstyled returns what follows the first control character that is neither
// the end of a line nor the start of a style; "" without one.
func unstyled(s string) string {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == 0x1b {
			j := i + 2
			for j < len(s) && strings.IndexByte("0123456789;:", s[j]) >= 0 {
				j++
			}
			if i+1 < len(s) && s[i+1] == '[' && j < len(s) && s[j] == 'm' {
				i = j
				continue
			}
		}
		if c < 0x20 && c != '\n' || c == 0x7f || c == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0 {
			return s[i:min(i+20, len(s))]
		}
	}
	return ""
}

// TestRandom presses random keys on screens of random sizes while runs go on.
func TestRandom(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 1))
			environ := [][]string{nil, {"DROLAB_ASCII=1"}, {"NO_COLOR=1"}}[seed%3]
			r := newRig(t, fixture(t), 80, 24, environ...)
			var keys []string
			for _, page := range r.keys {
				for _, b := range page {
					keys = append(keys, b.Keys.Keys()...)
				}
			}
			keys = append(keys, "0", "A", "é", "世", "-", ".", "y", "2", "2", "backspace")
			for i := range 250 {
				what := r.stir(rng, keys)
				if i%2 == 0 {
					r.fits(t, what)
				}
			}
		})
	}
}

// stir does one random thing and says what.
func (r *rig) stir(rng *rand.Rand, keys []string) string {
	x, y := rng.IntN(r.w+2), rng.IntN(r.h+2)
	switch n := rng.IntN(20); {
	case n < 10:
		k := keys[rng.IntN(len(keys))]
		r.press(k)
		return "key " + k
	case n < 12:
		r.size(1+rng.IntN(220), 1+rng.IntN(70))
		return fmt.Sprintf("size %dx%d", r.w, r.h)
	case n < 13:
		r.size(40+rng.IntN(40), 12+rng.IntN(12))
		return "small size"
	case n < 14:
		r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		return fmt.Sprintf("click %d %d", x, y)
	case n < 15:
		r.send(tea.MouseWheelMsg{X: x, Y: y, Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[rng.IntN(2)]})
		return fmt.Sprintf("wheel %d %d", x, y)
	case n < 16:
		r.send(tea.PasteMsg{Content: "rho=0.5\x1b[2J\nμ\x00"})
		return "paste"
	case n < 17:
		r.send([]tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}}[rng.IntN(2)])
		return "focus"
	}
	r.wait(time.Duration(rng.IntN(2000))*time.Millisecond, time.Second/5)
	return "wait"
}

// hostile is text that would harm a terminal that showed it.
const hostile = "\x1b[2J\x1b]0;title\x07\x9b31m\u202eevil\u0000\r\n\t\u200b世界́" + "\xff\xfe"

// TestHostile opens run directories that somebody else's program wrote.
func TestHostile(t *testing.T) {
	s := fixture(t)
	dir := string(s.folder)
	for id := range s.logs {
		s.logs[id] = hostileEvents(s.logs[id])
	}
	nasty := map[string]string{
		"1-garbage/run.json":       "\x00\x1b[31m{{{",
		"2-empty/events.jsonl":     "",
		"3-dir/run.json/x":         "",
		"4-huge/run.json":          `{"spec":{"algorithms":["sfk"]},"preset":"` + strings.Repeat("A", 1<<20) + `"}`,
		"4-huge/events.jsonl":      strings.Repeat("x", 3<<20) + "\n" + `{"seq":1,"type":"status","status":"running"}` + "\n",
		"5-\x1b[2J/run.json":       `{"spec":{"algorithms":["\u001b[2J"],"epochs":-5},"preset":"\u001b]0;x\u0007","classes":["\u001b[1m"],"steps":-1,"steps_per_epoch":-9}`,
		"5-\x1b[2J/events.jsonl":   `{"seq":1,"type":"warning","step":-9223372036854775808,"message":"\u001b[2J\u202e"}` + "\n",
		"6-nan/run.json":           `{"spec":{"algorithms":["pgd"]},"box":{"Lambda":[1,-1],"Eta":[0,0]}}`,
		"6-nan/events.jsonl":       `{"seq":1,"type":"step","step":9223372036854775807,"loss":"NaN","lambda":"+Inf","eta":1e308}` + "\n",
		"7-none/run.json":          `{"spec":{"algorithms":[]}}`,
		"8-nogroups/run.json":      `{"spec":{"algorithms":["erm"]},"groups":null,"train_counts":[-1]}`,
		"8-nogroups/events.jsonl":  `{"seq":1,"type":"eval","step":5,"class_accuracy":[1e300,"-Inf",null,2,3],"class_weight":["NaN"]}` + "\n",
		"9-secret/run.json":        `{"spec":{"algorithms":["sfk"]}}`,
		"9-secret/checkpoints/a/b": "",
	}
	for name, text := range nasty {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := newRig(t, s, 100, 30)
	for _, page := range []string{"1", "2", "3", "4"} {
		r.press(page)
		r.fits(t, "page "+page)
		for _, size := range sizes() {
			r.size(size[0], size[1])
			r.wait(time.Second, time.Second/5)
			r.fits(t, "page "+page)
		}
	}
	// The real directories, one after the other, in all panels.
	r.Model.source = s.folder
	runs, problems := s.List()
	if len(problems) == 0 {
		t.Fatal("no directory was refused: the test's files are not hostile enough")
	}
	for _, run := range runs {
		r.press("esc")
		r.send(watchMsg{[]string{run.Meta.ID}})
		for range panels {
			r.press("tab", "f", "a", "l", "w", "z")
			r.wait(time.Second, time.Second/2)
			r.fits(t, "run "+run.Meta.ID)
		}
		r.press("i")
		r.fits(t, "definitions of "+run.Meta.ID)
	}
}

// hostileEvents makes the numbers and texts of a log as bad as a log can hold.
func hostileEvents(events []runner.Event) []runner.Event {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 0}
	for i, e := range events {
		switch e := e.(type) {
		case *runner.StepEvent:
			e.Loss, e.Lambda, e.Eta = runner.Num(bad[i%6]), runner.Num(bad[(i+1)%6]), runner.Num(bad[(i+2)%6])
			e.Min.Loss, e.Max.Loss = runner.Num(bad[(i+3)%6]), runner.Num(bad[(i+4)%6])
			e.ImagesPerSecond = runner.Num(bad[(i+5)%6])
		case *runner.EvalEvent:
			e.ClassAccuracy = e.ClassAccuracy[:i%10]
			e.ClassWeight = append(e.ClassWeight, runner.Num(bad[i%6]), runner.Number{})
			e.TestLoss, e.TestAccuracy = runner.Num(bad[i%6]), runner.Num(bad[(i+1)%6])
		case *runner.WarningEvent:
			e.Message = hostile + strings.Repeat(hostile, 200)
		case *runner.StatusEvent:
			e.Status, e.Cause = runner.Status(hostile), hostile
		}
	}
	back := *events[len(events)-1].Header()
	back.Step, back.Time = -5, back.Time.Add(time.Second)
	return append(events, &runner.ResumeEvent{Head: back})
}
