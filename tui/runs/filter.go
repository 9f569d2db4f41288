package runs

import (
	"strings"

	"drolab/runner/compare"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// press handles a key while the filter is typed. The list follows at once.
func (p *Page) press(k tea.KeyPressMsg) {
	switch k.String() {
	case "enter", "down":
		p.filtering = false
	case "tab":
		p.complete()
	case "esc":
		p.filtering, p.line = false, kit.NewInput("")
		p.refilter()
	default:
		if p.line.Update(k) {
			p.refilter()
		}
	}
}

// completions returns what the last word of the filter may become.
func (p *Page) completions() []string { return compare.Complete(p.line.String(), p.all) }

// complete takes as much of the last word as all of its completions have; of a word that has that
// already it takes the first.
func (p *Page) complete() {
	words, text := p.completions(), p.line.String()
	if len(words) == 0 {
		return
	}
	common := words[0]
	for _, w := range words {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	from := strings.LastIndexAny(text, " ()|") + 1
	if len(common) <= len(text)-from {
		common = words[0]
	}
	p.line = kit.NewInput(text[:from] + common)
	p.refilter()
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
