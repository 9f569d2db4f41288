package tui

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Bubble Tea waits 50 ms for the rest of a sequence, and then takes what it has for keys. Over a
// slow line the terminal's answers come in pieces, and the pieces would start, stop and delete
// runs. So the interface reads from a Terminal, which hands on whole sequences only.

// How long something may take to come.
const (
	restAfterEsc = 50 * time.Millisecond  // the rest of a sequence after its Esc
	restOfAny    = 500 * time.Millisecond // the rest after another byte, or where an answer may come
	answer       = 2 * time.Second        // an answer, while keys are pressed
	lastAnswer   = time.Second            // an answer, while the user waits to leave
)

// Terminal is the terminal of one user, on this machine or over SSH. What begins like an answer, a
// report or the marker of a paste is one sequence until it ends or cannot be one. The interface
// asks no more than it needs, and leaves when the answers are there, since they would otherwise go
// to the shell.
type Terminal struct {
	In   io.Reader
	Out  io.Writer
	Size func() tea.WindowSizeMsg // its present size; sizes that are typed are not believed
	Gone func()                   // called when In or Out fails; nil for nothing

	send    func(tea.Msg) // to the program
	remote  bool
	leaving bool         // no key counts any more; of the event loop
	open    atomic.Int32 // questions without an answer
	asked   atomic.Int64 // time of the last question, in Unix nanoseconds

	typing sync.Mutex // guards the fields below, and keeps the order of keys
	ready  []byte     // whole sequences, to be read
	held   []byte     // the beginning of a sequence or of a character
	came   time.Time  // when its last byte came
	late   bool       // its Esc was handed on as a key
	esc    time.Time  // when an Esc was handed on as a key, if nothing came after it
	paste  bool       // inside a paste
}

// Read implements io.Reader. It returns no bytes and no error while a sequence is incomplete.
func (t *Terminal) Read(p []byte) (int, error) {
	n, err := t.In.Read(p[:max(1, len(p)/8)]) // a byte may become five
	t.tell(err)
	t.typing.Lock()
	defer t.typing.Unlock()
	t.expire()
	for _, c := range p[:n] {
		t.take(c)
	}
	t.arm()
	n = copy(p, t.ready)
	t.ready = append(t.ready[:0], t.ready[n:]...)
	return n, err
}

// take takes in a byte.
func (t *Terminal) take(c byte) {
	now := time.Now()
	if t.lone() && (c == ansi.ESC || now.Sub(t.came) >= restAfterEsc && !leads(c)) {
		t.key()
	}
	switch {
	case len(t.held) > 0:
	case tails[c] != "" && now.Sub(t.esc) < restOfAny && !t.paste:
		t.held, t.late = []byte{ansi.ESC}, true
	case c != ansi.ESC && c < utf8.RuneSelf:
		t.ready, t.esc = append(t.ready, c), time.Time{}
		return
	}
	if len(t.held) == mostHeld {
		t.held = append(t.held[:mostHeld/2], t.held[mostHeld-1])
	}
	t.held, t.came, t.esc = append(t.held, c), now, time.Time{}
	if n, whole := t.settled(); n > 0 {
		t.settle(n, whole)
	}
}

// mostHeld is the number of bytes of a sequence from which on its middle is dropped.
const mostHeld = 256

// lone reports whether an Esc is all that is held.
func (t *Terminal) lone() bool { return string(t.held) == "\x1b" && !t.paste }

// key hands on the Esc that is held as a key, in a form that begins nothing else.
func (t *Terminal) key() {
	t.ready, t.held, t.esc = append(t.ready, "\x1b[27u"...), nil, time.Now()
}

// leads reports whether a byte after an Esc begins a sequence.
func leads(c byte) bool { return strings.IndexByte("[]P_^XO", c) >= 0 }

// tails has the second byte of answers, of reports, of the markers of pastes and of the cursor's
// keys, with the bytes that may be the third. Nothing else belongs to an Esc that was already
// handed on as a key.
var tails = map[byte]string{'[': "<=>?0123456789IOMABCDFHZ", ']': "0123456789",
	'P': "0123456789>!", '_': "G"}

// fixed has the sequences that go on after their final byte, with their lengths: the old report of
// the mouse, keys of keypads, and function keys of Linux consoles.
var fixed = map[string]int{"\x1b[M": 6, "\x1bO": 3, consoleKey: 4}

// consoleKey begins keys that Bubble Tea takes for letters, as no library of keys has them.
const consoleKey = "\x1b[["

// The markers of a paste.
const pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"

