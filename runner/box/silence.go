package box

import (
	"time"

	"drolab/runner/record"
)

// quietAfter is the time without a word after which a box without a link is silent. A link that is
// made again at once changes nothing on the screen.
const quietAfter = 3 * pingEvery

// Silent reports whether nobody knows what the runs of the box do now: no process of this machine
// has a link to it, and nothing has come for a while. Its runs then are shown as they were known at
// Heard.
func (s *State) Silent(now time.Time) bool {
	return !s.Linked && !s.Heard.IsZero() && now.Sub(s.Heard) > quietAfter
}

// readHeard takes in when the box was last heard from by another process, now or before the start
// of this one.
func (l *Link) readHeard() {
	heard := record.MirrorHeard(l.dir)
	l.mu.Lock()
	defer l.mu.Unlock()
	if heard.After(l.state.Heard) {
		l.state.Heard = heard
	}
}
