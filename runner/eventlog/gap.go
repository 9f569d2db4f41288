package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/disk"
)

// GapEvent stands in the story of a run where lines of its log are lost: they cannot be read, or
// they are missing. No file holds it. One GapEvent stands for all lines that are lost in a row.
//
// The reader of the log makes it, so that whoever folds the events knows that a part is missing.
// History decides what is still known behind it.
type GapEvent struct {
	runner.Head
	Path  string // of the log
	Line  int    // the first line that is lost, or behind those that are missing; 0: not counted
	Start int64  // offset of this line
	Why   error  // worded as part of a sentence
}

// Kind implements runner.Event.
func (*GapEvent) Kind() string { return "gap" }

// Error says what is lost, with the file and the line.
func (g *GapEvent) Error() string { return fmt.Sprintf("%s, %s %v", g.Path, g.place(), g.Why) }

// Brief says the same in a few words for a screen, with the remedy.
func (g *GapEvent) Brief() string {
	return fmt.Sprintf("%s of %s is damaged: drolab doctor says what helps", g.place(),
		filepath.Base(g.Path))
}

// place names the line, which is counted from 1.
func (g *GapEvent) place() string {
	if g.Line == 0 {
		return fmt.Sprintf("the line at byte %d", g.Start)
	}
	return fmt.Sprintf("line %d", g.Line)
}

// ErrChanged is the error of a log whose lost lines are other bytes now than when they were read.
// On a network disk, bytes may be zeros until they arrive; a repair gives other lines. All that was
// read is void: the log has to be read again from its start.
var ErrChanged = errors.New("lines that could not be read have changed: open the run again")

// missingLines returns an error that is worded as part of a sentence.
func missingLines(lines int64) error {
	if lines == 1 {
		return errors.New("follows a missing line")
	}
	return fmt.Errorf("follows %d missing lines", lines)
}

// span is a part of a log that could not be read, with its checksum.
type span struct {
	start int64
	bytes int64
	sum   uint32
}

// mostSpans bounds the spans that are looked at again. If the first of many stay as they are, the
// log is damaged for good.
const mostSpans = 16

// spanOf returns the span from start on. Of one that is longer than any line, it holds the
// beginning, which a change of its zeros changes, too.
func spanOf(log io.ReaderAt, start, end int64) (span, error) {
	s := span{start: start, bytes: min(end-start, MaxLine)}
	text := make([]byte, s.bytes)
	n, err := log.ReadAt(text, start)
	if errors.Is(err, io.EOF) {
		err = nil // the log is shorter now, so the checksum differs
	}
	s.sum = crc32.Checksum(text[:n], disk.Castagnoli)
	return s, err
}

// changed reports whether a span of the log is other bytes now.
func changed(log io.ReaderAt, spans []span) (bool, error) {
	for _, s := range spans {
		now, err := spanOf(log, s.start, s.start+s.bytes)
		if err != nil || now.sum != s.sum {
			return err == nil, err
		}
	}
	return false, nil
}

// mostCounted bounds the bytes of a log whose lines are counted to number a line. A file may be a
// hole of any size.
const mostCounted = 1 << 30

// countLines returns the number of newlines between two offsets; ok is false where it is not known.
func countLines(log io.ReaderAt, from, to int64) (lines int, ok bool) {
	if to-from > mostCounted {
		return 0, false
	}
	in, buf := io.NewSectionReader(log, from, to-from), make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		lines += bytes.Count(buf[:n], []byte{'\n'})
		if err != nil {
			return lines, errors.Is(err, io.EOF)
		}
	}
}

// numberLines sets the lines of gaps, which are in the order of the log.
func numberLines(log io.ReaderAt, gaps []*GapEvent) {
	before, from := 0, int64(0)
	for _, g := range gaps {
		lines, ok := countLines(log, from, g.Start)
		if !ok {
			return
		}
		before, from = before+lines, g.Start
		g.Line = before + 1
	}
}
