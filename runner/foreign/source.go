package foreign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Source is the files of one log, for its reader. Files are opened by their names in one folder,
// and never through links.
type Source struct {
	root *os.Root
	// names are the files of the log, sorted; beside are further files of the folder, which say
	// more of the run.
	names, beside []string
	rotated       []part   // files that were rotated away from it, the oldest first
	turned        func()   // is called once these are read; may be nil
	wait          *waiting // nil: the log is read as it is now
	opened        []*file
	sizes         map[string]int64 // before the files are read
}

// waiting is how a reader waits where a file ends.
type waiting struct {
	ctx  context.Context
	poll time.Duration
	// idle is called where everything there is has been read.
	idle func() error
	// more returns the names of the log's files as they are now; nil: it has no further ones.
	more func() []string
	over func(idle time.Duration) bool // whether nothing more is expected
	now  func() time.Time
	last time.Time // when there was a piece
}

// The ways in which a wait ends without more to read.
var (
	errReplaced = errors.New("was replaced")
	errOver     = errors.New("the log is not written any more")
)

// errUnwritten says that a piece of a file is there in name only: it is zeros that the system puts
// in the place of what is on its way.
var errUnwritten = errors.New("is not written yet")

// errMore says that a piece goes on behind the bytes that are there.
var errMore = errors.New("is cut short")

// close closes the files.
func (s *Source) close() {
	for _, f := range s.opened {
		f.f.Close()
	}
	s.opened = nil
}

// file is a file of a log, read piece by piece.
type file struct {
	src    *Source
	name   string
	f      *os.File
	info   fs.FileInfo
	head   []byte // the first bytes, by which a file that was rewritten is known
	buf    []byte // read, but not taken yet
	off    int64  // of the end of buf
	dodges bool   // never waits: what is not there now is for the next time
}

const (
	readSize  = 64 << 10
	mostPiece = 32 << 20 // bytes of a line or record
	headSize  = 512
)

// files returns the names of the log's own files.
func (s *Source) files() (names []string) {
	for _, p := range s.rotated {
		names = append(names, p.name)
	}
	return append(names, s.names...)
}

// has reports whether the log has a file of that name beside its own.
func (s *Source) has(name string) bool {
	return slices.Contains(s.names, name) || slices.Contains(s.beside, name)
}

// atPath gives an error the full path of a file: the errors of an open folder have its name alone.
func atPath(err error, dir, name string) error {
	failed, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	return fmt.Errorf("reading %s: %w", clean(filepath.Join(dir, name), mostPath), failed.Err)
}

// mostPath is the number of bytes of a path in a message.
const mostPath = 4096

// open opens a file of the log. It must be a plain file: not a link, a pipe or a device.
func (s *Source) open(name string) (opened *file, err error) {
	defer func() { err = atPath(err, s.root.Name(), name) }()
	at, err := s.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !at.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no plain file: links, pipes and devices are not read",
			clean(name, mostName))
	}
	f, err := s.root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no plain file", clean(name, mostName))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	opened = &file{src: s, name: name, f: f, info: info}
	opened.look()
	s.opened = append(s.opened, opened)
	return opened, nil
}

// look keeps the first bytes of the file.
func (f *file) look() {
	head := make([]byte, headSize)
	n, _ := f.f.ReadAt(head, 0)
	f.head = head[:n]
}

// text returns a small file.
func (s *Source) text(name string, most int64) ([]byte, error) {
	f, err := s.open(name)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(io.NewSectionReader(f.f, 0, f.info.Size()), most))
}

// next returns the next piece of the file. split finds it in the bytes that are there: it returns
// how many bytes to take and the piece, errMore if there are too few, or errUnwritten. The piece is
// valid until the next call. At the end of the file next waits, or returns io.EOF; what remains is
// in rest.
func (f *file) next(split func(b []byte) (take int, piece []byte, err error)) ([]byte, error) {
	for {
		if len(f.buf) > 0 {
			take, piece, err := split(f.buf)
			switch {
			case err == nil && take <= len(f.buf):
				f.buf = f.buf[take:]
				if f.src.wait != nil {
					f.src.wait.last = f.src.wait.now()
				}
				if piece != nil {
					return piece, nil
				}
				continue
			case err == nil: // passed over, although it is not all here
				f.off += int64(take - len(f.buf))
				f.buf = f.buf[:0]
				continue
			case errors.Is(err, errUnwritten):
				if f.src.wait == nil || f.dodges {
					return nil, io.EOF
				}
				f.off -= int64(len(f.buf)) // it is read again
				f.buf = f.buf[:0]
				if err := f.await(true); err != nil {
					return nil, err
				}
			case !errors.Is(err, errMore):
				return nil, f.errorf(err)
			case len(f.buf) > mostPiece:
				return nil, f.errorf(fmt.Errorf("a piece has more than %d MiB", mostPiece>>20))
			}
		}
		if err := f.fill(); err != nil {
			return nil, err
		}
	}
}

