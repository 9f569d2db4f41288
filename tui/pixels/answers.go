package pixels

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// Protocol is a way to send a picture to a terminal.
type Protocol string

// The protocols.
const (
	None   Protocol = ""
	Kitty  Protocol = "kitty"
	ITerm2 Protocol = "iTerm2"
	Sixel  Protocol = "sixel"
)

// firstID is below the numbers by which kitty's protocol knows the pictures of this program, and is
// that of the question.
const firstID = 0x6472_6f00

// Question asks a terminal what it can draw: whether it has kitty's protocol, its name, the size of
// its cells, and its attributes. All terminals answer the last one. A multiplexer, such as tmux, is
// not asked for kitty's protocol: it has none, and tmux would take the question for a title.
func Question(multiplexer bool) string {
	const cellSize = 16 // XTWINOPS: report the size of a cell in pixels
	others := ansi.RequestNameVersion + ansi.WindowOp(cellSize) +
		ansi.RequestPrimaryDeviceAttributes
	if multiplexer {
		return others
	}
	return ansi.KittyGraphics([]byte("AAAA"), (&kitty.Options{ID: firstID, Action: kitty.Query,
		Format: kitty.RGB, ImageWidth: 1, ImageHeight: 1}).Options()...) + others
}

// answers are what the terminal has said so far.
type answers struct {
	kitty        bool
	name         string
	sixel        bool
	wide, high   int // of a cell, in pixels; 0 while unknown
	last, failed bool
}

// protocol returns the best protocol that the terminal has. Other terminals than iTerm2 that have
// its protocol have one of the others, too.
func (a *answers) protocol() Protocol {
	switch {
	case !a.last || a.failed:
		return None
	case a.kitty:
		return Kitty
	case strings.HasPrefix(a.name, "iTerm2"):
		return ITerm2
	case a.sixel && a.wide > 0 && a.high > 0:
		return Sixel
	}
	return None
}

// Answer takes in what the terminal has said, and reports whether the protocol is another one now.
func (s *Screen) Answer(event tea.Msg) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.protocol()
	switch e := event.(type) {
	case uv.KittyGraphicsEvent:
		ok := string(e.Payload) == "OK"
		switch {
		case e.Options.ID == firstID:
			s.kitty = ok
		case e.Options.ID > firstID && e.Options.ID <= firstID+mostPictures && !ok:
			s.failed = true // it cannot draw what it was sent
		}
	case tea.TerminalVersionMsg: // of Bubble Tea
		s.name = e.Name
	case uv.TerminalVersionEvent: // of a terminal that is asked without it
		s.name = e.Name
	case uv.CellSizeEvent:
		const most = 200 // pixels; no cell is larger
		if e.Width <= most && e.Height <= most {
			s.wide, s.high = e.Width, e.Height
		}
	case uv.PrimaryDeviceAttributesEvent:
		s.sixel, s.last = slices.Contains(e, 4), true
	}
	return s.protocol() != before
}

// Why says why pictures are drawn in the protocol, or in none.
func (s *Screen) Why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.last:
		return "the terminal was asked and has not answered"
	case s.failed:
		return "the terminal has refused a picture"
	case s.protocol() == None && s.sixel:
		return "the terminal has sixels, but does not tell the size of its cells"
	case s.protocol() == None:
		return "the terminal was asked, and has none of the protocols"
	}
	return "the terminal was asked, and has it"
}

// Protocol returns the protocol in which pictures are drawn; None for none.
func (s *Screen) Protocol() Protocol {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.protocol()
}
