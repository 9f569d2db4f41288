package tui

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/sweep"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// clockedDriver is a driver whose ticks and beats come on their own, by the clock of the script.
type clockedDriver struct {
	*driver
	due []appointment
}

type appointment struct {
	at  time.Time
	msg func(time.Time) tea.Msg
}

func newClockedDriver(r *driver) *clockedDriver {
	c := &clockedDriver{driver: r}
	r.after = func(d time.Duration, msg func(time.Time) tea.Msg) tea.Cmd {
		c.due = append(c.due, appointment{c.script.Now.Add(d), msg})
		return nil
	}
	r.Run(r.after(0, newTick))
	return c
}

// pass lets the time d pass.
func (c *clockedDriver) pass(d time.Duration) {
	end := c.script.Now.Add(d)
	for {
		slices.SortStableFunc(c.due, func(a, b appointment) int { return a.at.Compare(b.at) })
		if len(c.due) == 0 || c.due[0].at.After(end) {
			break
		}
		next := c.due[0]
		c.due, c.script.Now = c.due[1:], next.at
		c.Send(next.msg(next.at))
	}
	c.script.Now = end
}

// await lets time pass until the screen contains a text.
func (c *clockedDriver) await(t *testing.T, what string) {
	t.Helper()
	for range 1000 {
		if strings.Contains(tuitest.Text(c.shot(t)), what) {
			return
		}
		c.pass(time.Second)
	}
	t.Fatalf("no %q:\n%s", what, tuitest.Text(c.shot(t)))
}

// ago matches how long ago a run began, which a later screen tells otherwise.
var ago = regexp.MustCompile(`(now|\d+ min ago) *`)

// aboveFoot returns a screen without its last line.
func aboveFoot(screen string) string {
	lines := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
	return strings.Join(lines[:len(lines)-1], "\n")
}

// TestEndIsSeen: the end of a run is in every view within half a second, whatever ends it and
// however long nothing has happened before. The page is then the same as a minute later. The last
// line may have the alert of the end first, and the keys later.
func TestEndIsSeen(t *testing.T) {
	const frame = time.Second / remoteFrames
	within := max(beatEvery, readIdle)
	if bound := time.Second / 2; within+frame > bound {
		t.Errorf("a look each %v and a frame each %v: more than %v", within, frame, bound)
	}
	for k, c := range []struct{ name, page, shows string }{
		{"launch", "1", "1 live"},
		{"watch", "2", "1 running"},
		{"others", "2", "1 live"},
		{"runs", "3", "running"},
		{"compare", "4", "1 live"},
		{"sweep", "5", "1 running"}, // the sweep has its own folder below the runs folder
	} {
		for i, status := range []runner.Status{runner.Done, runner.Failed, ""} { // "": killed
			if testing.Short() && k != 2*i { // each status once, on three of the pages
				continue
			}
			t.Run(c.name+" "+cmp.Or(string(status), "killed"), func(t *testing.T) {
				dir := t.TempDir()
				first, second := endings(t, dir, c.page == "5")
				s := &tuitest.Script{Folder: lab.Folder(dir), Now: tuitest.Epoch0()}
				r := newClockedDriver(newDriver(t, s, 120, 40))
				r.Source, r.Config.RunsDir = s.Folder, dir
				run := first()
				if c.name == "others" {
					r.Press(c.page)
					r.await(t, "1 running")
					end(t, run, runner.Stopped)
					run = second()
				}
				r.Press(c.page)
				r.await(t, c.shows)
				if i > 0 { // else a key was pressed a moment ago
					r.Send(tea.BlurMsg{})
					r.pass(2*longQuietAfter + time.Duration(i)*time.Second/3)
				}
				before := tuitest.Text(r.shot(t))
				end(t, run, status)
				r.pass(within)
				after := tuitest.Text(r.shot(t))
				r.pass(time.Minute)
				last := tuitest.Text(r.shot(t))
				after, last = ago.ReplaceAllString(after, ""), ago.ReplaceAllString(last, "")
				if after == before {
					t.Errorf("soon after the end the screen is as before it:\n%s", before)
				}
				if aboveFoot(after) != aboveFoot(last) {
					t.Errorf("a minute after the end the screen is\n%s\nand soon after it\n%s",
						last, after)
				}
				if n := len(r.visibleLive()); n > 0 {
					t.Errorf("after the end %d runs are waited for, want none", n)
				}
				if r.beating {
					t.Error("after the end the locks are still looked at")
				}
			})
		}
	}
}

