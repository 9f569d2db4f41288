package watch

import (
	"strings"

	"drolab/tui/kit"
)

// info is what the focused panel shows, defined.
func (w *Page) info() *kit.Overlay {
	v := w.shows(w.focus)
	var texts []string
	if v.doc != "" {
		texts = append(texts, v.doc)
	}
	for _, q := range v.measures() {
		m := w.quantities[q]
		texts = append(texts, m.Definition())
	}
	if v.bars != "" {
		m := v.of(w.run().meta)
		texts = append(texts, m.Definition())
	}
	texts = append(texts,
		"In the table: train loss of the last logged batch; worst %, test % and losses of the last "+
			"evaluation; time left at the mean speed so far, evaluations included.",
		"A vertical mark r is a resume from a checkpoint, k a change of a setting, f where a fork leaves "+
			"its parent, whose curve it goes on.")
	lines := kit.Wrap(w.Theme.Greek(strings.Join(texts, "\n\n")), min(76, w.Body.W-6))
	title := w.title(w.focus)
	return &kit.Overlay{Title: w.Theme.Greek(title), Lines: lines}
}
