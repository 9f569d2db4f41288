package main

import "math"

// The kernels of the losses compute in float64, two images at a time.
const (
	lossImages = 16 // of a tile
	lossPairs  = lossImages / 2
)

const (
	lossOutputs, lossPredictions, lossExp gp = 1, 2, 3
	lossRow, lossClasses, lossLeft        gp = 4, 5, 6 // a row of a class, in bytes
	lossFrom, lossTo, lossPair, lossAddr  gp = 7, 8, 9, 10
	lossFirst, lossSecond                 gp = 11, 12 // two arrays of float64s or ints, by image
)

// eachPair runs body for each pair of images.
func (p *program) eachPair(body func()) {
	p.do("MOVD $%d, %v", lossPairs, lossPair)
	p.loop(lossPair, body)
	p.end()
}

// eachClass runs body for each class.
func (p *program) eachClass(body func()) {
	p.field("classes", lossLeft)
	p.loop(lossLeft, body)
}

// loadPair loads two float32s from as float64s, and moves from on to the next class.
func (p *program) loadPair(from gp, to vec) {
	p.do("FMOVD (%v), %s", from, to.f())
	p.do("ADD %v, %v", lossRow, from)
	p.one(fcvtl, to, to)
}

// storePair stores two float64s at to as float32s, and moves to on to the next class.
func (p *program) storePair(v vec, to gp) {
	p.one(fcvtn, v, v)
	p.do("FMOVD %s, (%v)", v.f(), to)
	p.do("ADD %v, %v", lossRow, to)
}

// softmaxTile writes the kernel of the exponentials of a tile. Their logarithm is Go's own, which
// the caller takes once for each image.
func (p *program) softmaxTile() {
	p.begin("softmaxTile", "(t *lossTile, largest, sum *float64)",
		"sets exp to the exponentials of the tile's outputs less their largest, and sum to their "+
			"sum, for each of 16 images.")
	const x, most, sum vec = 0, 13, 14
	p.field("outputs", lossOutputs)
	p.field("exp", lossExp)
	p.bytes("lanes", lossRow)
	p.param("largest", lossFirst)
	p.param("sum", lossSecond)
	p.expConstants()
	p.eachPair(func() {
		p.double(math.Inf(-1), lossAddr, most)
		p.do("MOVD %v, %v", lossOutputs, lossFrom)
		p.eachClass(func() {
			p.loadPair(lossFrom, x)
			p.two(fmaxD, most, x, most)
		})
		p.put(most, lossFirst)
		p.zero(sum)
		p.do("MOVD %v, %v", lossOutputs, lossFrom)
		p.do("MOVD %v, %v", lossExp, lossTo)
		p.eachClass(func() {
			p.loadPair(lossFrom, x)
			p.two(fsubD, x, most, x)
			p.exp(x)
			p.two(faddD, sum, x, sum)
			p.do("FMOVQ %s, (%v)", x.f(), lossTo)
			p.do("ADD $%d, %v", 8*lossImages, lossTo)
		})
		p.put(sum, lossSecond)
		p.do("ADD $8, %v", lossOutputs)
		p.do("ADD $16, %v", lossExp)
	})
}

func (p *program) predictionsTile() {
	p.begin("predictionsTile", "(t *lossTile, sum *float64)",
		"sets predictions to exp / sum, for each of 16 images.")
	const x, sum vec = 0, 1
	p.field("predictions", lossPredictions)
	p.field("exp", lossExp)
	p.bytes("lanes", lossRow)
	p.param("sum", lossFirst)
	p.eachPair(func() {
		p.next(lossFirst, sum)
		p.do("MOVD %v, %v", lossPredictions, lossTo)
		p.do("MOVD %v, %v", lossExp, lossFrom)
		p.eachClass(func() {
			p.do("FMOVQ (%v), %s", lossFrom, x.f())
			p.do("ADD $%d, %v", 8*lossImages, lossFrom)
			p.two(fdivD, x, sum, x)
			p.storePair(x, lossTo)
		})
		p.do("ADD $8, %v", lossPredictions)
		p.do("ADD $16, %v", lossExp)
	})
}

