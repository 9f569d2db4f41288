package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// pages reads the values of a column's chunk, page by page.
type pages struct {
	column *column
	at     int          // the column's place in a row
	kind   parquet.Type // of the column's stored bits
	codec  format.CompressionCodec
	rows   int64 // of the row group
	in     *io.SectionReader
	read   int64 // bytes of in that have been read

	dictionary *words
	left       int64 // values of the page still to read, missing ones included
	levels     *runs // 1 for a value, 0 for a missing one; nil if none can be missing
	places     *runs // places in words, if the page holds places
	words      *words
	values     parquet.ValueReader // otherwise
	some       [blockRows]parquet.Value
	ahead      []parquet.Value // the values in some that are not used yet
	buf        []byte          // memory of the texts of numbers
	raw        []byte          // of the page as it lies in the file
}

// words holds texts in one string. A pointer for each text would cost the garbage collector time.
type words struct {
	text string
	ends []int // text i lies from ends[i] to ends[i+1]; the first is 0
}

// fill reads the column's cells of some rows, which are valid until the next fill. It leaves the
// memory of a page to the garbage collector, since cells may lie in it.
func (p *pages) fill(rows [][]string) (err error) {
	p.buf = p.buf[:0]
	for _, row := range rows {
		for p.left == 0 {
			if err := p.turn(); err != nil {
				return err
			}
		}
		p.left--
		if row[p.at], err = p.next(); err != nil {
			return err
		}
	}
	return nil
}

// next returns the next value of the page, "" for a missing one.
func (p *pages) next() (string, error) {
	if p.levels != nil {
		if there, err := p.levels.next(); err != nil || there == 0 {
			return "", err
		}
	}
	if p.places != nil {
		i, err := p.places.next()
		if known := uint64(len(p.words.ends) - 1); err == nil && i >= known {
			err = fmt.Errorf("value %d of a dictionary of %d", i, known)
		}
		if err != nil {
			return "", err
		}
		return p.words.text[p.words.ends[i]:p.words.ends[i+1]], nil
	}
	if len(p.ahead) == 0 {
		n, err := p.values.ReadValues(p.some[:])
		if n == 0 {
			return "", errors.Join(errShort, err)
		}
		p.ahead = p.some[:n]
	}
	v := p.ahead[0]
	p.ahead = p.ahead[1:]
	return p.text(v), nil
}

var errShort = errors.New("a page ends before its values do")

// header is a page's header.
type header struct{ format.PageHeader }

// values returns the number of values, missing ones included.
func (h *header) values() int64 {
	switch h.Type {
	case format.DataPage:
		return int64(h.DataPageHeader.V.NumValues)
	case format.DataPageV2:
		return int64(h.DataPageHeaderV2.V.NumValues)
	}
	return int64(h.DictionaryPageHeader.V.NumValues)
}

// levelBytes returns the number of bytes of levels, which precede the compressed bytes in pages of
// version 2.
func (h *header) levelBytes() int64 {
	return int64(h.DataPageHeaderV2.V.DefinitionLevelsByteLength)
}

func (h *header) refused(why string, args ...any) error {
	return fmt.Errorf("a page of %d values in %d bytes, compressed to %d: %s", h.values(),
		h.UncompressedPageSize, h.CompressedPageSize, fmt.Sprintf(why, args...))
}

// turn reads the next page: it prepares a page of values for reading, or keeps a dictionary.
func (p *pages) turn() error {
	if p.read == p.in.Size() {
		return errors.New("has fewer values than rows")
	}
	h, err := p.header()
	if err != nil {
		return fmt.Errorf("a page's header: %w", err)
	}
	if err := p.check(h); err != nil {
		return err
	}
	codec := p.codec
	if flag := h.DataPageHeaderV2.V.IsCompressed; flag.Valid && !flag.V {
		codec = format.Uncompressed
	}
	raw, err := p.bytes(h, codec != format.Uncompressed)
	if err != nil {
		return err
	}
	levels := h.levelBytes()
	body, err := unpack(codec, raw[levels:], int64(h.UncompressedPageSize)-levels)
	if err != nil {
		return h.refused("%v", err)
	}
	switch h.Type {
	case format.DictionaryPage:
		return p.keep(h, body)
	case format.DataPage, format.DataPageV2:
		return p.begin(h, raw[:levels], body)
	}
	return nil
}

// bytes reads a page as it lies in the file. If again is set, the memory is used again for the next
// page; it is not set where cells will lie in the memory.
func (p *pages) bytes(h *header, again bool) ([]byte, error) {
	n := int(h.CompressedPageSize)
	raw := p.raw
	if !again || n > cap(raw) {
		raw = make([]byte, n)
	}
	if raw = raw[:n]; again {
		p.raw = raw
	}
	if _, err := p.in.ReadAt(raw, p.read); err != nil {
		return nil, err
	}
	p.read += int64(n)
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(raw) {
		return nil, errors.New("a page's checksum differs: the file is damaged")
	}
	return raw, nil
}

// header reads the next page's header.
func (p *pages) header() (*header, error) {
	const most = 1 << 20 // bytes; the least and the greatest value may be in it
	left := p.in.Size() - p.read
	for length := int64(256); ; length *= 16 {
		b := make([]byte, min(length, most, left))
		if _, err := p.in.ReadAt(b, p.read); err != nil {
			return nil, err
		}
		h := &header{}
		n, err := decode(b, &h.PageHeader)
		if errors.Is(err, io.ErrUnexpectedEOF) && length < min(most, left) {
			continue
		}
		p.read += int64(n)
		return h, err
	}
}

