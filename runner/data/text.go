package data

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// text is a reader that passes on UTF-8 and refuses all else with an error that names byte and
// line. Names are kept as JSON, which replaces every byte that is not UTF-8 by the same character,
// so that two names could become one.
type text struct {
	from *bufio.Reader
	good int   // bytes in the buffer of from that were checked
	err  error // the first error, which stays and comes behind them

	at    int64 // bytes that were checked
	lines int   // line feeds among them

	quoted, returned bool // in the first line: within quotes, behind a carriage return
}

// textBuffer is the size in bytes of the buffer of a text.
const textBuffer = 64 << 10

func NewText(r io.Reader) *text { return newText(r, textBuffer) }

func newText(r io.Reader, buffer int) *text {
	t := &text{from: bufio.NewReaderSize(r, buffer)}
	if head, _ := t.from.Peek(2); len(head) == 2 && Utf16(head) {
		t.err = &TextError{1, "is UTF-16", "convert it first, as with iconv -f UTF-16 -t UTF-8",
			"utf16"}
	}
	return t
}

// Utf16 reports whether two bytes begin a UTF-16 text: with a byte-order mark, or with an ASCII
// character, which has one zero byte.
func Utf16(head []byte) bool {
	return string(head) == "\xff\xfe" || string(head) == "\xfe\xff" ||
		(head[0] == 0) != (head[1] == 0)
}

// Read implements io.Reader. It returns the good bytes before it returns an error.
func (t *text) Read(p []byte) (n int, err error) {
	if t.good == 0 && t.err == nil {
		t.check()
	}
	if t.good == 0 {
		return 0, t.err
	}
	n, err = t.from.Read(p[:min(len(p), t.good)])
	t.good -= n
	return n, err
}

// check checks the bytes that are in the buffer of from, after it has read some.
func (t *text) check() {
	_, err := t.from.Peek(utf8.UTFMax) // so that at least one character is whole
	b, _ := t.from.Peek(t.from.Buffered())
	if !errors.Is(err, io.EOF) {
		b = b[:wholeRunes(b)]
	}
	if t.lines == 0 {
		t.err = t.firstLine(b)
		if t.err != nil {
			return
		}
	}
	t.good, t.err = len(b), err
	if !utf8.Valid(b) {
		t.good = invalid(string(b))
		t.err = t.notUTF8(b, t.good)
	}
	t.lines += bytes.Count(b[:t.good], []byte{'\n'})
	t.at += int64(t.good)
}

// wholeRunes returns the length of b without an incomplete character at its end.
func wholeRunes(b []byte) int {
	for n := len(b) - 1; n >= max(0, len(b)-utf8.UTFMax); n-- {
		if utf8.RuneStart(b[n]) {
			if !utf8.FullRune(b[n:]) {
				return n
			}
			break
		}
	}
	return len(b)
}

// notUTF8 returns the error of the byte at a place in b, the bytes that are checked.
func (t *text) notUTF8(b []byte, place int) error {
	line := 1 + t.lines + bytes.Count(b[:place], []byte{'\n'})
	encoding := "latin1"
	if b[place] < 0xa0 { // a letter in a Windows encoding, a control character in Latin-1
		encoding = "cp1252"
	}
	return &TextError{line,
		fmt.Sprintf("byte %d of the text (%#x) is not UTF-8", t.at+int64(place), b[place]),
		"convert the file first, as with iconv -f " + encoding + " -t UTF-8", encoding}
}

// firstLine refuses a first line that ends in a carriage return alone. Within quotes, a carriage
// return ends no line.
func (t *text) firstLine(b []byte) error {
	for i, c := range b {
		if t.returned && c != '\n' {
			return &TextError{1, fmt.Sprintf("ends in a carriage return alone (byte %d), "+
				"as on the first Macs", t.at+int64(i)-1),
				"convert the file first, as with tr '\\r' '\\n'", ""}
		}
		if c == '\n' {
			return nil
		}
		t.quoted = t.quoted != (c == '"')
		t.returned = c == '\r' && !t.quoted
	}
	return nil
}

// invalid returns the place of the first byte that is not UTF-8, or the length of s.
func invalid(s string) int {
	for at, r := range s {
		if _, size := utf8.DecodeRuneInString(s[at:]); r == utf8.RuneError && size == 1 {
			return at
		}
	}
	return len(s)
}

// TextError is the error of a file that is not text: the line, the reason and the remedy.
type TextError struct {
	Line         int
	What, Remedy string
	Encoding     string // that the file may have, as a value of the option encoding; else empty
}

func (e *TextError) Error() string {
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.What, e.Remedy)
}

// CheckText returns a *TextError if b is not lines of UTF-8 text.
func CheckText(b []byte) error {
	_, err := io.Copy(io.Discard, newText(bytes.NewReader(b), min(len(b), textBuffer)))
	return err
}
