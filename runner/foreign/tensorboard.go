package foreign

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// An event file is a list of TFRecords. A record is a length of 8 bytes, its checksum, that many
// bytes, and their checksum. The bytes are an Event in the wire format of Protocol Buffers.

const recordHead, recordTail = 12, 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked returns the checksum of a record's part.
func masked(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

var errRecord = errors.New("is damaged: its checksum is another one")

// tfRecord is a split function for records. A record that is longer than any of scalars is passed
// over.
func tfRecord(b []byte) (take int, piece []byte, err error) {
	if len(b) < recordHead {
		return 0, nil, errMore
	}
	n := binary.LittleEndian.Uint64(b)
	if binary.LittleEndian.Uint32(b[8:]) != masked(b[:8]) {
		if zeros(b[:recordHead]) {
			return 0, nil, errUnwritten
		}
		return 0, nil, errRecord
	}
	if n > 1<<40 {
		return 0, nil, errRecord
	}
	size := recordHead + int(n) + recordTail
	if n > mostEvent {
		return size, nil, nil
	}
	if len(b) < size {
		return 0, nil, errMore
	}
	piece = b[recordHead : recordHead+n : recordHead+n]
	if binary.LittleEndian.Uint32(b[recordHead+n:]) != masked(piece) {
		if zeros(b[size-recordTail : size]) {
			return 0, nil, errUnwritten
		}
		return 0, nil, errRecord
	}
	return size, piece, nil
}

// mostEvent is the most bytes of an event that is read: those of pictures may be longer.
const mostEvent = 8 << 20

func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// isEvents recognises an event file: its first record is a version, or a scalar.
func isEvents(head []byte) bool {
	if len(head) < recordHead || zeros(head[:recordHead]) {
		return false
	}
	return binary.LittleEndian.Uint32(head[8:]) == masked(head[:8])
}

// event is the part of an Event that is read.
type event struct {
	wall    float64 // seconds since 1970
	step    int64
	version string
	values  []tagged
	start   bool // of a writer: what is known of its step and later steps does not count
}

type tagged struct {
	tag    string
	scalar float64
	is     bool // a scalar
}

var errWire = errors.New("is no event")

// fields passes the fields of a message to f. number is the value of a varint or of a fixed one,
// and data that of a field with a length.
func fields(b []byte, f func(n protowire.Number, number uint64, data []byte) error) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return errWire
		}
		b = b[size:]
		var number uint64
		var data []byte
		switch kind {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var x uint32
			x, size = protowire.ConsumeFixed32(b)
			number = uint64(x)
		case protowire.Fixed64Type:
			number, size = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			data, size = protowire.ConsumeBytes(b)
			if data == nil {
				data = []byte{}
			}
		default:
			size = protowire.ConsumeFieldValue(n, kind, b)
		}
		if size < 0 {
			return errWire
		}
		b = b[size:]
		if err := f(n, number, data); err != nil {
			return err
		}
	}
	return nil
}

// decodeEvent reads an Event. The numbers are those of the fields in event.proto.
func decodeEvent(b []byte) (e event, err error) {
	err = fields(b, func(n protowire.Number, number uint64, data []byte) error {
		switch {
		case n == 1 && data == nil:
			e.wall = math.Float64frombits(number)
		case n == 2:
			e.step = int64(number)
		case n == 3 && data != nil:
			e.version = string(data)
		case n == 5 && data != nil: // Summary
			return fields(data, func(n protowire.Number, _ uint64, data []byte) error {
				if n != 1 || data == nil {
					return nil
				}
				v, err := decodeValue(data)
				e.values = append(e.values, v)
				return err
			})
		case n == 7 && data != nil: // SessionLog
			return fields(data, func(n protowire.Number, number uint64, _ []byte) error {
				e.start = e.start || n == 1 && number == 1
				return nil
			})
		}
		return nil
	})
	return e, err
}

// decodeValue reads a Summary.Value: a scalar is a simple_value, or a tensor of one number whose
// plugin is that of scalars.
func decodeValue(b []byte) (v tagged, err error) {
	var tensor []byte
	simple, plugin := false, ""
	err = fields(b, func(n protowire.Number, number uint64, data []byte) error {
		switch {
		case n == 1 && data != nil:
			v.tag = string(data)
		case n == 2 && data == nil:
			v.scalar, simple = float64(math.Float32frombits(uint32(number))), true
		case n == 8 && data != nil:
			tensor = data
		case n == 9 && data != nil: // SummaryMetadata
			return fields(data, func(n protowire.Number, _ uint64, data []byte) error {
				if n != 1 || data == nil {
					return nil
				}
				return fields(data, func(n protowire.Number, _ uint64, data []byte) error {
					if n == 1 && data != nil {
						plugin = string(data)
					}
					return nil
				})
			})
		}
		return nil
	})
	v.is = simple
	if err == nil && !simple && tensor != nil && (plugin == "scalars" || plugin == "") {
		v.scalar, v.is, err = decodeTensor(tensor)
	}
	return v, err
}

