package record

import (
	"io"
	"os"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

const (
	programLogName = runner.ProgramLogName
	scratchName    = "scratch" // a program's, while the run trains
)

// Scratch implements runner.Workplace.
func (r *recorder) Scratch() (dir string, err error) {
	if err := r.in.RemoveAll(scratchName); err != nil && !os.IsNotExist(err) {
		return "", disk.Explain(err)
	}
	if err := r.in.Mkdir(scratchName, disk.FolderMode); err != nil {
		return "", disk.Explain(err)
	}
	return r.in.Join(scratchName), nil
}

// ProgramLog implements runner.Workplace.
func (r *recorder) ProgramLog() (io.WriteCloser, error) {
	f, err := r.in.Open(programLogName, os.O_RDWR|os.O_CREATE, disk.FileMode)
	if err != nil {
		return nil, disk.Explain(err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &programLog{f, info.Size()}, nil
}

// A program may print without end. Its log keeps the first part and the last, at every
// moment, whatever ends the run.
const (
	firstOfLog = 512 << 10 // bytes that stay
	lastOfLog  = 512 << 10 // bytes that stay at least, of the rest
	leftOut    = "\n[... drolab left out what was printed here ...]\n"
)

// programLog is bounded: what is beyond twice the last part is cut back to it. An error
// of the disk is not worth the run, and costs what would have been written.
type programLog struct {
	disk.File
	size int64
}

// Write implements io.Writer. It always takes all of p.
func (l *programLog) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > lastOfLog {
		p = p[len(p)-lastOfLog:]
	}
	if l.size+int64(len(p)) > firstOfLog+int64(len(leftOut))+2*lastOfLog {
		l.cut()
	}
	if _, err := l.WriteAt(p, l.size); err == nil {
		l.size += int64(len(p))
	}
	return n, nil
}

// cut keeps the first part and, behind a line that says so, the last.
func (l *programLog) cut() {
	last := make([]byte, lastOfLog)
	if _, err := l.ReadAt(last, l.size-lastOfLog); err != nil {
		return
	}
	text := append([]byte(leftOut), last...)
	if _, err := l.WriteAt(text, firstOfLog); err != nil {
		return
	}
	if l.Truncate(firstOfLog+int64(len(text))) == nil {
		l.size = firstOfLog + int64(len(text))
	}
}

var _ runner.Workplace = (*recorder)(nil)
