package tui

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// environment is what the environment says about the terminal.
type environment struct {
	ascii  bool // only 7-bit characters
	plain  bool // NO_COLOR
	bright bool // DROLAB_CONTRAST
	remote bool // over SSH: draw less often
	// The terminal is a part of another one: that of tmux, or of GNU screen.
	multiplexer bool
	light       bool   // the background, as guessed until the terminal says
	noPixels    string // why the terminal is not asked for pictures; "" if it may be
	profile     colorprofile.Profile
	frames      int           // a second
	round       time.Duration // in which each part of a page has its turn (see lab.Lab)
}

// CheckTerminal returns an error if the terminal has no screen for the interface. On Windows no
// variable tells.
func CheckTerminal(environ []string) error {
	term := uv.Environ(environ).Getenv("TERM")
	if term == "dumb" || term == "" && runtime.GOOS != "windows" {
		return fmt.Errorf("TERM is %q, which names no terminal with a screen: "+
			"set TERM to the name of yours, such as xterm", term)
	}
	return nil
}

func environmentOf(environ []string) environment {
	get := uv.Environ(environ).Getenv
	e := environment{
		ascii:  get("DROLAB_ASCII") != "" || get("TERM") == "linux" || !utf8Locale(get),
		plain:  get("NO_COLOR") != "",
		bright: get("DROLAB_CONTRAST") != "",
		remote: get("SSH_CONNECTION") != "" || get("SSH_TTY") != "",
		light:  lightBehind(get("COLORFGBG")),
		multiplexer: get("TMUX") != "" || get("STY") != "" ||
			strings.HasPrefix(get("TERM"), "tmux") || strings.HasPrefix(get("TERM"), "screen"),
		frames: localFrames,
		round:  localRound,
	}
	if e.remote {
		e.frames, e.round = remoteFrames, remoteRound
	}
	switch {
	case e.ascii:
		e.noPixels = "plain ASCII"
	case e.plain:
		e.noPixels = "NO_COLOR"
	case e.remote:
		e.noPixels = "over SSH"
	case get("DROLAB_PIXELS") == "0":
		e.noPixels = "DROLAB_PIXELS=0"
	}
	e.setProfile(colorprofile.Env(environ))
	if e.plain {
		e.profile = colorprofile.ASCII
	}
	return e
}

// setProfile sets the colours that the terminal has. Over SSH they are at most the 256, which take
// half as many bytes as 24 bits and are nearly as fine.
func (e *environment) setProfile(p colorprofile.Profile) {
	e.profile = p
	if e.remote {
		e.profile = min(p, colorprofile.ANSI256)
	}
}

// lightBehind reports whether the background is one of the light ones of the sixteen colours. The
// background is the last colour of COLORFGBG, as in 0;15.
func lightBehind(colours string) bool {
	back := colours[strings.LastIndex(colours, ";")+1:]
	return back == "7" || back == "15"
}

// utf8Locale reports whether the locale's characters are UTF-8. If no locale is set, as in many
// containers, it trusts terminals of today to have them.
func utf8Locale(get func(string) string) bool {
	v := strings.ToLower(cmp.Or(get("LC_ALL"), get("LC_CTYPE"), get("LANG"), "utf8"))
	return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
}
