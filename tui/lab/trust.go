package lab

import (
	"path/filepath"
	"strings"

	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// Trusting returns a command that starts runs of a spec. If they train a program whose file, as it
// is now, the user has not started before, it asks first: presets and folders of runs may come from
// a stranger. Where it cannot ask, the code that starts runs refuses the program and says why.
func (s *Lab) Trusting(of *spec.Spec, start tea.Cmd) tea.Cmd {
	p, ok := of.Program()
	programs := s.Config.Programs
	if !ok || programs == "" || !filepath.IsAbs(p.Path) {
		return start
	}
	return func() tea.Msg {
		sum, started, err := programs.Status(p.Path)
		if started || err != nil {
			return start()
		}
		trust := func() tea.Msg {
			if err := programs.ApproveAs(p.Path, sum); err != nil {
				return kit.Complain(err)()
			}
			return start()
		}
		lines := []string{"program  " + cell.OneLine(p.Path), "sha256   " + sum}
		if len(p.Words) > 0 {
			lines = append(lines, "args     "+cell.OneLine(strings.Join(p.Words, " ")))
		}
		const warning = "You have not started this version of the file before. It can do " +
			"whatever you can, so read it first. The checksum covers this file, not what it " +
			"imports."
		lines = append(append(lines, ""), kit.Wrap(warning, 72)...)
		return kit.Open{Overlay: kit.NewQuestion("Start this program?", lines,
			kit.Answer{Keys: []string{"y"}, Name: "trust and start", Then: trust})}
	}
}
