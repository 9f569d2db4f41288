package launch

import (
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/tui/cell"
)

// boxesOf returns the boxes of a setting, nil for a setting without boxes.
func (l *Page) boxesOf(key string) (boxes []checkbox) {
	s := l.spec()
	switch {
	case key == "algorithms":
		for _, a := range dro.Algorithms() {
			boxes = append(boxes, checkbox{string(a), slices.Contains(s.Algorithms, a)})
		}
	case key == "seeds" && s.Seeds <= seedBoxes:
		for i := range seedBoxes {
			boxes = append(boxes, checkbox{fmt.Sprint(s.Seed + uint64(i)), i < s.Seeds})
		}
	}
	return boxes
}

// checkbox is a box with its name, ticked if on.
type checkbox struct {
	name string
	on   bool
}

// viewBoxes paints boxes.
func (l *Page) viewBoxes(boxes []checkbox, here bool) []string {
	t := l.Theme
	list := make([]string, len(boxes))
	for i, b := range boxes {
		text, st := cell.Unticked+b.name, t.Dim
		if b.on {
			text, st = cell.Ticked+b.name, t.Text
		}
		if here && i == l.box {
			st = t.Caret
		}
		list[i] = st.Paint(text)
	}
	return list
}
