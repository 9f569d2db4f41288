package main

import (
	"github.com/mmcloughlin/avo/attr"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// amx writes the kernel of the products of tiles. A configuration of the tiles lives within one
// call: nothing preempts an assembly function, and the function releases the tiles before anything
// else runs on the thread.
func (g *generator) amx() {
	g.tileConfig = g.StaticGlobal("tileConfig")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	const bytesARow, rows = 0x0040_0040_0040_0040, 0x1010_1010_1010_1010       // of eight tiles
	for i, word := range []uint64{1, 0, bytesARow, bytesARow, 0, 0, rows, 0} { // 1 is the palette
		g.AddDatum(8*i, op.U64(word))
	}
	g.mulTile()
	g.tilePeak()
}

const (
	tileA = 4 // the first tile of A; the sums are in the tiles before it
	tileB = 6
)

// mulTile chooses its registers itself, because the AMX instructions are written as bytes, which
// contain the numbers of registers.
func (g *generator) mulTile() {
	g.function("mulTile", "func(t *mulTile)", "computes the tiles.")
	g.Load(g.Param("t"), reg.RDI)
	g.configure()
	g.MOVQ(op.U32(64), reg.R8) // bytes between rows of an operand
	for _, f := range []struct {
		name string
		to   reg.GPPhysical
	}{{"aInner", reg.R11}, {"bInner", reg.R12}} {
		g.Load(g.structOf(reg.RDI).Field(f.name), f.to)
		g.SHLQ(op.U8(lineShift), f.to)
	}
	g.Load(g.structOf(reg.RDI).Field("a").Base(), reg.RSI)
	g.Load(g.structOf(reg.RDI).Field("bBase"), reg.RDX)
	g.SHLQ(op.U8(lineShift), reg.RDX)
	g.Load(g.structOf(reg.RDI).Field("b").Base(), reg.RAX)
	g.ADDQ(reg.RAX, reg.RDX)
	g.Load(g.structOf(reg.RDI).Field("spans").Base(), reg.R14)
	for _, rows := range []int{2, 1} {
		for _, cols := range []int{2, 1} {
			next := g.label("size")
			for _, f := range []struct {
				name string
				want int
			}{{"rows", rows}, {"cols", cols}} {
				g.Load(g.structOf(reg.RDI).Field(f.name), reg.RAX)
				g.CMPQ(reg.RAX, op.U8(f.want))
				g.JNE(op.LabelRef(next))
			}
			g.mulBody(rows, cols)
			g.Label(next)
		}
	}
	g.tileRelease()
	g.RET()
}

func (g *generator) configure() {
	g.LEAQ(g.tileConfig, reg.RAX)
	g.tileConfigure(reg.RAX)
}

// mulBody computes products of rows by cols tiles, one for each span from R14 on.
func (g *generator) mulBody(rows, cols int) {
	each, top, stored, done := g.label("span"), g.label("tap"), g.label("store"), g.label("done")
	g.Label(each)
	g.Load(g.structOf(reg.RDI).Field("spans").Base(), reg.RAX)
	g.Load(g.structOf(reg.RDI).Field("spans").Len(), reg.RBX)
	g.LEAQ(by(reg.RAX, reg.RBX, 8, 0), reg.RAX)
	g.CMPQ(reg.R14, reg.RAX)
	g.JEQ(op.LabelRef(done))
	g.Load(g.structOf(reg.RDI).Field("taps").Base(), reg.RAX)
	for i, r := range []reg.GPPhysical{reg.R9, reg.R10} {
		g.MOVLQSX(op.Mem{Base: reg.R14, Disp: 4 * i}, r)
		g.LEAQ(by(reg.RAX, r, 8, 0), r)
	}
	g.ADDQ(op.U8(8), reg.R14)
	for i := range rows * cols {
		g.tileZero(i)
	}
	g.Label(top)
	g.CMPQ(reg.R9, reg.R10)
	g.JEQ(op.LabelRef(stored))
	g.operand(4, reg.RSI, reg.RAX, "aNext", reg.R13)
	g.operand(0, reg.RDX, reg.RBX, "bNext", reg.R15)
	g.ADDQ(op.U8(8), reg.R9)
	g.Load(g.structOf(reg.RDI).Field("inner"), reg.RCX)
	g.loop(reg.RCX, func() { g.mulStep(rows, cols) })
	g.JMP(op.LabelRef(top))
	g.Label(stored)
	g.storeProduct(rows, cols)
	g.JMP(op.LabelRef(each))
	g.Label(done)
}

// storeProduct stores the sums at their place in c, and moves the places in c and b on to the next
// product.
func (g *generator) storeProduct(rows, cols int) {
	t := g.structOf(reg.RDI)
	g.Load(t.Field("c").Base(), reg.RAX)
	g.Load(t.Field("at"), reg.RBX)
	g.ADDQ(reg.RBX, reg.RAX)
	g.Load(t.Field("cMove"), reg.RCX)
	g.LEAQ(by(reg.RBX, reg.RCX, 4, 0), reg.RBX)
	g.Store(reg.RBX, t.Field("at"))
	g.Load(t.Field("bMove"), reg.RCX)
	g.SHLQ(op.U8(lineShift), reg.RCX)
	g.ADDQ(reg.RCX, reg.RDX)
	g.Load(t.Field("cRow"), reg.RBX)
	g.SHLQ(op.U8(2), reg.RBX)
	for r := range rows {
		for c := range cols {
			g.tileLoadStore(true, r*cols+c, reg.RAX, reg.RBX, 64*c)
		}
		if r+1 < rows {
			g.MOVQ(reg.RBX, reg.RCX)
			g.SHLQ(op.U8(4), reg.RCX)
			g.ADDQ(reg.RCX, reg.RAX)
		}
	}
}

// operand sets at and next to the addresses of the two tiles of the tap at R9. The offset of the
// first tile is disp bytes into the tap.
func (g *generator) operand(disp int, base, at reg.GPPhysical, field string, next reg.GPPhysical) {
	g.MOVLQSX(op.Mem{Base: reg.R9, Disp: disp}, at)
	g.SHLQ(op.U8(lineShift), at)
	g.ADDQ(base, at)
	g.Load(g.structOf(reg.RDI).Field(field), next)
	g.SHLQ(op.U8(lineShift), next)
	g.ADDQ(at, next)
}

// mulStep multiplies the tiles at AX and R13 by the tiles at BX and R15, and moves these addresses
// on. A tile is cleared after its last use, and both tiles of B share one register.
//
// While another thread runs on the same core, the processor seems to have about nine tiles for the
// eight of a program. A load then waits until one of them is free, and a cleared tile takes none.
// Without the clearing and sharing, products were half as fast then (35 ns instead of 20 on a
// Sapphire Rapids), and at other times no faster.
func (g *generator) mulStep(rows, cols int) {
	load := func(t int, at reg.GPPhysical) { g.tileLoadStore(false, t, at, reg.R8, 0) }
	load(tileA, reg.RAX)
	for c := range cols {
		if c > 0 {
			g.tileZero(tileB)
		}
		load(tileB, []reg.GPPhysical{reg.RBX, reg.R15}[c])
		for r := range rows {
			if r > 0 && c == 0 {
				load(tileA+r, reg.R13)
			}
			g.tileMultiply(r*cols+c, tileA+r, tileB)
			if c == cols-1 {
				g.tileZero(tileA + r)
			}
		}
	}
	g.tileZero(tileB)
	for _, r := range []reg.GPPhysical{reg.RAX, reg.R13} {
		g.ADDQ(reg.R11, r)
	}
	for _, r := range []reg.GPPhysical{reg.RBX, reg.R15} {
		g.ADDQ(reg.R12, r)
	}
}

// tilePeak writes the kernel that measures the peak of AMX: products of tiles that stay in
// registers.
func (g *generator) tilePeak() {
	g.function("peak", "func(n int)", "runs 4·n independent products of tiles.")
	g.Load(g.Param("n"), reg.RCX)
	g.configure()
	for i := range 8 {
		g.tileZero(i)
	}
	g.loop(reg.RCX, func() {
		for i := range 4 {
			g.tileMultiply(i, tileA+i/2, tileB+i%2)
		}
	})
	g.tileRelease()
	g.RET()
}
