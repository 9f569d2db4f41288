package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"drolab/runner"
	"drolab/runner/record/internal/disk"
)

const (
	programLogName = runner.ProgramLogName
	scratchName    = "scratch" // a program's, while the run trains
)

// opaqueName is the file of what a program has saved, in the place of tensors.
func opaqueName(step int64) string { return fmt.Sprintf("step-%010d.program", step) }

// checkpointNames are the files of a checkpoint, the one first that makes it one.
func checkpointNames(step int64) []string {
	return []string{stateName(step), tensorsName(step), opaqueName(step), pinName(step)}
}

// opaqueFile is what a program has saved, in a checkpoint.
type opaqueFile struct {
	open   disk.Opener
	folder string
	name   string
	sum    string // sha256, in hexadecimal
}

// WriteTo implements runner.Opaque. The checksum is looked at behind the last byte.
func (o *opaqueFile) WriteTo(w io.Writer) (n int64, err error) {
	in, err := disk.OpenFolder(o.open, o.folder)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	return o.copyFrom(in, w)
}

func (o *opaqueFile) copyFrom(in *disk.Folder, w io.Writer) (n int64, err error) {
	f, size, err := in.Read(o.name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	hash := sha256.New()
	n, err = io.Copy(io.MultiWriter(w, hash), io.LimitReader(f, size))
	if err == nil && hex.EncodeToString(hash.Sum(nil)) != o.sum {
		err = fmt.Errorf("%s: checksum differs from the one in the JSON beside it", in.Join(o.name))
	}
	return n, err
}

// Release implements runner.Opaque.
func (*opaqueFile) Release() {}

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
