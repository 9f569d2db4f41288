package data

// Subset is the samples of a source that Index lists, in its order.
type Subset struct {
	Source
	Index []uint32
}

func (s *Subset) Len() int { return len(s.Index) }

func (s *Subset) Label(i int) int { return s.Source.Label(int(s.Index[i])) }

func (s *Subset) Group(i int) int { return s.Source.Group(int(s.Index[i])) }

func (s *Subset) Read(dst []float32, i int) { s.Source.Read(dst, int(s.Index[i])) }

// under returns the source of sample i, and its place there.
func (s *Subset) under(i int) (Source, int) { return s.Source, int(s.Index[i]) }

// ImageSubset is a subset of an image source.
type ImageSubset struct {
	Subset
	images ImageSource
}

func (s *ImageSubset) Pixels(buf []byte, i int) []byte {
	return s.images.Pixels(buf, int(s.Index[i]))
}

func SubsetOf(src Source, index []uint32) Source {
	if img, ok := src.(ImageSource); ok {
		return &ImageSubset{Subset{src, index}, img}
	}
	return &Subset{src, index}
}
