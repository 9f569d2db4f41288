package lab

import (
	"slices"
	"time"

	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// How often the folder is looked at while the page is shown: listing costs a
// few files a run.
const (
	lookLive = 2 * time.Second // while a run is live
	lookIdle = 10 * time.Second
)

// LookAfter is how long what was read of the folder stands.
func LookAfter(live bool) time.Duration {
	if live {
		return lookLive
	}
	return lookIdle
}

// AnyLive tells whether a run has not ended.
func AnyLive(runs []*record.Run) bool {
	return slices.ContainsFunc(runs, func(r *record.Run) bool { return !r.Status().Ended() })
}

// List reads all runs.
func List(s Source) tea.Cmd {
	return func() tea.Msg {
		runs, problems := s.List()
		return Listed{runs, problems}
	}
}
