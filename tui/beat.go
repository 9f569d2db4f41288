package tui

import (
	"slices"
	"time"

	"drolab/runner/lists"
	"drolab/runner/record"
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

// livePage is a page that has live runs of its own, in the runs' folder or not.
type livePage interface{ Living() []*record.Run }

// visibleLive returns the live runs that can be seen, each once.
func (m *Model) visibleLive() []*record.Run {
	if m.Config.FixedRuns != nil {
		return nil
	}
	all := slices.Concat(m.live, m.watch.Living())
	if p, ok := m.page().(livePage); ok && m.current != watchPage {
		all = append(all, p.Living()...)
	}
	return lists.DistinctBy(all, func(r *record.Run) string { return r.Dir })
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
	cmd := tea.Batch(m.watch.Update(msg), m.readAlerts(msg.Runs, nil), m.tellInterrupted(msg.Runs))
	if m.current != watchPage {
		cmd = tea.Batch(cmd, m.page().Update(msg))
	}
	return cmd
}
