package kern

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, images := range batchSizes {
		for _, s := range []Shape{{1, 1, 1}, {3, 5, 7}, {3, 8, 8}, {2, 1, 16}} {
			b := NewBatch(images)
			for _, held := range []int{images, images - 1, 0} {
				eachISA(t, func(t *testing.T, isa ISA) {
					l := NewLayout(isa, b, s)
					src, dst := random(t, r, held*s.Len()), guarded(t, b.Len(s))
					want := make([]float32, b.Len(s))
					scatter(b, s, want, append(append([]float32{}, src...),
						make([]float32, (images-held)*s.Len())...))
					l.Pack(nil, dst, src)
					sameBits(t, fmt.Sprintf("packed %d of %d %v", held, images, s), dst, want)
					back := guarded(t, len(src))
					l.Unpack(back, dst)
					sameBits(t, "unpacked", back, src)
				})
			}
		}
	}
}

// FuzzLayout checks that Pack and Unpack are inverse and that Pack agrees with the definition, on
// every ISA.
func FuzzLayout(f *testing.F) {
	f.Add(uint8(19), uint8(17), uint8(3), uint8(5), uint8(9))
	f.Fuzz(func(t *testing.T, images, held, channels, height, width uint8) {
		b := NewBatch(1 + int(images))
		s := Shape{1 + int(channels%5), 1 + int(height%20), 1 + int(width%20)}
		n := int(held) % (b.Images + 1)
		r := rand.New(rand.NewPCG(18, 19))
		src := random(t, r, n*s.Len())
		want := make([]float32, b.Len(s))
		scatter(b, s, want, append(append([]float32{}, src...),
			make([]float32, (b.Images-n)*s.Len())...))
		for _, isa := range ISAs() {
			l := NewLayout(isa, b, s)
			dst, back := guarded(t, b.Len(s)), guarded(t, len(src))
			l.Pack(nil, dst, src)
			sameBits(t, "packed", dst, want)
			l.Unpack(back, dst)
			sameBits(t, "unpacked", back, src)
		}
	})
}
