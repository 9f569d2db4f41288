package tui

import (
	"fmt"
	"strings"

	"drolab/tui/cell"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// notification returns the escape sequence that tells the terminal of the end of a run; "" for
// none. A run's name cannot steer the terminal: it has no control characters and ends no field.
func notification(r lab.Ring, e lab.Ended) string {
	clean := func(s string) string { return strings.ReplaceAll(cell.Clean(s), ";", ",") }
	text := clean(fmt.Sprintf("%s: %s", e.Name, e.Status))
	switch r.Notify {
	case "9":
		return ansi.Notify("drolab: " + text)
	case "777":
		return ansi.URxvtExt("notify", "drolab", text)
	}
	return ""
}

// ring tells the terminal of a run that is done or has failed, where the user wants that
// (lab.Ring).
func (m *Model) ring(e lab.Ended) tea.Cmd {
	if s := notification(m.Config.Ring, e); s != "" {
		return tea.Raw(s)
	}
	return nil
}

// progress returns the progress of the watched runs, for the window's icon or tab; nil for none.
func (m *Model) progress() *tea.ProgressBar {
	part, failed, live := m.watch.Progress()
	switch {
	case !m.Config.Ring.Progress || !live:
		return nil
	case failed:
		return tea.NewProgressBar(tea.ProgressBarError, int(100*part))
	}
	return tea.NewProgressBar(tea.ProgressBarDefault, int(100*part))
}
