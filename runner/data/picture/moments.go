package picture

import (
	"math"

	"drolab/runner/data"
)

// fitScale sets the normalisation of d by the training samples of src.
func fitScale(d *data.Dataset, src data.Source, train []uint32, o data.Options) {
	rows := data.FittedTo(o, src, train, d)
	d.Mean, d.Std = channelMoments(data.SubsetOf(src, rows).(data.ImageSource))
}

// channelMoments gives mean and (population) standard deviation of every channel, in units of
// byte/255, from counts, so that they are the same in any order; a deviation of 0 becomes 1.
func channelMoments(src data.ImageSource) (mean, std []float32) {
	shape := src.Shape()
	per := shape.H * shape.W
	var count [3][256]int
	buf := make([]byte, shape.Len())
	for i := range src.Len() {
		p := src.Pixels(buf, i)
		for c := range min(shape.C, len(count)) {
			for _, v := range p[c*per : (c+1)*per] {
				count[c][v]++
			}
		}
	}
	for c := range min(shape.C, len(count)) {
		m, s := momentsOf(&count[c])
		mean, std = append(mean, m), append(std, s)
	}
	return mean, std
}

func momentsOf(count *[256]int) (mean, std float32) {
	n, sum, squares := 0, 0, 0
	for v, k := range count {
		n, sum, squares = n+k, sum+v*k, squares+v*v*k
	}
	m := float64(sum) / float64(n)
	variance := float64(squares)/float64(n) - float64(m*m)
	std = float32(math.Sqrt(variance) / 255)
	if !(std > 0) {
		std = 1
	}
	return float32(m / 255), std
}
