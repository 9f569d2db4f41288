package kern

// Layout moves activations between the plain order [image][channel][row][column] (NCHW) and the
// blocked order of a [Batch]. Like every operation here it runs one call at a time.
type Layout struct {
	isa   ISA
	batch Batch
	shape Shape

	plain, blocked []float32 // the running call
	images         int
}

// NewLayout returns the conversion for activations of shape s.
func NewLayout(isa ISA, b Batch, s Shape) *Layout {
	b.check(isa, s)
	return &Layout{isa: isa, batch: b, shape: s}
}

// Pack writes the images of src, NCHW, into dst, blocked. src may hold fewer images than the batch;
// the lanes of the others are set to zero.
func (l *Layout) Pack(t *Team, dst, src []float32) {
	l.images = l.check(src, dst)
	l.plain, l.blocked = src, dst
	t.run(l.batch.padded()/vector, l)
	l.plain, l.blocked = nil, nil
}

// Unpack writes the images of src, blocked, into dst, NCHW. dst may hold fewer images than the
// batch.
func (l *Layout) Unpack(dst, src []float32) {
	images := l.check(dst, src)
	s, lanes := l.shape, l.batch.Lanes
	for i := range images {
		from := src[i/lanes*lanes*s.Len()+i%lanes:]
		to := dst[i*s.Len():][:s.Len()]
		for c := range s.Channels {
			for p := range s.Height * s.Width {
				to[c*s.Height*s.Width+p] = from[(p*s.Channels+c)*lanes]
			}
		}
	}
}

func (l *Layout) check(plain, blocked []float32) (images int) {
	n := l.shape.Len()
	if len(blocked) != l.batch.Len(l.shape) || len(plain)%n != 0 || len(plain)/n > l.batch.Images {
		panic("kern: Layout: slice has the wrong length")
	}
	return len(plain) / n
}

// task packs one vector of lanes.
func (l *Layout) task(i int) {
	first := i * vector
	s, lanes := l.shape, l.batch.Lanes
	n := s.Len()
	count := min(max(l.images-first, 0), vector)
	dst := l.blocked[first/lanes*lanes*n+first%lanes:]
	if count < vector {
		for k := range n {
			clear(dst[k*lanes:][:vector])
		}
	}
	if count == 0 {
		return
	}
	positions := s.Height * s.Width
	for c := range s.Channels {
		src := l.plain[first*n+c*positions:]
		transpose(l.isa, dst[c*lanes:], src, count, positions, s.Channels*lanes, n)
	}
}
