package kit

import (
	"time"

	"drolab/tui/cell"

	tea "charm.land/bubbletea/v2"
)

// The messages of every page that are not Bubble Tea's own. Those about runs
// are in tui/lab.

// Tick asks a page to look for what is new in the files.
type Tick time.Time

// Changed says that something outside the page has changed what it shows: the size of the screen,
// the theme, or the choices that were kept for this start.
type Changed struct{}

// Notice shows a line in place of the footer, until the next key or for a while.
type Notice struct {
	Text string
	Bad  bool
	// Unasked says that no key led to it. It does not take the place of a complaint, which says
	// what became of a key.
	Unasked bool
	// OneLine cuts what one line has no room for, which can be read elsewhere.
	OneLine bool
}

// Open puts an overlay over the page. Only commands send it, wrapped by Opening of package lab; the
// event loop calls Show there, which opens the overlay at once.
type Open struct{ *Overlay }

// Click and Wheel are events of the mouse, in the page's own coordinates.
type (
	Click struct{ X, Y int }
	Wheel struct {
		X, Y int
		Down bool
	}
	// Drag is a move with the button down.
	Drag struct{ X, Y int }
	// Hover is a move without a button; a page that needs it has a method Point for it.
	Hover struct{ X, Y int }
)

// By returns the direction: 1 for down, which is onward, and -1 for up.
func (w Wheel) By() int {
	if w.Down {
		return 1
	}
	return -1
}

// Send returns a command that sends a message.
func Send(m tea.Msg) tea.Cmd { return func() tea.Msg { return m } }

// Notify returns a command that sends a Notice.
func Notify(text string) tea.Cmd { return Send(Notice{Text: text}) }

// Copy returns a command that hands a text to the terminal's clipboard (OSC 52), and says what.
func Copy(text, what string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), Notify("Copied "+what))
}

// Complain returns a command that sends a Notice of an error.
func Complain(err error) tea.Cmd { return Send(Notice{Text: cell.OneLine(err.Error()), Bad: true}) }
