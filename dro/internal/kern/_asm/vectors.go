package main

import (
	"fmt"
	"go/types"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectors describes an instruction set: its names, its vector registers, and the function that
// writes its kernels.
type vectors struct {
	name, suffix, file string
	bytes              int // size of a vector register
	wide               bool
	write              func(*generator)
}

func avx2() vectors {
	return vectors{"avx2", "AVX2", "avx2_amd64.s", 32, false, (*generator).all}
}

func avx512() vectors {
	return vectors{"avx512", "AVX512", "avx512_amd64.s", 64, true, (*generator).all}
}

func bf16() vectors { return vectors{"bf16", "BF16", "bf16_amd64.s", 64, true, (*generator).bf16} }
func amx() vectors  { return vectors{"amx", "AMX", "amx_amd64.s", 64, true, (*generator).amx} }

// generator writes the functions of one instruction set.
type generator struct {
	*build.Context
	vectors
	pkg    *types.Package
	labels int

	laneTable  op.Mem // the masks of AVX2: see laneTableData
	interleave op.Mem // the order of words that interleaves two rows into pairs
	quarters   op.Mem // the order of the 64-bit parts of a line: see quads
	doubles    op.Mem // the constants of the kernels of losses
	tileConfig op.Mem // the configuration of AMX's tiles
}

func (g *generator) all() {
	if !g.wide {
		g.laneTableData()
	}
	g.convTiles()
	g.gradTiles()
	g.rowsTiles()
	g.outerTiles()
	g.lossTiles()
	g.normTiles()
	g.sumRows()
	g.maxOf4()
	g.maxOf4Backward()
	g.mask()
	g.add()
	g.sgd()
	g.peak()
	g.transpose()
	g.winogradTiles()
	g.transposeSquares()
	if g.wide {
		g.tapsTile(func(x, dy, sum int) { g.VFMADD231PS(g.fixed(x), g.fixed(dy), g.fixed(sum)) })
	} else {
		g.splitLines()
		g.vectorTiles()
		g.pause()
	}
}

// vec returns a fresh vector register.
func (g *generator) vec() vector {
	if g.wide {
		return g.ZMM()
	}
	return g.YMM()
}

// vector is a vector register, chosen here or by the allocator.
type vector interface {
	reg.Register
	reg.Vec
}

// fixed returns vector register i.
func (g *generator) fixed(i int) vector {
	if g.wide {
		return [...]vector{
			reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10,
			reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21,
			reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
		}[i]
	}
	return [...]vector{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}[i]
}

func (g *generator) vecs(n int) []vector {
	v := make([]vector, n)
	for i := range v {
		v[i] = g.vec()
	}
	return v
}

// zero clears the full width of v.
func (g *generator) zero(v vector) {
	if g.wide {
		g.VPXORD(v, v, v)
	} else {
		g.VXORPS(v, v, v)
	}
}

// label returns a name that is new in this file.
func (g *generator) label(what string) string {
	g.labels++
	return fmt.Sprintf("%s%d", what, g.labels)
}

// innerLoop begins an inner loop at the start of a line of memory, so that the speed of a body does
// not depend on the bodies before it.
func (g *generator) innerLoop(label string) {
	g.Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []op.Op{op.U8(64)}})
	g.Label(label)
}

// loop runs body n times. n is a register, which it counts down to 0; n must be at least 1.
func (g *generator) loop(n reg.Register, body func()) {
	top := g.label("loop")
	g.Label(top)
	body()
	g.DECQ(n)
	g.JNZ(op.LabelRef(top))
}

// param loads a parameter into a fresh general register.
func (g *generator) param(name string) reg.Register { return g.Load(g.Param(name), g.GP64()) }

// field loads a field of the struct that parameter t points to.
func (g *generator) field(t reg.Register, name string) reg.Register {
	return g.Load(g.structOf(t).Field(name), g.GP64())
}

// slice loads the base address of a slice field.
func (g *generator) slice(t reg.Register, name string) reg.Register {
	return g.Load(g.structOf(t).Field(name).Base(), g.GP64())
}

// at returns base + disp.
func at(base reg.Register, disp int) op.Mem { return op.Mem{Base: base, Disp: disp} }

// by returns base + scale·index + disp.
func by(base, index reg.Register, scale, disp int) op.Mem {
	return op.Mem{Base: base, Index: index, Scale: uint8(scale), Disp: disp}
}

// keepPositive keeps the lanes of v where m > 0 or m is NaN, and clears the others.
func (g *generator) keepPositive(v, m, zero vector) {
	const notLessEqual = 6
	if g.wide {
		k := g.K()
		g.VCMPPS(op.U8(notLessEqual), zero, m, k)
		g.VMOVAPS_Z(v, k, v)
		return
	}
	k := g.YMM()
	g.VCMPPS(op.U8(notLessEqual), zero, m, k)
	g.VANDPS(k, v, v)
}

// structOf returns the struct that parameter t, loaded in a register, points to.
func (g *generator) structOf(t reg.Register) gotypes.Component {
	return g.Param("t").Dereference(t)
}
