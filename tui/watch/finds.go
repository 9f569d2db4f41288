package watch

import "drolab/tui/kit"

// Finds returns what the search of the interface finds here: the panels, also those out of view. A
// zoomed panel makes way for the one that was found.
func (w *Page) Finds() (rows []kit.Key) {
	if len(w.Runs.Tracks) == 0 {
		return nil
	}
	for i, p := range w.Board.Panels {
		rows = append(rows, kit.Key{Keys: kit.On(""), Called: []string{p.Title},
			Help: "panel " + p.Title,
			Act:  w.thenChanged(kit.Just(func() { w.screen.focus = i }))})
	}
	return rows
}
