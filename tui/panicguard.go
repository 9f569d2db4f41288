package tui

import (
	"reflect"

	"drolab/runner"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// panicGuard is the interface as Bubble Tea gets it. Bubble Tea would print the stack of a panic
// over the terminal; here a panic ends the interface with an error of one line.
type panicGuard struct{ *Model }

// Update implements tea.Model.
func (g panicGuard) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	model = g // also after a panic
	defer g.recoverFrom(func() { cmd = tea.Quit })
	if g.failed != nil { // a panic while it was drawn
		return g, tea.Quit
	}
	_, cmd = g.Model.Update(msg)
	return g, g.guard(cmd)
}

// Init implements tea.Model.
func (g panicGuard) Init() (cmd tea.Cmd) {
	defer g.recoverFrom(func() { cmd = tea.Quit })
	return g.guard(g.Model.Init())
}

// View implements tea.Model.
func (g panicGuard) View() (v tea.View) {
	defer g.recoverFrom(func() { v = tea.View{} })
	return g.Model.View()
}

// Failed returns why the interface ended by itself, or nil.
func (g panicGuard) Failed() error { return g.failed }

// recoverFrom recovers from a panic in the goroutine of the event loop.
func (g panicGuard) recoverFrom(then func()) {
	if p := recover(); p != nil {
		g.failed = runner.ReportPanic(g.Config.RunsDir, p)
		then()
	}
}

// guard returns a command that turns its panic into a message, since it has a goroutine of its own.
func (g panicGuard) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				msg = lab.Failed{Err: runner.ReportPanic(g.Config.RunsDir, p)}
			}
		}()
		return g.guardAll(cmd())
	}
}

// guardAll guards the commands in a message of tea.Batch or of tea.Sequence, whose type is not
// exported.
func (g panicGuard) guardAll(msg tea.Msg) tea.Msg {
	list := reflect.ValueOf(msg)
	if list.Kind() != reflect.Slice || list.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return msg
	}
	for i := range list.Len() {
		if cmd, ok := list.Index(i).Interface().(tea.Cmd); ok {
			list.Index(i).Set(reflect.ValueOf(g.guard(cmd)))
		}
	}
	return msg
}
