package tui

import (
	"time"

	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// The interface begins with the live runs. Whether there are any takes a look at the folder, which
// comes after the first frame.

// liveMsg says which runs of the folder have not ended, and how many runs it has in all.
type liveMsg struct {
	live    []*record.Run
	all     int
	took    time.Duration
	changed time.Time // the folder, before it was read
	listed  time.Time // time of the tick that asked
}

// Changes implements reading. It is false, since recounted redraws if anything has changed.
func (liveMsg) Changes() bool { return false }

// News implements reading.
func (liveMsg) News() bool { return false }

// sameMsg says that the folder was not listed: it has the runs that it had.
type sameMsg struct{}

// Changes implements reading.
func (sameMsg) Changes() bool { return false }

// News implements reading.
func (sameMsg) News() bool { return false }

// beginMsg is the first liveMsg, with which the interface begins.
type beginMsg liveMsg

// countIn counts the runs of a folder that have not ended.
func countIn(s lab.Source, dir string, now time.Time) liveMsg {
	began, changed := time.Now(), lab.Changed(dir)
	runs, _ := s.List()
	return liveMsg{lab.Live(runs), len(runs), time.Since(began), changed, now}
}

// recount counts the live runs again if the header shows their number and no list of runs gives it.
// It does so when the folder got or lost a run. While a run is live it also does so from time to
// time, since another may be resumed.
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

// recounted takes in the number of live runs.
func (m *Model) recounted(msg liveMsg) tea.Cmd {
	m.counting = false
	if len(msg.live) != len(m.tally.live) { // the header shows nothing else of it
		m.version++
	}
	m.tally = msg
	return m.wake()
}

// seekBegin finds out whether runs are live, if the interface begins with Launch.
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
