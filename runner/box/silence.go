package box

import (
	"time"

	"drolab/runner/record"
)

// quietAfter is the time after which a mirror that nobody brings up to date is silent. A link that
// is made again at once changes nothing on the screen.
const quietAfter = 3 * pingEvery

// Silent reports whether nobody knows what the runs of the box do now: no process of this machine
// keeps the mirror up to date. Its runs are then shown as they were at Known.
func (s *State) Silent(now time.Time) bool {
	return !s.upToDate() && !s.Known.IsZero() && now.Sub(s.Known) > quietAfter
}

// Answers reports whether the box answers a process of this machine: this one, or the one that
// keeps the mirror up to date.
func (s *State) Answers(now time.Time) bool {
	return s.Linked || s.Elsewhere && !s.Known.IsZero() && !s.Silent(now)
}

// upToDate reports whether this process keeps the mirror as the box is. A new link does so once the
// list of the box's runs has come.
func (s *State) upToDate() bool { return s.Linked && s.Complete && !s.Elsewhere }

// readKnown takes in when another process last brought the mirror up to date, now or before this
// process began.
func (l *Link) readKnown() {
	known := record.MirrorHeard(l.dir)
	l.mu.Lock()
	defer l.mu.Unlock()
	if known.After(l.state.Known) {
		l.state.Known = known
	}
}
