package tui

import (
	"time"

	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// The interface begins with what is live. Whether anything is takes a look at the folder, which
// comes after the first frame.

// liveMsg says how many runs of the folder have not ended, of how many.
type liveMsg struct {
	live, all int
	took      time.Duration
	changed   time.Time // of the folder, before it was read
}

// Changes implements reading: what it changes, recounted draws anew.
func (liveMsg) Changes() bool { return false }

// News implements reading.
func (liveMsg) News() bool { return false }

// beginMsg is the first of them.
type beginMsg liveMsg

// countIn counts the runs of a folder that have not ended.
func countIn(s lab.Source, dir string) liveMsg {
	began, changed := time.Now(), lab.Changed(dir)
	runs, _ := s.List()
	return liveMsg{countLive(runs), len(runs), time.Since(began), changed}
}

// recount counts them again where the header shows them and no list of runs does: from time
// to time while one is live, else when the folder got or lost one.
func (m *Model) recount() tea.Cmd {
	if m.at == runsPage || m.Config.Kept != nil || m.watch.Live() || m.counting ||
		m.now.Sub(m.counted) < lab.LookAfter(true, m.tally.took) {
		return nil
	}
	m.counted, m.counting = m.now, true
	s, dir, was := m.Source, m.Config.RunsDir, m.tally
	return func() tea.Msg {
		if was.live == 0 && lab.Changed(dir).Equal(was.changed) {
			return was
		}
		return countIn(s, dir)
	}
}

// recounted takes in how many are live.
func (m *Model) recounted(msg liveMsg) {
	m.counting = false
	if msg.live != m.tally.live { // of all of it, this is what the header shows
		m.version++
	}
	m.tally = msg
}

func countLive(runs []*record.Run) (n int) {
	for _, r := range runs {
		if !r.Status().Ended() {
			n++
		}
	}
	return n
}

// seekBegin finds out, where the interface begins with Launch, whether runs are live.
func (m *Model) seekBegin() tea.Cmd {
	if m.at != launchPage || m.Config.Kept != nil {
		return nil
	}
	s, dir := m.Source, m.Config.RunsDir
	return func() tea.Msg { return beginMsg(countIn(s, dir)) }
}

// begin turns to Watch where runs are live, unless a key was pressed meanwhile.
func (m *Model) begin(runs beginMsg) tea.Cmd {
	m.recounted(liveMsg(runs))
	m.Newcomer = runs.all == 0
	if runs.live == 0 || m.at != launchPage || !m.pressed.IsZero() || m.overlay != nil {
		return nil
	}
	return kit.Send(lab.Watch{})
}
