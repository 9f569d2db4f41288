package film

// The messages of the page to itself (tea.Msg): what its commands bring. Messages between pages are
// in tui/lab.

// loadedMsg brings the film.
type loadedMsg struct {
	recording *recording // nil if it could not be loaded
	err       error
}

// movedMsg says that the film went on.
type movedMsg struct{}

// firstEndedMsg says, after a look at the runs of a live demonstration's first preset, whether all
// of them have ended.
type firstEndedMsg bool

// Changes reports that a look at the runs changes nothing on the screen.
func (firstEndedMsg) Changes() bool { return false }

// nextActMsg says that the demonstration's second preset is to start.
type nextActMsg struct{}
