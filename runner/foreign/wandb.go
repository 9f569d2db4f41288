package foreign

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"strings"

	"drolab/runner/measure"

	"google.golang.org/protobuf/encoding/protowire"
)

// A .wandb file is a head of 7 bytes, then blocks of 32 KiB as in the log of LevelDB, the head
// counted with the first block. A block has chunks: a checksum of 4 bytes, a length of 2, a type of
// 1, and the data. Zeros fill a block whose rest has no room for a chunk. One chunk or several are
// a Record in the wire format of Protocol Buffers.

const (
	wandbHead  = ":W&B\xe1\xbe\x00"
	wandbBlock = 32 << 10
	chunkHead  = 7
)

// The types of chunks.
const chunkWhole, chunkFirst, chunkMiddle, chunkLast = 1, 2, 3, 4

func isWandb(head []byte) bool { return strings.HasPrefix(string(head), wandbHead) }

var errChunk = errors.New("is damaged: its checksum is another one")

// chunks is a split function for the chunks of a file, whose place it keeps.
type chunks struct{ at int }

func (c *chunks) split(b []byte) (take int, piece []byte, err error) {
	if c.at == 0 {
		if len(b) < len(wandbHead) {
			return 0, nil, errMore
		}
		c.at = len(wandbHead)
		return len(wandbHead), nil, nil
	}
	if left := wandbBlock - c.at%wandbBlock; left < chunkHead {
		if len(b) < left {
			return 0, nil, errMore
		}
		c.at += left
		return left, nil, nil
	}
	if len(b) < chunkHead {
		return 0, nil, errMore
	}
	if zeros(b[:chunkHead]) {
		return 0, nil, errUnwritten
	}
	size := chunkHead + int(binary.LittleEndian.Uint16(b[4:]))
	if size > wandbBlock-c.at%wandbBlock {
		return 0, nil, errChunk
	}
	if len(b) < size {
		return 0, nil, errMore
	}
	if crc32.ChecksumIEEE(b[chunkHead-1:size]) != binary.LittleEndian.Uint32(b) {
		if zeros(b[size-1 : size]) {
			return 0, nil, errUnwritten
		}
		return 0, nil, errChunk
	}
	c.at += size
	return size, b[chunkHead-1 : size : size], nil // from the type on
}

// readWandb reads a .wandb file.
func readWandb(in *Source, l *Log) error {
	f, err := in.open(in.names[0])
	if err != nil {
		return err
	}
	r := &wandbReader{l: l}
	c := &chunks{}
	var record []byte
	for {
		chunk, err := f.next(c.split)
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, errChunk) {
			l.note("what follows a damaged record is left out (%v)", err)
			break
		}
		if err != nil {
			return err
		}
		switch chunk[0] {
		case chunkWhole, chunkFirst:
			record = append(record[:0], chunk[1:]...)
		case chunkMiddle, chunkLast:
			record = append(record, chunk[1:]...)
		}
		if len(record) > mostPiece {
			l.note("a record has more than %d MiB: it is left out", mostPiece>>20)
			record = record[:0]
		}
		if chunk[0] != chunkWhole && chunk[0] != chunkLast {
			continue
		}
		if err := r.read(record); err != nil {
			return err
		}
		if l.Ended && in.wait != nil {
			break
		}
	}
	if f.rest() > 0 {
		l.note("the last record of %s is not whole and left out", f.name)
	}
	return r.end()
}

// wandbReader reads the records of a run.
type wandbReader struct {
	l       *Log
	last    int64 // the step of the last history
	summary object
}

