package tui

import (
	"reflect"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// A run that ends shows in all views within half a second, however seldom there is a tick: a rhythm
// of its own, the beat, looks at the locks of the live runs. A beat in which no run has ended reads
// nothing and draws nothing. Without live runs there are no beats.

const (
	beatEvery = time.Second / 4
	// A look at a lock may take a millisecond on a shared disk. A beat lasts at least this long for
	// each live run.
	beatEach = 4 * time.Millisecond
)

// beatMsg is the end of a beat, with the runs that have ended.
type beatMsg lab.Over

// living is a page that has live runs of its own, in the runs' folder or not.
type living interface{ Living() []*record.Run }

// visibleLive returns the live runs that can be seen, each once.
func (m *Model) visibleLive() []*record.Run {
	if m.Config.Kept != nil {
		return nil
	}
	all := slices.Concat(m.live, m.watch.Living())
	if p, ok := m.page().(living); ok && m.current != watchPage {
		all = append(all, p.Living()...)
	}
	return kit.DistinctBy(all, func(r *record.Run) string { return r.Dir })
}

// wake starts the next beat if there is something to wait for.
func (m *Model) wake() tea.Cmd {
	live := m.visibleLive()
	if len(live) == 0 || m.beating {
		return nil
	}
	m.beating = true
	s := m.Source
	return m.after(max(beatEvery, time.Duration(len(live))*beatEach),
		func(time.Time) tea.Msg { return beatMsg(lab.Ends(s, live)) })
}

// beat handles the end of a beat and starts the next one.
func (m *Model) beat(msg beatMsg) (cmd tea.Cmd) {
	m.beating = false
	if len(msg.Runs) > 0 {
		cmd = m.showEnded(lab.Over(msg))
	}
	return tea.Batch(cmd, m.wake())
}

// showEnded shows at once that runs have ended.
func (m *Model) showEnded(msg lab.Over) tea.Cmd {
	m.version++
	m.frames.set(m.env.frames)
	m.live = slices.DeleteFunc(m.live, func(r *record.Run) bool {
		return slices.ContainsFunc(msg.Runs, func(o *record.Run) bool { return o.Dir == r.Dir })
	})
	cmd := m.watch.Update(msg)
	if m.current != watchPage {
		cmd = tea.Batch(cmd, m.page().Update(msg))
	}
	return cmd
}

// The pace. A tick is a look at the files. Five looks a second are as many changes as a person can
// follow; five in two seconds still look live to a person who only watches. Ticks also bound how
// much is drawn and sent.
//
// A frame is a moment at which something may be sent to the terminal; nothing is sent if nothing
// changed. Keys are answered in the next frame, and the first screen comes with the first frame.
const (
	readEvery  = time.Second / 5
	readIdle   = 2 * time.Second / 5 // no key for a while
	idleAfter  = 10 * time.Second    // how long a while is
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
	idleFrames   = 5 // no key for a while: more than there are looks at the files
)

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
	if now := m.waiting(); now != m.waited {
		m.waited, m.news = now, t
		m.version++
	}
	cmds := []tea.Cmd{m.after(m.pace(), newTick),
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
	if m.now.Sub(m.news) > boredom {
		return readRarely
	}
	if m.unfocused || m.now.Sub(m.news) > patience {
		return readSeldom
	}
	if m.now.Sub(m.pressed) > idleAfter {
		return readIdle
	}
	return readEvery
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

// look looks at the folder if the header shows the number of live runs, and the page does not look
// by itself. While a run is live it lists them from time to time, since another may be resumed.
func (m *Model) look() tea.Cmd {
	switch {
	case m.current == runsPage, m.current == comparePage, m.Config.Kept != nil, m.watch.Live():
		return nil
	case len(m.live) > 0:
		return m.Look(m.now, m.After(false))
	}
	return m.Look(m.now, lab.Never)
}

// noteRuns takes in the folder's runs, as the page that is shown does. The interface begins with
// Watch where runs are live, unless a key was pressed meanwhile.
func (m *Model) noteRuns(msg lab.Listed) tea.Cmd {
	cmd, live := m.Note(msg), lab.Live(msg.Runs)
	if m.current != watchPage {
		cmd = tea.Batch(cmd, m.page().Update(msg))
	}
	if m.current != watchPage || len(live) != len(m.live) { // the header shows nothing else of it
		m.version++
	}
	if m.Config.Kept != nil {
		return cmd
	}
	m.Colors, m.live = lab.ColorsOf(msg.Runs), live
	if len(m.live) > 0 && m.current == runsPage { // they make progress
		m.news = m.now
	}
	if !m.listed {
		m.listed, m.Newcomer = true, len(msg.Runs) == 0
		if len(m.live) > 0 && m.current == launchPage && !m.used && m.overlay == nil {
			cmd = tea.Batch(cmd, kit.Send(lab.Watch{}))
		}
	}
	return tea.Batch(cmd, m.wake())
}

// guarded is the interface as Bubble Tea gets it. Bubble Tea would print the stack of a panic over
// the terminal; here a panic ends the interface with an error of one line.
type guarded struct{ *Model }

// Update implements tea.Model.
func (g guarded) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer g.recoverFrom(func() { cmd = tea.Quit })
	if g.failed != nil { // a panic while it was drawn
		return g, tea.Quit
	}
	_, cmd = g.Model.Update(msg)
	return g, g.guard(cmd)
}

// Init implements tea.Model.
func (g guarded) Init() (cmd tea.Cmd) {
	defer g.recoverFrom(func() { cmd = tea.Quit })
	return g.guard(g.Model.Init())
}

// View implements tea.Model.
func (g guarded) View() (v tea.View) {
	defer g.recoverFrom(func() { v = tea.View{} })
	return g.Model.View()
}

// Failed returns why the interface ended by itself, or nil.
func (g guarded) Failed() error { return g.failed }

// recoverFrom recovers from a panic in the goroutine of the event loop.
func (g guarded) recoverFrom(then func()) {
	if p := recover(); p != nil {
		g.failed = runner.Panicked(g.Config.RunsDir, p)
		then()
	}
}

// guard returns a command that turns its panic into a message, since it has a goroutine of its own.
func (g guarded) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				msg = lab.Failed{Err: runner.Panicked(g.Config.RunsDir, p)}
			}
		}()
		return g.guardAll(cmd())
	}
}

// guardAll guards the commands in a message of tea.Batch or of tea.Sequence, whose type is not
// exported.
func (g guarded) guardAll(msg tea.Msg) tea.Msg {
	list := reflect.ValueOf(msg)
	if list.Kind() != reflect.Slice || list.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return msg
	}
	for i := range list.Len() {
		if cmd, ok := list.Index(i).Interface().(tea.Cmd); ok {
			list.Index(i).Set(reflect.ValueOf(g.guard(cmd)))
		}
	}
	return msg
}
