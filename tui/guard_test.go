package tui

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// TestGuard: a panic anywhere in the interface becomes an error with a report in the folder of the
// runs, and does not reach Bubble Tea.
func TestGuard(t *testing.T) {
	dir := t.TempDir()
	fresh := func() guarded {
		return guarded{&Model{Lab: &lab.Lab{Config: lab.Config{RunsDir: dir}}}}
	}
	check := func(t *testing.T, err error, value string) {
		t.Helper()
		var p *runner.PanicError
		if !errors.As(err, &p) || !strings.Contains(p.Value, value) ||
			!strings.HasPrefix(p.Report, dir) {
			t.Fatalf("the error is %v", err)
		}
		if text, err := os.ReadFile(p.Report); err != nil ||
			!strings.Contains(string(text), "goroutine") {
			t.Errorf("the report is %s, %v", text, err)
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
