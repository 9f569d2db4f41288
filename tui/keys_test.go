package tui

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestRing: if the user asks for it, the terminal is told of the end of each watched run, once, and
// of the progress. Otherwise it is told nothing.
func TestRing(t *testing.T) {
	for _, ring := range []lab.Ring{{}, {Notify: "9", Progress: true}} {
		r := newDriver(t, tuitest.NewScript(t), 120, 40)
		r.Config.Ring = ring
		r.Press("2")
		r.Wait(10*time.Second, time.Second)
		bar := r.View().ProgressBar
		if (bar != nil) != ring.Progress {
			t.Errorf("%+v: progress is shown: %v, want %v", ring, bar != nil, ring.Progress)
		}
		if bar != nil && (bar.Value < 40 || bar.Value > 60) {
			t.Errorf("%+v: half-way the progress is %d %%, want 40 to 60", ring, bar.Value)
		}
		r.raw = nil
		r.Wait(20*time.Second, time.Second)
		rung := 0
		for _, raw := range r.raw {
			if strings.Contains(raw.Msg.(string), "done") {
				rung++
			}
		}
		want := 0
		if ring.Notify != "" {
			want = 4
		}
		if rung != want {
			t.Errorf("%+v: rang %d times, want %v", ring, rung, want)
		}
		if bar := r.View().ProgressBar; bar != nil {
			t.Errorf("progress %+v after the end", bar)
		}
	}
}

// TestRingSequence: a name in a notification neither controls the terminal nor ends its field.
func TestRingSequence(t *testing.T) {
	e := lab.Ended{Name: "a;b\x1b]0;c\ad\u202e", Status: runner.Failed}
	for notify, want := range map[string]string{"": "",
		"9":   "\x1b]9;drolab: a,b\\x1b]0,c\\x07d?: failed\a",
		"777": "\x1b]777;notify;drolab;a,b\\x1b]0,c\\x07d?: failed\a"} {
		if got := notification(lab.Ring{Notify: notify}, e); got != want {
			t.Errorf("%q: %q, want %q", notify, got, want)
		}
	}
	for text, want := range map[string]lab.Ring{"": {}, "off": {}, "9": {Notify: "9"},
		"777, progress": {Notify: "777", Progress: true}} {
		got, err := lab.ParseRing(text)
		if err != nil {
			t.Errorf("ParseRing(%q): %v", text, err)
		}
		if got != want {
			t.Errorf("ParseRing(%q) = %+v, want %+v", text, got, want)
		}
	}
	if _, err := lab.ParseRing("8"); err == nil {
		t.Error("8 is taken")
	}
}

// TestHelpIsNoSentence: the help of a key begins with a small letter, unless its first word is a
// name in capitals, and has no full stop.
func TestHelpIsNoSentence(t *testing.T) {
	r := newDriver(t, tuitest.NewScript(t), 120, 40)
	for i, rows := range r.keys {
		for _, row := range rows {
			word, _, _ := strings.Cut(row.Help, " ")
			capital := word != "" && unicode.IsUpper([]rune(word)[0])
			if capital && word != strings.ToUpper(word) {
				t.Errorf("%s, key %s: the help %q begins with a capital letter",
					r.pages[i].Title(), row.Name(false), row.Help)
			}
			if strings.HasSuffix(row.Help, ".") {
				t.Errorf("%s, key %s: the help %q ends with a full stop",
					r.pages[i].Title(), row.Name(false), row.Help)
			}
		}
	}
}
