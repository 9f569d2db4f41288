package kit

import (
	"time"

	"drolab/tui/cell"

	tea "charm.land/bubbletea/v2"
)

// The messages of every page that are not Bubble Tea's own. Those about runs
// are in tui/lab.

// Tick is a look around: for what is new in the files.
type Tick time.Time

// Notice puts a line where the footer is, until the next key or for a while.
type Notice struct {
	Text string
	Bad  bool
}

// Open puts an overlay over the page.
type Open struct{ *Overlay }

// Click and Wheel are the mouse's, in the page's own coordinates.
type (
	Click struct{ X, Y int }
	Wheel struct {
		X, Y int
		Down bool
	}
	// Drag is a move with the button down.
	Drag struct{ X, Y int }
	// Hover is one without: a page that cares has a method Point for it.
	Hover struct{ X, Y int }
)

// By is 1 or -1: the direction, down being on.
func (w Wheel) By() int {
	if w.Down {
		return 1
	}
	return -1
}

// Send makes a command of a message.
func Send(m tea.Msg) tea.Cmd { return func() tea.Msg { return m } }

// Show is the command of an Open.
func Show(o *Overlay) tea.Cmd { return Send(Open{Overlay: o}) }

// Notify is the command of a Notice.
func Notify(text string) tea.Cmd { return Send(Notice{Text: text}) }

// Complain is the command of a Notice of what went wrong.
func Complain(err error) tea.Cmd { return Send(Notice{Text: cell.OneLine(err.Error()), Bad: true}) }
