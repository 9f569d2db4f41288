package main

import (
	"fmt"

	op "github.com/mmcloughlin/avo/operand"
)

// transpose writes the kernel of Layout.Pack: a square of 16 (AVX2: 8) rows and columns.
func (g *generator) transpose() {
	n := g.bytes / 4
	g.function("transpose", "func(dst, src *float32, dstStride, srcStride int)",
		fmt.Sprintf("transposes %d×%d values; strides are in values.", n, n))
	dst, src := g.param("dst"), g.param("src")
	dstStride, srcStride := g.param("dstStride"), g.param("srcStride")
	g.SHLQ(op.U8(2), dstStride)
	g.SHLQ(op.U8(2), srcStride)
	rows := g.vecs(n)
	for i, v := range rows {
		g.VMOVUPS(at(src, 0), v)
		if i < n-1 {
			g.ADDQ(srcStride, src)
		}
	}
	for i, v := range g.transposed(rows) {
		g.VMOVUPS(v, at(dst, 0))
		if i < n-1 {
			g.ADDQ(dstStride, dst)
		}
	}
	g.VZEROUPPER()
	g.RET()
}

// transposed interleaves values, then pairs, then 128-bit parts.
func (g *generator) transposed(v []vector) []vector {
	pairs := make([]vector, len(v)) // pairs[4i+k]: column k of rows 4i..4i+3 in each 128-bit part
	for i := 0; i < len(v); i += 4 {
		a, b, c, d := g.vec(), g.vec(), g.vec(), g.vec()
		g.VUNPCKLPS(v[i+1], v[i], a)
		g.VUNPCKHPS(v[i+1], v[i], b)
		g.VUNPCKLPS(v[i+3], v[i+2], c)
		g.VUNPCKHPS(v[i+3], v[i+2], d)
		for k, p := range [][2]vector{{a, c}, {b, d}} {
			low, high := g.vec(), g.vec()
			g.VUNPCKLPD(p[1], p[0], low)
			g.VUNPCKHPD(p[1], p[0], high)
			pairs[i+2*k], pairs[i+2*k+1] = low, high
		}
	}
	out := make([]vector, len(v))
	for k := range 4 {
		if !g.wide {
			out[k], out[k+4] = g.vec(), g.vec()
			g.VPERM2F128(op.U8(0x20), pairs[4+k], pairs[k], out[k])
			g.VPERM2F128(op.U8(0x31), pairs[4+k], pairs[k], out[k+4])
			continue
		}
		for half, imm := range []uint{0x88, 0xdd} {
			low, high := g.vec(), g.vec()
			g.VSHUFF32X4(op.U8(imm), pairs[4+k], pairs[k], low)
			g.VSHUFF32X4(op.U8(imm), pairs[12+k], pairs[8+k], high)
			out[4*half+k], out[8+4*half+k] = g.vec(), g.vec()
			g.VSHUFF32X4(op.U8(0x88), high, low, out[4*half+k])
			g.VSHUFF32X4(op.U8(0xdd), high, low, out[8+4*half+k])
		}
	}
	return out
}
