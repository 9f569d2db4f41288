package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"unicode/utf8"
)

// InMemory is the size in bytes up to which a file is read whole; a larger file is mapped where the
// system can. If a mapped file is cut short, reading it faults (SIGBUS), which ends the run that
// reads it; a file that was read whole has no such risk. All named datasets are smaller. Tests of
// large files lower it.
var InMemory int64 = 256 << 20

// OpenOwn opens a file of the user's own. If the file is not there, it returns the error of NoFile,
// and if it is a folder, that of ForeignFolder.
func OpenOwn(dataset, path string) (*Input, error) {
	f, err := OpenInput(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, NoFile(dataset, path)
	}
	if folder := ForeignFolder(path); err != nil && folder != nil {
		return nil, fmt.Errorf("%s %w", path, folder)
	}
	return f, err
}

// OpenPresent opens a file of a dataset. If the file is not there, it returns a *MissingError with
// the remedy.
func OpenPresent(dataset, path, remedy string) (*Input, error) {
	f, err := OpenInput(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{dataset, path, remedy}
	}
	return f, err
}

// Input is an open file of data; OpenInput opens every one. Reading ends at the size that the file
// had when it was opened, so that the cost of reading is known in advance.
type Input struct {
	*os.File
	Size int64
	left io.LimitedReader
}

// OpenInput opens a regular file and nothing else. Opening a pipe might wait forever, a device has
// no end, and the name of a dataset should not open a terminal or a disk.
func OpenInput(path string) (*Input, error) {
	// Without blocking, a pipe that has no writer opens at once.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Input{f, info.Size(), io.LimitedReader{R: f, N: info.Size()}}, nil
}

// Read implements io.Reader.
func (f *Input) Read(p []byte) (int, error) { return f.left.Read(p) }

// Mapped are the files that a data set has mapped.
type Mapped []Mapping

// Mapping is a mapped file.
type Mapping struct {
	Path    string
	Bytes   []byte
	release func() error
}

// Contents returns the bytes of a file. If it is larger than InMemory, it is mapped, and the bytes
// are valid until Close.
func (m *Mapped) Contents(path string) ([]byte, error) {
	f, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size > InMemory {
		return m.Map(f)
	}
	return ReadWhole(f)
}

// Map maps a whole file for reading, or reads it where the system maps none.
func (m *Mapped) Map(f *Input) ([]byte, error) {
	if f.Size != int64(int(f.Size)) {
		return nil, fmt.Errorf("%s: %d bytes do not fit the address space", f.Name(), f.Size)
	}
	b, release, err := mapFile(f)
	if release != nil {
		*m = append(*m, Mapping{f.Name(), b, release})
	}
	return b, err
}

// Attach gives the files to the data set that was made of them. If there is an error instead, it
// releases them and returns the error.
func (m *Mapped) Attach(d *Dataset, err error) (*Dataset, error) {
	if err != nil {
		m.Close() // the first error is the one to tell
		return nil, err
	}
	d.Mapped = *m
	return d, nil
}

// Close releases the files, whose bytes nobody may read any more.
func (m *Mapped) Close() (err error) {
	for _, f := range *m {
		err = errors.Join(err, f.release())
	}
	*m = nil
	return err
}

// ReadWhole reads all of a file.
func ReadWhole(f *Input) ([]byte, error) {
	b := make([]byte, f.Size)
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, fmt.Errorf("%s: changed while it was read: %w", f.Name(), err)
	}
	return b, nil
}

// Inflate returns the uncompressed bytes of a gzip stream. More than limit bytes are an error.
func Inflate(r io.Reader, name string, limit int64) ([]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: byte %d of the uncompressed data: %w", name, len(b), err)
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf(
			"%s: more than %d bytes uncompressed: unpack it with gunzip, plain files may be larger",
			name, limit)
	}
	return b, nil
}

// Exists reports whether path is there. Any error but its absence counts as present: opening it
// will tell more.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// IsFault reports whether a value that was recovered is a fault in a mapped file, which was cut or
// lost while it was read.
func IsFault(recovered any) bool {
	f, ok := recovered.(interface{ Addr() uintptr })
	return ok && f.Addr() > 1<<16 // below lies nil
}

// text is a reader that passes on UTF-8 and refuses all else with an error that names byte and
// line. Names are kept as JSON, which replaces every byte that is not UTF-8 by the same character,
// so that two names could become one.
type text struct {
	from *bufio.Reader
	good int   // bytes in the buffer of from that were checked
	err  error // the first error, which stays and comes behind them

	at    int64 // bytes that were checked
	lines int   // line feeds among them

	quoted, returned bool // in the first line: within quotes, behind a carriage return
}

