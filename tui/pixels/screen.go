package pixels

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// Bounds.
const (
	MostBytes    = 64 << 10  // of a picture as it is sent
	MostRate     = 256 << 10 // of all pictures in a second
	MostSide     = 112       // of a picture, in pixels: its PNG then has less than MostBytes
	mostPictures = 240       // that are known at a time; the rest of the 256 colours name none
	firstColour  = 16
)

// mark is the character of a picture's cells, which is blank.
const mark = "\u2800"

// Screen draws pictures on one terminal. Its methods may be called from any goroutine.
type Screen struct {
	Now func() time.Time // nil for the system's clock

	mu sync.Mutex
	answers
	pictures [mostPictures + 1]*picture // by number, from 1
	numbers  map[look]int
	uses     int              // counts calls of Cells
	wanted   []place          // where pictures are on the screen as drawn last
	shown    map[place]string // what was sent, by where
	away     bool             // the interface has left its screen
	credit   int              // bytes that may be sent now
	paid     time.Time        // when credit was counted
}

// look is what a picture looks like, and how many cells it takes.
type look struct {
	sum          [sha256.Size]byte
	cells, lines int
}

// picture is a picture with its cells.
type picture struct {
	look
	id, w, h int
	rgb      []byte
	used     int    // the last use
	data     string // as sent; "" while it is not encoded
	kept     bool   // the terminal has the data
}

// place is where a picture is on the screen.
type place struct {
	sum      look
	id, x, y int
}

// Cells returns lines of marks for a picture of w by h pixels in so many cells and lines; nil where
// the terminal draws none, or not this one.
func (s *Screen) Cells(w, h int, rgb []byte, cells, lines int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.protocol() == None || w < 1 || h < 1 || max(w, h) > MostSide || cells < 1 || lines < 1 {
		return nil
	}
	p := s.known(w, h, rgb, cells, lines)
	line := Style(p.id) + strings.Repeat(mark, cells) + "\x1b[39m"
	return slices.Repeat([]string{line}, lines)
}

// Style returns the colour that names a picture.
func Style(id int) string { return fmt.Sprintf("\x1b[38;5;%dm", firstColour-1+id) }

// known returns a picture, which takes the number of the one that was not used for longest.
func (s *Screen) known(w, h int, rgb []byte, cells, lines int) *picture {
	s.uses++
	key := look{sha256.Sum256(append([]byte{byte(w), byte(h)}, rgb...)), cells, lines}
	if id, ok := s.numbers[key]; ok {
		s.pictures[id].used = s.uses
		return s.pictures[id]
	}
	id := 1
	for i := 1; i <= mostPictures && s.pictures[id] != nil; i++ {
		if s.pictures[i] == nil || s.pictures[i].used < s.pictures[id].used {
			id = i
		}
	}
	if old := s.pictures[id]; old != nil {
		delete(s.numbers, old.look)
	}
	if s.numbers == nil {
		s.numbers = map[look]int{}
	}
	s.numbers[key] = id
	s.pictures[id] = &picture{look: key, id: id, w: w, h: h, rgb: slices.Clone(rgb), used: s.uses}
	return s.pictures[id]
}

// A colour of the 256, or some marks.
var marks = regexp.MustCompile(`\x1b\[[0-9;:]*m|` + mark + `+`)

// Show notes where pictures are on a screen. One that something covers in part is not drawn.
func (s *Screen) Show(screen string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = s.wanted[:0]
	if s.protocol() == None || !strings.Contains(screen, mark) {
		return
	}
	rows := map[place]int{} // by place: how many of its lines were found
	for y, line := range strings.Split(screen, "\n") {
		x, from, id := 0, 0, 0
		for _, at := range marks.FindAllStringIndex(line, -1) {
			x += ansi.StringWidthWc(line[from:at[0]])
			from = at[1]
			found := line[at[0]:at[1]]
			if !strings.HasPrefix(found, mark) {
				id = named(found)
				continue
			}
			n := strings.Count(found, mark)
			if p := s.numbered(id); p != nil && p.cells == n {
				s.note(rows, place{p.look, id, x, y})
			}
			x += n
		}
	}
}

// note counts a line of a picture, and wants the picture once it has all of them.
func (s *Screen) note(rows map[place]int, line place) {
	at := line
	for at.y > 0 { // the place whose next line it is
		at.y--
		if n, ok := rows[at]; ok && at.y+n == line.y && n < line.sum.lines {
			rows[at]++
			if n+1 == line.sum.lines {
				s.wanted = append(s.wanted, at)
			}
			return
		}
	}
	rows[line] = 1
	if line.sum.lines == 1 {
		s.wanted = append(s.wanted, line)
	}
}

