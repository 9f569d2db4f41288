package table

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// unpack returns the bytes of a page, exactly as many as its header declares. The codecs of
// parquet-go (v0.32) would make the program 2 MB larger, and the one for LZ4 takes more and more
// memory for a damaged page.
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
		page, err = parquet.Snappy.Decode(make([]byte, size), raw)
	case format.Zstd:
		page, err = zstdDecoder().DecodeAll(raw, make([]byte, 0, size))
	case format.Brotli:
		page, err = readAll(brotli.NewReader(bytes.NewReader(raw)), size)
	case format.Gzip:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(raw)); err == nil {
			page, err = readAll(z, size)
		}
	default:
		return nil, fmt.Errorf("it is compressed by %v: save it as it is, or with snappy, zstd or "+
			"gzip", codec)
	}
	if err == nil && int64(len(page)) != size {
		err = errors.New("it has another size")
	}
	return page, err
}

// zstdDecoder may be used by any goroutine.
var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil)
	if err != nil {
		panic(err) // it has no option that could be wrong
	}
	return d
})

// readAll reads size bytes, or as many as there are.
func readAll(r io.Reader, size int64) ([]byte, error) {
	page := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := page.ReadFrom(r)
	return page.Bytes(), err
}
