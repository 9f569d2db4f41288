package box

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/runner/record"
)

// TestSilent: a box is silent where no process brings its mirror up to date, and only after a
// while: a link that is made again at once changes nothing.
func TestSilent(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for what, c := range map[string]struct {
		state State
		want  bool
	}{
		"a box that was never heard": {State{Word: "down"}, false},
		"a link": {
			State{Linked: true, Complete: true, Known: ago(time.Hour)}, false},
		"a link whose list is coming":      {State{Linked: true, Known: ago(time.Hour)}, true},
		"a link that has just ended":       {State{Word: "down", Known: ago(quietAfter)}, false},
		"no link for long":                 {State{Word: "down", Known: ago(2 * quietAfter)}, true},
		"the first try, after another day": {State{Known: ago(24 * time.Hour)}, true},
		"another process with a link":      {State{Elsewhere: true, Known: ago(pingEvery)}, false},
		"another process without a link":   {State{Elsewhere: true, Known: ago(time.Hour)}, true},
		"that, while this one asks": {
			State{Linked: true, Elsewhere: true, Known: ago(time.Hour)}, true},
	} {
		if got := c.state.Silent(now); got != c.want {
			t.Errorf("%s: silent %v, want %v", what, got, c.want)
		}
	}
}

// TestAnswers: a box answers a process if it answers another one that keeps the mirror.
func TestAnswers(t *testing.T) {
	now := time.Now()
	for what, c := range map[string]struct {
		state State
		want  bool
	}{
		"a link":                {State{Linked: true}, true},
		"no link, a moment ago": {State{Word: "down", Known: now}, false},
		"another process":       {State{Elsewhere: true, Known: now}, true},
		"another process has no link": {
			State{Elsewhere: true, Known: now.Add(-time.Hour)}, false},
		"another process has none yet":  {State{Elsewhere: true}, false},
		"another has none, and we have": {State{Linked: true, Elsewhere: true}, true},
	} {
		if got := c.state.Answers(now); got != c.want {
			t.Errorf("%s: the box answers: %v, want %v", what, got, c.want)
		}
	}
}

// banner is a login that prints a text and ends.
type banner struct{ io.Reader }

func (banner) Write(b []byte) (int, error) { return len(b), nil }
func (banner) Close() error                { return nil }

// TestKnown: a link knows how old the mirror is that it finds, and a login without drolab makes it
// no younger.
func TestKnown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mirror")
	m, err := record.OpenMirror(dir, "gpu1")
	must(t, err)
	if at := record.MirrorHeard(dir); !at.IsZero() {
		t.Errorf("a mirror that nothing has come into was heard at %v, want never", at)
	}
	m.Heard()
	must(t, m.Close())
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	must(t, os.Chtimes(filepath.Join(dir, "mirror.lock"), at, at))
	for what, dial := range map[string]Dial{
		"no route": func(context.Context) (Conn, error) { return nil, errors.New("no route") },
		"a banner": func(context.Context) (Conn, error) {
			return banner{bytes.NewReader(bytes.Repeat([]byte("welcome\n"), 100))}, nil
		},
	} {
		t.Run(what, func(t *testing.T) {
			l := NewLink("gpu1", dir, dial)
			startLink(t, l)
			await(t, l, what, func(s State) bool { return s.Word != "" })
			s := l.State()
			if !s.Known.Equal(at) || !s.Silent(time.Now()) {
				t.Errorf("known at %v, silent %v; want %v and true", s.Known, s.Silent(time.Now()),
					at)
			}
		})
	}
}