func (f *file) errorf(err error) error {
	return fmt.Errorf("%s, byte %d: %w", clean(f.name, mostName), f.off-int64(len(f.buf)), err)
}

// rest returns the number of bytes at the end that are no whole piece.
func (f *file) rest() int { return len(f.buf) }

// fill reads more of the file behind buf. It waits where the file ends, or returns io.EOF.
func (f *file) fill() error {
	for {
		f.buf = slices.Grow(slices.Clip(f.buf), max(readSize, len(f.buf)))
		free := f.buf[len(f.buf):cap(f.buf)]
		n, err := f.f.ReadAt(free, f.off)
		f.buf, f.off = f.buf[:len(f.buf)+n], f.off+int64(n)
		switch {
		case n > 0:
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return atPath(err, f.src.root.Name(), f.name)
		case f.src.wait == nil || f.dodges:
			return io.EOF
		}
		if err := f.await(false); err != nil {
			return err
		}
	}
}

// await waits until the file has more or, where what it has is not written yet, for a moment. It
// returns errReplaced if another file or other text has the name now, io.EOF if the log goes on in
// another file, and errOver.
func (f *file) await(unwritten bool) error {
	w := f.src.wait
	if err := w.idle(); err != nil {
		return err
	}
	for {
		if err := f.check(unwritten); err != nil {
			return err
		}
		info, err := f.f.Stat()
		if err != nil {
			return err
		}
		if info.Size() > f.off && !unwritten {
			return nil
		}
		if f.later() {
			return io.EOF
		}
		if w.over(w.now().Sub(w.last)) {
			return errOver
		}
		timer := time.NewTimer(w.poll)
		select {
		case <-w.ctx.Done():
			timer.Stop()
			return w.ctx.Err()
		case <-timer.C:
		}
		unwritten = false
	}
}

// later reports whether the log goes on in a file after this one.
func (f *file) later() bool {
	if f.src.wait.more == nil {
		return false
	}
	names := f.src.wait.more()
	at := slices.Index(names, f.name)
	if at < 0 || at == len(names)-1 {
		return false
	}
	f.src.names = names
	return true
}

// check returns errReplaced if the file's name leads to other text than what was read. A file that
// was moved away is read to its end first, but for what is not written of it.
func (f *file) check(unwritten bool) error {
	at, err := f.src.root.Lstat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is being renamed
	}
	if err != nil {
		return err
	}
	if !os.SameFile(at, f.info) {
		if moved, err := f.f.Stat(); err == nil && moved.Size() > f.off && !unwritten {
			return nil
		}
		return errReplaced
	}
	if at.Size() < f.off-int64(len(f.buf)) {
		return errReplaced
	}
	head := make([]byte, len(f.head))
	if n, _ := f.f.ReadAt(head, 0); n == len(head) && !bytes.Equal(head, f.head) &&
		!bytes.Contains(f.head, []byte{0}) {
		return errReplaced
	}
	if len(f.head) < headSize {
		f.look()
	}
	return nil
}

// line is a split function for lines of text. A line with zeros is not written yet.
func line(b []byte) (take int, piece []byte, err error) {
	end := bytes.IndexByte(b, '\n')
	if zero := bytes.IndexByte(b, 0); zero >= 0 && (end < 0 || zero < end) {
		return 0, nil, errUnwritten
	}
	if end < 0 {
		if len(b) > mostLine {
			return 0, nil, fmt.Errorf("a line has more than %d MiB", mostLine>>20)
		}
		return 0, nil, errMore
	}
	return end + 1, bytes.TrimSuffix(b[:end:end], []byte("\r")), nil
}

const mostLine = 8 << 20
