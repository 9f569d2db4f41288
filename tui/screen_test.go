package tui

import (
	"fmt"
	"image/color"
	"strings"
	"testing"
	"time"

	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

func TestWatchGolden(t *testing.T) {
	for _, size := range tuitest.Sizes() {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			r := watching(t, size[0], size[1])
			tuitest.Golden(t, fmt.Sprintf("watch-%dx%d", size[0], size[1]), tuitest.Text(r.shot(t)))
		})
	}
}

func TestWatchVariants(t *testing.T) {
	for name, environ := range tuitest.Variants() {
		t.Run(name, func(t *testing.T) {
			e := watching(t, 120, 40, environ...).shot(t)
			tuitest.Golden(t, "watch-"+name, tuitest.Text(e)+tuitest.Styles(e))
		})
	}
}

func TestWatchLight(t *testing.T) {
	r := watching(t, 120, 40)
	r.send(tea.BackgroundColorMsg{Color: color.White})
	tuitest.Golden(t, "watch-light", tuitest.Styles(r.shot(t)))
}

func TestWatchStates(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"zoom", 80, 24, []string{"z"}},
		{"phase", 80, 24, []string{"tab", "tab", "f", "f", "z"}},
		{"dots", 120, 40, []string{"d"}},
		{"time", 120, 40, []string{"a", "a", "l", "s"}},
		{"log", 120, 40, []string{"w"}},
		{"help", 80, 24, []string{"?"}},
		{"define", 80, 24, []string{"tab", "tab", "i"}},
		{"hidden", 80, 24, []string{"space", "down", "b", "b"}},
		{"blocked", 80, 24, []string{"p"}},
		{"one", 120, 40, []string{"v", "v"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := watching(t, c.w, c.h)
			r.press(c.keys...)
			tuitest.Golden(t, "watch-"+c.name, tuitest.Text(r.shot(t)))
		})
	}
}

// grouping returns a rig on the Watch page, late in three runs that have groups and select a step.
func grouping(t testing.TB, w, h int, environ ...string) *rig {
	t.Helper()
	r := newRig(t, tuitest.NewGroupScript(t), w, h, environ...)
	r.press("2")
	r.wait(14*time.Second, time.Second/5)
	return r
}

func TestGroupsGolden(t *testing.T) {
	for _, size := range tuitest.Sizes() {
		name := fmt.Sprintf("groups-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			tuitest.Golden(t, name, tuitest.Text(grouping(t, size[0], size[1]).shot(t)))
		})
	}
	for _, c := range []struct {
		name    string
		environ []string
		keys    []string
	}{
		{"validation", nil, []string{"m"}},
		{"classes", nil, []string{"tab", "f", "f", "z"}},
		{"zoom", nil, []string{"tab", "b", "b", "b", "z"}},
		{"worst", nil, []string{"tab", "tab", "tab", "tab", "tab", "f", "z"}},
		{"define", nil, []string{"tab", "i"}},
		{"ascii", []string{"DROLAB_ASCII=1"}, nil},
		{"nocolor", []string{"NO_COLOR=1"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := grouping(t, 120, 40, c.environ...)
			r.press(c.keys...)
			tuitest.Golden(t, "groups-"+c.name, tuitest.Text(r.shot(t)))
		})
	}
}

func TestKnobsGolden(t *testing.T) {
	r := watching(t, 80, 24)
	for id := range r.script.Logs {
		r.Mine[id] = true
	}
	r.press("t", "-", "1", "enter")
	tuitest.Golden(t, "knobs-80x24", tuitest.Text(r.shot(t)))
}

func TestEmptyGolden(t *testing.T) {
	r := newRig(t, &tuitest.Script{Folder: lab.Folder(t.TempDir())}, 80, 24)
	r.Config.RunsDir = "runs"
	r.press("2")
	tuitest.Golden(t, "watch-empty", tuitest.Text(r.shot(t)))
	r.size(30, 5)
	tuitest.Golden(t, "too-small", tuitest.Text(r.shot(t)))
}
func TestLaunchGolden(t *testing.T) {
	a := tuitest.NewArchive(t)
	for _, size := range tuitest.Sizes() {
		name := fmt.Sprintf("launch-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			tuitest.Golden(t, name, tuitest.Text(browsing(t, a, "1", size[0], size[1]).shot(t)))
		})
	}
	for name, environ := range tuitest.Variants() {
		t.Run(name, func(t *testing.T) {
			r := browsing(t, a, "1", 80, 24, environ...)
			r.press("tab", "right", "space", "down", "e")
			e := r.shot(t)
			tuitest.Golden(t, "launch-"+name, tuitest.Text(e)+tuitest.Styles(e))
		})
	}
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"changed", 120, 40, []string{"tab", "down", "right", "right", "space", "down", "down",
			"down", "e", "ctrl+u", "1", "enter"}},
		{"invalid", 80, 24, []string{"tab", "down", "down", "down", "down", "e",
			"ctrl+u", "-", "1"}},
		{"no-data", 120, 40, []string{"down", "down"}},
		{"narrow-settings", 40, 12, []string{"tab", "down", "down"}},
		{"help", 80, 24, []string{"?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := browsing(t, a, "1", c.w, c.h)
			r.press(c.keys...)
			tuitest.Golden(t, "launch-"+c.name, tuitest.Text(r.shot(t)))
		})
	}
}