// item is a key with a value, as history, config and summary have them.
func item(b []byte) (key string, value any, err error) {
	var nested []string
	var text []byte
	err = fields(b, func(n protowire.Number, _ uint64, data []byte) error {
		switch {
		case data == nil:
		case n == 1:
			key = string(data)
		case n == 2:
			nested = append(nested, string(data))
		case n == 16:
			text = data
		}
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	if len(nested) > 0 {
		key = strings.Join(nested, ".")
	}
	value, err = parse(text)
	return key, value, err
}

// items returns the items in the fields of a message that have the number at.
func items(b []byte, at protowire.Number) (o object, err error) {
	err = fields(b, func(n protowire.Number, _ uint64, data []byte) error {
		if n != at || data == nil {
			return nil
		}
		key, value, err := item(data)
		if err == nil && key != "" {
			o = append(o, member{key, value})
		}
		if errors.Is(err, errWire) {
			return err
		}
		return nil
	})
	return o, err
}

// read reads a Record. The numbers are those of the fields in wandb_internal.proto.
func (r *wandbReader) read(record []byte) error {
	var taken error // an error of who takes the points, not of the record
	err := fields(record, func(n protowire.Number, _ uint64, data []byte) error {
		if data == nil || taken != nil {
			return nil
		}
		switch n {
		case 2:
			o, err := items(data, 1)
			if err != nil {
				return err
			}
			taken = r.history(o, data)
		case 3:
			o, err := items(data, 1)
			for _, m := range o {
				r.summary = r.summary.with(m)
			}
			return err
		case 5:
			return r.config(data)
		case 17:
			return r.run(data)
		case 18:
			return r.exit(data)
		}
		return nil
	})
	if err != nil {
		r.l.note("records that W&B would not write are left out")
	}
	return taken
}

// with replaces a member or adds it.
func (o object) with(m member) object {
	for i := range o {
		if o[i].key == m.key {
			o[i].value = m.value
			return o
		}
	}
	if len(o) >= mostNames {
		return o
	}
	return append(o, m)
}

// history hands on the numbers of a step. Keys with an underscore are W&B's own.
func (r *wandbReader) history(o object, record []byte) error {
	step, said := int64(0), false
	_ = fields(record, func(n protowire.Number, _ uint64, data []byte) error { // read before
		if n == 2 && data != nil {
			said = true
			return fields(data, func(n protowire.Number, number uint64, _ []byte) error {
				if n == 1 {
					step = int64(number)
				}
				return nil
			})
		}
		return nil
	})
	if x, ok := o.get("_step").(float64); ok {
		step, said = toStep(x), true
	}
	if !said {
		r.l.note("history without a step is left out")
		return nil
	}
	r.last = max(r.last, step)
	var elapsed measure.Number
	for _, key := range []string{"_runtime", "_timestamp"} {
		if x, ok := o.get(key).(float64); ok && !elapsed.Applies() {
			elapsed = r.l.elapsed(x)
		}
	}
	return r.metrics(o, step, elapsed)
}

func (r *wandbReader) metrics(o object, step int64, elapsed measure.Number) error {
	var own object
	for _, m := range o {
		of, nested := m.value.(object)
		if strings.HasPrefix(m.key, "_") || nested && of.get("_type") != nil {
			continue
		}
		own = append(own, m)
	}
	return own.numbers("", func(name string, x float64) error {
		return r.l.point(Point{Step: step, Name: name, Group: -1, Value: x, Elapsed: elapsed})
	})
}

func (r *wandbReader) config(data []byte) error {
	o, err := items(data, 1)
	for _, m := range o {
		if m.key != "_wandb" {
			object{m}.settings(r.l, "")
		}
	}
	return err
}

func (r *wandbReader) run(data []byte) error {
	return fields(data, func(n protowire.Number, _ uint64, data []byte) error {
		switch {
		case data == nil:
		case n == 4:
			return r.config(data)
		case n == 8:
			r.l.Name = clean(string(data), mostName)
		case n == 3:
			r.l.setting("project", string(data))
		}
		return nil
	})
}

func (r *wandbReader) exit(data []byte) error {
	r.l.Ended = true
	return fields(data, func(n protowire.Number, number uint64, _ []byte) error {
		if n == 1 && number != 0 {
			r.l.Cause = "its program ended with an error"
		}
		return nil
	})
}

// end hands on what the summary alone has, at the last step.
func (r *wandbReader) end() error {
	var rest object
	for _, m := range r.summary {
		if !r.l.names[clean(m.key, mostName)] {
			rest = append(rest, m)
		}
	}
	known := r.l.names
	return rest.numbers("", func(name string, x float64) error {
		if known[clean(name, mostName)] || strings.HasPrefix(name, "_") {
			return nil
		}
		return r.l.point(Point{Step: r.last, Name: name, Group: -1, Value: x})
	})
}
