package eventlog

import (
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/internal/atomicfile"
)

// Writer appends events to a file that has no other writer.
type Writer struct {
	in   *disk.Folder
	File atomicfile.File
	made fs.FileInfo // of File
	Path string      // for messages
	now  func() time.Time

	Position // of the last event; SHA256 is set by End
	hash     hash.Hash
	torn     bool // part of a line may stand behind Bytes
	doubt    bool // the last sync failed, and the system may have dropped the data

	warned []string // before the log was opened
}

// NewWriter opens a log to append behind its last whole line, which the Audit has found, and cuts
// what stands behind that line. A last line that lacks nothing but its newline gets one.
func NewWriter(in *disk.Folder, a *Audit, now func() time.Time) (*Writer, error) {
	l := &Writer{in: in, Path: in.Join(LogName), now: now, Position: a.Position, hash: a.hash,
		warned: a.warned}
	if err := l.open(); err != nil {
		return nil, err
	}
	l.Bytes += int64(a.Unended)
	l.torn = a.Length > l.Bytes
	err := l.cutTornLine()
	if err == nil && a.Unended > 0 {
		if err = l.write([]byte("\n")); err == nil {
			l.hash.Write([]byte("\n"))
		}
	}
	if err != nil {
		l.File.Close()
		return nil, err
	}
	return l, nil
}

func (l *Writer) open() (err error) {
	const flags = os.O_WRONLY | os.O_APPEND | os.O_CREATE
	if l.File, err = l.in.Open(LogName, flags, disk.FileMode); err != nil {
		return disk.Explain(err, l.Path)
	}
	if l.made, err = l.File.Stat(); err != nil {
		l.File.Close()
	}
	return err
}

// InPlace reports whether the log's name still leads to its file.
func (l *Writer) InPlace() bool {
	now, err := l.in.Lstat(LogName)
	return err == nil && os.SameFile(now, l.made)
}

// Removed reports whether the log's file has lost its name. It does not look at the folder, so it
// is cheap enough for every event.
func (l *Writer) Removed() bool {
	now, err := l.File.Stat()
	return err != nil || disk.Nameless(now)
}

// Append stamps e and writes it as one line with one write, the first event with the line that says
// whose the log is. If the event is Urgent, it is on the disk when Append returns. A run that goes
// on repeats its steps: a warning that the log has of the same step is not written again.
func (l *Writer) Append(e runner.Event) error {
	if w, ok := e.(*runner.WarningEvent); ok &&
		slices.Contains(l.warned, fmt.Sprint(w.Step, " ", w.Message)) {
		return nil
	}
	if err := l.cutTornLine(); err != nil {
		return err
	}
	h := e.Header()
	h.Seq, h.Time = l.Seq+1, l.now().UTC()
	line, err := runner.EncodeEvent(e)
	if err != nil {
		return fmt.Errorf("%s: event %d (%s): %w", l.Path, h.Seq, e.Kind(), err)
	}
	if line = append(disk.SealLine(line), '\n'); len(line) > MaxLine {
		return fmt.Errorf("%s: event %d (%s) has %d bytes, expected at most %d",
			l.Path, h.Seq, e.Kind(), len(line), MaxLine)
	}
	before := l.Bytes
	if before == 0 {
		line = append(HeadLine(l.in.Owner), line...)
	}
	if err := l.write(line); err != nil {
		return err
	}
	if Urgent(e) {
		if err := l.Sync(); err != nil { // an event that failed must not count later
			l.Bytes, l.torn = before, true
			return errors.Join(err, l.cutTornLine())
		}
	}
	l.hash.Write(line)
	if knob, ok := e.(*runner.KnobEvent); ok {
		l.Knobs = append(l.Knobs, *knob)
	}
	l.Seq = h.Seq
	return nil
}

// Urgent reports whether somebody is told of an event and relies on it.
func Urgent(e runner.Event) bool {
	switch e.(type) {
	case *runner.KnobEvent, *runner.StatusEvent:
		return true
	}
	return false
}

func (l *Writer) write(line []byte) error {
	n, err := l.File.Write(line)
	if err != nil {
		l.torn = true
		err = errors.Join(disk.Explain(err, l.Path), l.cutTornLine())
		return fmt.Errorf("appending to %s: %w", l.Path, err)
	}
	l.Bytes += int64(n)
	return nil
}

// End returns the position of the log's end.
func (l *Writer) End() Position {
	at := l.Position
	at.SHA256 = sumOf(l.hash)
	return at
}

// cutTornLine cuts what a failed write may have left, so that the next event begins a line. It
// opens the file again, since some systems do not truncate through a handle that appends.
func (l *Writer) cutTornLine() error {
	if !l.torn {
		return nil
	}
	f, err := l.in.Same(LogName, os.O_WRONLY, l.made)
	if err == nil {
		err = errors.Join(f.Truncate(l.Bytes), f.Close())
	}
	if err != nil {
		return fmt.Errorf("cutting a torn line off %s: %w", l.Path, disk.Explain(err, l.Path))
	}
	l.torn = false
	return nil
}

// Sync brings the log to the disk. After a failed sync the system may report success the next time
// without having written the data: then Sync writes the log anew.
func (l *Writer) Sync() error {
	var err error
	if l.doubt {
		err = l.copy()
	} else {
		err = l.File.Sync()
	}
	if l.doubt = err != nil; l.doubt {
		return fmt.Errorf("syncing %s: %w", l.Path, disk.Explain(err, l.Path))
	}
	return nil
}

// copy replaces the log by a copy. Readers open the log by its name each time, and find the same
// text.
func (l *Writer) copy() error {
	old, _, err := l.in.Read(LogName)
	if err != nil {
		return err
	}
	defer old.Close()
	err = l.in.Write(LogName, atomicfile.Copying(io.NewSectionReader(old, 0, l.Bytes)))
	if err != nil {
		return err
	}
	l.File.Close()
	return l.open()
}
