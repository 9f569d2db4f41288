package certificate

import "drolab/runner/data"

// Picture is a sample as a picture: H rows of W pixels of red, green and blue.
type Picture struct {
	W, H int
	RGB  []byte
}

// Pictured tells whether samples of a shape are pictures: planes, grey or of three
// colours.
func Pictured(s data.Shape) bool { return s.H >= 2 && s.W >= 2 && (s.C == 1 || s.C == 3) }

// PictureOf returns the picture of sample i, whose values are taken to lie in [0, 1].
func PictureOf(src data.Source, i int) *Picture {
	s := src.Shape()
	values := make([]float32, s.Len())
	src.Read(values, i)
	p := &Picture{s.W, s.H, make([]byte, 0, 3*s.W*s.H)}
	for at := range s.W * s.H {
		for c := range 3 {
			v := values[c%s.C*s.W*s.H+at]
			p.RGB = append(p.RGB, byte(255*max(0, min(1, v))+.5))
		}
	}
	return p
}

// At returns the pixel at x and y.
func (p *Picture) At(x, y int) [3]byte { return [3]byte(p.RGB[3*(y*p.W+x):]) }

// Within returns the picture in at most w by h pixels: unchanged if it fits, else each pixel is the
// mean of the pixels that fall on it.
func (p *Picture) Within(w, h int) *Picture {
	if p.W <= w && p.H <= h {
		return p
	}
	scale := max(float64(p.W)/float64(w), float64(p.H)/float64(h))
	small := &Picture{W: max(1, int(float64(p.W)/scale)), H: max(1, int(float64(p.H)/scale))}
	for y := range small.H {
		for x := range small.W {
			mean := p.mean(x*p.W/small.W, y*p.H/small.H, (x+1)*p.W/small.W, (y+1)*p.H/small.H)
			small.RGB = append(small.RGB, mean[:]...)
		}
	}
	return small
}

// mean returns the mean of the pixels from x0 and y0 to below x1 and y1.
func (p *Picture) mean(x0, y0, x1, y1 int) (c [3]byte) {
	var sum [3]int
	n := (x1 - x0) * (y1 - y0)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			for k, v := range p.At(x, y) {
				sum[k] += int(v)
			}
		}
	}
	for k := range c {
		c[k] = byte((sum[k] + n/2) / n)
	}
	return c
}
