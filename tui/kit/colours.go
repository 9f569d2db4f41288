package kit

import (
	"image/color"

	"drolab/tui/plot"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// ink is one colour for each kind of terminal: 24 bits, the 256 and the 16 colours. They are chosen
// by hand: the nearest colours would make two runs look alike.
type ink struct {
	rgb  uint32
	x256 uint8
	x16  uint8
}

// inks are the colours for one kind of background. Green and red are better and worse, and no other
// colour is green or red.
type inks struct {
	dim, accent, better, warn, worse, border, faded ink
	selected                                        ink // background of the selected row
	series                                          [Colors]ink
}

// darkInks returns the colours for a dark background; series are lighter on dark and darker on
// light. The colours of series are those of methods, in the order of dro.Algorithms. People with
// any colour vision tell the first eight and that of sfk-auto apart (the first ones are after Okabe
// and Ito, 2008). The others are chosen from those of the 256 colours that stand out from the
// background and are neither green nor red: the ones that lie farthest from the first eight and
// from each other in OKLab. The sixteen colours repeat, so that there the mark decides. ERM,
// against which the others are read, is grey; 7 is the shortest of the 256 to send.
func darkInks() inks {
	return inks{
		dim: ink{0x8a93a3, 245, 7}, accent: ink{0x7cc7ff, 81, 14}, border: ink{0x4a5262, 239, 8},
		better: ink{0x3fcf8e, 42, 10}, warn: ink{0xf2c14e, 221, 11}, worse: ink{0xff7b72, 209, 9},
		faded: ink{0x59616f, 241, 8}, selected: ink{0x262d3a, 236, 0},
		series: [Colors]ink{
			{0x56b4e9, 75, 14}, {0xf0a020, 214, 3}, {0xe88bc0, 175, 13}, {0xc8ccd4, 7, 15},
			{0xf0e442, 227, 11}, {0xd700d7, 164, 5}, {0xaf5f00, 130, 7}, {0x00a0a0, 37, 6},
			{0x00ffff, 51, 14}, {0xff5fff, 207, 13}, {0xaf5f87, 132, 5}, {0xffffd7, 230, 15},
			{0x0087d7, 32, 14}, {0x9a7cff, 141, 12}, {0x878700, 100, 3}, {0xafaf87, 144, 11},
			{0x5f5fff, 63, 12}, {0x8787af, 103, 7}},
	}
}

// lightInks returns the colours for a light background, which are darker: on paper a light colour
// is not seen.
func lightInks() inks {
	return inks{
		dim: ink{0x5b6472, 241, 8}, accent: ink{0x0060a8, 25, 4}, border: ink{0xb4bac4, 249, 7},
		better: ink{0x007a4d, 29, 2}, warn: ink{0x8a5a00, 94, 3}, worse: ink{0xb3261e, 124, 1},
		faded: ink{0xa0a6b0, 247, 7}, selected: ink{0xe4eaf2, 254, 7},
		series: [Colors]ink{
			{0x0069b4, 25, 4}, {0xb05a00, 130, 3}, {0xa8327d, 126, 5}, {0x4a4f58, 239, 0},
			{0x8f8200, 100, 3}, {0x00005f, 17, 8}, {0xaf5fff, 135, 13}, {0x008787, 30, 6},
			{0x5f005f, 53, 5}, {0x0000ff, 21, 4}, {0xff00af, 199, 13}, {0x0000af, 19, 8},
			{0x0087ff, 33, 6}, {0x7430d8, 92, 12}, {0x875faf, 97, 5}, {0x5f5f00, 58, 3},
			{0xd700ff, 165, 13}, {0x5f5fff, 63, 12}},
	}
}

// heatInks returns the colours of the levels of maps: cividis (Nunez, Anderton and Renslow, 2018),
// whose lightness grows evenly, from blue over grey to yellow.
func heatInks() [plot.HeatLevels]ink {
	return [...]ink{{0x123570, 17, 4}, {0x3b496c, 24, 4}, {0x575d6d, 60, 8}, {0x707173, 66, 8},
		{0x8a8678, 101, 7}, {0xa59c74, 144, 7}, {0xc3b369, 179, 3}, {0xe1cc55, 185, 11},
		{0xfee838, 227, 11}}
}

// color returns the colour for a kind of terminal.
func (c ink) color(complete lipgloss.CompleteFunc) color.Color {
	return complete(ansi.BasicColor(c.x16), ansi.IndexedColor(c.x256), rgb(c.rgb))
}

func rgb(c uint32) ansi.RGBColor {
	return ansi.RGBColor{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c)}
}

// mixColours mixes two colours, with a bit more of the second.
func mixColours(a, b uint32) (mix uint32) {
	for shift := 0; shift <= 16; shift += 8 {
		mix |= ((a>>shift&0xff)*2 + (b>>shift&0xff)*3) / 5 << shift
	}
	return mix
}
