package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
)

// environment is what the environment says about the terminal.
type environment struct {
	ascii   bool // only 7-bit characters
	plain   bool // NO_COLOR
	remote  bool // over SSH: draw less often
	profile colorprofile.Profile
}

func environmentOf(environ []string) environment {
	vars := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = value
	}
	term := vars["TERM"]
	e := environment{
		ascii:   vars["DROLAB_ASCII"] != "" || term == "linux" || term == "dumb" || !utf8Locale(vars),
		plain:   vars["NO_COLOR"] != "" || term == "dumb",
		remote:  vars["SSH_CONNECTION"] != "" || vars["SSH_TTY"] != "",
		profile: colorprofile.Env(environ),
	}
	if e.plain {
		e.profile = colorprofile.ASCII
	}
	return e
}

// utf8Locale tells whether the locale's characters are UTF-8. Where none is
// set, as in many containers, terminals of today are trusted.
func utf8Locale(vars map[string]string) bool {
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(vars[name]); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// The pace. A tick is a look at the files: five a second are as many changes
// as a person follows, five in two seconds still look live to one who only watches,
// and they bound what is drawn and sent. A frame is when something may be sent
// to the terminal, nothing where nothing changed; keys are answered in the next
// one, and the first screen comes with the first.
const (
	readEvery  = time.Second / 5
	readCalm   = 2 * time.Second / 5 // no key for a while
	calm       = 10 * time.Second    // how long a while is
	readSeldom = time.Second         // unfocused, or nothing happens
	patience   = 2 * time.Second     // without news until nothing happens
	readRarely = 2 * time.Second     // nothing happened for long
	boredom    = time.Minute
	noticeTime = 6 * time.Second // how long a notice stands in the footer's place

	localFrames  = 40 // a second: the first screen comes with the first, a fortieth of a second after the start
	remoteFrames = 10
)

// frames is the number of frames a second.
func (e environment) frames() int {
	if e.remote {
		return remoteFrames
	}
	return localFrames
}
