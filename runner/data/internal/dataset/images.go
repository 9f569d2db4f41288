package dataset

import (
	"cmp"
	"runtime"
	"sync"
)

// Images is an ImageSource in memory: samples of equal length, Stride bytes apart.
type Images struct {
	Dims   Shape
	Data   []byte // sample i is Data[i*Stride+Skip:][:Dims.Len()]
	Stride int
	Skip   int
	Labels []byte
	Groups []uint16 // nil: the labels
}

func (s *Images) Len() int        { return len(s.Labels) }
func (s *Images) Shape() Shape    { return s.Dims }
func (s *Images) Label(i int) int { return int(s.Labels[i]) }

func (s *Images) Group(i int) int {
	if s.Groups == nil {
		return s.Label(i)
	}
	return int(s.Groups[i])
}

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

// stored copies a source of at most 256 classes into memory, or draws it there, on every core.
func stored(src ImageSource) *Images {
	n, size := src.Len(), src.Shape().Len()
	out := &Images{Dims: src.Shape(), Data: make([]byte, n*size), Stride: size,
		Labels: make([]byte, n), Groups: make([]uint16, n)}
	OnEveryCore(n, func(i int) {
		room := out.Data[i*size : (i+1)*size]
		copy(room, src.Pixels(room, i))
		out.Labels[i], out.Groups[i] = byte(src.Label(i)), uint16(src.Group(i))
	})
	return out
}

// OnEveryCore calls do for each of n samples, on all cores. If a call panics, OnEveryCore panics
// with the same value: a panic on a goroutine of its own would end the program.
func OnEveryCore(n int, do func(i int)) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	faults := make([]*Fault, workers)
	for w := range workers {
		wg.Go(func() {
			faults[w] = Guard(func() {
				for i := w * n / workers; i < (w+1)*n/workers; i++ {
					do(i)
				}
			})
		})
	}
	wg.Wait()
	if f := cmp.Or(faults...); f != nil {
		panic(f.Of)
	}
}

// DrawnMemory is the size of a split in bytes above which a sample is drawn each time it is asked
// for, not only once.
const DrawnMemory = 64 << 20

// Tabulate puts every split that is small enough into memory as a table.
func Tabulate(d *Dataset) {
	for _, split := range []*Source{&d.Train, &d.Val, &d.Test} {
		if src := *split; src != nil && src.Len() <= DrawnMemory/4/src.Shape().Len() {
			*split = Tabulated(src)
		}
	}
}

// Tabulated copies a source of features into memory, or draws it there.
func Tabulated(src Source) *Table {
	n, width := src.Len(), src.Shape().Len()
	x := &RowBlocks{width, max(1, n), [][]float32{make([]float32, n*width)}}
	out := &Table{Marks{make([]uint16, n), make([]uint16, n)}, x, nil}
	OnEveryCore(n, func(i int) {
		src.Read(x.Row(i), i)
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
