package data

import (
	"cmp"
	"runtime"
	"sync"
)

// images is an ImageSource in memory: samples of equal length, stride bytes apart.
type images struct {
	shape  Shape
	data   []byte // sample i is data[i*stride+skip:][:shape.Len()]
	stride int
	skip   int
	labels []byte
	groups []uint16 // nil: the labels
}

func (s *images) Len() int        { return len(s.labels) }
func (s *images) Shape() Shape    { return s.shape }
func (s *images) Label(i int) int { return int(s.labels[i]) }

func (s *images) Group(i int) int {
	if s.groups == nil {
		return s.Label(i)
	}
	return int(s.groups[i])
}

func (s *images) Pixels(_ []byte, i int) []byte {
	at := i*s.stride + s.skip
	return s.data[at : at+s.shape.Len()]
}

func (s *images) Read(dst []float32, i int) { readPixels(dst, s.Pixels(nil, i)) }

// store puts the splits of images that are wanted so into memory.
func (d *Dataset) store(wanted func(ImageSource) bool) {
	for _, split := range []*Source{&d.Train, &d.Val, &d.Test} {
		if src, ok := (*split).(ImageSource); ok && wanted(src) {
			*split = stored(src)
		}
	}
}

// stored copies a source of at most 256 classes into memory, or draws it there, on every core.
func stored(src ImageSource) *images {
	n, size := src.Len(), src.Shape().Len()
	out := &images{shape: src.Shape(), data: make([]byte, n*size), stride: size,
		labels: make([]byte, n), groups: make([]uint16, n)}
	onEveryCore(n, func(i int) {
		room := out.data[i*size : (i+1)*size]
		copy(room, src.Pixels(room, i))
		out.labels[i], out.groups[i] = byte(src.Label(i)), uint16(src.Group(i))
	})
	return out
}

// onEveryCore does something for every sample of n. It panics with what one of them
// does: a goroutine of its own would end the program.
func onEveryCore(n int, do func(i int)) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	faults := make([]*fault, workers)
	for w := range workers {
		wg.Go(func() {
			faults[w] = guard(func() {
				for i := w * n / workers; i < (w+1)*n/workers; i++ {
					do(i)
				}
			})
		})
	}
	wg.Wait()
	if f := cmp.Or(faults...); f != nil {
		panic(f.of)
	}
}

// tabulate puts every split that is small enough into memory as a table.
func (d *Dataset) tabulate() {
	for _, split := range []*Source{&d.Train, &d.Val, &d.Test} {
		if src := *split; src != nil && src.Len() <= drawnMemory/4/src.Shape().Len() {
			*split = tabulated(src)
		}
	}
}

// tabulated copies a source of features into memory, or draws it there.
func tabulated(src Source) *table {
	n, width := src.Len(), src.Shape().Len()
	x := &rowBlocks{width, max(1, n), [][]float32{make([]float32, n*width)}}
	out := &table{marks{make([]uint16, n), make([]uint16, n)}, x, nil}
	onEveryCore(n, func(i int) {
		src.Read(x.row(i), i)
		out.labels[i], out.groups[i] = uint16(src.Label(i)), uint16(src.Group(i))
	})
	return out
}

// readPixels turns bytes into byte/255.
func readPixels(dst []float32, pixels []byte) {
	for j, v := range pixels {
		dst[j] = float32(v) / 255
	}
}
