package picture

import (
	"image"
	"image/color"
)

// A lossy WebP stores luma from 16 to 235 and chroma from 16 to 240 (RFC 6386, section 9.2: the
// matrix and ranges of ITU-R BT.601). A JPEG uses the whole byte, and package image converts every
// YCbCr picture as if it came from a JPEG: white would become 235 and black 16. A network could
// then tell the format by its range.

// webpColours returns a decoded WebP with its colours converted as libwebp does, which browsers and
// Pillow use: chroma is interpolated, and the result is the same but for rounding.
func webpColours(img image.Image) image.Image {
	switch m := img.(type) {
	case *image.YCbCr:
		return limitedRange(m, func(x, y int) uint8 { return 255 })
	case *image.NYCbCrA:
		return limitedRange(&m.YCbCr, func(x, y int) uint8 { return m.A[m.AOffset(x, y)] })
	}
	return img // a lossless one has RGB
}

// limitedRange converts a picture of limited range whose chroma has half of the rows and columns.
func limitedRange(m *image.YCbCr, alpha func(x, y int) uint8) *image.NRGBA {
	out := image.NewNRGBA(m.Rect)
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			u, v := chroma(m, x, y)
			c := bt601(int(m.Y[m.YOffset(x, y)]), u, v)
			c.A = alpha(x, y)
			out.SetNRGBA(x, y, c)
		}
	}
	return out
}

// chroma returns the chroma of a pixel. The nearest chroma sample weighs 9/16, those beside and
// above or below it 3/16, and the one across 1/16.
func chroma(m *image.YCbCr, x, y int) (u, v int) {
	beside, within := neighbour(x, m.Rect.Min.X, m.Rect.Max.X)
	above, _ := neighbour(y, m.Rect.Min.Y, m.Rect.Max.Y)
	near, next := m.COffset(x, y), m.COffset(beside, y)
	over, across := m.COffset(x, above), m.COffset(beside, above)
	weighted := func(of []uint8) int {
		if !within {
			return (3*int(of[near]) + int(of[over]) + 2) >> 2
		}
		n, b, o, a := int(of[near]), int(of[next]), int(of[over]), int(of[across])
		return ((n+a+3*(b+o)+8)>>3 + n) >> 1
	}
	return weighted(m.Cb), weighted(m.Cr)
}

// neighbour returns a place whose chroma sample is the second nearest to that of place x: the
// sample behind for an odd x, else the one before. At an edge, within is false, and the place is x.
func neighbour(x, least, end int) (place int, within bool) {
	place = x - 1
	if (x-least)%2 == 1 {
		place = x + 1
	}
	if place < least || place >= end {
		return x, false
	}
	return place, true
}

// bt601 converts a colour of limited range in fixed point, with 14 bits behind the point: 255/219
// for luma, and the factors of ITU-R BT.601 times 255/224 for chroma.
func bt601(y, u, v int) color.NRGBA {
	high := func(v, factor int) int { return v * factor >> 8 }
	clipped := func(v int) uint8 { return uint8(min(max(v>>6, 0), 255)) }
	luma := high(y, 19077)
	return color.NRGBA{
		R: clipped(luma + high(v, 26149) - 14234),
		G: clipped(luma - high(u, 6419) - high(v, 13320) + 8708),
		B: clipped(luma + high(u, 33050) - 17685),
	}
}