// The types of tensors, as types.proto numbers them.
const tensorFloat, tensorDouble, tensorInt32, tensorInt64 = 1, 2, 3, 9

// decodeTensor reads a TensorProto of one number. Later values of a tag lack the plugin: then it
// is a scalar if the tensor has no dimension.
func decodeTensor(b []byte) (x float64, ok bool, err error) {
	kind, many := uint64(0), false
	var content []byte
	var list []float64
	add := func(x float64) { list = append(list[:min(len(list), 1)], x) }
	err = fields(b, func(n protowire.Number, number uint64, data []byte) error {
		switch {
		case n == 1:
			kind = number
		case n == 2 && data != nil: // TensorShapeProto
			return fields(data, func(n protowire.Number, _ uint64, dim []byte) error {
				if n != 2 || dim == nil {
					return nil
				}
				many = many || len(dim) == 0
				return fields(dim, func(n protowire.Number, number uint64, _ []byte) error {
					many = many || n == 1 && number != 1
					return nil
				})
			})
		case n == 4 && data != nil:
			content = data
		case n == 5 && data != nil: // packed floats
			for ; len(data) >= 4; data = data[4:] {
				add(float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
			}
		case n == 5:
			add(float64(math.Float32frombits(uint32(number))))
		case n == 6 && data != nil:
			for ; len(data) >= 8; data = data[8:] {
				add(math.Float64frombits(binary.LittleEndian.Uint64(data)))
			}
		case n == 6:
			add(math.Float64frombits(number))
		case (n == 7 || n == 10) && data != nil: // packed integers
			for len(data) > 0 {
				v, size := protowire.ConsumeVarint(data)
				if size < 0 {
					return errWire
				}
				data = data[size:]
				add(float64(int64(v)))
			}
		case n == 7 || n == 10:
			add(float64(int64(number)))
		}
		return nil
	})
	if err != nil || many {
		return 0, false, err
	}
	switch {
	case kind == tensorFloat && len(content) == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(content))), true, nil
	case kind == tensorDouble && len(content) == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(content)), true, nil
	case kind == tensorInt32 && len(content) == 4:
		return float64(int32(binary.LittleEndian.Uint32(content))), true, nil
	case kind == tensorInt64 && len(content) == 8:
		return float64(int64(binary.LittleEndian.Uint64(content))), true, nil
	}
	numeric := kind == tensorFloat || kind == tensorDouble || kind == tensorInt32 ||
		kind == tensorInt64
	if numeric && len(list) == 1 {
		return list[0], true, nil
	}
	return 0, false, nil
}

// readEvents reads the event files of a folder, one after the other, as TensorBoard does.
func readEvents(in *Source, l *Log) error {
	if in.has(hparamsName) {
		readHparams(in, l)
	}
	r := &eventReader{l: l, old: true}
	for i := 0; i < len(in.names); i++ {
		f, err := in.open(in.names[i])
		if err != nil {
			return err
		}
		for {
			record, err := f.next(tfRecord)
			if errors.Is(err, io.EOF) {
				break
			}
			if errors.Is(err, errRecord) {
				l.note("what follows a damaged record is left out (%v)", err)
				break
			}
			if err != nil {
				return err
			}
			if err := r.read(record); err != nil {
				return err
			}
		}
		if f.rest() > 0 {
			l.note("the last record of %s is not whole and left out", f.name)
		}
	}
	return nil
}

// eventReader follows TensorBoard's rules for restarts.
type eventReader struct {
	l      *Log
	old    bool // the files have no version of 2 or later
	newest int64
}

func (r *eventReader) read(record []byte) error {
	e, err := decodeEvent(record)
	if err != nil {
		r.l.note("records that are no events are left out")
		return nil
	}
	if _, version, ok := strings.Cut(e.version, "brain.Event:"); ok {
		n, err := strconv.ParseFloat(version, 64)
		r.old = err != nil || n < 2
	}
	var tags []string
	for _, v := range e.values {
		tags = append(tags, v.tag)
	}
	switch {
	case !r.old && e.start:
		if err := r.l.purge(e.step, nil); err != nil {
			return err
		}
	case r.old && e.step < r.newest && tags != nil:
		if err := r.l.purge(e.step, tags); err != nil {
			return err
		}
	case r.old:
		r.newest = e.step
	}
	for _, v := range e.values {
		if !v.is {
			r.l.note("what is no scalar is left out, such as %s", v.tag)
			continue
		}
		err := r.l.point(Point{Step: e.step, Name: v.tag, Group: -1, Value: v.scalar,
			Elapsed: r.l.elapsed(e.wall)})
		if err != nil {
			return err
		}
	}
	return nil
}
