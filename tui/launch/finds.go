package launch

import (
	"fmt"

	"drolab/tui/kit"
)

// Finds returns what the search of the interface finds here: presets, and the settings of the
// preset under the cursor with their values.
func (l *Page) Finds() (rows []kit.Key) {
	if l.Typing() {
		return nil
	}
	for i, p := range l.presets() {
		rows = append(rows, kit.Key{Keys: kit.On(""),
			Called: []string{p.Name}, Help: fmt.Sprintf("preset %s: %s", p.Name, p.Doc),
			Act: kit.Just(func() {
				l.right, l.problem, l.at = false, nil, i
				l.updatePlan()
			})})
	}
	for i, s := range l.settings() {
		rows = append(rows, kit.Key{Keys: kit.On(""),
			Called: []string{s.Key},
			Help:   fmt.Sprintf("setting %s = %s: %s", s.Key, l.text(s.Key), s.Doc),
			Act:    kit.Just(func() { l.right, l.problem, l.row, l.box = true, nil, i, 0 })})
	}
	return rows
}
