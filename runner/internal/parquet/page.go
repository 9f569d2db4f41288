package parquet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Kinds of pages.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPage2      = 3
)

// mostHeader is the most bytes of a page's header, which may have the least and the
// greatest value in it.
const mostHeader = 1 << 20

// pages goes through the values of a column's chunk.
type pages struct {
	column  *column
	unpack  unpacker
	in      *bufio.Reader
	scratch *buffer
	page    buffer // the one at hand, uncompressed

	dictionary *dictionary
	left       int     // values of the page
	levels     *hybrid // 1 for a value, 0 for none; nil where none is missing
	values     values
	text       text
}

func newPages(col *column, unpack unpacker, in io.Reader, scratch *buffer) *pages {
	return &pages{column: col, unpack: unpack, in: bufio.NewReaderSize(in, 1<<12), scratch: scratch,
		text: text{column: col}}
}

// fill reads the column's cells of some rows. They count until the next fill.
func (p *pages) fill(rows [][]string, column int) (err error) {
	p.text.buf = p.text.buf[:0]
	for i := range rows {
		if p.left == 0 && i > 0 { // the next page takes the place of this one
			for _, row := range rows[:i] {
				row[column] = strings.Clone(row[column])
			}
		}
		if rows[i][column], err = p.next(); err != nil {
			return err
		}
	}
	return nil
}

// next is the next value; "" for a missing one.
func (p *pages) next() (string, error) {
	for p.left == 0 {
		if err := p.turn(); err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("has fewer values than rows")
			}
			return "", err
		}
	}
	p.left--
	if p.levels != nil {
		if there, err := p.levels.next(); err != nil || there == 0 {
			return "", err
		}
	}
	return p.values.next()
}

// header is a PageHeader.
type header struct {
	kind                  int
	size, compressed      int64
	values                int64
	encoding, levels      int
	crc                   int64
	checked, plain        bool // plain: a data page of version 2 that is not compressed
	levelBytes, repeating int64
}

func (t *thrift) header() (h header) {
	t.fields(func(id int, kind byte) {
		switch {
		case id == 1:
			h.kind = int(t.int())
		case id == 2:
			h.size = t.int()
		case id == 3:
			h.compressed = t.int()
		case id == 4:
			h.crc, h.checked = t.int(), true
		case (id == 5 || id == 7) && kind == isStruct:
			t.fields(func(id int, kind byte) {
				switch id {
				case 1:
					h.values = t.int()
				case 2:
					h.encoding = int(t.int())
				case 3:
					if kind == isTrue || kind == isFalse { // of a dictionary: it is sorted
						return
					}
					h.levels = int(t.int())
				default:
					t.skip(kind)
				}
			})
		case id == 8 && kind == isStruct:
			t.header2(&h)
		default:
			t.skip(kind)
		}
	})
	return h
}

// header2 reads a DataPageHeaderV2.
func (t *thrift) header2(h *header) {
	t.fields(func(id int, kind byte) {
		switch id {
		case 1:
			h.values = t.int()
		case 4:
			h.encoding = int(t.int())
		case 5:
			h.levelBytes = t.int()
		case 6:
			h.repeating = t.int()
		case 7:
			h.plain = kind == isFalse
		default:
			t.skip(kind)
		}
	})
}

// turn goes on to the next page with values, or keeps a dictionary.
func (p *pages) turn() error {
	if _, err := p.in.Peek(1); err != nil {
		return err
	}
	t := &thrift{in: p.in, left: mostHeader}
	h := t.header()
	if t.err != nil {
		return fmt.Errorf("a page's header: %w", t.err)
	}
	const most = 1<<31 - 1
	for _, n := range []int64{h.values, h.size, h.compressed} {
		if n < 0 || n > most {
			return fmt.Errorf("a page of %d values in %d bytes, compressed to %d", h.values, h.size, h.compressed)
		}
	}
	if h.kind != dataPage && h.kind != dictionaryPage && h.kind != dataPage2 {
		_, err := p.in.Discard(int(h.compressed))
		return err
	}
	body, err := p.body(&h)
	if err != nil {
		return err
	}
	if h.kind == dictionaryPage {
		return p.keep(&h, body)
	}
	return p.begin(&h, body)
}

// body is a page's bytes, uncompressed. The levels of a page of version 2 are so anyhow.
func (p *pages) body(h *header) ([]byte, error) {
	raw, err := p.read(int(h.compressed))
	if err != nil {
		return nil, err
	}
	if h.checked && uint32(h.crc) != crc32.ChecksumIEEE(raw) {
		return nil, errors.New("a page's checksum differs: the file is damaged")
	}
	levels := int64(0)
	if h.kind == dataPage2 {
		if levels = h.levelBytes; levels < 0 || h.repeating != 0 || levels > h.size || levels > h.compressed {
			return nil, fmt.Errorf("a page of %d bytes with levels of %d and %d", h.size, h.levelBytes, h.repeating)
		}
	}
	unpack := p.unpack
	if h.plain {
		unpack = unpacker{uncompressed, 1, 0}
	}
	if most := unpack.most * int64(len(raw)); h.size > levels+most && (most == 0 || unpack.least < h.size) {
		return nil, fmt.Errorf("a page of %d bytes, compressed to %d: more than can be", h.size, h.compressed)
	}
	out := p.page.sized(int(h.size))
	copy(out, raw[:levels])
	raw, rest := raw[levels:], out[levels:]
	if len(rest) > 0 || len(raw) > 0 {
		err = unpack.do(rest, raw)
	}
	if err != nil {
		err = fmt.Errorf("a page of %d bytes, compressed to %d: %w", h.size, h.compressed, err)
	}
	return out, err
}

