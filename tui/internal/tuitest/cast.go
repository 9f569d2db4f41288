package tuitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Cast is a recording in asciinema's format, version 2: what a terminal was sent,
// and when.
type Cast struct {
	wire *Wire
	at   time.Duration
	out  bytes.Buffer
}

// NewCast begins a recording of w by h cells on a paper.
func NewCast(t testing.TB, w, h int, p Paper, title string) *Cast {
	t.Helper()
	c := &Cast{wire: NewWire(w, h)}
	c.line(t, map[string]any{"version": 2, "width": w, "height": h, "title": title, "idle_time_limit": 5,
		"env": map[string]string{"TERM": "xterm-256color"}, "theme": map[string]string{"fg": hex(p.Fore),
			"bg": hex(p.Back), "palette": palette()}})
	c.event(t, "o", ansi.ResetModeTextCursorEnable)
	return c
}

// palette is the sixteen colours that players want; the interface, which has the
// terminal's 24 bits, takes none of them.
func palette() (list string) {
	for i := range 16 {
		if i > 0 {
			list += ":"
		}
		list += hex(ansi.BasicColor(i))
	}
	return list
}

// Frame shows a screen, some time after the one before.
func (c *Cast) Frame(t testing.TB, screen string, after time.Duration) {
	t.Helper()
	c.at += after
	c.wire.out.Reset()
	if c.wire.Frame(t, screen) > 0 {
		c.event(t, "o", c.wire.out.String())
	}
}

// Mark names the moment.
func (c *Cast) Mark(t testing.TB, name string) {
	t.Helper()
	c.event(t, "m", name)
}

// Bytes is the recording as a file.
func (c *Cast) Bytes() []byte { return c.out.Bytes() }

func (c *Cast) event(t testing.TB, kind, data string) {
	t.Helper()
	c.line(t, []any{json.Number(fmt.Sprintf("%.3f", c.at.Seconds())), kind, data})
}

func (c *Cast) line(t testing.TB, v any) {
	t.Helper()
	e := json.NewEncoder(&c.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
}
