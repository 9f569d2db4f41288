package tui

import (
	"slices"
	"time"

	"drolab/runner/record"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// A run that ends is in all views within half a second, however seldom there is a tick: the
// locks of the live runs are looked at in a rhythm of their own, the beat. A beat in which no run
// has ended reads nothing and draws nothing, and without live runs there is none.

const (
	beatEvery = time.Second / 4
	// On a shared disk a look at a lock may take a millisecond. So long is a beat at least for
	// each live run.
	beatEach = 4 * time.Millisecond
)

// beatMsg is the time for a look.
type beatMsg struct{}

func newBeat(time.Time) tea.Msg { return beatMsg{} }

// living is a page that has live runs of its own, in the runs' folder or not.
type living interface{ Living() []*record.Run }

// live are the live runs that can be seen, each of them once.
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

// wake sets the next beat where there is something to wait for.
func (m *Model) wake() tea.Cmd {
	n := len(m.live())
	if n == 0 || m.beating {
		return nil
	}
	m.beating = true
	return m.after(max(beatEvery, time.Duration(n)*beatEach), newBeat)
}

// beat looks which runs have ended.
func (m *Model) beat() tea.Cmd {
	m.beating = false
	return tea.Batch(lab.Ends(m.Source, m.live()), m.wake())
}

// over shows at once that runs have ended.
func (m *Model) over(msg lab.Over) tea.Cmd {
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
