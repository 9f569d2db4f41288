package tui

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// look looks at the folder for the number of live runs in the header, unless the page looks by
// itself. While a run is live it lists them from time to time, since another may be resumed.
func (m *Model) look() tea.Cmd {
	switch {
	case m.current == runsPage, m.current == comparePage, m.Config.FixedRuns != nil:
		return nil
	case len(m.live) > 0, m.watch.Live():
		return m.Look(m.now, m.After(false))
	}
	return m.Look(m.now, lab.Never)
}

// noteRuns takes in the folder's runs, as the page that is shown does, and page Runs for the
// search.
func (m *Model) noteRuns(msg lab.Listed) tea.Cmd {
	cmd, live := tea.Batch(m.Note(msg), m.findGone(msg.Runs)), lab.Live(msg.Runs)
	if m.current != watchPage {
		cmd = tea.Batch(cmd, m.page().Update(msg))
	}
	if m.current != runsPage && m.isSearching() {
		cmd = tea.Batch(cmd, m.pages[runsPage].Update(msg))
		m.version++
	}
	if m.current != watchPage || len(live) != len(m.live) { // the header shows nothing else of it
		m.version++
	}
	if m.Config.FixedRuns != nil {
		return cmd
	}
	m.Colors, m.live = lab.ColorsOf(msg.Runs), live
	if len(m.live) > 0 && m.current == runsPage { // they make progress
		m.news = m.now
	}
	if !m.listed {
		m.listed, m.Newcomer = true, len(msg.Runs) == 0
	}
	return tea.Batch(cmd, m.begin(), m.wake(), m.readAlerts(msg.Runs, msg.Problems))
}

// holdingPage is a page that holds runs beyond a list of the folder.
type holdingPage interface{ Held() []*record.Run }

// findGone finds the runs that pages hold and that are gone from the folder; the answer is
// lab.Gone. A run that the list lacks may have begun since it was made, or be unreadable for a
// while, so the directory itself decides, in a folder that is still there.
func (m *Model) findGone(listed []*record.Run) tea.Cmd {
	there := map[string]bool{}
	for _, r := range listed {
		there[r.Dir] = true
	}
	var missing []*record.Run
	for _, p := range m.pages {
		if p, ok := p.(holdingPage); ok && m.Config.FixedRuns == nil {
			missing = append(missing, slices.DeleteFunc(slices.Clone(p.Held()),
				func(r *record.Run) bool { return there[r.Dir] })...)
		}
	}
	missing = lists.DistinctBy(missing, func(r *record.Run) string { return r.Dir })
	if len(missing) == 0 {
		return nil
	}
	return func() tea.Msg {
		gone := slices.DeleteFunc(missing, isThere)
		if len(gone) == 0 {
			return nil
		}
		return lab.Gone{Runs: gone}
	}
}

// isThere reports whether the directory of a run is there or, because its folder is not, cannot be
// said to be gone.
func isThere(r *record.Run) bool {
	_, err := os.Lstat(r.Dir)
	_, lost := os.Lstat(filepath.Dir(r.Dir))
	return !errors.Is(err, fs.ErrNotExist) || lost != nil
}

// begin turns to the live runs at the beginning: from Launch, unless a key was pressed meanwhile,
// and on Watch from the newest runs, which had ended. Without live runs it waits until all boxes
// have answered.
func (m *Model) begin() tea.Cmd {
	live := m.knownLive()
	if m.begun || len(live) == 0 && m.boxes.answered < len(m.Config.Boxes) {
		return nil
	}
	m.begun = true
	launches := m.current == launchPage && !m.used && m.overlay == nil
	watches := m.current == watchPage && m.watch.ShowsNewest() && len(m.Config.Boxes) > 0
	if len(live) > 0 && (launches || watches) {
		return kit.Send(lab.Watch{})
	}
	return nil
}
