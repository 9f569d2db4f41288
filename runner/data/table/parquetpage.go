package table

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// pages reads the values of a column's chunk, page by page.
type pages struct {
	column  *parquetColumn
	place   int          // the column's place in a row
	kind    parquet.Type // of the column's stored bits
	codec   format.CompressionCodec
	raw     []byte // the page as it lies in the file
	in      *bufio.Reader
	headers thrift.Decoder // of in

	dictionary *parquetWords
	left       int64      // values of the page still to read, missing ones included
	levels     *smallInts // 1 for a value, 0 for a missing one; nil if none can be missing
	places     *smallInts // places in words, if the page holds places
	words      *parquetWords
	values     parquet.ValueReader // otherwise
	buffer     [blockRows]parquet.Value
	ahead      []parquet.Value // the values in some that are not used yet
	buf        []byte          // memory of the texts of numbers
}

// parquetWords holds texts in one string. A pointer for each text would cost the garbage collector
// time.
type parquetWords struct {
	text string
	ends []int // text i lies from ends[i] to ends[i+1]; the first is 0
}

// fill reads the column's cells of some rows, which are valid until the next fill. It leaves the
// memory of a page to the garbage collector, since cells may lie in it.
func (p *pages) fill(rows [][]string) (err error) {
	p.buf = p.buf[:0]
	for _, row := range rows {
		for p.left == 0 {
			if err := p.nextPage(); err != nil {
				return err
			}
		}
		p.left--
		if row[p.place], err = p.next(); err != nil {
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
		n, err := p.values.ReadValues(p.buffer[:])
		if n == 0 {
			return "", errors.Join(errShort, err)
		}
		p.ahead = p.buffer[:n]
	}
	v := p.ahead[0]
	p.ahead = p.ahead[1:]
	return p.text(v), nil
}

var errShort = errors.New("a page ends before its values do")

// nextPage reads the next page: it prepares a page of values for reading, or keeps a dictionary.
func (p *pages) nextPage() error {
	var h format.PageHeader
	if err := p.headers.Decode(&h); errors.Is(err, io.EOF) {
		return errors.New("has fewer values than rows")
	} else if err != nil {
		return fmt.Errorf("a page's header: %w", err)
	}
	second, codec := h.DataPageHeaderV2.V, p.codec
	if second.IsCompressed.Valid && !second.IsCompressed.V {
		codec = format.Uncompressed
	}
	raw, err := p.read(int(h.CompressedPageSize), codec != format.Uncompressed)
	if err != nil {
		return err
	}
	if h.CRC != 0 && uint32(h.CRC) != crc32.ChecksumIEEE(raw) {
		return errors.New("a page's checksum differs: the file is damaged")
	}
	if second.RepetitionLevelsByteLength != 0 {
		return errors.New("a page of repeated values in a flat column")
	}
	levels := int(second.DefinitionLevelsByteLength) // in version 2 they precede compressed bytes
	body, err := unpack(codec, raw[levels:], int64(h.UncompressedPageSize)-int64(levels))
	if err != nil {
		return fmt.Errorf("a page of %d bytes, compressed to %d: %w", h.UncompressedPageSize,
			h.CompressedPageSize, err)
	}
	switch h.Type {
	case format.DictionaryPage:
		return p.keepDictionary(&h.DictionaryPageHeader.V, body)
	case format.DataPage:
		first := h.DataPageHeader.V
		return p.beginPage(first.NumValues, first.Encoding, nil, body)
	case format.DataPageV2:
		return p.beginPage(second.NumValues, second.Encoding, raw[:levels], body)
	}
	return nil
}

// read reads the n bytes of a page as they lie in the file. If again is set, the memory is used
// again for the next page; it is not set where cells will lie in the memory.
func (p *pages) read(n int, again bool) ([]byte, error) {
	raw := p.raw
	if !again || n > cap(raw) {
		raw = make([]byte, n)
	}
	raw = raw[:n]
	if again {
		p.raw = raw
	}
	if _, err := io.ReadFull(p.in, raw); err != nil {
		return nil, fmt.Errorf("a page of %d bytes is cut off: %w", n, err)
	}
	return raw, nil
}

// plainDictionary is the encoding of dictionaries, and of places in them, in files of the format's
// version 1.
const plainDictionary format.Encoding = 2

// keepDictionary decodes a dictionary and keeps it as texts.
func (p *pages) keepDictionary(h *format.DictionaryPageHeader, body []byte) error {
	if encoding := h.Encoding; encoding != format.Plain && encoding != plainDictionary {
		return fmt.Errorf("a dictionary of encoding %v", encoding)
	}
	values, err := p.decoded(format.Plain, body)
	if err != nil {
		return fmt.Errorf("the dictionary: %w", err)
	}
	var text []byte
	ends := make([]int, 1, int(h.NumValues)+1)
	cells := p.buf
	for n := -1; n != 0; p.buf = cells {
		n, err = values.ReadValues(p.buffer[:])
		for _, v := range p.buffer[:n] {
			text = append(text, p.text(v)...)
			ends = append(ends, len(text))
		}
	}
	p.dictionary = &parquetWords{string(text), ends}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// beginPage prepares for reading the n values of a page, missing ones included.
func (p *pages) beginPage(n int32, encoding format.Encoding, levels, body []byte) (err error) {
	p.levels, p.places, p.ahead = nil, nil, nil
	if p.column.RepetitionType.V == format.Optional {
		if levels == nil {
			if levels, body, err = prefixed(body); err != nil {
				return err
			}
		}
		p.levels = &smallInts{rest: levels, bits: 1}
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
		p.words = &parquetWords{"FalseTrue", []int{0, 5, 9}}
		p.places = &smallInts{rest: body, bits: 1}
	default:
		p.values, err = p.decoded(encoding, body)
	}
	p.left = int64(n)
	return err
}

// decoded returns a reader of the values that body holds, missing ones not included.
func (p *pages) decoded(as format.Encoding, body []byte) (parquet.ValueReader, error) {
	encoding := parquet.LookupEncoding(as)
	var memory []byte
	if encoding.CanDecodeInPlace() {
		memory = body
	}
	values, err := p.kind.Decode(p.kind.NewValues(memory, nil), body, encoding)
	if err != nil {
		return nil, err
	}
	data, offsets := values.Data()
	n := max(0, len(offsets)-1)
	if bits := p.kind.Length(); p.kind.Kind() == parquet.FixedLenByteArray {
		n = len(data) / bits
	} else if bits > 0 {
		n = 8 * len(data) / bits
	}
	return p.kind.NewPage(0, n, values).Values(), nil
}

// prefixed divides b after its first part, whose length is in the first four bytes.
func prefixed(b []byte) (first, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errShort
	}
	n := int64(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if n > int64(len(b)) {
		return nil, nil, fmt.Errorf("runs of %d bytes in %d", n, len(b))
	}
	return b[:n], b[n:], nil
}
