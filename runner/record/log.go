package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"drolab/runner"
)

// maxLine bounds one line of the log, in bytes: an eval event with ten
// thousand classes has about 600 000. Longer lines are not written, and are
// skipped by readers.
const maxLine = 1 << 20

// logFile is the file that a log appends to; tests put a failing one in.
type logFile interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// appendFile is a file opened for appending, which some systems refuse to
// truncate through that handle.
type appendFile struct{ *os.File }

func (f appendFile) Truncate(size int64) error { return os.Truncate(f.Name(), size) }

// openLogFile opens the log at path, made if missing.
func openLogFile(path string) (logFile, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return appendFile{f}, nil
}

// eventLog appends events to a file that has no other writer.
type eventLog struct {
	file logFile
	path string
	now  func() time.Time

	seq  int64 // of the last event
	size int64 // bytes, up to the newline of the last whole line
	torn bool  // part of a line may stand behind size
}

// openLog takes up the log at path behind its last whole line; what stands
// behind that is cut.
func openLog(path string, open func(string) (logFile, error), now func() time.Time) (*eventLog, error) {
	l := &eventLog{path: path, now: now}
	length, err := l.findEnd()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if l.file, err = open(path); err != nil {
		return nil, explain(err)
	}
	l.torn = length > l.size
	if err := l.mend(); err != nil {
		l.file.Close()
		return nil, err
	}
	return l, nil
}

// findEnd sets size and seq from the file, and returns the file's length. Of a
// log without one readable event the next seq is 1.
func (l *eventLog) findEnd() (length int64, err error) {
	f, length, err := openRegular(l.path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	b := newBackward(f, length, 0)
	_, l.size, err = b.line() // the torn part, most often empty
	for err == nil && l.seq == 0 {
		var line []byte
		line, _, err = b.line()
		var h runner.Head
		if json.Unmarshal(line, &h) == nil {
			l.seq = h.Seq
		}
	}
	if err == io.EOF {
		err = nil
	}
	return length, err
}

// append stamps e and writes it as one line with one write.
func (l *eventLog) append(e runner.Event) error {
	if err := l.mend(); err != nil {
		return err
	}
	h := e.Header()
	h.Seq, h.Time = l.seq+1, l.now().UTC()
	line, err := runner.EncodeEvent(e)
	if err != nil {
		return fmt.Errorf("%s: event %d (%s): %w", l.path, h.Seq, e.Kind(), err)
	}
	if len(line) >= maxLine {
		return fmt.Errorf("%s: event %d (%s) has %d bytes, want fewer than %d", l.path, h.Seq, e.Kind(), len(line),
			maxLine)
	}
	n, err := l.file.Write(append(line, '\n'))
	if err != nil {
		l.torn = true
		return fmt.Errorf("appending to %s: %w", l.path, errors.Join(explain(err), l.mend()))
	}
	l.size += int64(n)
	l.seq = h.Seq
	return nil
}

// mend cuts what a failed write may have left, so that the next line starts a
// line.
func (l *eventLog) mend() error {
	if !l.torn {
		return nil
	}
	if err := l.file.Truncate(l.size); err != nil {
		return fmt.Errorf("cutting a torn line off %s: %w", l.path, explain(err))
	}
	l.torn = false
	return nil
}
