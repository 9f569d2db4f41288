package data_test

import (
	"math"
	"testing"

	"drolab/runner/data"
)

func TestHalf(t *testing.T) {
	for h, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504,
		0x0400: 1. / (1 << 14),
		0x03ff: 1023. / (1 << 24), 0x8001: -1. / (1 << 24), 0x7c00: float32(math.Inf(1)),
		0xfc00: float32(math.Inf(-1)), 0x3555: 1365. / 4096} {
		if got := data.Half(h); got != want {
			t.Errorf("%#04x is %v, want %v", h, got, want)
		}
	}
	if v := data.Half(0x7e00); v == v {
		t.Errorf("0x7e00 is %v, want no number", v)
	}
}
