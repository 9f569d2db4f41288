package data_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"drolab/runner/data"
)

// pieces returns a reader that gives its bytes a few at a time, and the last ones together with
// io.EOF.
func pieces(text string, n int) io.Reader {
	return iotest.DataErrReader(bufio.NewReaderSize(&shortReader{strings.NewReader(text), n}, 16))
}

type shortReader struct {
	io.Reader
	n int
}

func (u *shortReader) Read(p []byte) (int, error) { return u.Reader.Read(p[:min(u.n, len(p))]) }

// However a text is read, its UTF-8 is passed on. The error for the first byte that is not UTF-8
// names the byte and its line.
func TestText(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"ASCII", "a,b\n1,2\n", ""},
		{"characters of two to four bytes", "é,€,😀\n1,2,3\né", ""},
		{"a byte-order mark", "\ufeffa\n", ""},
		{"the replacement character", "a\ufffd\n", ""},
		{"a carriage return in a cell", "a,b\n1,x\ry\n", ""},
		{"a carriage return in a quoted name", "\"a\rb\",c\n1,2\n", ""},
		{"a zero in a cell", "a\n1\x00\n", ""},
		{"lines of Windows", "a,b\r\n1,2\r\n", ""},
		{"Latin-1", "town\nOrl\xe9ans\n", "line 2: byte 8 of the text (0xe9) is not UTF-8"},
		{"Latin-1 in the names", "pr\xe9nom,a\n", "line 1: byte 2 of the text (0xe9) is not UTF-8"},
		{"a character cut by the end", "a\n\xe2\x82",
			"line 2: byte 2 of the text (0xe2) is not UTF-8"},
		{"a character cut by another", "a\n\xe2\x82x\n",
			"line 2: byte 2 of the text (0xe2) is not UTF-8"},
		{"a surrogate", "a\n\xed\xa0\x80\n", "line 2: byte 2 of the text (0xed) is not UTF-8"},
		{"UTF-16", "\xff\xfea\x00\n\x00", "line 1: is UTF-16: convert it first"},
		{"UTF-16, the other way round", "\xfe\xff\x00a\x00\n",
			"line 1: is UTF-16: convert it first"},
		{"UTF-16 without a mark", "a\x00,\x00", "is UTF-16"},
		{"lines of the first Macs", "a,b\r1,2\r3,4\r",
			"line 1: ends in a carriage return alone (byte 3)"},
	} {
		for n := 1; n <= 5; n++ {
			t.Run(fmt.Sprintf("%s, by %d", c.name, n), func(t *testing.T) {
				got, err := io.ReadAll(data.NewText(pieces(c.text, n)))
				if c.want == "" {
					if err != nil {
						t.Fatalf("%q is refused: %v", c.text, err)
					}
					if string(got) != c.text {
						t.Fatalf("%q is read as %q", c.text, got)
					}
					return
				}
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("%v, want %q", err, c.want)
				}
				if !strings.HasPrefix(c.text, string(got)) {
					t.Fatalf("%q is passed on of %q", got, c.text)
				}
			})
		}
	}
}

// text refuses the same strings as unicode/utf8, apart from zeros and lone carriage returns.
func FuzzText(f *testing.F) {
	f.Add("a\né\xe9", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 1 || strings.Contains(s, "\r") || len(s) > 1 && data.Utf16([]byte(s[:2])) {
			t.Skip()
		}
		_, err := io.ReadAll(data.NewText(pieces(s, n)))
		if (err == nil) != utf8.ValidString(s) {
			t.Fatalf("%q gives the error %v, want one: %t", s, err, !utf8.ValidString(s))
		}
	})
}