// named returns the number of the picture that a colour names; 0 for none.
func named(colour string) int {
	_, number, ok := strings.Cut(strings.TrimSuffix(colour, "m"), "38;5;")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0
	}
	return n - firstColour + 1
}

func (s *Screen) numbered(id int) *picture {
	if id < 1 || id > mostPictures {
		return nil
	}
	return s.pictures[id]
}

// comes and leaves are how the interface takes its screen and leaves it, also after a panic and
// before it is suspended.
const comes, leaves = ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor

// Frame returns what is to be written in place of a frame: the frame, without pictures that have
// gone and with those that have come or that it has written over. wait is the time until pictures
// that there was no room for can follow; 0 for none.
func (s *Screen) Frame(frame string) (out string, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.protocol() == None && len(s.shown) == 0 {
		return frame, 0
	}
	if s.away && !strings.Contains(frame, comes) {
		return frame, 0
	}
	s.away = false
	if before, after, ok := strings.Cut(frame, leaves); ok {
		s.away = true
		return before + s.clear() + leaves + after, 0
	}
	var before, after strings.Builder
	for at := range s.shown {
		if !slices.Contains(s.wanted, at) {
			before.WriteString(s.remove(at))
			delete(s.shown, at)
		}
	}
	if strings.Contains(frame, mark) || strings.Contains(frame, "\x1b[2J") ||
		strings.Contains(frame, "\x1b[J") {
		clear(s.shown)
	}
	for _, at := range s.wanted {
		p := s.pictures[at.id]
		if _, ok := s.shown[at]; ok || p.look != at.sum {
			continue
		}
		text := s.draw(p, at)
		if wait = s.pay(len(text)); wait > 0 {
			break
		}
		if s.shown == nil {
			s.shown = map[place]string{}
		}
		s.shown[at] = ""
		p.kept = s.protocol() == Kitty
		after.WriteString(text)
	}
	return before.String() + frame + after.String(), wait
}

// draw returns what draws a picture at its place, without moving the cursor.
func (s *Screen) draw(p *picture, at place) string {
	if p.data == "" {
		p.data = s.encoded(p)
	}
	text := p.data
	if s.protocol() == Kitty {
		text = ansi.KittyGraphics(nil, (&kitty.Options{Action: kitty.Put, Quiet: 1,
			ID: firstID + p.id, PlacementID: placement(at), Columns: p.cells, Rows: p.lines,
			DoNotMoveCursor: true}).Options()...)
		if !p.kept {
			text = p.data + text
		}
	}
	return ansi.SaveCursor + ansi.CursorPosition(at.x+1, at.y+1) + text + ansi.RestoreCursor
}

// placement returns the number by which kitty's protocol knows a place of a picture.
func placement(at place) int { return at.y<<12 | at.x + 1 }

// remove returns what takes away a picture that is no longer there. Other protocols than kitty's do
// it where text is written over the picture.
func (s *Screen) remove(at place) string {
	if s.protocol() != Kitty {
		return ""
	}
	return ansi.KittyGraphics(nil, (&kitty.Options{Action: kitty.Delete, Quiet: 2,
		Delete: kitty.DeleteID, ID: firstID + at.id, PlacementID: placement(at)}).Options()...)
}

// clear returns what takes away all pictures, and forgets that the terminal has them.
func (s *Screen) clear() string {
	var b strings.Builder
	for id, p := range s.pictures {
		if p != nil && p.kept {
			p.kept = false
			b.WriteString(ansi.KittyGraphics(nil, (&kitty.Options{Action: kitty.Delete, Quiet: 2,
				Delete: kitty.DeleteID, DeleteResources: true, ID: firstID + id}).Options()...))
		}
	}
	clear(s.shown)
	return b.String() + ansi.EraseEntireScreen
}

// pay takes bytes from what may be sent, or returns how long it takes until they may be.
func (s *Screen) pay(bytes int) (wait time.Duration) {
	now := time.Now()
	if s.Now != nil {
		now = s.Now()
	}
	since := now.Sub(s.paid)
	if since > time.Second || since < 0 {
		since = time.Second
	}
	s.credit = min(MostRate, s.credit+int(since.Seconds()*MostRate))
	s.paid = now
	if lacks := bytes - s.credit; lacks > 0 {
		return time.Duration(float64(lacks)/MostRate*float64(time.Second)) + time.Millisecond
	}
	s.credit -= bytes
	return 0
}
