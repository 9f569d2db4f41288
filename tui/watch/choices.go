package watch

import (
	"slices"
	"strconv"

	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// Choices returns the user's choices about the page, with those about the board.
func (w *Page) Choices() lab.Choices {
	return slices.Concat(w.Board.Choices(), lab.Choices{
		{Name: "layout", Get: w.chosenLayout, Set: w.chooseLayout},
		{Name: "panel", Get: w.chosenPanel, Set: w.choosePanel},
		{Name: "seeds", Get: func() []string {
			if w.EachSeed {
				return []string{"each"}
			}
			return nil
		}, Set: func(v []string) { w.EachSeed = slices.Equal(v, []string{"each"}) }},
		lab.OneOf("pane", []string{"none", "log", "output"}, &w.logPane, func() {
			w.logBack = 0
			w.touch()
			w.Refit()
			w.Fit()
		}),
	})
}

// noReset says why there is nothing to reset.
func (w *Page) noReset() string {
	if w.ZoomX != (plot.Range{}) {
		return ""
	}
	return w.Choices().Key().Why()
}

// reset shows all of x or, where that is shown, sets the choices to their defaults.
func (w *Page) reset() {
	if w.ZoomX != (plot.Range{}) {
		w.Unzoom()
	} else {
		w.Choices().Set(nil)
	}
}

func (w *Page) chosenLayout() []string {
	if w.shown == 0 {
		return nil
	}
	return []string{strconv.Itoa(w.shown)}
}

func (w *Page) chooseLayout(value []string) {
	w.shown, w.zoomed = 0, false
	for _, n := range []int{1, 2, 4, 6} {
		if slices.Equal(value, []string{strconv.Itoa(n)}) {
			w.shown = n
		}
	}
}

func (w *Page) chosenPanel() []string {
	if w.focus == 0 {
		return nil
	}
	return []string{w.Panels[w.focus].Title}
}

func (w *Page) choosePanel(value []string) {
	w.focus = max(0, slices.IndexFunc(w.Panels, func(p panel.Panel) bool {
		return slices.Equal(value, []string{p.Title})
	}))
}
