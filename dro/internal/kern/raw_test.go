//go:build amd64 && !purego

package kern

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rawInstruction is an instruction that the generator writes as bytes: its text, as the comment
// gives it, and its code.
type rawInstruction struct {
	text string
	code []byte
}

// rawInstructions reads the raw instructions of an assembly file: a comment, then one byte a line.
func rawInstructions(t *testing.T, path string) (list []rawInstruction) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	byteLine := regexp.MustCompile(`^\tBYTE +\$0x([0-9a-f]{2})$`)
	comment, open := "", false
	for _, line := range strings.Split(string(b), "\n") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "// "); ok {
			comment, open = text, false
		} else if m := byteLine.FindStringSubmatch(line); m != nil {
			if !open {
				list, open = append(list, rawInstruction{text: comment}), true
			}
			v, _ := strconv.ParseUint(m[1], 16, 8)
			last := &list[len(list)-1]
			last.code = append(last.code, byte(v))
		}
	}
	return list
}

// decode reads an instruction of VEX or EVEX map 0F38 by the tables of Intel's manual, volume 2,
// sections 2.3 and 2.7. It knows the instructions of the generator and no others.
func decode(code []byte) (string, error) {
	bad := fmt.Errorf("% x is not known", code)
	bit := func(b byte, i int) int { return int(b >> i & 1) }
	if len(code) == 6 && code[0] == 0x62 {
		p0, p1, p2, m := code[1], code[2], code[3], code[5]
		names := map[[2]byte]string{{2, 0x52}: "VDPBF16PS", {3, 0x72}: "VCVTNE2PS2BF16"}
		name, ok := names[[2]byte{p1 & 3, code[4]}]
		// map 2, W0, 512 bits, no mask, no broadcast, registers
		if !ok || p0&0xf != 2 || p1&0x84 != 4 || p2&0xf7 != 0x40 || m>>6 != 3 {
			return "", bad
		}
		reg := int(m>>3&7) + 8*(1-bit(p0, 7)) + 16*(1-bit(p0, 4))
		rm := int(m&7) + 8*(1-bit(p0, 5)) + 16*(1-bit(p0, 6))
		v := 15 - int(p1>>3&15) + 16*(1-bit(p2, 3))
		return fmt.Sprintf("%s Z%d, Z%d, Z%d", name, rm, v, reg), nil
	}
	if len(code) < 5 || code[0] != 0xc4 || code[1]&31 != 2 || code[2]&0x84 != 0 {
		return "", bad
	}
	v, pp, m := 15-int(code[2]>>3&15), code[2]&3, code[4]
	mod, reg, rm := m>>6, int(m>>3&7)+8*(1-bit(code[1], 7)), int(m&7)+8*(1-bit(code[1], 5))
	names := []string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI",
		"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}
	switch {
	case code[3] == 0x5c && pp == 2 && mod == 3:
		return fmt.Sprintf("TDPBF16PS TMM%d, TMM%d, TMM%d", v, rm, reg), nil
	case v != 0:
	case code[3] == 0x49 && pp == 0 && m == 0xc0:
		return "TILERELEASE", nil
	case code[3] == 0x49 && pp == 3 && mod == 3 && rm == 0:
		return fmt.Sprintf("TILEZERO TMM%d", reg), nil
	case code[3] == 0x49 && pp == 0 && mod == 1 && reg == 0 && len(code) == 6:
		return fmt.Sprintf("LDTILECFG %d(%s)", int8(code[5]), names[rm]), nil
	case code[3] == 0x4b && mod == 1 && m&7 == 4 && len(code) == 7 && code[5]>>6 == 0:
		base, index := int(code[5]&7)+8*(1-bit(code[1], 5)), int(code[5]>>3&7)+8*(1-bit(code[1], 6))
		at := fmt.Sprintf("%d(%s)(%s*1)", int8(code[6]), names[base], names[index])
		if pp == 3 {
			return fmt.Sprintf("TILELOADD %s, TMM%d", at, reg), nil
		} else if pp == 2 {
			return fmt.Sprintf("TILESTORED TMM%d, %s", reg, at), nil
		}
	}
	return "", bad
}

// TestRawInstructions decodes the instructions that neither the assembler nor the generator's
// library knows.
func TestRawInstructions(t *testing.T) {
	for path, kinds := range map[string][]string{
		"amx_amd64.s": {"LDTILECFG", "TILEZERO", "TILELOADD", "TDPBF16PS", "TILESTORED",
			"TILERELEASE"},
		"bf16_amd64.s": {"VDPBF16PS", "VCVTNE2PS2BF16"},
	} {
		seen := map[string]int{}
		for _, i := range rawInstructions(t, path) {
			got, err := decode(i.code)
			if err != nil || got != i.text {
				t.Errorf("%s: % x is %q, %v; the file says %q", path, i.code, got, err, i.text)
			}
			name, _, _ := strings.Cut(i.text, " ")
			seen[name]++
		}
		for _, kind := range kinds {
			if seen[kind] == 0 {
				t.Errorf("%s has no %s", path, kind)
			}
		}
		if len(seen) != len(kinds) {
			t.Errorf("%s has %v, want %v", path, seen, kinds)
		}
	}
}
