package data

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
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
