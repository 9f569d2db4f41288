package main

import (
	"log"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lossTiles writes the kernels of the losses of a vector of images and of their gradient. They
// compute in float64, for as many images at a time as a register holds values.
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

// imagesLoop writes the body of the function: a loop over the images, one register of float64s at a
// time.
func (g *generator) imagesLoop(body func()) {
	n := g.GP64()
	g.MOVQ(op.U32(lossImages*8/g.bytes), n)
	g.loop(n, body)
	g.VZEROUPPER()
	g.RET()
}

// eachClass runs body for each class, with the address of its values. The values of the next class
// lie row bytes further.
func (g *generator) eachClass(t, row, values reg.Register, body func(values reg.Register)) {
	p := g.GP64()
	g.MOVQ(values, p)
	g.loop(g.field(t, "classes"), func() {
		body(p)
		g.ADDQ(row, p)
	})
}

// advance moves pointers to float64s or ints on by the width of a register.
func (g *generator) advance(pointers ...reg.Register) {
	for _, p := range pointers {
		g.ADDQ(op.U8(g.bytes), p)
	}
}

// floatStride loads a field that counts float32s, and converts it to bytes.
func (g *generator) floatStride(t reg.Register, field string) reg.Register {
	r := g.field(t, field)
	g.SHLQ(op.U8(2), r)
	return r
}

// oneHot iterates over the classes and tells which images have the current class as their label.
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

// next runs body with the mask of the images of the current class, and moves on to the next class.
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

// moveWhere copies the values of v that the mask selects to the register to.
func (g *generator) moveWhere(mask reg.Register, v, to vector) {
	if g.wide {
		g.VMOVAPD(v, mask, to)
	} else {
		g.VBLENDVPD(mask, v, to, to)
	}
}

// widen returns a register of the float32s at from as float64s.
func (g *generator) widen(from reg.Register) vector {
	v := g.vec()
	g.VCVTPS2PD(at(from, 0), v)
	return v
}

// narrow stores v at to as float32s.
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

// The kernels give the same bits as Go's own exponential and logarithm (math, exp_amd64.s and
// log_amd64.s): each step below is a step of these.

// These are the constants of e^x. ln2High and ln2Low are the logarithm of 2 in two parts. Adding
// rounder to a value rounds it to a whole number, which the lowest bits of the sum then hold. Below
// lowest, e^x would not be a normal number.
const (
	lowest  = -708.0
	rounder = 0x1.8p52
	ln2High = 0.69314718055966295651160180568695068359375
	ln2Low  = 0.28235290563031577122588448175013436025525412068e-12
	one     = 0x3ff << 52 // bits of 1.0
)

// expTerms are the coefficients of e^r − 1 = r·Σ rⁿ/(n+1)!, the highest power first.
var expTerms = []float64{2.4801587301587301587e-5, 1.9841269841269841270e-4, 1.3888888888888888889e-3,
	8.3333333333333333333e-3, 4.1666666666666666667e-2, 1.6666666666666666667e-1, .5, 1}

// exp returns e^x for x ≤ 0, e^lowest where x is less than lowest, and NaN for NaN. Below lowest,
// Go's own goes on to 0, but neither a sum with 1 nor a float32 shows the difference. The result is
// (1 + y)^16, where e^(r/16) = 1 + y and r is within half the logarithm of 2.
func (g *generator) exp(x vector) vector {
	low, whole, k, y := g.constant(lowest), g.vec(), g.vec(), g.vec()
	g.VMAXPD(x, low, x) // x where it is NaN
	g.VMULPD(g.double(math.Log2E), x, whole)
	g.VADDPD(g.double(rounder), whole, whole)
	g.VSUBPD(g.double(rounder), whole, k)
	g.VFNMADD231PD(g.double(ln2High), k, x)
	g.VFNMADD231PD(g.double(ln2Low), k, x)
	g.VMULPD(g.double(1./16), x, x)
	g.VMOVUPS(g.double(expTerms[0]), y)
	for _, c := range expTerms[1:] {
		g.VFMADD213PD(g.double(c), x, y)
	}
	g.VMULPD(y, x, x)
	for range 3 { // 1 + y squared is 1 + y·(y+2)
		g.VADDPD(g.double(2), x, y)
		g.VMULPD(y, x, x)
	}
	g.VADDPD(g.double(2), x, y)
	g.VFMADD213PD(g.double(1), y, x)
	g.VPSLLQ(op.U8(52), whole, whole)
	g.VPADDQ(g.bits(one), whole, whole)
	g.VMULPD(whole, x, x)
	return x
}

// logTerms are the coefficients of log(1+f) = 2 artanh(s), s = f/(2+f): of the odd and of the even
// powers of s², the highest first.
var logTerms = [2][]float64{
	{1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01},
	{1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01},
}

// These are the constants of log. logHigh and logLow are the logarithm of 2 in two parts. aboveRoot
// is the bits of the number after √½. Mantissas whose logarithm is taken lie from that number to
// twice it. wholes is the bits of 2⁵²: adding a whole number to these bits adds it to the value.
const (
	logHigh   = 6.93147180369123816490e-01
	logLow    = 1.90821492927058770002e-10
	aboveRoot = 0x3fe6a09e667f3bce
	wholes    = 0x433 << 52
)

// log returns the logarithm of x ≥ 1, and NaN for NaN.
func (g *generator) log(x vector) vector {
	k, f, s, s2, s4 := g.vec(), g.vec(), g.vec(), g.vec(), g.vec()
	g.VMOVUPS(x, k)
	g.VPSUBQ(g.bits(aboveRoot), k, k)
	g.VPSRLQ(op.U8(52), k, k) // x is 2^k·(1+f)
	g.VPSLLQ(op.U8(52), k, f)
	g.VPSUBQ(f, x, f)
	g.VSUBPD(g.double(1), f, f)
	g.VPADDQ(g.bits(wholes), k, k)
	g.VSUBPD(g.double(1<<52), k, k)

	g.VADDPD(g.double(2), f, s)
	g.VDIVPD(s, f, s)
	g.VMULPD(s, s, s2)
	g.VMULPD(s2, s2, s4)
	var t [2]vector
	for i, terms := range logTerms {
		t[i] = g.constant(terms[0])
		for _, c := range terms[1:] {
			g.VMULPD(s4, t[i], t[i])
			g.VADDPD(g.double(c), t[i], t[i])
		}
		g.VMULPD([]vector{s2, s4}[i], t[i], t[i])
	}
	r, half := t[0], g.vec() // half is f²/2
	g.VADDPD(t[1], r, r)
	g.VMULPD(g.double(.5), f, half)
	g.VMULPD(f, half, half)
	g.VADDPD(half, r, r)
	g.VMULPD(s, r, r)
	low := g.vec()
	g.VMULPD(g.double(logLow), k, low)
	g.VADDPD(low, r, r)
	g.VSUBPD(r, half, half)
	g.VSUBPD(f, half, half)
	g.VMULPD(g.double(logHigh), k, k)
	g.VSUBPD(half, k, k)
	nan := g.vec() // the integer operations above have lost it
	g.VSUBPD(x, x, nan)
	g.VADDPD(nan, k, k)
	return k
}

// doubleTable returns the bits of the constants of these kernels.
func doubleTable() (table []uint64) {
	values := []float64{math.Inf(-1), 0, 1. / 16, .5, 1, 2, 1 << 52,
		lowest, rounder, math.Log2E, ln2High, ln2Low, logHigh, logLow}
	for _, v := range slices.Concat(values, expTerms, logTerms[0], logTerms[1]) {
		if bits := math.Float64bits(v); !slices.Contains(table, bits) {
			table = append(table, bits)
		}
	}
	for _, bits := range []uint64{1, aboveRoot, wholes} {
		if !slices.Contains(table, bits) {
			table = append(table, bits)
		}
	}
	return table
}

// doubleTableData writes the table. Each constant fills a register.
func (g *generator) doubleTableData() {
	g.doubles = g.StaticGlobal("doubles")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, bits := range doubleTable() {
		for j := range g.bytes / 8 {
			g.AddDatum(i*g.bytes+8*j, op.U64(bits))
		}
	}
}

// bits returns the address of a constant in the table.
func (g *generator) bits(b uint64) op.Mem {
	i := slices.Index(doubleTable(), b)
	if i < 0 {
		log.Fatalf("%#x is not in the table", b)
	}
	return g.doubles.Offset(i * g.bytes)
}

func (g *generator) double(v float64) op.Mem { return g.bits(math.Float64bits(v)) }

// constant returns a register filled with v.
func (g *generator) constant(v float64) vector {
	r := g.vec()
	g.VMOVUPS(g.double(v), r)
	return r
}
