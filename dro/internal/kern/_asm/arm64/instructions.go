package main

import (
	"fmt"
	"log"
	"math"
	"strings"
)

// gp is a general register, R0 to R15 or R19 to R26: the others have a purpose on some system, or
// are Go's.
type gp int

func (r gp) String() string { return fmt.Sprintf("R%d", int(r)) }

// tile is the register that holds the address of the tile in every kernel of a tile.
const tile gp = 0

// vec is a vector register of 16 bytes.
type vec int

func (v vec) String() string { return fmt.Sprintf("V%d", int(v)) }

func (v vec) s() string { return fmt.Sprintf("V%d.S4", int(v)) }
func (v vec) d() string { return fmt.Sprintf("V%d.D2", int(v)) }
func (v vec) b() string { return fmt.Sprintf("V%d.B16", int(v)) }

// f returns the register's name as one number.
func (v vec) f() string { return fmt.Sprintf("F%d", int(v)) }

// group is four registers in a row, which hold 16 float32s.
type group vec

const groupBytes = 64

// at returns register i.
func (g group) at(i int) vec { return vec(g) + vec(i) }

// list returns the operand of a load or a store of the whole group.
func (g group) list() string {
	return fmt.Sprintf("[%s, %s, %s, %s]", g.at(0).s(), g.at(1).s(), g.at(2).s(), g.at(3).s())
}

// loadGroup loads the 16 values at from.
func (p *program) loadGroup(from gp, g group) { p.do("VLD1 (%v), %s", from, g.list()) }

// storeGroup stores a group at to.
func (p *program) storeGroup(g group, to gp) { p.do("VST1 %s, (%v)", g.list(), to) }

// nextGroup loads the 16 values at from, and moves from behind them.
func (p *program) nextGroup(from gp, g group) {
	p.do("VLD1.P %d(%v), %s", groupBytes, from, g.list())
}

// putGroup stores a group at to, and moves to behind it.
func (p *program) putGroup(g group, to gp) {
	p.do("VST1.P %s, %d(%v)", g.list(), groupBytes, to)
}

// broadcast loads the float32 at from into all lanes.
func (p *program) broadcast(from gp, to vec) { p.do("VLD1R (%v), [%s]", from, to.s()) }

// next loads the vector at from, and moves from behind it.
func (p *program) next(from gp, to vec) { p.do("FMOVQ.P 16(%v), %s", from, to.f()) }

// put stores a vector at to, and moves to behind it.
func (p *program) put(v vec, to gp) { p.do("FMOVQ.P %s, 16(%v)", v.f(), to) }

func (p *program) zero(v vec)     { p.do("VEOR %s, %[1]s, %[1]s", v.b()) }
func (p *program) move(a, to vec) { p.do("VMOV %s, %s", a.b(), to.b()) }

// fma adds a·b to sum, rounded once; fms subtracts it.
func (p *program) fma(a, b, sum vec) { p.do("VFMLA %s, %s, %s", a.s(), b.s(), sum.s()) }
func (p *program) fms(a, b, sum vec) { p.do("VFMLS %s, %s, %s", a.s(), b.s(), sum.s()) }

// fmaD and fmsD are the same in float64.
func (p *program) fmaD(a, b, sum vec) { p.do("VFMLA %s, %s, %s", a.d(), b.d(), sum.d()) }
func (p *program) fmsD(a, b, sum vec) { p.do("VFMLS %s, %s, %s", a.d(), b.d(), sum.d()) }

// encoding is an instruction that Go's assembler lacks: its name, its operands' form, and its word
// with register 0 everywhere (Arm Architecture Reference Manual, C7.2).
type encoding struct {
	name, form string
	word       uint32
}

var (
	fadd   = encoding{"FADD", "4S", 0x4e20d400}
	fsub   = encoding{"FSUB", "4S", 0x4ea0d400}
	fmul   = encoding{"FMUL", "4S", 0x6e20dc00}
	fmax   = encoding{"FMAX", "4S", 0x4e20f400} // NaN if either is
	faddp  = encoding{"FADDP", "4S", 0x6e20d400}
	fcmeq  = encoding{"FCMEQ", "4S", 0x4e20e400}
	bic    = encoding{"BIC", "16B", 0x4e601c00}
	faddD  = encoding{"FADD", "2D", 0x4e60d400}
	fsubD  = encoding{"FSUB", "2D", 0x4ee0d400}
	fmulD  = encoding{"FMUL", "2D", 0x6e60dc00}
	fdivD  = encoding{"FDIV", "2D", 0x6e60fc00}
	fmaxD  = encoding{"FMAX", "2D", 0x4e60f400}
	faddpD = encoding{"FADDP", "2D", 0x6e60d400}
	fcmeqD = encoding{"FCMEQ", "2D", 0x4e60e400}
	fcmgtD = encoding{"FCMGT", "2D", 0x6ee0e400}
	cmgtD  = encoding{"CMGT", "2D", 0x4ee03400}
)

var (
	fcmle0  = encoding{"FCMLE #0", "4S", 0x6ea0d800}
	fabsD   = encoding{"FABS", "2D", 0x4ee0f800}
	fcvtl   = encoding{"FCVTL", "2D from 2S", 0x0e617800}
	fcvtl2  = encoding{"FCVTL2", "2D from 4S", 0x4e617800}
	fcvtn   = encoding{"FCVTN", "2S from 2D", 0x0e616800}
	fcvtzsD = encoding{"FCVTZS", "2D", 0x4ee1b800}
	scvtfD  = encoding{"SCVTF", "2D", 0x4e61d800}
)

// two writes an instruction of two sources: to = a op b.
func (p *program) two(e encoding, a, b, to vec) {
	p.do("WORD $%#08x // %s %s: %v, %v to %v", e.word|uint32(b)<<16|uint32(a)<<5|uint32(to),
		e.name, e.form, a, b, to)
}

// one writes an instruction of one source.
func (p *program) one(e encoding, a, to vec) {
	p.do("WORD $%#08x // %s %s: %v to %v", e.word|uint32(a)<<5|uint32(to), e.name, e.form, a, to)
}

// keepPositive keeps the lanes of v where m > 0 or m is NaN, and clears the others. It uses scratch,
// which may be m.
func (p *program) keepPositive(v, m, scratch vec) {
	p.one(fcmle0, m, scratch)
	p.two(bic, v, scratch, v)
}

// double loads a float64 into both lanes of a register. It uses the register addr.
func (p *program) double(v float64, addr gp, to vec) { p.constant(math.Float64bits(v), addr, to) }

// constant loads 64 bits into both lanes of a register. It uses the register addr.
func (p *program) constant(bits uint64, addr gp, to vec) {
	if p.doubles == nil {
		p.doubles = map[uint64]int{}
	}
	at, ok := p.doubles[bits]
	if !ok {
		at = 8 * len(p.table)
		p.doubles[bits], p.table = at, append(p.table, bits)
	}
	p.do("MOVD $doubles<>+%d(SB), %v", at, addr)
	p.do("VLD1R (%v), [%s]", addr, to.d())
}

// doublesTable returns the text of the table of constants.
func (p *program) doublesTable() string {
	if len(p.table) == 0 {
		log.Fatal("the table of constants is empty")
	}
	var b strings.Builder
	for i, bits := range p.table {
		fmt.Fprintf(&b, "DATA doubles<>+%d(SB)/8, $%#016x\n", 8*i, bits)
	}
	fmt.Fprintf(&b, "GLOBL doubles<>(SB), RODATA|NOPTR, $%d\n\n", 8*len(p.table))
	return b.String()
}
