package tui

import (
	"testing"
)

// TestASCII: the interface draws in ASCII if the terminal or the locale supports nothing else.
func TestASCII(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    bool
	}{
		{[]string{"TERM=xterm-256color"}, false},
		{[]string{"TERM=xterm-256color", "LANG=en_US.UTF-8"}, false},
		{[]string{"TERM=xterm-256color", "LANG=C.utf8"}, false},
		{[]string{"TERM=linux", "LANG=C.UTF-8"}, true},
		{[]string{"TERM=xterm-256color", "DROLAB_ASCII=1", "LANG=C.UTF-8"}, true},
		{[]string{"TERM=xterm-256color", "LANG=C"}, true},
		{[]string{"TERM=xterm-256color", "LANG=de_DE.ISO-8859-1"}, true},
		{[]string{"TERM=xterm-256color", "LANG=C.UTF-8", "LC_CTYPE=POSIX"}, true},
		{[]string{"TERM=xterm-256color", "LANG=C", "LC_CTYPE=en_US.UTF-8"}, false},
		{[]string{"TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C"}, true},
		{[]string{"TERM=xterm-256color", "LANG=C", "LC_ALL=C.UTF-8", "LC_CTYPE=C"}, false},
		{[]string{"TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL="}, false},
	} {
		if got := environmentOf(c.environ).ascii; got != c.want {
			t.Errorf("%v: ASCII is %v, want %v", c.environ, got, c.want)
		}
	}
}

// TestLightBehind: COLORFGBG decides whether the background is light, until the terminal itself
// reports it.
func TestLightBehind(t *testing.T) {
	for value, want := range map[string]bool{"": false, "15;0": false, "0;15": true,
		"0;default;15": true, "0;7": true, "7;8": false, "0;17": false} {
		if got := environmentOf([]string{"COLORFGBG=" + value}).light; got != want {
			t.Errorf("%q: light is %v, want %v", value, got, want)
		}
	}
}
