package tui

import (
	"io"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"drolab/tui/pixels"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Bubble Tea waits 50 ms for the rest of a sequence, and then takes what it has for keys. Over a
// slow line an answer of the terminal comes in pieces, and the pieces would start, stop and delete
// runs. So a Terminal reads what is typed, and sends whole events to the program.

// How long something may take to come.
const (
	restAfterEsc = 50 * time.Millisecond  // the rest of a sequence after its Esc
	restOfAny    = 500 * time.Millisecond // the rest after another byte, or where an answer is due
	answerTime   = time.Second            // the answer to a question
	lookAgain    = 10 * time.Millisecond  // between two looks whether it has come
)

// The greatest numbers of bytes that are kept of a sequence or a paste until its end has come.
const (
	mostSequence = 256
	mostPaste    = 64 << 10
)

// Terminal is the terminal of one user, on this machine or over SSH. It takes what begins like an
// answer, a report or the marker of a paste as one, until that ends or cannot be one.
type Terminal struct {
	In   io.Reader
	Out  io.Writer
	Size func() tea.WindowSizeMsg // the present size; a size that is typed does not count
	gone func()                   // called when In or Out fails; nil for nothing
	hung <-chan struct{}          // closed when no Write need end any more; nil for never

	pixels *pixels.Screen // draws pictures over frames; nil for none

	writing sync.Mutex    // keeps pictures out of frames
	send    func(tea.Msg) // to the program
	leaving bool          // waits for an answer before it leaves; of the event loop
	asked   atomic.Int64  // when a question without an answer was asked, in Unix ns; 0 for none

	typing sync.Mutex // guards the fields below, and keeps the order of events
	held   string     // what has no end yet
	heldAt time.Time  // when its last byte came
	late   bool       // its Esc was sent as a key, but may still be the beginning of a sequence
	paste  []byte     // the paste that has no end yet; nil for none
}

// Read reads what is typed and sends it to the program. It returns no bytes, and leaves the reader
// of Bubble Tea nothing to do.
func (t *Terminal) Read(p []byte) (int, error) {
	n, err := t.In.Read(p)
	t.typing.Lock()
	defer t.typing.Unlock()
	t.expire()
	t.receive(string(p[:n]))
	t.arm()
	return 0, t.noteFailure(err)
}

// receive takes in what was typed, and sends what has an end.
func (t *Terminal) receive(typed string) {
	if t.loneEsc() && time.Since(t.heldAt) >= restAfterEsc && typed != "" && tails[typed[0]] == "" {
		t.sendEsc()
	}
	t.held, t.heldAt = t.held+typed, time.Now()
	for n, means := t.firstInput(); n > 0; n, means = t.firstInput() {
		s := t.held[:n]
		t.held, t.late = t.held[n:], false
		switch {
		case s == pasteBegin:
			t.paste = []byte{}
		case s == pasteEnd:
			t.send(tea.PasteMsg{Content: string(t.paste)})
			t.paste = nil
		case t.paste != nil && len(t.paste) < mostPaste:
			t.paste = append(t.paste, s...)
		case t.paste == nil && means:
			t.sendEvent(s)
		}
	}
	if n := len(t.held); n > mostSequence {
		t.held = t.held[:mostSequence/2] + t.held[n-1:]
	}
}

func (t *Terminal) sendEvent(s string) {
	_, event := new(uv.EventDecoder).Decode([]byte(s))
	t.send(event)
}

// loneEsc reports whether an Esc is all that is held, and was not yet sent.
func (t *Terminal) loneEsc() bool { return t.held == "\x1b" && !t.late && t.paste == nil }

// sendEsc sends the Esc that is held as a key. It stays, since its rest may still come.
func (t *Terminal) sendEsc() {
	t.sendEvent(t.held)
	t.late = true
}

// The markers of a paste.
const pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"

// A sequence, a key, or a key with Alt; and the beginning of a sequence, at the end of which an Esc
// may be half of the sequence's end.
var (
	wholeInput = regexp.MustCompile(`^(\x1b\[[ -?]*[@-~]|\x1b[\]P_^X][^\x07\x1b]*(\x07|\x1b\\)|` +
		`\x1bO.|\x1b[^\x1b\[\]P_^XO]|[^\x1b])`)
	partInput = regexp.MustCompile(`^\x1b(\[[ -?]*|[\]P_^X][^\x07\x1b]*(\x1b$)?|O)?`)
)

// tails has the second byte of answers, of reports, of the markers of pastes and of the cursor's
// keys, with the bytes that may come third. Nothing else is the rest of an Esc that was sent as a
// key.
var tails = map[byte]string{'[': "<=>?0123456789IOABCDFHZ", ']': "0123456789",
	'P': "0123456789>!", '_': "G"}

// firstInput returns the length of what comes first in what is held, and whether it means
// something. The length is 0 while it has no end.
func (t *Terminal) firstInput() (n int, means bool) {
	s, pastes := t.held, t.paste != nil
	switch {
	case t.late && len(s) > 1 && tails[s[1]] == "",
		t.late && len(s) > 2 && strings.IndexByte(tails[s[1]], s[2]) < 0:
		return 1, false
	case pastes && strings.HasPrefix(s, pasteEnd):
		return len(pasteEnd), true
	case pastes && strings.HasPrefix(pasteEnd, s), !pastes && partInput.FindString(s) == s,
		!utf8.FullRuneInString(strings.TrimPrefix(s, "\x1b")):
		return 0, false
	case pastes:
		_, n = utf8.DecodeRuneInString(s)
		return n, true
	}
	n = len(wholeInput.FindString(s))
	if n > 0 {
		return n, utf8.ValidString(s[:n])
	}
	n = len(partInput.FindString(s))
	return n, n == 1 // an Esc before another one is a key
}

// restTimeout returns how long the end of what is held may take to come.
func (t *Terminal) restTimeout() time.Duration {
	if t.loneEsc() && !t.awaits() {
		return restAfterEsc
	}
	return restOfAny
}

// expire gives up what is held if its end has not come in time.
func (t *Terminal) expire() {
	s := t.held
	switch {
	case s == "" || t.paste != nil || time.Since(t.heldAt) < t.restTimeout():
	case t.loneEsc():
		t.sendEsc()
	case t.late:
		t.held, t.late = "", false
		t.receive(s[1:])
	default:
		t.held = ""
	}
}

// arm sets the time at which what is held expires.
func (t *Terminal) arm() {
	if t.held != "" && t.paste == nil {
		time.AfterFunc(t.restTimeout()-time.Since(t.heldAt), func() {
			t.typing.Lock()
			defer t.typing.Unlock()
			t.expire()
			t.arm()
		})
	}
}

// needlessQuestions removes the questions of Bubble Tea whose answers are not needed. They concern
// the protocol of the keyboard, synchronized output, which works without, and the width of clusters
// of characters: drolab counts cells as terminals do by default.
var needlessQuestions = strings.NewReplacer(ansi.RequestKittyKeyboard, "",
	ansi.RequestModeSynchronizedOutput, "", ansi.RequestModeUnicodeCore, "")

// Write implements io.Writer. The only questions that it lets pass are for the background's colour
// and for what pictures the terminal can draw. Pictures follow the frame that they are on.
func (t *Terminal) Write(p []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	out := needlessQuestions.Replace(string(p))
	if strings.Contains(out, ansi.RequestBackgroundColor) ||
		strings.Contains(out, ansi.RequestPrimaryDeviceAttributes) {
		t.asked.Store(time.Now().UnixNano())
	}
	if t.pixels != nil {
		drawn, wait := t.pixels.Frame(out)
		if out = drawn; wait > 0 {
			time.AfterFunc(wait, func() { t.Write(nil) })
		}
	}
	wrote := make(chan error, 1)
	go func() {
		_, err := io.WriteString(t.Out, out)
		wrote <- t.noteFailure(err)
	}()
	select {
	case err := <-wrote:
		return len(p), err
	case <-t.hung:
		return 0, ErrHangup
	}
}

// noteFailure tells of an error of the terminal, which Bubble Tea drops.
func (t *Terminal) noteFailure(err error) error {
	if err != nil && t.gone != nil {
		t.gone()
	}
	return err
}

// awaits reports whether an answer may still come.
func (t *Terminal) awaits() bool { return time.Since(time.Unix(0, t.asked.Load())) < answerTime }

// Quit ends the program, which does not wait for an answer then.
func (t *Terminal) Quit() {
	t.asked.Store(0)
	t.send(tea.QuitMsg{})
}

// filter changes the messages to the program. It corrects sizes, and lets the program leave when no
// answer is awaited, which would otherwise go to the shell.
func (t *Terminal) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg.(type) {
	case tea.WindowSizeMsg:
		return t.Size()
	case tea.ResumeMsg:
		go t.send(tea.WindowSizeMsg{}) // it may have changed meanwhile
	case tea.BackgroundColorMsg:
		if t.pixels == nil { // else the answers about pictures come later
			t.asked.Store(0)
		}
	case uv.PrimaryDeviceAttributesEvent:
		t.asked.Store(0)
	case tea.QuitMsg, tea.SuspendMsg:
		t.leaving = t.awaits()
		if t.leaving {
			time.AfterFunc(lookAgain, func() { t.send(msg) })
			return nil
		}
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		if t.leaving {
			return nil
		}
	}
	return msg
}