// textBuffer is the size in bytes of the buffer of a text.
const textBuffer = 64 << 10

func NewText(r io.Reader) *text { return newText(r, textBuffer) }

func newText(r io.Reader, buffer int) *text {
	t := &text{from: bufio.NewReaderSize(r, buffer)}
	if head, _ := t.from.Peek(2); len(head) == 2 && Utf16(head) {
		t.err = &TextError{1, "is UTF-16", "convert it first, as with iconv -f UTF-16 -t UTF-8",
			"utf16"}
	}
	return t
}

// Utf16 reports whether two bytes begin a UTF-16 text: with a byte-order mark, or with an ASCII
// character, which has one zero byte.
func Utf16(head []byte) bool {
	return string(head) == "\xff\xfe" || string(head) == "\xfe\xff" ||
		(head[0] == 0) != (head[1] == 0)
}

// Read implements io.Reader. It returns the good bytes before it returns an error.
func (t *text) Read(p []byte) (n int, err error) {
	if t.good == 0 && t.err == nil {
		t.check()
	}
	if t.good == 0 {
		return 0, t.err
	}
	n, err = t.from.Read(p[:min(len(p), t.good)])
	t.good -= n
	return n, err
}

// check checks the bytes that are in the buffer of from, after it has read some.
func (t *text) check() {
	_, err := t.from.Peek(utf8.UTFMax) // so that at least one character is whole
	b, _ := t.from.Peek(t.from.Buffered())
	if err != io.EOF {
		b = b[:wholeRunes(b)]
	}
	if t.lines == 0 {
		if t.err = t.firstLine(b); t.err != nil {
			return
		}
	}
	t.good, t.err = len(b), err
	if !utf8.Valid(b) {
		t.good = invalid(string(b))
		t.err = t.notUTF8(b, t.good)
	}
	t.lines += bytes.Count(b[:t.good], []byte{'\n'})
	t.at += int64(t.good)
}

// wholeRunes returns the length of b without an incomplete character at its end.
func wholeRunes(b []byte) int {
	for n := len(b) - 1; n >= max(0, len(b)-utf8.UTFMax); n-- {
		if utf8.RuneStart(b[n]) {
			if !utf8.FullRune(b[n:]) {
				return n
			}
			break
		}
	}
	return len(b)
}

// notUTF8 returns the error of the byte at a place in b, the bytes that are checked.
func (t *text) notUTF8(b []byte, place int) error {
	line := 1 + t.lines + bytes.Count(b[:place], []byte{'\n'})
	encoding := "latin1"
	if b[place] < 0xa0 { // a letter in a Windows encoding, a control character in Latin-1
		encoding = "cp1252"
	}
	return &TextError{line,
		fmt.Sprintf("byte %d of the text (%#x) is not UTF-8", t.at+int64(place), b[place]),
		"convert the file first, as with iconv -f " + encoding + " -t UTF-8", encoding}
}

// firstLine refuses a first line that ends in a carriage return alone. Within quotes, a carriage
// return ends no line.
func (t *text) firstLine(b []byte) error {
	for i, c := range b {
		if t.returned && c != '\n' {
			return &TextError{1, fmt.Sprintf("ends in a carriage return alone (byte %d), "+
				"as on the first Macs", t.at+int64(i)-1),
				"convert the file first, as with tr '\\r' '\\n'", ""}
		}
		if c == '\n' {
			return nil
		}
		t.quoted = t.quoted != (c == '"')
		t.returned = c == '\r' && !t.quoted
	}
	return nil
}

// invalid returns the place of the first byte that is not UTF-8, or the length of s.
func invalid(s string) int {
	for at, r := range s {
		if _, size := utf8.DecodeRuneInString(s[at:]); r == utf8.RuneError && size == 1 {
			return at
		}
	}
	return len(s)
}

// TextError is the error of a file that is not text: the line, the reason and the remedy.
type TextError struct {
	Line         int
	What, Remedy string
	Encoding     string // that the file may have, as a value of the option encoding; else empty
}

func (e *TextError) Error() string {
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.What, e.Remedy)
}

// CheckText returns a *TextError if b is not lines of UTF-8 text.
func CheckText(b []byte) error {
	_, err := io.Copy(io.Discard, newText(bytes.NewReader(b), min(len(b), textBuffer)))
	return err
}

// Named refuses a name that JSON would change.
func Named(name string) error {
	if at := invalid(name); at < len(name) {
		return fmt.Errorf("the name %q is not UTF-8 at byte %d: give another", name, at)
	}
	return nil
}
