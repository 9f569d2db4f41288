package table

import (
	"encoding/binary"
	"math/big"
	"strconv"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"drolab/runner/data"
)

// logical is the meaning of a column's values, beyond their bits.
type logical struct {
	decimal, unsigned, half bool
	scale                   int // of a decimal
}

func logicalOf(e *format.SchemaElement) (l logical) {
	if e.ConvertedType.Valid {
		kind := e.ConvertedType.V
		l.decimal, l.scale = kind == deprecated.Decimal, int(e.Scale.V)
		l.unsigned = kind >= deprecated.Uint8 && kind <= deprecated.Uint64
	}
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		l.decimal, l.scale = true, int(t.Scale)
	case *format.IntType:
		l.unsigned = !t.IsSigned
	case *format.Float16Type:
		l.half = true
	}
	return l
}

// values returns the type of the stored bits of a column, or nil if it has no valid type.
func (c *parquetColumn) values() parquet.Type {
	n := c.TypeLength.V
	if c.Type.V == format.FixedLenByteArray && n >= 1 && n <= 1<<20 {
		return parquet.FixedLenByteArrayType(int(n))
	}
	return map[format.Type]parquet.Type{
		format.Boolean:   parquet.BooleanType,
		format.Int32:     parquet.Int32Type,
		format.Int64:     parquet.Int64Type,
		format.Float:     parquet.FloatType,
		format.Double:    parquet.DoubleType,
		format.ByteArray: parquet.ByteArrayType,
	}[c.Type.V]
}

// text returns the cell of a value. A NaN is missing.
func (p *pages) text(v parquet.Value) string {
	l := &p.column.logical
	if v.IsNull() {
		return ""
	}
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return "True" // as Python writes it
		}
		return "False"
	case parquet.Int32:
		if l.unsigned {
			return p.cell(strconv.AppendUint(p.buf, uint64(v.Uint32()), 10))
		}
		return p.number(int64(v.Int32()))
	case parquet.Int64:
		if l.unsigned {
			return p.cell(strconv.AppendUint(p.buf, v.Uint64(), 10))
		}
		return p.number(v.Int64())
	case parquet.Float:
		return p.float(float64(v.Float()), 32)
	case parquet.Double:
		return p.float(v.Double(), 64)
	}
	b := v.ByteArray()
	switch {
	case l.decimal:
		return l.large(b)
	case l.half && len(b) == 2:
		return p.float(float64(data.Half(binary.LittleEndian.Uint16(b))), 32)
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// number returns the cell of a whole number, or of a decimal.
func (p *pages) number(v int64) string {
	if p.column.decimal && p.column.scale > 0 {
		return p.column.scaled(strconv.FormatInt(v, 10))
	}
	return p.cell(strconv.AppendInt(p.buf, v, 10))
}

func (p *pages) float(v float64, bits int) string {
	if v != v {
		return ""
	}
	return p.cell(strconv.AppendFloat(p.buf, v, 'g', -1, bits))
}

// cell returns the text that was appended to buf, the memory of the cells. longer is buf with that
// text.
func (p *pages) cell(longer []byte) string {
	from := len(p.buf)
	p.buf = longer
	return unsafe.String(unsafe.SliceData(longer[from:]), len(longer)-from)
}

// large returns the cell of a decimal in bytes, which are in two's complement, the highest first.
func (l *logical) large(b []byte) string {
	const most = 64 // bytes: decimals have 38 digits, in 16
	if len(b) == 0 || len(b) > most {
		return ""
	}
	n := new(big.Int).SetBytes(b)
	if b[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return l.scaled(n.String())
}

// scaled puts the decimal point into a number.
func (l *logical) scaled(digits string) string {
	const most = 76
	sign := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	scale := max(0, min(l.scale, most))
	if scale == 0 {
		return sign + digits
	}
	digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}
