package kern

// Peak measures the compute roofline: it runs multiply-adds on registers and does nothing else. No
// kernel computes at a higher rate on this machine.
type Peak struct {
	isa  ISA
	bf16 BF16 // the bf16 kernel whose products are measured, unless it is Rounded
}

const (
	peakSums  = 12 // independent sums, enough to hide the latency of a multiply-add
	peakTasks = 64
	peakSteps = 1 << 16 // steps of a task

	peakTileSteps = 8 // one step of tile products takes as long as this many steps
)

// NewPeak returns the roofline of isa, or of bf16 products by kind beside float32 kernels of isa.
func NewPeak(isa ISA, kind BF16) *Peak {
	kind.check(isa)
	return &Peak{isa, kind}
}

// FLOPs returns the floating-point operations of one Run.
func (p *Peak) FLOPs() float64 {
	lanes := map[ISA]int{Generic: 1, AVX2: 8, AVX512: 16, NEON: 4}[p.isa]
	step := 2 * peakSums * lanes
	switch p.bf16 {
	case AMX:
		step = 2 * 4 * tileSide * tileSide * tileDepth / peakTileSteps
	case AVX512BF16:
		step *= 2
	}
	return float64(step * peakSteps * peakTasks)
}

// Run runs these operations. On one thread they take a few milliseconds with vectors, some tens
// without.
func (p *Peak) Run(t *Team) { t.run(peakTasks, p) }

func (p *Peak) task(int) {
	if p.bf16 == Rounded {
		runPeak(p.isa, peakSteps)
	} else {
		runPeakBF16(p.bf16, peakSteps)
	}
}

// peakGeneric runs 12·n independent multiply-adds, compiled as the Go compiler compiles the
// reference kernels, and returns their sum.
func peakGeneric(n int) float32 {
	const a, b = .5, .5 // s·a + b has the fixed point 1: neither overflow nor denormals
	var s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11 float32
	for range n {
		s0 = s0*a + b
		s1 = s1*a + b
		s2 = s2*a + b
		s3 = s3*a + b
		s4 = s4*a + b
		s5 = s5*a + b
		s6 = s6*a + b
		s7 = s7*a + b
		s8 = s8*a + b
		s9 = s9*a + b
		s10 = s10*a + b
		s11 = s11*a + b
	}
	return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11
}
