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

// inks are the colours for one kind of background.
type inks struct {
	dim, accent, good, warn, bad, border, faded ink
	selected                                    ink // background of the selected row
	series                                      [Colors]ink
}

// darkInks returns the colours for a dark background; series are lighter on dark and darker on
// light. People with any colour vision tell the first eight series apart (after Okabe and Ito,
// 2008). The others are chosen from those of the 256 colours that stand out from the background:
// the ones that lie farthest from the first eight and from each other in OKLab. The sixteen colours
// repeat, so that there the mark decides.
func darkInks() inks {
	return inks{
		dim: ink{0x8a93a3, 245, 7}, accent: ink{0x7cc7ff, 117, 14}, border: ink{0x4a5262, 239, 8},
		good: ink{0x3fcf8e, 42, 10}, warn: ink{0xf2c14e, 221, 11}, bad: ink{0xff7b72, 209, 9},
		faded: ink{0x59616f, 241, 8}, selected: ink{0x262d3a, 236, 0},
		series: [Colors]ink{
			{0x56b4e9, 75, 14}, {0xf0a020, 214, 11}, {0xe88bc0, 175, 13}, {0x2fc48d, 42, 10},
			{0xf0e442, 227, 3}, {0x9a7cff, 141, 12}, {0xff7f50, 209, 9}, {0xc8ccd4, 252, 7},
			{0x00ffff, 51, 6}, {0xff5fff, 207, 5}, {0xafd700, 148, 2}, {0xffafff, 219, 13},
			{0x00af00, 34, 2}, {0xafaf5f, 143, 3}, {0x00ff87, 48, 10}, {0x00a0a0, 36, 6},
			{0xff0087, 198, 5}, {0x5f5fff, 63, 12}},
	}
}

// lightInks returns the colours for a light background, which are darker: on paper a light colour
// is not seen.
func lightInks() inks {
	return inks{
		dim: ink{0x5b6472, 241, 8}, accent: ink{0x0060a8, 25, 4}, border: ink{0xb4bac4, 249, 7},
		good: ink{0x007a4d, 29, 2}, warn: ink{0x8a5a00, 94, 3}, bad: ink{0xb3261e, 124, 1},
		faded: ink{0xa0a6b0, 247, 7}, selected: ink{0xe4eaf2, 254, 7},
		series: [Colors]ink{
			{0x0069b4, 25, 4}, {0xb05a00, 130, 3}, {0xa8327d, 126, 5}, {0x00754f, 29, 2},
			{0x8f8200, 100, 6}, {0x5b3fbf, 61, 12}, {0x901000, 88, 1}, {0x4a4f58, 239, 8},
			{0xaf00ff, 129, 13}, {0x5f0000, 52, 9}, {0x0000ff, 21, 12}, {0x5f005f, 53, 5},
			{0x005fff, 27, 4}, {0x00005f, 17, 4}, {0x5f00af, 55, 5}, {0x0000af, 19, 12},
			{0xff0087, 198, 5}, {0xaf5fd7, 134, 2}},
	}
}

// heatInks returns the colours of the levels of maps: viridis, whose lightness grows evenly.
func heatInks() [plot.HeatLevels]ink {
	return [...]ink{{0x440154, 53, 5}, {0x472d7b, 54, 5}, {0x3b528b, 60, 4}, {0x2c728e, 31, 4},
		{0x21918c, 30, 6}, {0x28ae80, 36, 6}, {0x5ec962, 77, 2}, {0xaddc30, 149, 10},
		{0xfde725, 227, 11}}
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
