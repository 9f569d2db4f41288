package tui

import (
	"time"

	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// The pace. A tick is a look at the files. Five looks a second are as many changes as a person can
// follow; five in two seconds still look live to a person who only watches. Ticks also bound how
// much is drawn and sent.
//
// A frame is a moment at which something may be sent to the terminal; nothing is sent if nothing
// changed. Keys are answered in the next frame, and the first screen comes with the first frame.
const (
	readEvery      = time.Second / 5
	readIdle       = 2 * time.Second / 5 // no key for a while
	idleAfter      = 10 * time.Second    // how long a while is
	readSeldom     = time.Second         // unfocused, or nothing happens
	quietAfter     = 2 * time.Second     // without news until nothing happens
	readRarely     = 2 * time.Second     // nothing happened for long
	longQuietAfter = time.Minute
	noticeTime     = 6 * time.Second // how long each line of a notice stands in the footer's place

	localRound  = time.Second         // in which each part of a page shows what is new
	remoteRound = 3 * time.Second / 2 // over SSH, where the line may be slow

	firstFrames  = 120 // a second, until the first tick: Bubble Tea's maximum
	localFrames  = 40
	remoteFrames = 10
	idleFrames   = 5 // no key for a while: more than there are looks at the files
)

// tick lets the page look at the files and sets the next tick.
func (m *Model) tick(t time.Time) tea.Cmd {
	m.now = t
	if m.pressed.IsZero() {
		m.pressed, m.news = t, t // the start: what is opened shows as soon as it is read
	}
	m.frames.set(m.frameRate())
	if m.Config.Note != "" && m.notice.Text == "" {
		m.notice = kit.Notice{Text: m.Config.Note, Bad: true, Unasked: true}
		m.Config.Note, m.noticed = "", t
		m.version++
	}
	if m.notice.Text != "" && t.Sub(m.noticed) > m.noticeTime() {
		m.notice = kit.Notice{}
		m.version++
	}
	m.showAlert()
	if now := m.waiting(); now != m.waited {
		m.waited, m.news = now, t
		m.version++
	}
	cmds := []tea.Cmd{m.after(m.pace(), newTick), m.lookAtBoxes(t),
		m.watch.Update(kit.Tick(t)), // the watched runs are read on whatever page one is
		m.look(), m.wake(), m.keepView()}
	if m.current != watchPage {
		cmds = append(cmds, m.page().Update(kit.Tick(t)))
	}
	return tea.Batch(cmds...)
}

// pace returns the time to the next tick, which is short only while there is something to see.
func (m *Model) pace() time.Duration {
	if d, ok := m.pacedPage(); ok && !m.unfocused {
		if m.env.remote {
			return readEvery
		}
		return d
	}
	if m.now.Sub(m.news) > longQuietAfter {
		return readRarely
	}
	if m.unfocused || m.now.Sub(m.news) > quietAfter {
		return readSeldom
	}
	if m.now.Sub(m.pressed) > idleAfter {
		return readIdle
	}
	return readEvery
}

// noticeTime returns how long the notice stands.
func (m *Model) noticeTime() time.Duration {
	return time.Duration(len(m.noticeLines())) * noticeTime
}

// frameRate returns the number of frames a second that are worth their cost.
func (m *Model) frameRate() int {
	_, moves := m.pacedPage()
	if m.now.Sub(m.pressed) > idleAfter && !moves {
		return idleFrames
	}
	return m.env.frames
}

func newTick(t time.Time) tea.Msg { return kit.Tick(t) }

// pacer is a page that says how soon it wants the next tick, and whether anything moves.
type pacer interface{ Pace() (time.Duration, bool) }

// pacedPage returns the pace of the page that is shown; false where nothing moves there.
func (m *Model) pacedPage() (time.Duration, bool) {
	if p, ok := m.page().(pacer); ok {
		return p.Pace()
	}
	return 0, false
}