// settled says how many of the bytes that are held need no more bytes, and whether these are a
// whole sequence or character. If not, they cannot become one.
func (t *Terminal) settled() (n int, whole bool) {
	s, n := string(t.held), len(t.held)
	switch c := s[n-1]; {
	case s[0] != ansi.ESC && utf8.FullRuneInString(s), s == pasteEnd && t.paste:
		return n, true
	case s[0] != ansi.ESC, strings.HasPrefix(pasteEnd, s) && t.paste:
		return 0, false
	case t.paste:
		return n - 1, false
	case n == 1, n == 2 && leads(c), c == ansi.ESC: // the last may be half of a terminator
		return 0, false
	case n == 2:
		return n, true // Alt and a key
	case n == 3 && t.late && strings.IndexByte(tails[s[1]], c) < 0:
		return 2, false
	}
	for head, most := range fixed {
		if strings.HasPrefix(s, head) {
			return n * (n / most), head != consoleKey
		}
	}
	_, _, n, state := ansi.DecodeSequence(s, ansi.NormalState, nil)
	if state != ansi.NormalState {
		return 0, false
	}
	return n, n == len(s)
}

// settle takes n bytes from those that are held. What is no sequence is dropped, unless it was
// typed after an Esc or is part of a paste.
func (t *Terminal) settle(n int, whole bool) {
	s, late := string(t.held), t.late
	t.held, t.late = nil, false
	switch {
	case whole, t.paste:
		t.ready = append(t.ready, s[:n]...)
	case late:
		t.ready = append(t.ready, s[1:n]...)
	}
	t.paste = t.paste && s != pasteEnd || s == pasteBegin
	for _, c := range []byte(s[n:]) {
		t.take(c)
	}
}

// patience returns how long the rest of what is held may take.
func (t *Terminal) patience() time.Duration {
	if t.lone() && !t.awaits(answer) {
		return restAfterEsc
	}
	return restOfAny
}

// expire settles what is held, if its rest has not come in time.
func (t *Terminal) expire() {
	switch {
	case len(t.held) == 0 || t.paste || time.Since(t.came) < t.patience():
	case t.lone():
		t.key()
	default:
		t.settle(len(t.held), false)
	}
}

// arm sets the time at which what is held expires.
func (t *Terminal) arm() {
	if len(t.held) > 0 && !t.paste {
		time.AfterFunc(t.patience()-time.Since(t.came), t.expired)
	}
}

// expired sends keys, since no Read returns before more is typed.
func (t *Terminal) expired() {
	t.typing.Lock()
	defer t.typing.Unlock()
	t.expire()
	for d := (uv.EventDecoder{}); len(t.ready) > 0; {
		n, key := d.Decode(t.ready)
		t.ready = t.ready[n:]
		t.send(key)
	}
	t.arm()
}

// Write implements io.Writer. It leaves out questions of Bubble Tea whose answers nobody needs: for
// the protocol of the keyboard and, since drolab counts cells as terminals do without it, for the
// width of clusters of characters. Over SSH only the colour of the background is asked for.
func (t *Terminal) Write(p []byte) (int, error) {
	needless := []string{ansi.RequestKittyKeyboard, ansi.RequestModeUnicodeCore}
	if t.remote {
		needless = append(needless, ansi.RequestModeSynchronizedOutput)
	}
	out := p
	for _, q := range needless {
		out = bytes.ReplaceAll(out, []byte(q), nil)
	}
	for _, q := range []string{ansi.RequestModeSynchronizedOutput, ansi.RequestBackgroundColor} {
		if n := bytes.Count(out, []byte(q)); n > 0 {
			t.asked.Store(time.Now().UnixNano())
			t.open.Add(int32(n))
		}
	}
	if n, err := t.Out.Write(out); err != nil {
		t.tell(err)
		return n, err
	}
	return len(p), nil
}

// tell reports an error of the terminal, which Bubble Tea drops.
func (t *Terminal) tell(err error) {
	if err != nil && t.Gone != nil {
		t.Gone()
	}
}

// awaits reports whether an answer may still come within a time after its question.
func (t *Terminal) awaits(within time.Duration) bool {
	return t.open.Load() > 0 && time.Since(time.Unix(0, t.asked.Load())) < within
}

// Forget ends the wait for answers.
func (t *Terminal) Forget() { t.open.Store(0) }

// lookAgain is the time between two looks whether the last answer has come.
const lookAgain = 10 * time.Millisecond

// filter changes the messages to the program. It corrects sizes, counts answers, and lets the
// program leave when it waits for none.
func (t *Terminal) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg.(type) {
	case tea.WindowSizeMsg:
		return t.Size()
	case tea.BackgroundColorMsg, tea.ModeReportMsg:
		if t.open.Load() > 0 {
			t.open.Add(-1)
		}
	case tea.QuitMsg, tea.SuspendMsg:
		if t.leaving = t.awaits(lastAnswer); t.leaving {
			time.AfterFunc(lookAgain, func() { t.send(msg) })
			return nil
		}
	case tea.ResumeMsg:
		go t.send(tea.WindowSizeMsg{}) // it may have changed meanwhile
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		if t.leaving {
			return nil
		}
	}
	return msg
}
