package data

// Images is an ImageSource in memory: samples of equal length, Stride bytes apart.
type Images struct {
	Marks
	Dims   Shape
	Data   []byte // sample i is Data[i*Stride+Skip:][:Dims.Len()]
	Stride int
	Skip   int
}

func (s *Images) Shape() Shape { return s.Dims }

func (s *Images) Pixels(_ []byte, i int) []byte {
	at := i*s.Stride + s.Skip
	return s.Data[at : at+s.Dims.Len()]
}

func (s *Images) Read(dst []float32, i int) { ReadPixels(dst, s.Pixels(nil, i)) }

// Store copies into memory each split of images for which wanted returns true.
func Store(d *Dataset, wanted func(ImageSource) bool) {
	for _, split := range []*Source{&d.Train, &d.Val, &d.Test} {
		if src, ok := (*split).(ImageSource); ok && wanted(src) {
			*split = stored(src)
		}
	}
}

// stored copies a source into memory, or draws it there, on every core.
func stored(src ImageSource) *Images {
	n, size := src.Len(), src.Shape().Len()
	out := &Images{Marks: NewMarks(n), Dims: src.Shape(), Data: make([]byte, n*size), Stride: size}
	out.Keys = KeysOf(src)
	OnEveryCore(n, func(i int) {
		room := out.Data[i*size : (i+1)*size]
		copy(room, src.Pixels(room, i))
		out.Labels[i], out.Groups[i] = uint16(src.Label(i)), uint16(src.Group(i))
	})
	return out
}

// ReadPixels writes byte/255 of every pixel to dst.
func ReadPixels(dst []float32, pixels []byte) {
	for j, v := range pixels {
		dst[j] = float32(v) / 255
	}
}