// expansion is the maximum number of bytes to which each method of compression can expand one byte.
// Where there is no such bound, a few bytes may expand to a page of up to unboundedPage bytes.
var expansion = map[format.CompressionCodec]int64{
	format.Uncompressed: 1, format.Snappy: 64, format.Gzip: 1040, format.Lz4Raw: 256,
	format.Zstd: 1 << 10, format.Brotli: 1 << 10,
}

const unboundedPage = 1 << 24

// check compares the sizes that a header declares with the bytes and rows that are there.
func (p *pages) check(h *header) error {
	size, packed := int64(h.UncompressedPageSize), int64(h.CompressedPageSize)
	left := p.in.Size() - p.read
	levels, most := h.levelBytes(), expansion[p.codec]
	unbounded := p.codec == format.Zstd || p.codec == format.Brotli
	switch {
	case most == 0:
		return fmt.Errorf("is compressed by %v: save it as it is, or with snappy, zstd or gzip",
			p.codec)
	case size < 0 || packed < 0 || h.values() < 0 || levels < 0:
		return h.refused("a negative size")
	case packed > left:
		return h.refused("%d are left", left)
	case size > levels+most*packed && !(unbounded && size <= unboundedPage):
		return h.refused("more than can be")
	case h.Type != format.DictionaryPage && h.values() > p.rows:
		return h.refused("its group has %d rows", p.rows)
	case levels > packed || levels > size || h.DataPageHeaderV2.V.RepetitionLevelsByteLength != 0:
		return h.refused("levels of %d bytes", levels)
	}
	return nil
}

// plainDictionary is the encoding of dictionaries, and of places in them, in files of the format's
// version 1.
const plainDictionary format.Encoding = 2

// keep decodes a dictionary and keeps it as texts.
func (p *pages) keep(h *header, body []byte) error {
	if p.dictionary != nil {
		return errors.New("a second dictionary")
	}
	if e := h.DictionaryPageHeader.V.Encoding; e != format.Plain && e != plainDictionary {
		return fmt.Errorf("a dictionary of encoding %v", e)
	}
	values, err := p.decoded(format.Plain, int(h.values()), body)
	if err != nil {
		return fmt.Errorf("the dictionary: %w", err)
	}
	var text []byte
	ends := make([]int, 1, h.values()+1)
	cells := p.buf
	for n := -1; n != 0; p.buf = cells {
		n, err = values.ReadValues(p.some[:])
		for _, v := range p.some[:n] {
			text = append(text, p.text(v)...)
			ends = append(ends, len(text))
		}
	}
	p.dictionary = &words{string(text), ends}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// begin prepares for reading the values of a page.
func (p *pages) begin(h *header, levels, body []byte) (err error) {
	encoding := h.DataPageHeader.V.Encoding
	if h.Type == format.DataPageV2 {
		encoding = h.DataPageHeaderV2.V.Encoding
	}
	n := h.values()
	p.levels, p.places, p.ahead = nil, nil, nil
	if p.column.RepetitionType.V == format.Optional {
		if h.Type == format.DataPage {
			if levels, body, err = prefixed(body); err != nil {
				return err
			}
		}
		p.levels = &runs{rest: levels, bits: 1}
		if n, err = p.levels.sum(n); err != nil {
			return fmt.Errorf("which values are there: %w", err)
		}
	}
	switch {
	case encoding == format.RLEDictionary || encoding == plainDictionary:
		if p.dictionary == nil {
			return errors.New("a page of a dictionary that is not there")
		}
		p.words = p.dictionary
		p.places, err = placesIn(body)
	case encoding == format.RLE && p.kind == parquet.BooleanType:
		// The library (v0.32) takes the value of a run for eight values, without an error.
		body, _, err = prefixed(body)
		p.words, p.places = &words{"FalseTrue", []int{0, 5, 9}}, &runs{rest: body, bits: 1}
	default:
		p.values, err = p.decoded(encoding, int(n), body)
	}
	p.left = h.values()
	return err
}

// decoded returns a reader of n values, missing ones not included.
func (p *pages) decoded(as format.Encoding, n int, body []byte) (parquet.ValueReader, error) {
	if as == format.Plain && int64(n)*p.leastBits() > 8*int64(len(body)) {
		return nil, errShort
	}
	encoding := parquet.LookupEncoding(as)
	memory := body
	if !encoding.CanDecodeInPlace() {
		memory = make([]byte, p.kind.EstimateDecodeSize(n, body, encoding))
	}
	var offsets []uint32
	if p.kind == parquet.ByteArrayType {
		offsets = make([]uint32, n+1)
	}
	values, err := p.kind.Decode(p.kind.NewValues(memory, offsets), body, encoding)
	if err != nil {
		return nil, err
	}
	data, offsets := values.Data()
	if p.kind == parquet.ByteArrayType && len(offsets) != n+1 ||
		p.kind != parquet.ByteArrayType && int64(n)*p.leastBits() > 8*int64(len(data)) {
		return nil, errShort
	}
	return p.kind.NewPage(0, n, values).Values(), nil
}

// leastBits returns the number of bits of a plain value; of a text, the bits of its length.
func (p *pages) leastBits() int64 {
	switch p.column.Type.V {
	case format.ByteArray:
		return 32
	case format.FixedLenByteArray:
		return int64(p.kind.Length()) * 8
	}
	return int64(p.kind.Length())
}

// prefixed divides b after its first part, whose length is in the first four bytes.
func prefixed(b []byte) (first, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errShort
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if b = b[4:]; n > int64(len(b)) {
		return nil, nil, fmt.Errorf("runs of %d bytes in %d", n, len(b))
	}
	return b[:n], b[n:], nil
}
