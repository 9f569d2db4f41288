package tui

import (
	"fmt"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// logged returns a filter of messages that first tells debug of each message, as it came from the
// terminal or from a command.
func logged(
	debug func(format string, args ...any), filter func(tea.Model, tea.Msg) tea.Msg,
) func(tea.Model, tea.Msg) tea.Msg {
	return func(m tea.Model, msg tea.Msg) tea.Msg {
		guard, _ := m.(panicGuard)
		debug("%s", describe(msg, guard.Model != nil && guard.typing()))
		return filter(m, msg)
	}
}

// typing reports whether keys may write text: into the page, or into a form or a line above it.
func (m *Model) typing() bool { return m.overlay != nil || m.page().Typing() }

// describe describes a message without the user's data: of a text that is typed it names no
// character, and of a message with contents only the type.
func describe(msg tea.Msg, typing bool) string {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if typing && utf8.RuneCountInString(msg.Text) > 0 {
			return "key: text"
		}
		return fmt.Sprintf("key: %q", msg.String())
	case tea.PasteMsg:
		return fmt.Sprintf("paste: %d bytes", len(msg.Content))
	case tea.MouseMsg:
		return fmt.Sprintf("%T: %v", msg, msg)
	case tea.WindowSizeMsg, tea.ColorProfileMsg, tea.BackgroundColorMsg, tea.ForegroundColorMsg,
		tea.KeyboardEnhancementsMsg, tea.TerminalVersionMsg, tea.CapabilityMsg, tea.ModeReportMsg:
		return fmt.Sprintf("%T: %q", msg, fmt.Sprintf("%+v", msg))
	}
	return fmt.Sprintf("%T", msg)
}
