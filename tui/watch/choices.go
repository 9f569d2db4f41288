package watch

import (
	"slices"
	"strconv"

	"drolab/runner/lists"
	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// Choices returns the user's choices about the page, with those about the board.
func (w *Page) Choices() lab.Choices {
	layouts := lists.Map(counts(), strconv.Itoa)
	titles := lists.Map(w.Board.Panels, func(p panel.Panel) string { return p.Title })
	return slices.Concat(w.Board.Choices(), lab.Choices{
		lab.OneOf("layout", layouts, &w.screen.shown, func() { w.screen.zoomed = false }),
		lab.OneOf("numbers", tileNames(), &w.screen.tiles, func() {}),
		lab.OneOf("panel", titles, &w.screen.focus, func() {}),
		{Name: "seeds", Get: func() []string {
			if w.Runs.EachSeed {
				return []string{"each"}
			}
			return nil
		}, Set: func(v []string) {
			w.Runs.EachSeed = slices.Equal(v, []string{"each"})
			w.Board.Refit()
		}},
		lab.OneOf("pane", []string{"none", "log", "output"}, &w.screen.logPane,
			func() { w.screen.logBack = 0 }),
	})
}

// reset shows all of x or, where that is shown, sets the choices to their defaults.
func (w *Page) reset() {
	if w.Board.ZoomX != (plot.Range{}) {
		w.Board.Unzoom()
	} else {
		w.Choices().Set(nil)
	}
}
