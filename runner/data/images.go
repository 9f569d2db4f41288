package data

// images is an ImageSource in memory: samples of equal length, stride bytes apart.
type images struct {
	shape  Shape
	data   []byte // sample i is data[i*stride+skip:][:shape.Len()]
	stride int
	skip   int
	labels []byte
}

func (s *images) Len() int        { return len(s.labels) }
func (s *images) Shape() Shape    { return s.shape }
func (s *images) Label(i int) int { return int(s.labels[i]) }
func (s *images) Group(i int) int { return int(s.labels[i]) }

func (s *images) Pixels(_ []byte, i int) []byte {
	at := i*s.stride + s.skip
	return s.data[at : at+s.shape.Len()]
}

func (s *images) Read(dst []float32, i int) { readPixels(dst, s.Pixels(nil, i)) }

// readPixels turns bytes into byte/255.
func readPixels(dst []float32, pixels []byte) {
	for j, v := range pixels {
		dst[j] = float32(v) / 255
	}
}
