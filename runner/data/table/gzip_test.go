package table

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"drolab/dro/testsize"
)

// gzipPage is a page of a file that is compressed with gzip.
type gzipPage struct {
	header, at   int // offsets of the sizes in the header and of the member
	size, packed int // bytes of the page and of the member
}

// sizes returns the two sizes as they stand in a page's header: fields of type int32, zigzag, as
// varints.
func (p gzipPage) sizes() []byte {
	field := func(to []byte, n int) []byte {
		return binary.AppendVarint(append(to, 0x15),
			int64(n))
	}
	return field(field(nil, p.size), p.packed)
}

// gzipPages finds the pages by their gzip members.
func gzipPages(t *testing.T, b []byte) (list []gzipPage) {
	t.Helper()
	for at := 0; ; at++ {
		next := bytes.Index(b[at:], []byte{0x1f, 0x8b, 8})
		if next < 0 {
			return list
		}
		at += next
		in := bytes.NewReader(b[at:])
		z, err := gzip.NewReader(in)
		if err != nil {
			continue // these bytes, by chance
		}
		z.Multistream(false)
		page, err := io.ReadAll(z)
		if err != nil {
			continue
		}
		p := gzipPage{at: at, size: len(page), packed: len(b) - at - in.Len()}
		if p.header = bytes.LastIndex(b[:at], p.sizes()); p.header < 0 || at-p.header > 200 {
			t.Fatalf("the member at byte %d has no header of sizes %d and %d", at, p.size, p.packed)
		}
		list = append(list, p)
	}
}

// A page that gzip itself calls damaged is an error, for its checksum, its length or its end.
func TestGzipIsChecked(t *testing.T) {
	whole := read(t, filepath.Join("testdata", "gzip.parquet"))
	_, want, err := rows(whole, every)
	if err != nil {
		t.Fatal(err)
	}
	pages := gzipPages(t, whole)
	if len(pages) < 10 {
		t.Fatalf("%d pages are found", len(pages))
	}
	const trailer = 8 // CRC-32 and length
	resized := func(b []byte, p, as gzipPage) { copy(b[p.header:], as.sizes()) }
	for name, damage := range map[string]func(b []byte, p gzipPage){
		"checksum": func(b []byte, p gzipPage) { b[p.at+p.packed-trailer] ^= 1 },
		"length":   func(b []byte, p gzipPage) { b[p.at+p.packed-1] ^= 1 },
		"cut trailer": func(b []byte, p gzipPage) {
			as := p
			as.packed -= trailer
			resized(b, p, as)
		},
		"declared size too small": func(b []byte, p gzipPage) {
			as := p
			as.size--
			resized(b, p, as)
		},
		"declared size too large": func(b []byte, p gzipPage) {
			as := p
			as.size++
			resized(b, p, as)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range pages {
				b := slices.Clone(whole)
				if damage(b, p); len(b) != len(whole) || bytes.Equal(b, whole) {
					t.Fatalf("the page at byte %d is not damaged", p.at)
				}
				if _, _, err := rows(b, every); err == nil {
					t.Errorf("the page at byte %d is read as good", p.at)
				}
			}
		})
	}
	t.Run("declared size of the first value", func(t *testing.T) {
		var member bytes.Buffer
		z := gzip.NewWriter(&member)
		z.Write([]byte("\x01\x00\x00\x00a\x01\x00\x00\x00b"))
		z.Close()
		for size, good := range map[int]bool{10: true, 5: false} {
			_, got, err := rows(chunkOf(2, size, member.Len(), 2, member.Bytes()), every)
			if good != (err == nil) {
				t.Errorf("10 bytes that are declared as %d: %q, %v", size, got, err)
			}
		}
	})
	t.Run("a byte flipped", func(t *testing.T) {
		for k, p := range pages {
			for i := k % 17; i < p.packed; i += testsize.Pick(5, 1, 1) * 17 {
				b := slices.Clone(whole)
				b[p.at+i] ^= 0x10
				_, got, err := rows(b, every)
				if err == nil && !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("byte %d of the page at byte %d changes what is read", i, p.at)
				}
			}
		}
	})
}
