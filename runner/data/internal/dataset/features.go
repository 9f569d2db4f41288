package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"
)

// Features is a Source of numbers that stay as they lie in a file or its mapping.
type Features struct {
	Marks
	Dims   Shape
	Size   int    // bytes of a number
	Data   []byte // [N][C][H][W]
	Decode func(dst []float32, src []byte)
}

// Decoders returns the functions that decode numbers, by the size of a number in bytes.
func Decoders() map[int]func(dst []float32, src []byte) {
	return map[int]func([]float32, []byte){2: decode16, 4: Decode32, 8: Decode64}
}

func (f *Features) Shape() Shape { return f.Dims }

func (f *Features) Read(dst []float32, i int) {
	row := f.Dims.Len() * f.Size
	f.Decode(dst, f.Data[i*row:(i+1)*row])
}

func decode16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = Half(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

// littleEndian says whether this machine stores numbers in the byte order of the files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Decode32 copies the bytes where it can, since a loop takes several times as long. It copies in
// pieces: from 2048 bytes on, copy uses the processor's string instruction. At odd addresses (an
// array in an archive lies anywhere) that takes three times as long as vector instructions.
func Decode32(dst []float32, src []byte) {
	src = src[:4*len(dst)]
	if littleEndian {
		const piece = 1024
		to := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(src))
		for at := 0; at < len(src); at += piece {
			copy(to[at:], src[at:min(at+piece, len(src))])
		}
		return
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

func Decode64(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
	}
}

// Scan writes the bytes of the numbers to a hash and meanwhile checks that all numbers are finite
// in float32. If reading them panics, Scan panics with the same value.
func (f *Features) Scan(name string, hash io.Writer) (err error) {
	OnEveryCore(2, func(i int) {
		if i == 0 {
			err = f.check(name)
		} else {
			hash.Write(f.Data)
		}
	})
	return err
}

// check returns an error that names the first number that is not finite in float32, if any.
func (f *Features) check(name string) error {
	const most = 1 << 16 // numbers at a time: they stay in the cache
	room, width := make([]float32, most), f.Dims.Len()
	for at, n := 0, len(f.Data)/f.Size; at < n; at += most {
		x := room[:min(most, n-at)]
		f.Decode(x, f.Data[at*f.Size:(at+len(x))*f.Size])
		for j, v := range x {
			const exponent = 0xff << 23 // all ones: infinite or no number
			if math.Float32bits(v)&exponent == exponent {
				return fmt.Errorf(
					"%s: sample %d, feature %d is %v in float32: features must be finite",
					name, (at+j)/width, (at+j)%width, v)
			}
		}
	}
	return nil
}

// Moments gives mean and (population) standard deviation of every channel over some samples; a
// deviation of 0 becomes 1.
func (f *Features) Moments(rows []uint32) (mean, std []float32) {
	c, per := f.Dims.C, f.Dims.H*f.Dims.W
	x, first := make([]float32, f.Dims.Len()), make([]float32, f.Dims.Len())
	sum, square := make([]float64, c), make([]float64, c)
	f.Read(first, int(rows[0]))
	for _, i := range rows {
		f.Read(x, int(i))
		for k := range c {
			for _, v := range x[k*per : (k+1)*per] {
				// d is small: little is lost when squares are subtracted.
				d := float64(v) - float64(first[k*per])
				sum[k] += d
				square[k] += float64(d * d) // not fused: the same bits on every machine
			}
		}
	}
	mean, std = make([]float32, c), make([]float32, c)
	for k := range mean {
		n := float64(len(rows) * per)
		m := sum[k] / n
		mean[k] = float32(m + float64(first[k*per]))
		std[k] = float32(math.Sqrt(square[k]/n - float64(m*m)))
		if !(std[k] > 0) {
			std[k] = 1
		}
	}
	return mean, std
}

// Half returns the value of a float16.
func Half(h uint16) float32 {
	const exponent = 0x7c00 << 13
	v := uint32(h&0x7fff) << 13
	e := v & exponent
	v += (127 - 15) << 23
	switch e {
	case exponent: // infinite or no number
		v += (128 - 16) << 23
	case 0: // subnormal
		v = math.Float32bits(math.Float32frombits(v+1<<23) - math.Float32frombits(113<<23))
	}
	return math.Float32frombits(v | uint32(h&0x8000)<<16)
}

// Floats returns the samples as they lie in memory, or nil if they are not float32s of this
// machine. They may begin at any address, as an array in an archive does: they are for assembly,
// not for processors that trap on unaligned reads.
func (f *Features) Floats() []float32 {
	if f.Size != 4 || !littleEndian || len(f.Data) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(f.Data))), len(f.Data)/4)
}

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

