package parquet

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unsafe"
)

// text makes cells of values, as a table in text has them. They are in its memory until
// that is emptied.
type text struct {
	column *column
	buf    []byte
}

// width is how many bytes a value of fixed length has; 0 for others.
func (t *text) width() int {
	switch t.column.physical {
	case int32s, floats:
		return 4
	case int64s, doubles:
		return 8
	case fixedArrays:
		return t.column.length
	}
	return 0
}

// flag writes a boolean as Python and R do.
func (t *text) flag(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

// of is the cell of a value's bytes. A number that is not one is missing.
func (t *text) of(b []byte) string {
	switch t.column.physical {
	case int32s:
		return t.number(int64(int32(binary.LittleEndian.Uint32(b))))
	case int64s:
		return t.number(int64(binary.LittleEndian.Uint64(b)))
	case floats:
		return t.float(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)
	case doubles:
		return t.float(math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)
	}
	switch {
	case t.column.decimal:
		return t.large(b)
	case t.column.half && len(b) == 2:
		return t.float(half(binary.LittleEndian.Uint16(b)), 32)
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// number is the cell of a whole number, or of a decimal.
func (t *text) number(v int64) string {
	switch {
	case t.column.decimal && t.column.scale > 0:
		return t.scaled(strconv.FormatInt(v, 10))
	case t.column.unsigned && t.column.physical == int32s:
		return t.cell(strconv.AppendUint(t.buf, uint64(uint32(v)), 10))
	case t.column.unsigned:
		return t.cell(strconv.AppendUint(t.buf, uint64(v), 10))
	}
	return t.cell(strconv.AppendInt(t.buf, v, 10))
}

func (t *text) float(v float64, bits int) string {
	if v != v {
		return ""
	}
	return t.cell(strconv.AppendFloat(t.buf, v, 'g', -1, bits))
}

// cell is what was appended to the memory.
func (t *text) cell(longer []byte) string {
	from := len(t.buf)
	t.buf = longer
	return unsafe.String(unsafe.SliceData(longer[from:]), len(longer)-from)
}

// copied are bytes that will be others, in the memory of the cells.
func (t *text) copied(b []byte) []byte {
	from := len(t.buf)
	t.buf = append(t.buf, b...)
	return t.buf[from:]
}

// large is the cell of a decimal in bytes, the highest first, in two's complement.
func (t *text) large(b []byte) string {
	const most = 64 // bytes: decimals have 38 digits, in 16
	if len(b) == 0 || len(b) > most {
		return ""
	}
	n := new(big.Int).SetBytes(b)
	if b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return t.scaled(n.String())
}

// scaled puts the decimal point into a number.
func (t *text) scaled(digits string) string {
	const most = 76
	sign := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	scale := max(0, min(t.column.scale, most))
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if scale == 0 {
		return sign + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// half is a number of 16 bits.
func half(h uint16) float64 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&0x1f), float64(h&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(fraction+0x400, exponent-25)
}
