package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

// maxLine bounds one line of the log, in bytes: an eval event with ten
// thousand classes has about 600 000. Longer lines are not written, and are
// skipped by readers.
const maxLine = 1 << 20

var errEmpty = errors.New("is empty")

// eventLog appends events to a file that has no other writer.
type eventLog struct {
	in   *disk.Folder
	file disk.File
	made fs.FileInfo // of file
	path string      // for people
	now  func() time.Time

	position       // of the last event
	size     int64 // bytes, up to the newline of the last whole line
	torn     bool  // part of a line may stand behind size
	doubt    bool  // the system could not bring it to the disk, and may have let go of it
}

// openLog takes up a log behind its last whole line, which a look at all of it
// has found; what stands behind that is cut. A last line that lacks its newline
// only gets one.
func openLog(in *disk.Folder, a *audit, now func() time.Time) (*eventLog, error) {
	l := &eventLog{in: in, path: in.Join(logName), now: now, position: a.position, size: a.size}
	if err := l.open(); err != nil {
		return nil, err
	}
	l.size += int64(a.unended)
	l.torn = a.length > l.size
	err := l.mend()
	if err == nil && a.unended > 0 {
		err = l.write([]byte("\n"))
	}
	if err != nil {
		l.file.Close()
		return nil, err
	}
	return l, nil
}

func (l *eventLog) open() (err error) {
	if l.file, err = l.in.Open(logName, os.O_WRONLY|os.O_APPEND|os.O_CREATE, disk.FileMode); err != nil {
		return disk.Explain(err)
	}
	if l.made, err = l.file.Stat(); err != nil {
		l.file.Close()
	}
	return err
}

// inPlace tells whether the log has its name still.
func (l *eventLog) inPlace() bool {
	now, err := l.in.Lstat(logName)
	return err == nil && os.SameFile(now, l.made)
}

// removed tells whether the log has no name any more, without a look at its
// folder: at every event.
func (l *eventLog) removed() bool {
	now, err := l.file.Stat()
	return err != nil || disk.Nameless(now)
}

// append stamps e and writes it as one line with one write. An event that
// somebody is told of is on disk then.
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
	if line = append(disk.LineSeal.Put(line), '\n'); len(line) > maxLine {
		return fmt.Errorf("%s: event %d (%s) has %d bytes, want at most %d", l.path, h.Seq, e.Kind(), len(line),
			maxLine)
	}
	before := l.size
	if err := l.write(line); err != nil {
		return err
	}
	if urgent(e) {
		if err := l.sync(); err != nil { // what was not answered for must not count later
			l.size, l.torn = before, true
			return errors.Join(err, l.mend())
		}
	}
	if knob, ok := e.(*runner.KnobEvent); ok {
		l.knobs = append(l.knobs, *knob)
	}
	l.seq = h.Seq
	return nil
}

// urgent tells whether somebody is told of an event, who relies on it.
func urgent(e runner.Event) bool {
	switch e.(type) {
	case *runner.KnobEvent, *runner.StatusEvent:
		return true
	}
	return false
}

func (l *eventLog) write(line []byte) error {
	n, err := l.file.Write(line)
	if err != nil {
		l.torn = true
		return fmt.Errorf("appending to %s: %w", l.path, errors.Join(disk.Explain(err), l.mend()))
	}
	l.size += int64(n)
	return nil
}

// mend cuts what a failed write may have left, so that the next line starts a
// line. Some systems do not truncate through a handle that appends.
func (l *eventLog) mend() error {
	if !l.torn {
		return nil
	}
	f, err := l.in.Same(logName, os.O_WRONLY, l.made)
	if err == nil {
		err = errors.Join(f.Truncate(l.size), f.Close())
	}
	if err != nil {
		return fmt.Errorf("cutting a torn line off %s: %w", l.path, disk.Explain(err))
	}
	l.torn = false
	return nil
}

// sync brings the log to the disk. Where the system failed in that, it may say
// the next time that it has done it, and not have: then the log is written anew.
func (l *eventLog) sync() error {
	var err error
	if l.doubt {
		err = l.copy()
	} else {
		err = l.file.Sync()
	}
	if l.doubt = err != nil; l.doubt {
		return fmt.Errorf("syncing %s: %w", l.path, disk.Explain(err))
	}
	return nil
}

// copy puts a copy of the log in its place. Readers open it by its name each
// time, and find what they know.
func (l *eventLog) copy() error {
	old, _, err := l.in.Read(logName)
	if err != nil {
		return err
	}
	defer old.Close()
	err = l.in.Write(logName, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(old, 0, l.size))
		return err
	})
	if err != nil {
		return err
	}
	l.file.Close()
	return l.open()
}

// decodeLine reads a line of a log, which it may change.
func decodeLine(line []byte) (runner.Event, error) {
	if len(line) == 0 {
		return nil, errEmpty // a damaged disk may leave a million of them
	}
	bare, _, err := disk.LineSeal.Check(line)
	if err != nil {
		return nil, err
	}
	return runner.DecodeEvent(bare)
}
