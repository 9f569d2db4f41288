package nn

import (
	"slices"
	"strings"

	"drolab/dro/internal/kern"
)

// Order returns the words, joined by "-", that name the order of sums where it differs from the
// order of the kernels' first release. The first layer has a word of its own. It is "rows" if
// training steps take a batch as it comes: the layer is linear, of few units and a multiple of 16
// features, in fp32 on a kernel in assembly. It is "parts" if they also sum its gradient over runs
// of images. In bf16 it is "strips" if tiles of operands hold all that an output sees (few
// channels), and "runs" if rows of the kernel are the channels of products. "taps" is for a
// convolution's gradient on large maps, "pairs" for products that read roundings (kern.BF16Pairs),
// and "winograd" for convolutions by Winograd.
func Order(c Config) string {
	list, err := stages(c)
	if err != nil {
		return ""
	}
	isa, rounded, batch := kern.Detect(), c.Precision == bf16, kern.NewBatch(c.Batch)
	var words []string
	switch {
	case rounded && kern.BF16Runs(kern.DetectBF16(), batch, list[0].config()):
		words = append(words, "runs")
	case rounded:
		if kern.BF16Strips(kern.DetectBF16(), list[0].config()) {
			words = append(words, "strips")
		}
	case !takesRows(isa, list[0]):
	case kern.RowsParts(batch, list[0].config()) > 1:
		words = append(words, "parts")
	default:
		words = append(words, "rows")
	}
	kind := kern.Rounded
	if rounded {
		kind = kern.DetectBF16()
	}
	some := func(is func(s stage) bool) bool {
		return slices.ContainsFunc(list, func(s stage) bool { return s.kind == conv && is(s) })
	}
	if kind == kern.Rounded && some(func(s stage) bool { return kern.GradTaps(isa, s.config()) }) {
		words = append(words, "taps")
	}
	if some(func(s stage) bool { return kern.BF16Pairs(kind, batch, s.config()) }) {
		words = append(words, "pairs")
	}
	if c.byWinograd() && some(func(s stage) bool { return kern.WinogradFits(s.config()) }) {
		words = append(words, "winograd")
	}
	return strings.Join(words, "-")
}
