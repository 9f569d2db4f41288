package runs

import (
	"drolab/runner/compare"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// press handles a key while the filter is typed. The list follows at once.
func (p *Page) press(k tea.KeyPressMsg) {
	switch k.String() {
	case "enter", "down", "tab":
		p.filtering = false
	case "esc":
		p.filtering, p.line = false, kit.NewInput("")
		p.refilter()
	default:
		if p.line.Update(k) {
			p.refilter()
		}
	}
}

// refilter applies the filter as typed. A filter that cannot be parsed leaves the list as it is.
func (p *Page) refilter() {
	f, err := compare.ParseFilter(p.line.String())
	p.problem = err
	if err == nil {
		p.filter = f
		p.arrange()
	}
}
