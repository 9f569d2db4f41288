package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// unpack returns the bytes of a page, exactly as many as its header declares. It takes no more
// memory than that; the codecs of parquet-go (v0.32) take as much as the compressed bytes unpack
// to.
func unpack(codec format.CompressionCodec, raw []byte, size int64) (page []byte, err error) {
	if len(raw) == 0 && size == 0 {
		return nil, nil
	}
	switch codec {
	case format.Uncompressed:
		page = raw
	case format.Lz4Raw:
		var n int
		page = make([]byte, size)
		n, err = lz4.UncompressBlock(raw, page)
		page = page[:max(0, n)]
	case format.Snappy:
		if said, _ := binary.Uvarint(raw); said == uint64(size) { // it allocates this many
			page, err = parquet.Snappy.Decode(make([]byte, size), raw)
		}
	case format.Zstd:
		page, err = zstdDecoder().DecodeAll(raw, make([]byte, 0, size))
	case format.Brotli:
		page, err = readAtMost(brotli.NewReader(bytes.NewReader(raw)), size)
	case format.Gzip:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(raw)); err == nil {
			page, err = readAtMost(z, size)
		}
	}
	if err == nil && int64(len(page)) != size {
		err = errors.New("it has another size")
	}
	return page, err
}

// zstdDecoder unpacks into the memory that it is given, and no more. Any goroutine may use it.
var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err) // an option of ours is wrong
	}
	return d
})

// readAtMost reads size bytes, and one more if there are more.
func readAtMost(r io.Reader, size int64) ([]byte, error) {
	page := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := page.ReadFrom(io.LimitReader(r, size+1))
	return page.Bytes(), err
}
