package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// lineReader reads the records of a table.
type lineReader struct{ *csv.Reader }

// lineBuffer is the number of bytes that are read of a file at a time.
const lineBuffer = 1 << 18

func newLines(in *bufio.Reader, comma rune) lineReader {
	l := lineReader{csv.NewReader(in)}
	if comma != 0 {
		l.Comma = comma
	}
	l.TrimLeadingSpace = comma != '\t' && comma != ' '
	l.ReuseRecord, l.FieldsPerRecord = true, -1
	return l
}

// next returns a record, which is valid until the next one, and its line.
func (l lineReader) next() (record []string, line int, err error) {
	if record, err = l.Read(); err != nil {
		return nil, 0, CSVError(err)
	}
	line, _ = l.FieldPos(0)
	return record, line, nil
}

// trimmed is strings.TrimSpace, but faster for cells without spaces, as most are.
func trimmed(s string) string {
	visible := func(b byte) bool { return b > ' ' && b < utf8.RuneSelf }
	if s == "" || visible(s[0]) && visible(s[len(s)-1]) {
		return s
	}
	return strings.TrimSpace(s)
}

// CSVError returns an error of encoding/csv with its line and character.
func CSVError(err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return err
	}
	return fmt.Errorf("line %d, character %d: %w", p.Line, p.Column, p.Err)
}
