package nn

import (
	"slices"
	"strings"

	"drolab/dro/internal/kern"
)

// Kernel returns the name of the implementation that networks of a precision run on here: avx512,
// avx2, neon or generic. In bf16 it is amx-bf16 or avx512-bf16. Without instructions for bf16 it is
// one of the first four with operands rounded beforehand, as avx2-bf16-rounded. See Order, too.
// Each gives the same bits on any number of threads; the last bits of two kernels differ.
func Kernel(precision string) string {
	if precision == bf16 {
		return kern.DetectBF16().On(kern.Detect())
	}
	return kern.Detect().String()
}

// Order returns the words, joined by "-", that name the order of sums where it differs from the
// order of the kernels' first release. The first layer has a word of its own. It is "rows" if
// training steps take a batch as it comes: the layer is linear, of few units and a multiple of 16
// features, in fp32 on a kernel in assembly. It is "parts" if they also sum its gradient over runs
// of images. In bf16 it is "strips" if tiles of operands hold all that an output sees (few
// channels), and "runs" if rows of the kernel are the channels of products. "taps" is for a
// convolution's gradient on large maps, "pairs" for products that read roundings (kern.BF16Pairs),
// and "winograd" for convolutions by Winograd; "16" behind it says that they include those of 16 to
// 31 channels, which do not fit on other kernels than avx2. "vectors" is for the gradients of
// weights that such a network sums for 16 images at a time.
func Order(c Config) string {
	list, err := stages(c)
	if err != nil {
		return ""
	}
	isa, batch := kern.Detect(), kern.NewBatch(c.Batch)
	kind := kern.Rounded
	if c.Precision == bf16 {
		kind = kern.DetectBF16()
	}
	var words []string
	first := list[0].config()
	rows := c.Precision != bf16 && takesRows(isa, list[0])
	switch {
	case kern.BF16Runs(kind, batch, first):
		words = append(words, "runs")
	case kern.BF16Strips(kind, first):
		words = append(words, "strips")
	case rows && kern.RowsParts(batch, first) > 1:
		words = append(words, "parts")
	case rows:
		words = append(words, "rows")
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
	if c.byWinograd() && some(func(s stage) bool { return kern.WinogradFits(isa, s.config()) }) {
		words = append(words, "winograd")
	}
	if c.byWinograd() && some(func(s stage) bool {
		return kern.WinogradFits(isa, s.config()) && !kern.WinogradFits(kern.Generic, s.config())
	}) {
		words = append(words, "16")
	}
	if c.byWinograd() && some(func(s stage) bool { return byVectors(isa, s.config()) }) {
		words = append(words, "vectors")
	}
	return strings.Join(words, "-")
}

// byVectors reports whether a network by Winograd sums the gradient of a convolution by vectors.
func byVectors(isa kern.ISA, c kern.ConvConfig) bool {
	if kern.WinogradFits(isa, c) {
		return kern.WinogradVectors(isa, c)
	}
	return kern.GradVectors(isa, c)
}
