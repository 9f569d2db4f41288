package kern

import "slices"

// ISA is the instruction set that an operation's kernels are written in. It is fixed when the
// operation is made.
type ISA int

const (
	Generic ISA = iota // plain Go, on every machine
	AVX2               // amd64: 256-bit vectors with FMA
	AVX512             // amd64: 512-bit vectors (F, DQ, BW and VL)
	NEON               // arm64: 128-bit vectors, on every processor
)

// String returns i's name, as runs record it.
func (i ISA) String() string { return [...]string{"generic", "avx2", "avx512", "neon"}[i] }

// Detect returns the best instruction set of this build and machine.
func Detect() ISA { return isas[len(isas)-1] }

// ISAs returns the instruction sets of this build and machine, the best of them last.
func ISAs() []ISA { return slices.Clone(isas) }

// Available reports whether this build and this machine can run i.
func (i ISA) Available() bool { return slices.Contains(isas, i) }

// check panics if the machine cannot run i. Constructors call it, so that no operation exists whose
// kernels would fault.
func (i ISA) check() {
	if !i.Available() {
		panic("kern: this build or machine does not have the instruction set")
	}
}