// endings returns two functions that begin one run each, in a folder or in a sweep in it.
func endings(t *testing.T, dir string, swept bool) (first, second func() runner.Recorder) {
	t.Helper()
	var f *sweep.Folder
	if swept {
		const text = "preset: csv\ngrid: {algo: [sfk, erm]}\nset: {val_fraction: .2}\n"
		file, errs := sweep.Parse("mine.yaml", []byte(text))
		made, err := sweep.Make(filepath.Join(dir, "mine"), []byte(text), file.Expand())
		if err = errors.Join(append(errs, err)...); err != nil {
			t.Fatal(err)
		}
		f = made
	}
	begin := func(i int) func() runner.Recorder {
		return func() runner.Recorder {
			t.Helper()
			m := tuitest.Archived(dro.PaperMethods()[i], 1, "mine", tuitest.Epoch0())
			in := dir
			if swept {
				in, m.ID = f.Dir, f.List.Runs[i].ID
				m.Spec, _ = f.List.Spec(i)
			}
			store, err := record.Open(in)
			if err != nil {
				t.Fatal(err)
			}
			run, err := store.Create(m, nil)
			if err == nil {
				err = run.Append(&runner.StatusEvent{Status: runner.Running})
			}
			if err != nil {
				t.Fatal(err)
			}
			return run
		}
	}
	return begin(0), begin(1)
}

// end ends a run with a status. With an empty one, it ends the run as a kill does.
func end(t *testing.T, run runner.Recorder, status runner.Status) {
	t.Helper()
	if status != "" {
		e := tuitest.Evaluation(runner.Head{Step: 80}, tuitest.Steps, 0, .5, true)
		last := &runner.StatusEvent{Head: e.Head, Status: status}
		if err := errors.Join(run.Append(e), run.Append(last)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestGuard: a panic anywhere in the interface becomes an error with a report in the folder of the
// runs, and does not reach Bubble Tea.
func TestGuard(t *testing.T) {
	dir := t.TempDir()
	fresh := func() panicGuard {
		return panicGuard{&Model{Lab: &lab.Lab{Config: lab.Config{RunsDir: dir}}}}
	}
	check := func(t *testing.T, err error, value string) {
		t.Helper()
		var p *runner.PanicError
		if !errors.As(err, &p) {
			t.Fatalf("the error is %v, want a panic", err)
		}
		if !strings.Contains(p.Value, value) {
			t.Errorf("the panic has the value %q, want %q in it", p.Value, value)
		}
		if !strings.HasPrefix(p.Report, dir) {
			t.Fatalf("the report is at %s, want it in %s", p.Report, dir)
		}
		text, err := os.ReadFile(p.Report)
		if err != nil {
			t.Fatalf("the report: %v", err)
		}
		if !strings.Contains(string(text), "goroutine") {
			t.Errorf("the report lacks the goroutine:\n%s", text)
		}
	}
	breaks := func() tea.Msg { panic("broken") }
	fine := func() tea.Msg { return 7 }
	for name, cmd := range map[string]tea.Cmd{"a command": breaks,
		"of a batch": tea.Batch(fine, breaks), "of a sequence": tea.Sequence(fine, breaks),
		"within": tea.Batch(fine, tea.Sequence(fine, breaks))} {
		t.Run(name, func(t *testing.T) {
			failed, ok := last(fresh().guard(cmd)).(lab.Failed)
			if !ok {
				t.Fatal("the panic is no message")
			}
			check(t, failed.Err, "broken")
		})
	}
	t.Run("drawing", func(t *testing.T) {
		g := fresh() // it has no pages
		g.View()
		check(t, g.Failed(), "index out of range")
		if _, cmd := g.Update(nil); cmd == nil || cmd() != tea.Quit() {
			t.Error("the interface goes on")
		}
	})
	t.Run("a message", func(t *testing.T) {
		g := fresh()
		_, cmd := g.Update(tea.KeyPressMsg{Code: 'x'})
		check(t, g.Failed(), "index out of range")
		if cmd == nil || cmd() != tea.Quit() {
			t.Error("the interface goes on")
		}
	})
}

// last returns the message of a command or, if the command holds several, of the last of them.
func last(cmd tea.Cmd) tea.Msg {
	msg := cmd()
	list := reflect.ValueOf(msg)
	if list.Kind() != reflect.Slice {
		return msg
	}
	for i := range list.Len() {
		msg = last(list.Index(i).Interface().(tea.Cmd))
	}
	return msg
}