// OnEveryCore calls do for each number below n, on all cores. If a call panics, OnEveryCore panics
// with the same value: a panic on a goroutine of its own would end the program. The cause is mostly
// a mapped file that was cut.
func OnEveryCore(n int, do func(i int)) {
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), n)
	panics := make([]any, workers)
	for w := range workers {
		wg.Go(func() {
			defer func() { panics[w] = recover() }()
			debug.SetPanicOnFault(true)
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				do(i)
			}
		})
	}
	wg.Wait()
	if i := slices.IndexFunc(panics, func(p any) bool { return p != nil }); i >= 0 {
		panic(panics[i])
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
	out := &Table{NewMarks(n), x, nil}
	out.Keys = KeysOf(src)
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

// Relabelled is a source with other labels and groups: some labels are wrong on purpose, or the
// numbers of classes and groups are changed.
type Relabelled struct {
	Source
	labels, groups []uint32
}

func (s *Relabelled) Label(i int) int { return int(s.labels[i]) }
func (s *Relabelled) Group(i int) int { return int(s.groups[i]) }

// under returns the source of sample i, and its place there.
func (s *Relabelled) under(i int) (Source, int) { return s.Source, i }

// Cells are the parts of a dataset's groups, where these are label × group. The label of a cell is
// the label that is trained on.
type Cells struct {
	Label, Given []int    // for each of Dataset.Groups: its class, and its group as given
	Names        []string // of the groups as given
}

// relabelledImages is a Relabelled source of images that still gives a loader their bytes.
type relabelledImages struct {
	Relabelled
	images ImageSource
}

func (s *relabelledImages) Pixels(buf []byte, i int) []byte { return s.images.Pixels(buf, i) }

// Mislabel sets the labels of round(share·n) of the n training samples to another class, drawn
// uniformly by seed alone: the same for every method and run. It comes after cap, imbalance and
// hold-out, so that the share is of the samples that are trained on, and the held-out labels stay
// right.
func (d *Dataset) Mislabel(share float64, seed uint64) {
	n := d.Train.Len()
	wanted := int(math.Round(share * float64(n)))
	if wanted == 0 || len(d.Classes) < 2 { // one class has no other
		return
	}
	d.Notes = append(d.Notes,
		fmt.Sprintf("label_noise: %d of %d training labels are set to another class", wanted, n))
	rng := rand.New(rand.NewPCG(seed, purposeMislabel))
	labels, groups := make([]uint32, n), make([]uint32, n)
	groupOf := d.groupsByLabel()
	for i := range labels {
		label := d.Train.Label(i)
		// Knuth's algorithm S: every set of that size is equally likely.
		if rng.IntN(n-i) < wanted {
			wanted--
			label = (label + 1 + rng.IntN(len(d.Classes)-1)) % len(d.Classes)
		}
		labels[i], groups[i] = uint32(label), uint32(groupOf(d.Train.Group(i), label))
	}
	d.Train = Relabel(d.Train, labels, groups)
}

// Relabel gives a source other labels and groups.
func Relabel(src Source, labels, groups []uint32) Source {
	r := Relabelled{src, labels, groups}
	if images, ok := src.(ImageSource); ok {
		return &relabelledImages{r, images}
	}
	return &r
}

// groupsByLabel returns a function that gives the new group of a sample from its group and its new
// label. Groups that are classes or cells follow the label, and a cell without samples so far
// becomes a group; other groups stay.
func (d *Dataset) groupsByLabel() func(group, label int) int {
	switch {
	case !d.Grouped:
		return func(_, label int) int { return label }
	case d.Cells == nil:
		return func(group, _ int) int { return group }
	}
	c, place := d.Cells, map[[2]int]int{} // place: the group of a label and a given group
	for g := range c.Label {
		place[[2]int{c.Label[g], c.Given[g]}] = g
	}
	return func(group, label int) int {
		key := [2]int{label, c.Given[group]}
		g, ok := place[key]
		if !ok {
			g = len(d.Groups)
			place[key] = g
			d.Groups = append(slices.Clip(d.Groups), d.Classes[label]+" × "+c.Names[key[1]])
			c.Label, c.Given = append(c.Label, label), append(c.Given, key[1])
		}
		return g
	}
}
