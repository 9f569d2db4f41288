package tui

import (
	"reflect"
	"time"

	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// The pace. A tick is a look at the files: five a second are as many changes
// as a person follows, five in two seconds still look live to one who only watches,
// and they bound what is drawn and sent. A frame is when something may be sent
// to the terminal, nothing where nothing changed; keys are answered in the next
// one, and the first screen comes with the first.
const (
	readEvery  = time.Second / 5
	readCalm   = 2 * time.Second / 5 // no key for a while
	calm       = 10 * time.Second    // how long a while is
	readSeldom = 4 * time.Second / 5 // unfocused, or nothing happens: an end shows within a second
	patience   = 2 * time.Second     // without news until nothing happens
	readRarely = 2 * time.Second     // nothing happened for long
	boredom    = time.Minute
	noticeTime = 6 * time.Second // how long a notice stands in the footer's place

	localRound  = time.Second         // of the parts of a page to show what is new
	remoteRound = 3 * time.Second / 2 // where the line may be slow

	firstFrames  = 120 // a second, until the first tick: the most that Bubble Tea has
	localFrames  = 40
	remoteFrames = 10
	calmFrames   = 5 // no key for a while: more than there are looks at the files
)

// frames is the number of frames a second.
func (e environment) frames() int {
	if e.remote {
		return remoteFrames
	}
	return localFrames
}

// round is that of a page's parts.
func (e environment) round() time.Duration {
	if e.remote {
		return remoteRound
	}
	return localRound
}

// tick lets the page look at the files and sets the next tick.
func (m *Model) tick(t time.Time) tea.Cmd {
	m.now = t
	if m.pressed.IsZero() {
		m.pressed = t // the start: what is opened shows as soon as it is read
	}
	m.frames.set(m.frameRate())
	if m.notice.Text != "" && t.Sub(m.noticed) > noticeTime {
		m.notice = kit.Notice{}
		m.version++
	}
	cmds := []tea.Cmd{m.after(m.pace()),
		m.watch.Update(kit.Tick(t))} // what is watched is read wherever one looks
	cmds = append(cmds, m.recount(), m.keepView())
	if m.at != watchPage {
		cmds = append(cmds, m.pages[m.at].Update(kit.Tick(t)))
	}
	return tea.Batch(cmds...)
}

// pace is the time to the next tick: short only while there is something to
// see.
func (m *Model) pace() time.Duration {
	if d, ok := m.watch.Pace(); ok && m.at == watchPage && !m.unfocused {
		if m.env.remote {
			return readEvery
		}
		return d
	}
	if m.now.Sub(m.news) > boredom {
		return readRarely
	}
	if m.unfocused || m.now.Sub(m.news) > patience {
		return readSeldom
	}
	if m.now.Sub(m.pressed) > calm {
		return readCalm
	}
	return readEvery
}

// frameRate is how many frames a second are worth their while.
func (m *Model) frameRate() int {
	_, moves := m.watch.Pace()
	if m.now.Sub(m.pressed) > calm && !(moves && m.at == watchPage) {
		return calmFrames
	}
	return m.env.frames()
}

// tickAfter is the after of a real clock.
func tickAfter(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(t time.Time) tea.Msg { return kit.Tick(t) })
}

// frames sets how many frames a second Bubble Tea has. It fixes them at the start, and each
// wakes the processor, whether anything changed or not. A key's prompt answer takes forty of
// them, which cost a third of a per cent of a core, measured on a virtual machine in a program
// that does nothing else. So its ticker is set anew, found by its name in the program. Where a
// later version has another, the frames stay as they were at the start. A nil frames has no
// program.
type frames struct {
	program *tea.Program
	rate    int // as it was set last
}

func (f *frames) set(rate int) {
	if f == nil || rate == f.rate {
		return
	}
	if t := f.ticker(); t != nil {
		t.Reset(time.Second / time.Duration(rate))
		f.rate = rate
	}
}

// ticker is nil where there is none yet, or none of that name.
func (f *frames) ticker() *time.Ticker {
	v := reflect.ValueOf(f.program).Elem().FieldByName("ticker")
	if !v.IsValid() || v.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(v.UnsafePointer())
}

// listed takes in the folder's runs: while one is live, it may end within the second.
func (m *Model) listed(msg lab.Listed) {
	if m.Config.Kept == nil {
		m.Colors = lab.ColorsOf(msg.Runs)
	}
	m.tally = liveMsg{countLive(msg.Runs), len(msg.Runs), msg.Took, msg.Changed}
	if m.tally.live > 0 {
		m.news = m.now
	}
}
