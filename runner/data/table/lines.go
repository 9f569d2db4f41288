package table

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"drolab/runner/data"
)

// CSVLines reads the records of a text file.
type CSVLines struct {
	*csv.Reader
	in      *bufio.Reader // which the csv.Reader reads, without a buffer of its own
	allowed *allowance
}

// mark is the byte-order mark of UTF-8.
const mark = "\ufeff"

const (
	// lineBuffer is the number of bytes that are read of a file at a time.
	lineBuffer = 1 << 18
	// maxRecord is the maximum length in bytes of one line of a table, or of a cell with many
	// lines, since the reader keeps it whole.
	maxRecord = 16 << 20
)

// allowance is a reader that returns an error after left more bytes, unless left is raised
// meanwhile.
type allowance struct {
	io.Reader
	left int
}

func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, fmt.Errorf("a line of more than %d bytes", maxRecord)
	}
	n, err := a.Reader.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// NewCSVLines returns a reader of UTF-8 text. A byte-order mark is no part of it, neither at its
// start nor within it, where files were joined.
func NewCSVLines(r io.Reader, comma rune) CSVLines {
	allowed := &allowance{data.NewText(r), maxRecord}
	in := bufio.NewReaderSize(allowed, lineBuffer)
	l := CSVLines{csv.NewReader(in), in, allowed}
	l.Comma = cmp.Or(comma, ',')
	l.TrimLeadingSpace = comma != '\t' && comma != ' '
	l.ReuseRecord, l.FieldsPerRecord = true, -1
	return l
}

// Next returns a record, which is valid until the next one, and its line.
func (l CSVLines) Next() (record []string, line int, err error) {
	l.allowed.left = maxRecord
	if b, _ := l.in.Peek(len(mark)); string(b) == mark {
		l.in.Discard(len(mark))
	}
	if record, err = l.Read(); err != nil {
		return nil, 0, withPlace(err)
	}
	record[0] = strings.TrimPrefix(record[0], mark) // it followed an empty line
	line, _ = l.FieldPos(0)
	return record, line, nil
}

// withPlace returns an error of encoding/csv with its line and character.
func withPlace(err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d, character %d: %w", p.Line, p.Column, p.Err)
	}
	return err
}

// trimmed is strings.TrimSpace, but faster for cells without spaces, as most are.
func trimmed(s string) string {
	visible := func(b byte) bool { return b > ' ' && b < utf8.RuneSelf }
	if s == "" || visible(s[0]) && visible(s[len(s)-1]) {
		return s
	}
	return strings.TrimSpace(s)
}
