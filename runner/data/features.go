package data

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unsafe"
)

// features is a Source of numbers that stay as they lie in a file or its mapping.
type features struct {
	marks
	shape  Shape
	size   int    // bytes of a number
	data   []byte // [N][C][H][W]
	decode func(dst []float32, src []byte)
}

// newFeatures takes an array as samples: rows of numbers, or planes, one or several a sample.
func newFeatures(a npyArray) (*features, error) {
	f := &features{size: a.size, data: a.data}
	switch n := a.shape; {
	case a.kind != 'f':
		return nil, fmt.Errorf("%s: features are no floating-point numbers: save it with astype('float32')", a.name)
	case len(n) == 2:
		f.shape = Shape{n[1], 1, 1}
	case len(n) == 3:
		f.shape = Shape{1, n[1], n[2]}
	case len(n) == 4:
		f.shape = Shape{n[1], n[2], n[3]}
	default:
		return nil, fmt.Errorf("%s: features have shape %v: want samples × features, or samples × channels × "+
			"rows × columns", a.name, n)
	}
	if uint64(a.shape[0]) > math.MaxUint32 {
		return nil, fmt.Errorf("%s: %d samples: at most %d are taken", a.name, a.shape[0], uint32(math.MaxUint32))
	}
	f.decode = decoders()[a.size]
	return f, nil
}

// decoders read numbers of so many bytes.
func decoders() map[int]func(dst []float32, src []byte) {
	return map[int]func([]float32, []byte){2: decode16, 4: decode32, 8: decode64}
}

func (f *features) Shape() Shape { return f.shape }

func (f *features) Read(dst []float32, i int) {
	row := f.shape.Len() * f.size
	f.decode(dst, f.data[i*row:(i+1)*row])
}

func decode16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = half(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

// littleEndian tells whether this machine has numbers as the files have them.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// decode32 copies, where it can: a loop takes several times as long. It does so in pieces: from 2048 bytes on
// copy takes the processor's string instruction, which at odd addresses (an array in an archive lies
// anywhere) takes three times as long as vectors do.
func decode32(dst []float32, src []byte) {
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

func decode64(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
	}
}

// scan writes the numbers' bytes to a hash and checks, meanwhile, that all are finite in float32. It panics
// with what reading them does.
func (f *features) scan(name string, hash io.Writer) error {
	var err error
	checked := make(chan *fault)
	go func() {
		checked <- guard(func() { err = f.check(name) })
	}()
	hashed := guard(func() { hash.Write(f.data) })
	if f := cmp.Or(<-checked, hashed); f != nil {
		panic(f.of)
	}
	return err
}

// check says which number is not finite in float32, if any.
func (f *features) check(name string) error {
	const most = 1 << 16 // numbers at a time: they stay in the cache
	room, width := make([]float32, most), f.shape.Len()
	for at, n := 0, len(f.data)/f.size; at < n; at += most {
		x := room[:min(most, n-at)]
		f.decode(x, f.data[at*f.size:(at+len(x))*f.size])
		for j, v := range x {
			const exponent = 0xff << 23 // all ones: infinite or no number
			if math.Float32bits(v)&exponent == exponent {
				return fmt.Errorf("%s: sample %d, feature %d is %v in float32: features must be finite",
					name, (at+j)/width, (at+j)%width, v)
			}
		}
	}
	return nil
}

// moments gives mean and (population) standard deviation of every channel over some samples; a deviation of 0
// becomes 1.
func (f *features) moments(rows []uint32) (mean, std []float32) {
	c, per := f.shape.C, f.shape.H*f.shape.W
	x, first := make([]float32, f.shape.Len()), make([]float32, f.shape.Len())
	sum, square := make([]float64, c), make([]float64, c)
	f.Read(first, int(rows[0]))
	for _, i := range rows {
		f.Read(x, int(i))
		for k := range c {
			for _, v := range x[k*per : (k+1)*per] {
				d := float64(v) - float64(first[k*per]) // small: little is lost when squares are subtracted
				sum[k] += d
				square[k] += float64(d * d) // not fused: the same bits on every machine
			}
		}
	}
	mean, std = make([]float32, c), make([]float32, c)
	for k := range mean {
		n := float64(len(rows) * per)
		m := sum[k] / n
		mean[k], std[k] = float32(m+float64(first[k*per])), float32(math.Sqrt(square[k]/n-float64(m*m)))
		if !(std[k] > 0) {
			std[k] = 1
		}
	}
	return mean, std
}