// read is the next bytes of the chunk. As many as a header says are taken a part at a
// time, since they may not be there.
func (p *pages) read(n int) ([]byte, error) {
	const part = 1 << 20
	at := 0
	for {
		b := p.scratch.grown(min(n, max(part, 2*at)), at)
		k, err := io.ReadFull(p.in, b[at:])
		if err != nil {
			return nil, fmt.Errorf("a page of %d bytes ends after %d: %w", n, at+k, io.ErrUnexpectedEOF)
		}
		if at += k; at == n {
			return b, nil
		}
	}
}

// grown is sized, with what was in the first bytes.
func (b *buffer) grown(n, kept int) []byte {
	before := (*b)[:min(kept, len(*b))]
	now := b.sized(n)
	copy(now, before)
	return now
}

// unpacker fills a page from what it was compressed to. A byte of that makes no more
// than most of the page, but where this is no larger than least: so far what a header
// says is believed.
type unpacker struct {
	do          func(page, raw []byte) error
	most, least int64
}

var errSize = errors.New("it has another size")

// unpacker is that of a method of compression.
func (f *File) unpacker(codec int) (unpacker, error) {
	switch codec {
	case 0:
		return unpacker{uncompressed, 1, 0}, nil
	case 1:
		return unpacker{unsnap, 64, 0}, nil
	case 2:
		return unpacker{unzip, 1040, 0}, nil
	case 6:
		return f.unzstd()
	}
	return unpacker{}, fmt.Errorf("is compressed by method %d: save it as it is, or with snappy, zstd or gzip",
		codec)
}

func uncompressed(page, raw []byte) error {
	if len(raw) != len(page) {
		return errSize
	}
	copy(page, raw)
	return nil
}

func unsnap(page, raw []byte) error {
	if n, err := snappy.DecodedLen(raw); err != nil || n != len(page) {
		return errors.Join(errSize, err)
	}
	_, err := snappy.Decode(page, raw)
	return err
}

// unzip reads a page to the end of its gzip stream: checksum and length stand there.
func unzip(page, raw []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err == nil {
		_, err = io.ReadFull(z, page)
	}
	if err != nil {
		return err
	}
	switch n, err := io.ReadFull(z, make([]byte, 1)); {
	case n > 0:
		return errSize
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// unzstd unpacks no more than a page has room for.
func (f *File) unzstd() (unpacker, error) {
	if f.zstd == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return unpacker{}, err
		}
		f.zstd = z
	}
	return unpacker{func(page, raw []byte) error {
		out, err := f.zstd.DecodeAll(raw, page[:0:len(page)])
		if err == nil && len(out) != len(page) {
			err = errSize
		}
		return err
	}, 1 << 10, 1 << 24}, nil // a page of zeros is a few bytes
}

// keep takes a dictionary as texts.
func (p *pages) keep(h *header, body []byte) error {
	if p.dictionary != nil {
		return errors.New("a second dictionary")
	}
	if h.encoding != plainValues && h.encoding != oldDictionary {
		return fmt.Errorf("a dictionary of encoding %d", h.encoding)
	}
	from := newPlain(&p.text, body)
	p.dictionary = &dictionary{}
	for range h.values {
		p.text.buf = p.text.buf[:0]
		s, err := from.next()
		if err == nil {
			err = p.dictionary.add(s)
		}
		if err != nil {
			return fmt.Errorf("the dictionary: %w", err)
		}
	}
	return nil
}

// begin is ready for the values of a page.
func (p *pages) begin(h *header, body []byte) (err error) {
	p.left, p.levels = int(h.values), nil
	if p.column.optional {
		if body, err = p.beginLevels(h, body); err != nil {
			return err
		}
	} else {
		body = body[h.levelBytes:]
	}
	p.values, err = p.decoder(h.encoding, body)
	return err
}

func (p *pages) beginLevels(h *header, body []byte) ([]byte, error) {
	n := int(h.levelBytes)
	if h.kind == dataPage {
		const runs = 3
		if len(body) < 4 || h.levels != runs {
			return nil, fmt.Errorf("a page of %d bytes with levels of encoding %d", len(body), h.levels)
		}
		n = int(int32(binary.LittleEndian.Uint32(body)))
		body = body[4:]
	}
	if n < 0 || n > len(body) {
		return nil, fmt.Errorf("levels of %d bytes in %d", n, len(body))
	}
	p.levels = &hybrid{in: body[:n], width: 1}
	return body[n:], nil
}
