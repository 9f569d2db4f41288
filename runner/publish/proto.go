package publish

import (
	"encoding/binary"
	"math"
)

// message is an encoded Protocol Buffers message (protobuf.dev/programming-guides/encoding). Event
// files and ONNX need only a few kinds of fields.
type message []byte

const (
	varint  = 0
	fixed64 = 1
	length  = 2
	fixed32 = 5
)

func (m *message) key(field, kind int) { *m = binary.AppendUvarint(*m, uint64(field<<3|kind)) }

func (m *message) integer(field int, v int64) {
	m.key(field, varint)
	*m = binary.AppendUvarint(*m, uint64(v))
}

func (m *message) double(field int, v float64) {
	m.key(field, fixed64)
	*m = binary.LittleEndian.AppendUint64(*m, math.Float64bits(v))
}

func (m *message) float(field int, v float32) {
	m.key(field, fixed32)
	*m = binary.LittleEndian.AppendUint32(*m, math.Float32bits(v))
}

func (m *message) bytes(field int, b []byte) {
	m.key(field, length)
	*m = append(binary.AppendUvarint(*m, uint64(len(b))), b...)
}

func (m *message) text(field int, s string) { m.bytes(field, []byte(s)) }

// floats writes a packed list.
func (m *message) floats(field int, list []float32) {
	m.key(field, length)
	*m = binary.AppendUvarint(*m, uint64(4*len(list)))
	for _, v := range list {
		*m = binary.LittleEndian.AppendUint32(*m, math.Float32bits(v))
	}
}
