package tui

import (
	"errors"
	"testing"

	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// TestDebugLogHasNoData checks what the debug log says of each kind of message, also of those that
// hold what the user typed and what files contain.
func TestDebugLogHasNoData(t *testing.T) {
	cases := []struct {
		msg    tea.Msg
		typing bool
		want   string
	}{
		{tea.KeyPressMsg{Code: 'l', Text: "l"}, false, `key: "l"`},
		{tea.KeyPressMsg{Code: 'l', Text: "l"}, true, `key: text`},
		{tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}, true, `key: text`},
		{tea.KeyPressMsg{Code: tea.KeyEnter}, true, `key: "enter"`},
		{tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, true, `key: "ctrl+c"`},
		{tea.PasteMsg{Content: "secret"}, true, `paste: 6 bytes`},
		{tea.WindowSizeMsg{Width: 80, Height: 24}, false,
			`tea.WindowSizeMsg: "{Width:80 Height:24}"`},
		{tea.TerminalVersionMsg{Name: "term\x1b]0;title\x07"}, false,
			`tea.TerminalVersionMsg: "term\x1b]0;title\a"`},
		{lab.Failed{Err: errors.New("no such run: secret")}, false, `lab.Failed`},
	}
	for _, c := range cases {
		if got := describe(c.msg, c.typing); got != c.want {
			t.Errorf("describe(%#v, %v) = %s, want %s", c.msg, c.typing, got, c.want)
		}
	}
}
