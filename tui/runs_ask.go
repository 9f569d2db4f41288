package tui

import (
	"fmt"
	"slices"

	"drolab/runner"
	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// picked are the selected runs, in the order of the folder, or else the one
// under the cursor.
func (p *runsPane) picked() (runs []*record.Run) {
	for _, r := range p.all {
		if p.chosen[r.Meta.ID] {
			runs = append(runs, r)
		}
	}
	if r := p.current(); len(runs) == 0 && r != nil {
		runs = append(runs, r)
	}
	return runs
}

// unable says why something cannot be asked of the picked runs: because none
// of them is in a state for it.
func (p *runsPane) unable(a action) string {
	if len(p.picked()) == 0 {
		return "there is no run here"
	}
	if len(p.fit(a)) > 0 {
		return ""
	}
	switch a {
	case actCompare:
		return "only runs that are done can be compared"
	case actDelete:
		return "a run that goes on cannot be deleted: stop it first"
	case actResume:
		return "only paused runs and ones that ended before their time can be resumed"
	}
	for _, r := range p.picked() {
		if !r.Status().Ended() {
			return "it runs in another process, which has to be asked"
		}
	}
	return "the run has ended"
}

// fit are the picked runs that something can be asked of.
func (p *runsPane) fit(a action) (runs []*record.Run) {
	for _, r := range p.picked() {
		s, mine := r.Status(), p.controls(r.Meta.ID)
		var ok bool
		switch a {
		case actCompare:
			ok = s == runner.Done
		case actDelete:
			ok = s.Ended()
		case actResume:
			ok = s.Ended() && s != runner.Done || s == runner.Paused && mine
		case actPause:
			ok = mine && (s == runner.Running || s == runner.Paused)
		case actStop:
			ok = mine && !s.Ended()
		}
		if ok {
			runs = append(runs, r)
		}
	}
	return runs
}

// pause pauses what runs or, if nothing does, lets go on what is paused.
func (p *runsPane) pause() tea.Cmd {
	runs := p.fit(actPause)
	running := slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool { return r.Status() != runner.Running })
	if len(running) > 0 {
		return p.each("pause", running)
	}
	return p.each("resume", runs)
}

func (p *runsPane) each(verb string, runs []*record.Run) tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range runs {
		cmds = append(cmds, p.ask(verb, r.Meta.ID))
	}
	return tea.Sequence(cmds...)
}

// sure asks before something is done to runs.
func (p *runsPane) sure(title, verb string, runs []*record.Run, what string, then tea.Cmd) tea.Cmd {
	const most = 8
	lines := []string{plural(len(runs), "run") + ":", ""}
	for i, r := range runs {
		if i == most {
			lines = append(lines, fmt.Sprintf("  and %d more", len(runs)-most))
			break
		}
		lines = append(lines, "  "+Clean(r.Meta.ID))
	}
	return question(title, append(lines, "", what), choice{[]string{"y"}, verb, then})
}

func (p *runsPane) remove(names []string) tea.Cmd {
	s := p.source
	return func() tea.Msg {
		var m deletedMsg
		for _, id := range names {
			if err := s.Delete(id); err != nil {
				m.problems = append(m.problems, err)
			} else {
				m.ids = append(m.ids, id)
			}
		}
		return m
	}
}
