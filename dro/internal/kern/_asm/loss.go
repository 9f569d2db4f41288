package main

import (
	"log"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lossTiles writes the kernels of a vector of images' losses and of their gradient. All is in float64, for as
// many images at a time as a register has values.
func (g *generator) lossTiles() {
	g.doubleTableData()
	g.softmaxTile()
	g.lossGradientTile()
}

const lossImages = 16

func (g *generator) softmaxTile() {
	g.function("softmaxTile", "func(t *lossTile)", "computes the tile's losses and predictions.")
	t := g.param("t")
	outputs, predictions, exp := g.slice(t, "outputs"), g.slice(t, "predictions"), g.slice(t, "exp")
	labels, losses, row := g.slice(t, "labels"), g.slice(t, "losses"), g.floatStride(t, "lanes")
	g.imagesLoop(func() {
		largest := g.constant(math.Inf(-1))
		g.eachClass(t, row, outputs, func(from reg.Register) { g.VMAXPD(g.widen(from), largest, largest) })

		sum, own, hot, e := g.constant(0), g.constant(0), g.oneHot(labels), g.GP64()
		g.MOVQ(exp, e)
		g.eachClass(t, row, outputs, func(from reg.Register) {
			x := g.widen(from)
			g.VSUBPD(largest, x, x)
			hot.next(func(hit reg.Register) { g.moveWhere(hit, x, own) })
			x = g.exp(x)
			g.VADDPD(x, sum, sum)
			g.VMOVUPS(x, at(e, 0))
			g.ADDQ(op.U32(8*lossImages), e)
		})
		loss := g.log(sum)
		g.VSUBPD(own, loss, loss)
		g.VMOVUPS(loss, at(losses, 0))

		unwanted := g.label("unwanted")
		g.TESTQ(predictions, predictions)
		g.JZ(op.LabelRef(unwanted))
		g.MOVQ(exp, e)
		g.eachClass(t, row, predictions, func(to reg.Register) {
			p := g.vec()
			g.VMOVUPS(at(e, 0), p)
			g.VDIVPD(sum, p, p)
			g.narrow(p, to)
			g.ADDQ(op.U32(8*lossImages), e)
		})
		g.ADDQ(op.U8(g.bytes/2), predictions)
		g.Label(unwanted)
		g.ADDQ(op.U8(g.bytes/2), outputs)
		g.advance(exp, labels, losses)
	})
}

func (g *generator) lossGradientTile() {
	g.function("lossGradientTile", "func(t *lossTile)", "computes the tile's outputs, the gradients.")
	t := g.param("t")
	outputs, predictions, row := g.slice(t, "outputs"), g.slice(t, "predictions"), g.floatStride(t, "lanes")
	labels, weights := g.slice(t, "labels"), g.slice(t, "weights")
	g.imagesLoop(func() {
		hot, weight, to := g.oneHot(labels), g.vec(), g.GP64()
		g.VMOVUPS(at(weights, 0), weight)
		g.MOVQ(outputs, to)
		g.eachClass(t, row, predictions, func(from reg.Register) {
			p, less := g.widen(from), g.vec()
			g.VSUBPD(g.double(1), p, less)
			hot.next(func(hit reg.Register) { g.moveWhere(hit, less, p) })
			g.VMULPD(weight, p, p)
			g.narrow(p, to)
			g.ADDQ(row, to)
		})
		g.ADDQ(op.U8(g.bytes/2), outputs)
		g.ADDQ(op.U8(g.bytes/2), predictions)
		g.advance(labels, weights)
	})
}

// imagesLoop writes the function's body: a loop over the images, a register of float64s at a time.
func (g *generator) imagesLoop(body func()) {
	n := g.GP64()
	g.MOVQ(op.U32(lossImages*8/g.bytes), n)
	g.loop(n, body)
	g.VZEROUPPER()
	g.RET()
}

// eachClass runs body for each class, with the address of its values, row bytes apart.
func (g *generator) eachClass(t, row, values reg.Register, body func(values reg.Register)) {
	p := g.GP64()
	g.MOVQ(values, p)
	g.loop(g.field(t, "classes"), func() {
		body(p)
		g.ADDQ(row, p)
	})
}

// advance moves pointers to float64s or ints on by a register.
func (g *generator) advance(pointers ...reg.Register) {
	for _, p := range pointers {
		g.ADDQ(op.U8(g.bytes), p)
	}
}

// floatStride loads a field that counts float32s, in bytes.
func (g *generator) floatStride(t reg.Register, field string) reg.Register {
	r := g.field(t, field)
	g.SHLQ(op.U8(2), r)
	return r
}

// oneHot goes over the classes and says which images have them as labels.
type oneHot struct {
	g             *generator
	labels, class vector
}

func (g *generator) oneHot(labels reg.Register) oneHot {
	h := oneHot{g, g.vec(), g.vec()}
	g.VMOVUPS(at(labels, 0), h.labels)
	g.zero(h.class)
	return h
}

// next runs body with the mask of the class at hand.
func (h oneHot) next(body func(hit reg.Register)) {
	g := h.g
	var hit reg.Register = g.YMM()
	if g.wide {
		hit = g.K()
	}
	g.VPCMPEQQ(h.class, h.labels, hit)
	body(hit)
	g.VPADDQ(g.bits(1), h.class, h.class)
}

// moveWhere moves the values of v that a mask has to to.
func (g *generator) moveWhere(mask reg.Register, v, to vector) {
	if g.wide {
		g.VMOVAPD(v, mask, to)
	} else {
		g.VBLENDVPD(mask, v, to, to)
	}
}

// widen returns float32s as float64s.
func (g *generator) widen(from reg.Register) vector {
	v := g.vec()
	g.VCVTPS2PD(at(from, 0), v)
	return v
}

// narrow stores v as float32s.
func (g *generator) narrow(v vector, to reg.Register) {
	if g.wide {
		half := g.YMM()
		g.VCVTPD2PS(v, half)
		g.VMOVUPS(half, at(to, 0))
	} else {
		half := g.XMM()
		g.VCVTPD2PSY(v, half)
		g.VMOVUPS(half, at(to, 0))
	}
}

// Of e^x: the logarithm of 2 in two parts, and what rounds to a whole number when added, which the sum's
// lowest bits then are. Below lowest, e^x would be no normal number.
const (
	lowest  = -708.0
	rounder = 0x1.8p52
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
	one     = 0x3ff << 52 // bits of 1.0
)

// expTerms are those of e^r = Σ rⁿ/n! for |r| ≤ ½ log 2, the highest first: what is left out is 4·10⁻¹⁸.
func expTerms() (terms []float64) {
	f := 1.0
	for n := range 14 {
		f *= float64(max(n, 1))
		terms = append(terms, 1/f)
	}
	slices.Reverse(terms)
	return terms
}

// exp returns e^x for x ≤ 0 to the last bit or two, e^lowest where x is less, and NaN of NaN.
func (g *generator) exp(x vector) vector {
	low, whole, k, p := g.constant(lowest), g.constant(rounder), g.vec(), g.vec()
	g.VMAXPD(x, low, x) // x where it is NaN
	g.VFMADD231PD(g.double(math.Log2E), x, whole)
	g.VSUBPD(g.double(rounder), whole, k)
	g.VFNMADD231PD(g.double(ln2High), k, x)
	g.VFNMADD231PD(g.double(ln2Low), k, x)
	for i, c := range expTerms() {
		if i == 0 {
			g.VMOVUPS(g.double(c), p)
		} else {
			g.VFMADD213PD(g.double(c), x, p)
		}
	}
	g.VPSLLQ(op.U8(52), whole, whole)
	g.VPADDQ(g.bits(one), whole, whole)
	g.VMULPD(whole, p, p)
	return p
}

// logTerms are those of FreeBSD's e_log.c: log(1+f) = 2 artanh(s) with s = f/(2+f), and R its terms in s²,
// those of even powers and of odd ones, the highest first.
var logTerms = [2][]float64{
	{1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01},
	{1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01},
}

// halfRoot are the bits of √½, above and to twice of which a mantissa's logarithm is taken; whole are those
// of 2⁵², whose lowest bits are a number's own.
const (
	halfRoot = 0x3fe6a09e667f3bcd
	whole    = 0x433 << 52
)

// log returns the logarithm of x ≥ 1 to the last bit or two, and NaN of NaN.
func (g *generator) log(x vector) vector {
	k, f, s, s2, s4 := g.vec(), g.vec(), g.vec(), g.vec(), g.vec()
	g.VMOVUPS(x, k)
	g.VPSUBQ(g.bits(halfRoot), k, k)
	g.VPSRLQ(op.U8(52), k, k) // x is 2^k·(1+f)
	g.VPSLLQ(op.U8(52), k, f)
	g.VPSUBQ(f, x, f)
	g.VSUBPD(g.double(1), f, f)
	g.VPADDQ(g.bits(whole), k, k)
	g.VSUBPD(g.double(1<<52), k, k)

	g.VADDPD(g.double(2), f, s)
	g.VDIVPD(s, f, s)
	g.VMULPD(s, s, s2)
	g.VMULPD(s2, s2, s4)
	var r [2]vector
	for i, terms := range logTerms {
		r[i] = g.constant(terms[0])
		for _, c := range terms[1:] {
			g.VFMADD213PD(g.double(c), s4, r[i])
		}
	}
	g.VMULPD(s4, r[1], r[1])
	g.VFMADD231PD(s2, r[0], r[1])

	half := g.vec() // f²/2
	g.VMULPD(g.double(.5), f, half)
	g.VMULPD(f, half, half)
	g.VADDPD(half, r[1], r[1])
	g.VMULPD(s, r[1], r[1])
	g.VFMADD231PD(g.double(ln2Low), k, r[1])
	g.VSUBPD(r[1], half, half)
	g.VSUBPD(f, half, half) // less log x but for k·ln2High
	g.VFMSUB132PD(g.double(ln2High), half, k)
	nan := g.vec() // the integers above have lost it
	g.VSUBPD(x, x, nan)
	g.VADDPD(nan, k, k)
	return k
}

// doubleTable is the constants of these kernels.
func doubleTable() (table []uint64) {
	values := []float64{math.Inf(-1), 0, .5, 1, 2, 1 << 52, lowest, rounder, math.Log2E, ln2High, ln2Low}
	for _, v := range slices.Concat(values, expTerms(), logTerms[0], logTerms[1]) {
		if bits := math.Float64bits(v); !slices.Contains(table, bits) {
			table = append(table, bits)
		}
	}
	for _, bits := range []uint64{1, halfRoot, whole} {
		if !slices.Contains(table, bits) {
			table = append(table, bits)
		}
	}
	return table
}

// doubleTableData writes the table, a register of each.
func (g *generator) doubleTableData() {
	g.doubles = g.StaticGlobal("doubles")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, bits := range doubleTable() {
		for j := range g.bytes / 8 {
			g.AddDatum(i*g.bytes+8*j, op.U64(bits))
		}
	}
}

// bits returns where a constant is.
func (g *generator) bits(b uint64) op.Mem {
	i := slices.Index(doubleTable(), b)
	if i < 0 {
		log.Fatalf("%#x is not in the table", b)
	}
	return g.doubles.Offset(i * g.bytes)
}

func (g *generator) double(v float64) op.Mem { return g.bits(math.Float64bits(v)) }

// constant returns a register of v.
func (g *generator) constant(v float64) vector {
	r := g.vec()
	g.VMOVUPS(g.double(v), r)
	return r
}
