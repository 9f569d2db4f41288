package table

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"drolab/runner/data"
)

// foreign returns an error if a file with this beginning is neither text nor said to be compressed.
func foreign(path string, head []byte, encoding string) error {
	if withoutPacking(path) != path || encoding == "utf16" {
		return nil
	}
	if err := data.ForeignHead(path, head); err != nil {
		return fmt.Errorf("%s %w", path, err)
	}
	return nil
}

// headSize is the number of bytes at a file's beginning that tell its kind.
const headSize = 64

// decoded returns a reader that converts a text from its encoding to UTF-8.
func decoded(r io.Reader, encoding string) (io.Reader, error) {
	switch encoding {
	case "latin1":
		r = transform.NewReader(r, charmap.ISO8859_1.NewDecoder())
	case "cp1252":
		r = transform.NewReader(r, charmap.Windows1252.NewDecoder())
	case "utf16":
		in := bufio.NewReader(r)
		head, _ := in.Peek(2)
		if len(head) == 2 && !data.Utf16(head) {
			return nil, errors.New("line 1: is not UTF-16: leave encoding=utf16 out")
		}
		order := unicode.LittleEndian
		if len(head) == 2 && head[0] == 0 { // a letter of ASCII, without a mark
			order = unicode.BigEndian
		}
		r = transform.NewReader(in, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
	}
	return r, nil
}

// withEncoding makes an error of a text that is not UTF-8 offer the option that reads the text.
func (f *Frame) withEncoding(err error) error {
	if wrong := new(data.TextError); errors.As(err, &wrong) && wrong.Encoding != "" {
		wrong.Remedy = f.Set("encoding", wrong.Encoding)
	}
	return err
}

// checkCharacters refuses a cell with a character that its encoding lacks: all such characters are
// decoded to the same one, so that two names could become one.
func (f *Frame) checkCharacters(line int, record []string) error {
	if f.encoding == "" || f.encoding == "utf8" {
		return nil
	}
	for i, cell := range record {
		if strings.ContainsRune(cell, utf8.RuneError) {
			return fmt.Errorf("line %d, column %d: %.40q has a character that encoding=%s lacks: "+
				"give another encoding", line, i+1, cell, f.encoding)
		}
	}
	return nil
}
