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

// liveMsg says which runs of the folder have not ended, of how many.
type liveMsg struct {
	live    []*record.Run
	all     int
	took    time.Duration
	changed time.Time // the folder, before it was read
	listed  time.Time // the tick that asked
}

// Changes implements reading: what it changes, recounted draws anew.
func (liveMsg) Changes() bool { return false }

// News implements reading.
func (liveMsg) News() bool { return false }

// sameMsg says that the folder was not listed: it has the runs that it had.
type sameMsg struct{}

// Changes implements reading.
func (sameMsg) Changes() bool { return false }

// News implements reading.
func (sameMsg) News() bool { return false }

// beginMsg is the first of them.
type beginMsg liveMsg

// countIn counts the runs of a folder that have not ended.
func countIn(s lab.Source, dir string, now time.Time) liveMsg {
	began, changed := time.Now(), lab.Changed(dir)
	runs, _ := s.List()
	return liveMsg{lab.Live(runs), len(runs), time.Since(began), changed, now}
}

// recount counts them again where the header shows them and no list of runs does: when the
// folder got or lost one and, as one may be resumed, from time to time while another is live.
func (m *Model) recount() tea.Cmd {
	if m.at == runsPage || m.Config.Kept != nil || m.watch.Live() || m.counting ||
		m.now.Sub(m.counted) < lab.LookAfter(true, m.tally.took) {
		return nil
	}
	m.counted, m.counting = m.now, true
	s, dir, was, now := m.Source, m.Config.RunsDir, m.tally, m.now
	due := len(was.live) > 0 && now.Sub(was.listed) >= lab.LookAfter(false, was.took)
	return func() tea.Msg {
		if !due && lab.Changed(dir).Equal(was.changed) {
			return sameMsg{}
		}
		return countIn(s, dir, now)
	}
}

// recounted takes in how many are live.
func (m *Model) recounted(msg liveMsg) tea.Cmd {
	m.counting = false
	if len(msg.live) != len(m.tally.live) { // of all of it, this is what the header shows
		m.version++
	}
	m.tally = msg
	return m.wake()
}

// seekBegin finds out, where the interface begins with Launch, whether runs are live.
func (m *Model) seekBegin() tea.Cmd {
	if m.at != launchPage || m.Config.Kept != nil {
		return nil
	}
	s, dir := m.Source, m.Config.RunsDir
	return func() tea.Msg { return beginMsg(countIn(s, dir, time.Time{})) }
}

// begin turns to Watch where runs are live, unless a key was pressed meanwhile.
func (m *Model) begin(runs beginMsg) tea.Cmd {
	cmd := m.recounted(liveMsg(runs))
	m.Newcomer = runs.all == 0
	if len(runs.live) == 0 || m.at != launchPage || !m.pressed.IsZero() || m.overlay != nil {
		return cmd
	}
	return tea.Batch(cmd, kit.Send(lab.Watch{}))
}
