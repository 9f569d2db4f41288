package lab

import (
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// A key that is typed after the key that opens a dialog is for the dialog, however soon it comes.
// What opens a dialog in the event loop does so at once, by Show. What has to read files first, or
// to ask another page, wraps its command in Opening.

// Show opens an overlay at once.
func (s *Lab) Show(o *kit.Overlay) tea.Cmd {
	s.Open(o)
	return nil
}

// Question opens a question at once.
func (s *Lab) Question(title string, lines []string, choices ...kit.Answer) tea.Cmd {
	return s.Show(kit.NewQuestion(title, lines, choices...))
}

// Danger opens a question at once about an action that cannot be taken back.
func (s *Lab) Danger(title string, lines []string, choices ...kit.Answer) tea.Cmd {
	return s.Show(kit.NewDanger(title, lines, choices...))
}

// Opening returns a command whose message opens a dialog, or says why there is none. The keys that
// are typed until then are kept for the dialog, and go with it where there is none.
func (s *Lab) Opening(cmd tea.Cmd) tea.Cmd {
	s.opening++
	return func() tea.Msg { return Opened{cmd()} }
}

// Opened brings the message of a command of Opening.
type Opened struct{ Msg tea.Msg }

// IsOpening reports whether a command of Opening is under way.
func (s *Lab) IsOpening() bool { return s.opening > 0 }

// EndOpening notes that a command of Opening has brought its message.
func (s *Lab) EndOpening() { s.opening-- }
