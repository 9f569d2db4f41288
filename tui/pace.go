package tui

import (
	"reflect"
	"time"

	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// The pace. A tick is a look at the files. Five looks a second are as many changes as a person can
// follow; five in two seconds still look live to a person who only watches. Ticks also bound how
// much is drawn and sent.
//
// A frame is a moment at which something may be sent to the terminal; nothing is sent if nothing
// changed. Keys are answered in the next frame, and the first screen comes with the first frame.
const (
	readEvery  = time.Second / 5
	readCalm   = 2 * time.Second / 5 // no key for a while
	calm       = 10 * time.Second    // how long a while is
	readSeldom = time.Second         // unfocused, or nothing happens
	patience   = 2 * time.Second     // without news until nothing happens
	readRarely = 2 * time.Second     // nothing happened for long
	boredom    = time.Minute
	noticeTime = 6 * time.Second // how long a notice stands in the footer's place

	localRound  = time.Second         // in which each part of a page shows what is new
	remoteRound = 3 * time.Second / 2 // over SSH, where the line may be slow

	firstFrames  = 120 // a second, until the first tick: Bubble Tea's maximum
	localFrames  = 40
	remoteFrames = 10
	calmFrames   = 5 // no key for a while: more than there are looks at the files
)

// frames returns the number of frames a second.
func (e environment) frames() int {
	if e.remote {
		return remoteFrames
	}
	return localFrames
}

// round returns the time in which each part of a page has its turn (see lab.Lab).
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
	m.rest = m.pace()
	cmds := []tea.Cmd{m.after(m.rest, newTick),
		m.watch.Update(kit.Tick(t)), // the watched runs are read on whatever page one is
		m.recount(), m.ends(), m.keepView()}
	if m.at != watchPage {
		cmds = append(cmds, m.pages[m.at].Update(kit.Tick(t)))
	}
	return tea.Batch(cmds...)
}

// pace returns the time to the next tick, which is short only while there is something to see.
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

// frameRate returns the number of frames a second that are worth their cost.
func (m *Model) frameRate() int {
	_, moves := m.watch.Pace()
	if m.now.Sub(m.pressed) > calm && !(moves && m.at == watchPage) {
		return calmFrames
	}
	return m.env.frames()
}

func newTick(t time.Time) tea.Msg { return kit.Tick(t) }

// frames sets the number of frames a second in Bubble Tea, which fixes it at the start. Each frame
// wakes the processor, whether anything changed or not. A prompt answer to a key takes forty a
// second, which cost a third of a per cent of a core, measured on a virtual machine in a program
// that does nothing else. So Bubble Tea's ticker is reset, found by its name in the program. If a
// later version has another name, the frames stay as they were at the start. A nil frames has no
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

// ticker returns the ticker of the program; nil if there is none yet, or none of that name.
func (f *frames) ticker() *time.Ticker {
	v := reflect.ValueOf(f.program).Elem().FieldByName("ticker")
	if !v.IsValid() || v.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(v.UnsafePointer())
}

// listed takes in the folder's runs. Live runs are news, since they make progress.
func (m *Model) listed(msg lab.Listed) tea.Cmd {
	if m.Config.Kept == nil {
		m.Colors = lab.ColorsOf(msg.Runs)
	}
	m.tally = liveMsg{lab.Live(msg.Runs), len(msg.Runs), msg.Took, msg.Changed, m.now}
	if len(m.tally.live) > 0 {
		m.news = m.now
	}
	return m.wake()
}
