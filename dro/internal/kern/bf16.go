package kern

import (
	"math"
	"sync"
	"unsafe"
)

// BF16 is a kernel that multiplies operands rounded to bfloat16, the upper half of a float32.
// Rounding is to nearest, ties to even; sums are float32. Results of one kernel are the same bits
// on any number of threads; kernels differ in the order of sums. The kernels with bf16 instructions
// take denormals for 0.
type BF16 int

const (
	// Rounded runs the float32 kernels on rounded operands. Every machine has it, and it is the
	// reference.
	Rounded    BF16 = iota
	AVX512BF16      // VDPBF16PS
	AMX             // TDPBF16PS, on tiles
)

// String returns b's name; [BF16.On] has the name that runs record.
func (b BF16) String() string {
	return [...]string{"bf16-rounded", "avx512-bf16", "amx-bf16"}[b]
}

// On returns the name of b as it runs beside isa's kernels.
func (b BF16) On(isa ISA) string {
	if b == Rounded {
		return isa.String() + "-" + b.String()
	}
	return b.String()
}

// Available reports whether this build, machine and system can run b.
func (b BF16) Available() bool { return b >= Rounded && b <= DetectBF16() }

// check panics if b cannot run beside isa's kernels here. Constructors call it, as they call the
// check of an [ISA].
func (b BF16) check(isa ISA) {
	isa.check()
	if !b.runsBeside(isa) {
		panic("kern: the kernel of bf16 products cannot run here or beside these kernels")
	}
}

func (b BF16) runsBeside(isa ISA) bool { return b.Available() && (b == Rounded || isa == AVX512) }

// DetectBF16 returns the best kernel of this build, machine and system. The first call asks the
// system for AMX.
var DetectBF16 = sync.OnceValue(detectBF16)

// nearestBF16 rounds x to bfloat16. NaNs stay NaNs and denormals become 0, as in the instructions.
func nearestBF16(x float32) float32 {
	bits := math.Float32bits(x)
	exponent := bits >> 23 & 0xff
	switch {
	case exponent == 0:
		return math.Float32frombits(bits & (1 << 31))
	case exponent == 0xff && bits<<9 != 0:
		return math.Float32frombits((bits | 1<<22) &^ 0xffff)
	}
	return math.Float32frombits((bits + 0x7fff + bits>>16&1) &^ 0xffff)
}

// Workspace is memory for the operands of bf16 operations during a call. The operations of one
// network share a Workspace; networks that run at once have one each.
type Workspace struct {
	a, b []uint16  // packed operands
	x, w []float32 // rounded operands; x also holds sums of parts
}

// lines grows *s to room for n lines of tiles, at the start of a cache line. It is for
// constructors.
func (w *Workspace) lines(s *[]uint16, n int) {
	n *= tileDepth
	if n > len(*s) {
		values := Alloc(n / 2)
		*s = unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(values))), n)
	}
}

// values grows *s to room for n values. It is for constructors.
func (w *Workspace) values(s *[]float32, n int) {
	if n > len(*s) {
		*s = Alloc(n)
	}
}
