package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// lineReader reads the records of a table. A line without quotes is split here, which is most of
// them, and encoding/csv reads the others from the same buffer.
type lineReader struct {
	in  *bufio.Reader
	csv *csv.Reader // on in, of which it takes its records and no more

	own, theirs int // lines that were read here, and by csv
	record      []string
}

// lineBuffer is what in holds; a longer line is csv's.
const lineBuffer = 1 << 18

func NewLines(in *bufio.Reader, comma rune) *lineReader {
	l := &lineReader{in: in, csv: csv.NewReader(in)}
	if comma != 0 {
		l.csv.Comma = comma
	}
	l.csv.TrimLeadingSpace = comma != '\t' && comma != ' '
	l.csv.ReuseRecord, l.csv.FieldsPerRecord = true, -1
	return l
}

// Next returns a record, which counts until the next one, and its line.
func (l *lineReader) Next() (record []string, line int, err error) {
	for l.csv.Comma < utf8.RuneSelf {
		text := l.plain()
		if text == nil {
			break
		}
		l.own++
		bare := bytes.TrimSuffix(text[:len(text)-1], []byte{'\r'})
		if len(bare) > 0 {
			l.split(unsafe.String(&bare[0], len(bare))) // until the buffer is filled again
		}
		l.in.Discard(len(text))
		if len(bare) > 0 {
			return l.record, l.own + l.theirs, nil
		}
	}
	return l.quoted()
}

// plain is the next line, newline included, if it is in the buffer and has no quotes.
func (l *lineReader) plain() []byte {
	for {
		buffered, _ := l.in.Peek(l.in.Buffered())
		if n := bytes.IndexByte(buffered, '\n'); n >= 0 {
			if line := buffered[:n+1]; bytes.IndexByte(line, '"') < 0 {
				return line
			}
			return nil
		}
		if _, err := l.in.Peek(len(buffered) + 1); err != nil {
			return nil // the end, or a long line
		}
	}
}

func (l *lineReader) split(text string) {
	l.record = l.record[:0]
	comma := byte(l.csv.Comma)
	for {
		n := strings.IndexByte(text, comma)
		if n < 0 {
			l.record = append(l.record, text)
			return
		}
		l.record, text = append(l.record, text[:n]), text[n+1:]
	}
}

// quoted reads a record in the way of encoding/csv, whose lines are those that it has read itself.
func (l *lineReader) quoted() (record []string, line int, err error) {
	record, err = l.csv.Read()
	if err != nil {
		return nil, 0, CSVError(err, l.own)
	}
	line, _ = l.csv.FieldPos(0)
	l.theirs = line
	for _, cell := range record {
		l.theirs += strings.Count(cell, "\n")
	}
	return record, line + l.own, nil
}

// trimmed is strings.TrimSpace; most cells have no space.
func trimmed(s string) string {
	visible := func(b byte) bool { return b > ' ' && b < utf8.RuneSelf }
	if s == "" || visible(s[0]) && visible(s[len(s)-1]) {
		return s
	}
	return strings.TrimSpace(s)
}

// CSVError gives an error of encoding/csv with its line, before which so many were read elsewhere.
func CSVError(err error, elsewhere int) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return err
	}
	return fmt.Errorf("line %d, character %d: %w", p.Line+elsewhere, p.Column, p.Err)
}
