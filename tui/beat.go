package tui

import (
	"slices"
	"time"

	"drolab/runner/record"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// A run that ends shows in all views within half a second, however seldom there is a tick. Each
// tick looks at the locks of the live runs and, where ticks are slow, so does a rhythm of its own,
// the beat. A beat in which no run has ended reads nothing and draws nothing. Without live runs
// there are no beats.

const (
	beatEvery = time.Second / 4
	// A look at a lock may take a millisecond on a shared disk. A beat lasts at least this long for
	// each live run.
	beatEach = 4 * time.Millisecond
)

// beatMsg is the end of a beat.
type beatMsg struct{ over tea.Msg } // lab.Over, or nil

// living is a page that has live runs of its own, in the runs' folder or not.
type living interface{ Living() []*record.Run }

// live returns the live runs that can be seen, each once.
func (m *Model) live() (list []*record.Run) {
	if m.Config.Kept != nil {
		return nil
	}
	all := slices.Concat(m.tally.live, m.watch.Living())
	if p, ok := m.pages[m.at].(living); ok && m.at != watchPage {
		all = append(all, p.Living()...)
	}
	seen := map[string]bool{}
	for _, r := range all {
		if !seen[r.Dir] {
			list = append(list, r)
		}
		seen[r.Dir] = true
	}
	return list
}

// wake starts the next beat if there is something to wait for.
func (m *Model) wake() tea.Cmd {
	live := m.live()
	if len(live) == 0 || m.beating || m.rest <= readCalm {
		return nil
	}
	m.beating = true
	s := m.Source
	return m.after(max(beatEvery, time.Duration(len(live))*beatEach),
		func(time.Time) tea.Msg { return beatMsg{lab.Ends(s, live)} })
}

// beat handles the end of a beat and starts the next one.
func (m *Model) beat(msg beatMsg) (cmd tea.Cmd) {
	m.beating = false
	if over, some := msg.over.(lab.Over); some {
		cmd = m.over(over)
	}
	return tea.Batch(cmd, m.wake())
}

// ends returns the commands by which a tick looks for runs that have ended.
func (m *Model) ends() tea.Cmd {
	live, s := m.live(), m.Source
	if len(live) == 0 {
		return nil
	}
	return tea.Batch(m.wake(), func() tea.Msg { return lab.Ends(s, live) })
}

// over shows at once that runs have ended.
func (m *Model) over(msg lab.Over) tea.Cmd {
	m.version++
	m.frames.set(m.env.frames())
	m.tally.live = slices.DeleteFunc(slices.Clone(m.tally.live), func(r *record.Run) bool {
		return slices.ContainsFunc(msg.Runs, func(o *record.Run) bool { return o.Dir == r.Dir })
	})
	cmd := m.watch.Update(msg)
	if m.at != watchPage {
		cmd = tea.Batch(cmd, m.pages[m.at].Update(msg))
	}
	return cmd
}