func TestRunsGolden(t *testing.T) {
	a := tuitest.NewArchive(t)
	for _, size := range tuitest.Sizes() {
		name := fmt.Sprintf("runs-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			tuitest.Golden(t, name, tuitest.Text(browsing(t, a, "3", size[0], size[1]).shot(t)))
		})
	}
	for name, environ := range tuitest.Variants() {
		t.Run(name, func(t *testing.T) {
			r := browsing(t, a, "3", 80, 24, environ...)
			r.press("space", "down", "space", "G", "s")
			e := r.shot(t)
			tuitest.Golden(t, "runs-"+name, tuitest.Text(e)+tuitest.Styles(e))
		})
	}
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"filter", 120, 40, append([]string{"/"}, strings.Split("algo:sfk -done", "")...)},
		{"filter-wrong", 80, 24, append([]string{"/"}, strings.Split("rho>=x", "")...)},
		{"none", 80, 24, append([]string{"/"}, strings.Split("nothing", "")...)},
		{"sorted", 120, 40, []string{"s", "s", "s", "s", "s", "s", "s"}},
		{"failed", 120, 40, []string{"/", "f", "a", "i", "l", "e", "d", "enter"}},
		{"delete", 80, 24, []string{"space", "space", "D"}},
		{"blocked", 80, 24, []string{"x"}},
		{"help", 80, 24, []string{"?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := browsing(t, a, "3", c.w, c.h)
			for i, k := range c.keys {
				if k == " " {
					c.keys[i] = "space"
				}
			}
			r.press(c.keys...)
			tuitest.Golden(t, "runs-"+c.name, tuitest.Text(r.shot(t)))
		})
	}
	t.Run("empty", func(t *testing.T) {
		empty := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
		r := browsing(t, empty, "3", 80, 24)
		tuitest.Golden(t, "runs-empty", tuitest.Text(r.shot(t)))
	})
}

func TestCompareGolden(t *testing.T) {
	a := tuitest.NewArchive(t)
	for _, size := range tuitest.Sizes() {
		name := fmt.Sprintf("compare-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			tuitest.Golden(t, name, tuitest.Text(browsing(t, a, "4", size[0], size[1]).shot(t)))
		})
	}
	for name, environ := range tuitest.Variants() {
		t.Run(name, func(t *testing.T) {
			e := browsing(t, a, "4", 120, 40, environ...).shot(t)
			tuitest.Golden(t, "compare-"+name, tuitest.Text(e)+tuitest.Styles(e))
		})
	}
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"curves", 80, 24, []string{"v", "m", "m"}},
		{"notes", 80, 24, []string{"v", "v"}},
		{"scrolled", 40, 12, []string{"right", "right", "down", "down", "down"}},
		{"help", 80, 24, []string{"?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := browsing(t, a, "4", c.w, c.h)
			r.press(c.keys...)
			tuitest.Golden(t, "compare-"+c.name, tuitest.Text(r.shot(t)))
		})
	}
	t.Run("empty", func(t *testing.T) {
		tuitest.Golden(t, "compare-empty", tuitest.Text(browsing(t,
			tuitest.Archive{Folder: lab.Folder(t.TempDir())}, "4", 80, 24).shot(t)))
	})
	t.Run("unlike", func(t *testing.T) {
		r := browsing(t, a, "4", 120, 40)
		r.send(lab.Compare{Runs: tuitest.Found(t, r.Source, "shapes-sfk-s1",
			"mine-erm-s1", "paper-sfk-s7")})
		tuitest.Golden(t, "compare-unlike", tuitest.Text(r.shot(t)))
	})
}