func (p *program) lossGradientTile() {
	p.begin("lossGradientTile", "(t *lossTile)", "computes the tile's outputs, the gradients.")
	const x, weights, labels, class, hit, one, oneInt vec = 0, 1, 2, 3, 4, 5, 6
	p.field("outputs", lossOutputs)
	p.field("predictions", lossPredictions)
	p.bytes("lanes", lossRow)
	p.field("weights", lossFirst)
	p.field("labels", lossSecond)
	p.double(1, lossAddr, one)
	p.constant(1, lossAddr, oneInt)
	p.eachPair(func() {
		p.next(lossFirst, weights)
		p.next(lossSecond, labels)
		p.zero(class)
		p.do("MOVD %v, %v", lossPredictions, lossFrom)
		p.do("MOVD %v, %v", lossOutputs, lossTo)
		p.eachClass(func() {
			p.loadPair(lossFrom, x)
			p.do("VCMEQ %s, %s, %s", class.d(), labels.d(), hit.d())
			p.do("VAND %s, %s, %[2]s", one.b(), hit.b())
			p.two(fsubD, x, hit, x)
			p.two(fmulD, weights, x, x)
			p.storePair(x, lossTo)
			p.do("VADD %s, %s, %[2]s", oneInt.d(), class.d())
		})
		p.do("ADD $8, %v", lossOutputs)
		p.do("ADD $8, %v", lossPredictions)
	})
}

// The registers of the constants of exp.
const (
	expLog2e vec = 15 + iota
	expHalf
	expHigh
	expLow
	expP1
	expP2
	expP3
	expP4
	expP5
	expOne
	expTwo
	expUnderflow
	expNear
	expFraction
	exp52
	expOneInt
	expTiny
)

// expConstants loads the constants of exp, which are those of Go's own (math, exp_arm64.s).
func (p *program) expConstants() {
	for _, c := range []struct {
		value float64
		to    vec
	}{
		{math.Log2E, expLog2e},
		{-.5, expHalf},
		{6.93147180369123816490e-01, expHigh}, // the logarithm of 2 in two parts
		{1.90821492927058770002e-10, expLow},
		{1.66666666666666657415e-01, expP1},
		{-2.77777777770155933842e-03, expP2},
		{6.61375632143793436117e-05, expP3},
		{-1.65339022054652515390e-06, expP4},
		{4.13813679705723846039e-08, expP5},
		{1, expOne},
		{2, expTwo},
		{-7.45133219101941108420e+02, expUnderflow},
		{0x1p-28, expNear},
		{0x1p-52, expTiny},
	} {
		p.double(c.value, lossAddr, c.to)
	}
	p.constant(1<<52-1, lossAddr, expFraction)
	p.constant(52, lossAddr, exp52)
	p.constant(1, lossAddr, expOneInt)
}

// exp sets x ≤ 0 to e^x, with the same bits as Go's own exponential (math, exp_arm64.s): each step
// is a step of that one, and its cases are chosen at the end. It uses V1 to V12.
func (p *program) exp(x vec) {
	const (
		whole, k, high, low, r, square, c, y, part, small, bits vec = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	)
	// x = k·log 2 + r
	p.move(expHalf, k)
	p.fmaD(expLog2e, x, k)
	p.one(fcvtzsD, k, whole)
	p.one(scvtfD, whole, k)
	p.move(x, high)
	p.fmsD(expHigh, k, high)
	p.two(fmulD, k, expLow, low)
	p.two(fsubD, high, low, r)
	p.two(fmulD, r, r, square)

	p.move(expP5, c)
	for _, term := range []vec{expP4, expP3, expP2, expP1} {
		p.move(term, part)
		p.fmaD(square, c, part)
		p.move(part, c)
	}
	p.move(r, part)
	p.fmsD(square, c, part) // c of the source
	p.two(fsubD, expTwo, part, c)
	p.two(fmulD, r, part, y)
	p.two(fdivD, y, c, y)
	p.two(fsubD, low, y, y)
	p.two(fsubD, y, high, y)
	p.two(fsubD, expOne, y, y)

	// y·2^k, where the exponent of a number that is not normal is 52 too large
	p.do("VUSHR $52, %s, %s", y.d(), bits.d())
	p.do("VADD %s, %s, %[2]s", whole.d(), bits.d())
	p.two(cmgtD, expOneInt, bits, small)
	p.do("VAND %s, %s, %s", exp52.b(), small.b(), part.b())
	p.do("VADD %s, %s, %[2]s", part.d(), bits.d())
	p.do("VSHL $52, %s, %[1]s", bits.d())
	p.do("VAND %s, %s, %[2]s", expFraction.b(), y.b())
	p.do("VORR %s, %s, %[2]s", bits.b(), y.b())
	p.move(expOne, part)
	p.do("VBIT %s, %s, %s", small.b(), expTiny.b(), part.b())
	p.two(fmulD, y, part, y)

	p.two(fcmgtD, expUnderflow, x, small)
	p.two(bic, y, small, y)
	p.one(fabsD, x, part)
	p.two(fcmgtD, expNear, part, small)
	p.two(faddD, expOne, x, part)
	p.do("VBIT %s, %s, %s", small.b(), part.b(), y.b())
	p.two(faddD, x, x, part) // NaN where x is
	p.two(fcmeqD, x, x, small)
	p.do("VBIF %s, %s, %s", small.b(), part.b(), y.b())
	p.move(y, x)
}
