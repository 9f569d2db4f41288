package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
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

// MaxLine bounds one line of the log, in bytes: an eval event with ten
// thousand classes has about 600 000. Longer lines are not written, and are
// skipped by readers.
const MaxLine = 1 << 20

// EventLog appends events to a file that has no other writer.
type EventLog struct {
	in   *disk.Folder
	File atomicfile.File
	made fs.FileInfo // of File
	Path string      // for messages
	now  func() time.Time

	Position // of the last event; SHA256 is set by At
	hash     hash.Hash
	torn     bool // part of a line may stand behind Bytes
	doubt    bool // the last sync failed, and the system may have dropped the data

	warned []string // before the log was opened
}

// OpenLog opens a log to append behind its last whole line, which the Audit has found, and cuts
// what stands behind that line. A last line that lacks nothing but its newline gets one.
func OpenLog(in *disk.Folder, a *Audit, now func() time.Time) (*EventLog, error) {
	l := &EventLog{in: in, Path: in.Join(LogName), now: now, Position: a.Position, hash: a.hash,
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

func (l *EventLog) open() (err error) {
	const flags = os.O_WRONLY | os.O_APPEND | os.O_CREATE
	if l.File, err = l.in.Open(LogName, flags, disk.FileMode); err != nil {
		return disk.Explain(err)
	}
	if l.made, err = l.File.Stat(); err != nil {
		l.File.Close()
	}
	return err
}

// InPlace reports whether the log's name still leads to its file.
func (l *EventLog) InPlace() bool {
	now, err := l.in.Lstat(LogName)
	return err == nil && os.SameFile(now, l.made)
}

// Removed reports whether the log's file has lost its name. It does not look at the folder, so it
// is cheap enough for every event.
func (l *EventLog) Removed() bool {
	now, err := l.File.Stat()
	return err != nil || disk.Nameless(now)
}

// Append stamps e and writes it as one line with one write, the first event with the line that says
// whose the log is. If the event is Urgent, it is on the disk when Append returns. A run that goes
// on repeats its steps: a warning that the log has of the same step is not written again.
func (l *EventLog) Append(e runner.Event) error {
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
		return fmt.Errorf("%s: event %d (%s) has %d bytes, want at most %d",
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

func (l *EventLog) write(line []byte) error {
	n, err := l.File.Write(line)
	if err != nil {
		l.torn = true
		err = errors.Join(disk.Explain(err), l.cutTornLine())
		return fmt.Errorf("appending to %s: %w", l.Path, err)
	}
	l.Bytes += int64(n)
	return nil
}

// At returns the position of the log's end.
func (l *EventLog) At() Position {
	at := l.Position
	at.SHA256 = sumOf(l.hash)
	return at
}

// cutTornLine cuts what a failed write may have left, so that the next event begins a line. It
// opens the file again, since some systems do not truncate through a handle that appends.
func (l *EventLog) cutTornLine() error {
	if !l.torn {
		return nil
	}
	f, err := l.in.Same(LogName, os.O_WRONLY, l.made)
	if err == nil {
		err = errors.Join(f.Truncate(l.Bytes), f.Close())
	}
	if err != nil {
		return fmt.Errorf("cutting a torn line off %s: %w", l.Path, disk.Explain(err))
	}
	l.torn = false
	return nil
}

// Sync brings the log to the disk. After a failed sync the system may report success the next time
// without having written the data: then Sync writes the log anew.
func (l *EventLog) Sync() error {
	var err error
	if l.doubt {
		err = l.copy()
	} else {
		err = l.File.Sync()
	}
	if l.doubt = err != nil; l.doubt {
		return fmt.Errorf("syncing %s: %w", l.Path, disk.Explain(err))
	}
	return nil
}

// copy replaces the log by a copy. Readers open the log by its name each time, and find the same
// text.
func (l *EventLog) copy() error {
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

// decodeLine decodes a line of a log. It may change the line's bytes.
func decodeLine(line []byte) (runner.Event, error) {
	bare, err := disk.UnsealLine(line)
	if err != nil {
		return nil, err
	}
	return runner.DecodeEvent(bare)
}

// firstLine is the first line of a log. It says whose the log is, and is no event.
type firstLine struct {
	Seq  int64  `json:"seq"`
	Type string `json:"type"`
	disk.Owner
}

const (
	headType = "run"
	maxHead  = 1 << 10 // bytes
)

// HeadLine returns the first line of the log of a run.
func HeadLine(of disk.Owner) []byte {
	b, err := json.Marshal(&firstLine{Type: headType, Owner: of})
	if err != nil {
		panic("eventlog: two words are no JSON: " + err.Error())
	}
	return append(disk.SealLine(b), '\n')
}

// checkHead returns an error, worded as part of a sentence, unless the first line of a log says
// that the log is the owner's. The zero owner is not checked.
func checkHead(line []byte, owner disk.Owner) error {
	var h firstLine
	if err := json.Unmarshal(line, &h); err != nil || h.Type != headType {
		return errors.New("does not begin with the line that says whose it is: restore the file " +
			"from a copy")
	}
	if owner.ID == "" {
		return nil
	}
	return owner.Check(h.Owner)
}

// CheckHead returns an error unless the log in a run's folder is the run's own. A log without a
// whole line has nothing of any run.
func CheckHead(in *disk.Folder) error {
	line, err := readHead(in)
	if err == nil && line != nil {
		err = checkHead(line, in.Owner)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", in.Join(LogName), err)
	}
	return nil
}

// OwnerOf returns the owner of the log in a folder.
func OwnerOf(in *disk.Folder) (disk.Owner, error) {
	var h firstLine
	line, err := readHead(in)
	if err == nil {
		err = json.Unmarshal(line, &h)
	}
	return h.Owner, err
}

// readHead reads the first line of a log; nil: it has no whole line.
func readHead(in *disk.Folder) (line []byte, err error) {
	f, size, err := in.Read(LogName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, min(size, maxHead))
	if _, err := f.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil, err
	}
	line, _, whole := bytes.Cut(b, []byte{'\n'})
	if !whole && size < maxHead {
		return nil, nil
	}
	return disk.UnsealLine(line)
}

// maxHole bounds the bytes between two newlines of a log. Readers pass over a line that is longer
// than MaxLine. If not even maxHole bytes have a newline, the file is no log: it may be a hole of
// any size, which takes no room on the disk and hours to read.
const maxHole = 64 * MaxLine

// errLong is worded as part of a sentence.
var errLong = errors.New("is longer than any event")

// holeAt is the error of a long line that has no end, or none within maxHole bytes.
func holeAt(start int64) error {
	return fmt.Errorf("the line at byte %d is longer than any event and has no end: restore the "+
		"file from a copy, or keep the part before that line (truncate -s %[1]d)", start)
}

// forward reads the lines of a log from the first on. Its memory is bounded by MaxLine.
type forward struct {
	in     *bufio.Reader
	hash   io.Writer // receives the lines that are returned
	offset int64     // behind the line that was returned last
}

// newForward reads the lines of r. A text of fewer bytes than MaxLine takes less memory.
func newForward(r io.Reader, size int64, hash io.Writer) *forward {
	// With one byte more, the buffer has room for all of a short text, and the end is seen.
	return &forward{in: bufio.NewReaderSize(r, int(min(size+1, MaxLine))), hash: hash}
}

// line returns the next line with its newline, or nil for a line that is longer than MaxLine. The
// line is valid until the next call. With io.EOF it returns the bytes behind the last newline.
func (f *forward) line() ([]byte, error) {
	for start := f.offset; ; {
		part, err := f.in.ReadSlice('\n')
		f.offset += int64(len(part))
		whole := f.offset == start+int64(len(part))
		if !errors.Is(err, io.EOF) {
			f.hash.Write(part)
		}
		switch {
		case errors.Is(err, io.EOF) && !whole,
			errors.Is(err, bufio.ErrBufferFull) && f.offset-start > maxHole:
			return nil, holeAt(start)
		case errors.Is(err, bufio.ErrBufferFull):
		case !whole:
			return nil, err
		default:
			return part, err
		}
	}
}

// unended returns how many of the bytes behind a log's last newline are a whole line. Such a line
// lacks its newline, or has another byte in its place. The result is 0 for part of a line, which a
// crash has left.
func unended(rest []byte) int {
	for _, n := range []int{len(rest), len(rest) - 1} {
		if n <= 0 {
			break
		}
		if _, err := disk.UnsealLine(bytes.Clone(rest[:n])); err == nil {
			return n
		}
	}
	return 0
}

// Names of files in a run's folder.
const (
	LogName  = "events.jsonl"
	LockName = "lock" // held while the log has a writer
)

// Log gives the events of a run as they are appended.
type Log interface {
	// Read returns the next events; none means that there are no more for now.
	Read() ([]runner.Event, error)
	// Skipped returns the number of lines that are not events.
	Skipped() int
	// Share returns the part of the log, 0 to 1, that had been read at the last Read. Below 1,
	// another Read returns more.
	Share() float64
}

// ForkEvent marks the place where a fork leaves its parent. No file holds it.
type ForkEvent struct {
	runner.Head
	Parent string // RUN@STEP
}

// Kind implements runner.Event.
func (*ForkEvent) Kind() string { return "fork" }

// LogFile is the text of a log.
type LogFile interface {
	io.ReaderAt
	io.Closer
}
