package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Neither Go's assembler nor avo knows AMX or AVX512-BF16. The few instructions that are needed are
// written here as bytes, with the encodings of Intel's manual, volume 2. kern's TestRawInstructions
// decodes them again.

// These are the values of the pp field of an encoding, each of which stands for a prefix.
const (
	none = iota
	p66
	pF3
	pF2
)

// raw writes the bytes of an instruction, with its text as a comment. in and out tell the register
// allocator which operands the instruction reads and writes.
func (g *generator) raw(text string, in, out []op.Op, code ...byte) {
	g.Comment(text)
	for i, b := range code {
		line := &ir.Instruction{Opcode: "BYTE", Operands: []op.Op{op.U8(b)}}
		if i == 0 {
			line.Inputs, line.Outputs = in, out
		}
		g.Instruction(line)
	}
}

// vex returns a three-byte VEX prefix of map 0F38, width 0 and 128 bits. reg and rm are the
// registers of the ModRM byte, and v is the third register.
func vex(pp, reg, rm, v int) []byte {
	return []byte{0xc4, byte(^reg>>3&1<<7 | 1<<6 | ^rm>>3&1<<5 | 2), byte(^v&15<<3 | pp)}
}

// modRM returns the ModRM byte. A mod of 3 means two registers.
func modRM(mod, reg, rm int) byte { return byte(mod<<6 | reg&7<<3 | rm&7) }

// number returns the number of a general register in an encoding.
func number(r reg.Physical) int { return int(r.PhysicalIndex()) }

// tileLoadStore writes TILELOADD or TILESTORED of tile t at base + stride·row + disp, where disp
// fits into a byte.
func (g *generator) tileLoadStore(store bool, t int, base, stride reg.Physical, disp int) {
	pp, text := pF2, fmt.Sprintf("TILELOADD %d(%s)(%s*1), TMM%d", disp, base.Asm(), stride.Asm(), t)
	if store {
		pp, text = pF3, fmt.Sprintf("TILESTORED TMM%d, %d(%s)(%s*1)", t, disp, base.Asm(), stride.Asm())
	}
	b, i := number(base), number(stride)
	prefix := vex(pp, t, b, 0)
	prefix[1] = prefix[1]&^(1<<6) | byte(^i>>3&1<<6)
	code := append(prefix, 0x4b, modRM(1, t, 4), byte(i&7<<3|b&7), byte(disp))
	g.raw(text, []op.Op{base, stride}, nil, code...)
}

func (g *generator) tileZero(t int) {
	g.raw(fmt.Sprintf("TILEZERO TMM%d", t), nil, nil, append(vex(pF2, t, 0, 0), 0x49, modRM(3, t, 0))...)
}

// tileConfigure writes LDTILECFG.
func (g *generator) tileConfigure(at reg.Physical) {
	code := append(vex(none, 0, number(at), 0), 0x49, modRM(1, 0, number(at)), 0)
	g.raw(fmt.Sprintf("LDTILECFG 0(%s)", at.Asm()), []op.Op{at}, nil, code...)
}

func (g *generator) tileRelease() {
	g.raw("TILERELEASE", nil, nil, append(vex(none, 0, 0, 0), 0x49, modRM(3, 0, 0))...)
}

// tileMultiply writes TDPBF16PS: sum += a · b.
func (g *generator) tileMultiply(sum, a, b int) {
	g.raw(fmt.Sprintf("TDPBF16PS TMM%d, TMM%d, TMM%d", b, a, sum), nil, nil,
		append(vex(pF3, sum, a, b), 0x5c, modRM(3, sum, a))...)
}

// evex returns an instruction of map 0F38 on three 512-bit registers.
func evex(pp int, opcode byte, dst, first, second int) []byte {
	return []byte{0x62,
		byte(^dst>>3&1<<7 | ^second>>4&1<<6 | ^second>>3&1<<5 | ^dst>>4&1<<4 | 2),
		byte(^first&15<<3 | 1<<2 | pp),
		byte(2<<5 | ^first>>4&1<<3),
		opcode, modRM(3, dst, second)}
}

// dotPairs writes VDPBF16PS: sum += the products of the pairs of a and b.
func (g *generator) dotPairs(b, a, sum int) {
	g.raw(fmt.Sprintf("VDPBF16PS Z%d, Z%d, Z%d", b, a, sum),
		[]op.Op{g.fixed(a), g.fixed(b), g.fixed(sum)}, []op.Op{g.fixed(sum)}, evex(pF3, 0x52, sum, a, b)...)
}

// narrowed writes VCVTNE2PS2BF16, which rounds 32 values to the nearest bf16. The lower half of dst
// comes from low.
func (g *generator) narrowed(low, high, dst int) {
	g.raw(fmt.Sprintf("VCVTNE2PS2BF16 Z%d, Z%d, Z%d", low, high, dst),
		[]op.Op{g.fixed(low), g.fixed(high)}, []op.Op{g.fixed(dst)}, evex(pF2, 0x72, dst, high, low)...)
}
