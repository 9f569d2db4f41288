package tui

import (
	"reflect"

	"drolab/runner"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// guarded is the interface as Bubble Tea has it, which would print the stack of a
// panic over the terminal: here a panic is why the interface ends, in one line.
type guarded struct{ *Model }

// Update implements tea.Model.
func (g guarded) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer g.keep(func() { cmd = tea.Quit })
	if g.failed != nil { // while it was drawn
		return g, tea.Quit
	}
	_, cmd = g.Model.Update(msg)
	return g, g.guard(cmd)
}

// Init implements tea.Model.
func (g guarded) Init() (cmd tea.Cmd) {
	defer g.keep(func() { cmd = tea.Quit })
	return g.guard(g.Model.Init())
}

// View implements tea.Model.
func (g guarded) View() (v tea.View) {
	defer g.keep(func() { v = tea.View{} })
	return g.Model.View()
}

// Failed returns why the interface ended by itself, or nil.
func (g guarded) Failed() error { return g.failed }

// keep recovers from a panic of the loop's goroutine.
func (g guarded) keep(then func()) {
	if p := recover(); p != nil {
		g.failed = runner.Panicked(g.Config.RunsDir, p)
		then()
	}
}

// guard makes a panic of a command, which has a goroutine of its own, a message.
func (g guarded) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				msg = lab.Failed{Err: runner.Panicked(g.Config.RunsDir, p)}
			}
		}()
		return g.guardAll(cmd())
	}
}

// guardAll guards the commands in a message: those of tea.Batch and of tea.Sequence,
// whose type has no name outside.
func (g guarded) guardAll(msg tea.Msg) tea.Msg {
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
