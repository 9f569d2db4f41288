package kit

import (
	"drolab/tui/plot"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// tintInks returns the grounds of figures that are better and worse than a baseline's, from the
// faintest. The text on them keeps its colour, and has a sign for eyes that do not tell green from
// red. On dark, no second green of the 256 colours lets text be read: there the smallest
// differences have a grey, so that they do not look like the greatest.
func tintInks(dark bool) (better, worse [plot.TintLevels]ink) {
	if dark {
		return [...]ink{{rgb: 0x0f2e26, x256: 236}, {rgb: 0x0f4a39, x256: 22},
				{rgb: 0x0d6b50, x256: 22}},
			[...]ink{{rgb: 0x35191b, x256: 236}, {rgb: 0x571f22, x256: 52},
				{rgb: 0x7f2629, x256: 88}}
	}
	return [...]ink{{rgb: 0xe2f5ec, x256: 194}, {rgb: 0xb9e8d0, x256: 158},
			{rgb: 0x86d8b0, x256: 115}},
		[...]ink{{rgb: 0xfdeae8, x256: 224}, {rgb: 0xf8c9c4, x256: 224},
			{rgb: 0xf0a099, x256: 217}}
}

// setTints sets the styles of figures that are better and worse than a baseline's. With sixteen
// colours or fewer there are no grounds faint enough for text, and the figures themselves have the
// styles of what is better and worse.
func (t *Theme) setTints() {
	for i := range t.better {
		t.better[i], t.worse[i] = t.Better, t.Worse
	}
	if t.profile <= colorprofile.ANSI {
		return
	}
	complete := lipgloss.Complete(t.profile)
	ground := func(c ink) Style {
		return styleOf(lipgloss.NewStyle().Background(c.color(complete)))
	}
	better, worse := tintInks(t.dark)
	for i := range t.better {
		t.better[i], t.worse[i] = ground(better[i]), ground(worse[i])
	}
}
