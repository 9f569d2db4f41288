package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/runner/box"
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// boxStates holds how the boxes stood at the last tick.
type boxStates struct {
	notes []boxNote
	words map[string]string // why a box has no link, as the user was told
}

// boxNote is what the header says of a box.
type boxNote struct {
	text    string
	without bool // a link, which matters more than how many runs are live
}

// lookAtBoxes takes in how the boxes stand, and tells the user why one has no link.
func (m *Model) lookAtBoxes(now time.Time) (cmd tea.Cmd) {
	var notes []boxNote
	for _, b := range m.Config.Boxes {
		s := b.Link.State()
		notes = append(notes, noteOf(b.Name, s, now))
		if m.boxes.words == nil {
			m.boxes.words = map[string]string{}
		}
		told := m.boxes.words[b.Name]
		if m.boxes.words[b.Name] = s.Word; s.Word != "" && !s.Elsewhere && told == "" {
			cmd = tea.Batch(cmd, kit.Complain(fmt.Errorf("box %s: no link: %s", b.Name, s.Word)))
		}
	}
	if !slices.Equal(notes, m.boxes.notes) {
		m.boxes.notes = notes
		m.version++
	}
	return cmd
}

// noteOf returns what the header says of a box.
func noteOf(name string, s box.State, now time.Time) boxNote {
	name = cell.Clean(name)
	switch {
	case s.Elsewhere: // another drolab of this machine keeps its mirror
		return boxNote{text: name}
	case s.Linked && s.Live > 0:
		return boxNote{text: fmt.Sprintf("%s %d live", name, s.Live)}
	case s.Linked:
		return boxNote{text: name}
	case s.Word == "":
		return boxNote{text: name + " connects", without: true}
	}
	const step = 5 * time.Second // the header need not be drawn anew each second
	age := now.Sub(s.Since).Truncate(step)
	return boxNote{text: fmt.Sprintf("%s no link %s", name, kit.Duration(age)), without: true}
}

// liveHere returns the number of live runs of this machine: a box has its own.
func (m *Model) liveHere() (n int) {
	for _, r := range m.live {
		if r.Mirrored() == nil {
			n++
		}
	}
	return n
}

// withBoxes puts what is said of the boxes before the note of the header, as far as it fits: those
// without a link first.
func (m *Model) withBoxes(note string, cells int) string {
	for _, without := range []bool{true, false} {
		for _, b := range slices.Backward(m.boxes.notes) {
			more := strings.TrimSuffix(b.text+" · "+note, " · ")
			if b.without == without && cell.Width(more) <= cells {
				note = more
			}
		}
	}
	return note
}
