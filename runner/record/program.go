package record

import (
	"io"
	"os"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/internal/atomicfile"
)

// scratchName is the folder of a program while the run trains.
const scratchName = "scratch"

// Scratch implements runner.Workplace.
func (r *recorder) Scratch() (dir string, err error) {
	if err := r.in.RemoveAll(scratchName); err != nil && !os.IsNotExist(err) {
		return "", disk.Explain(err, r.in.Path)
	}
	if err := r.in.Mkdir(scratchName, disk.FolderMode); err != nil {
		return "", disk.Explain(err, r.in.Path)
	}
	return r.in.Join(scratchName), nil
}

// ProgramLog implements runner.Workplace.
func (r *recorder) ProgramLog() (io.WriteCloser, error) {
	f, size, err := r.in.OpenSized(runner.ProgramLogName, os.O_RDWR|os.O_CREATE, disk.FileMode)
	if err != nil {
		return nil, disk.Explain(err, r.in.Path)
	}
	return &programLog{f, size}, nil
}

// A program may print without end. At every moment its log holds the first and the last part of the
// output, however the run ends.
const (
	keptStart = 512 << 10 // bytes that stay
	keptEnd   = 512 << 10 // least number of bytes of the rest that stay
	gapMark   = "\n[... drolab left out what was printed here ...]\n"
)

// programLog is a log of bounded size. When the part behind the first one grows beyond twice
// keptEnd, it is cut back to keptEnd. A disk error does not end the run; the text that would
// have been written is lost.
type programLog struct {
	atomicfile.File
	size int64
}

// Write implements io.Writer. It always takes all of p.
func (l *programLog) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > keptEnd {
		p = p[len(p)-keptEnd:]
	}
	if l.size+int64(len(p)) > keptStart+int64(len(gapMark))+2*keptEnd {
		l.cut()
	}
	if _, err := l.WriteAt(p, l.size); err == nil {
		l.size += int64(len(p))
	}
	return n, nil
}

// cut keeps the first and the last part, with a line between them that marks the gap.
func (l *programLog) cut() {
	last := make([]byte, keptEnd)
	if _, err := l.ReadAt(last, l.size-keptEnd); err != nil {
		return
	}
	text := append([]byte(gapMark), last...)
	if _, err := l.WriteAt(text, keptStart); err != nil {
		return
	}
	if l.Truncate(keptStart+int64(len(text))) == nil {
		l.size = keptStart + int64(len(text))
	}
}

var _ runner.Workplace = (*recorder)(nil)

// Printed returns the end of what the run's program printed: the last most bytes of it, or less.
// whole says that the text is all of the output. The error is an fs.ErrNotExist where no output is
// kept.
func (r *Run) Printed(most int64) (text []byte, whole bool, err error) {
	text, from, err := r.readEnd(runner.ProgramLogName, 0, most)
	return text, from == 0, err
}
