//go:build !purego

package kern

func runPeak(isa ISA, n int) {
	if isa == AVX512 {
		peakAVX512(n)
	} else {
		peakAVX2(n)
	}
}
