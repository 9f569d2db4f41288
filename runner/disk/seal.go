package disk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"drolab/runner/internal/atomicfile"
)

// Owner is what a file belongs to: a run, or a sweep, whose files have no Made.
type Owner struct {
	ID   string `json:"of,omitempty"`
	Made string `json:"made,omitempty"` // SHA-256 of the run's run.json, in hexadecimal
}

// Extent is the part of a run's log that was on the disk when a file was written.
type Extent struct {
	Seq    int64  `json:"seq"` // of its last line
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Was    string `json:"was,omitempty"` // SHA-256 of the log from which this one was made
}

// Seal is the end of a file: whose the file is, the length of what stands before, and a checksum of
// everything before the checksum, CRC-32C. It detects every change of up to three bits, and every
// change within 32 bits, in files of the lengths used here. The end is text in the form of the last
// field of a JSON object, on a line of its own.
type Seal struct {
	Owner
	Log   *Extent `json:"log,omitempty"`
	Bytes int64   `json:"bytes"`
}

const (
	sealMark = ",\n\"seal\":"
	crcMark  = `,"crc":"`
	sealEnd  = "\"}}\n"
	maxSeal  = 4 << 10 // bytes
)

var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Errors of seals, worded as part of a sentence.
var (
	ErrForeign = errors.New("belongs elsewhere")
	ErrBefore  = errors.New("is from before format 1")

	ErrSum  = errors.New("checksum differs: something in it has changed since it was written")
	ErrBare = errors.New("has no seal: its end is missing or has changed since it was written")
)

// Put returns the text, a JSON object without its closing brace, with its seal.
func (s Seal) Put(text []byte) ([]byte, error) {
	s.Bytes = int64(len(text))
	b, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	text = append(append(text, sealMark...), b[:len(b)-1]...)
	return fmt.Appendf(text, "%s%s%s", crcMark, checksum(text), sealEnd), nil
}

// PutJSON is Put for a JSON object.
func (s Seal) PutJSON(object []byte) ([]byte, error) {
	return s.Put(bytes.TrimRight(object[:len(object)-1], "\n"))
}

// Unseal returns what stands before the seal of a text, and checks all of the seal but its owner.
func Unseal(text []byte) (body []byte, s Seal, err error) {
	s, end, err := lastSeal(text)
	if err != nil {
		return nil, s, err
	}
	n := len(text) - len(sealEnd) - 8
	if n < end+len(sealMark)+len(crcMark) || s.Bytes != int64(end) ||
		string(text[n-len(crcMark):n]) != crcMark ||
		[8]byte(text[n:]) != checksum(text[:n-len(crcMark)]) {
		return nil, s, ErrSum
	}
	return text[:end], s, nil
}

// lastSeal returns the seal at the end of a text and its offset, without a look at what stands
// before.
func lastSeal(text []byte) (s Seal, at int, err error) {
	at = max(0, len(text)-maxSeal)
	i := bytes.LastIndex(text[at:], []byte(sealMark))
	if i < 0 || !bytes.HasSuffix(text, []byte(sealEnd)) ||
		json.Unmarshal(text[at+i+len(sealMark):len(text)-2], &s) != nil {
		return s, 0, ErrBare
	}
	return s, at + i, nil
}

// ReadLast reads the sealed text at the end of a file of this size, whatever stands before.
func ReadLast(f io.ReaderAt, size int64) (body []byte, s Seal, err error) {
	tail := make([]byte, min(size, maxSeal))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, s, err
	}
	s, at, err := lastSeal(tail)
	if err != nil {
		return nil, s, err
	}
	n := min(s.Bytes, size) + int64(len(tail)-at)
	if s.Bytes < 0 || n > size {
		return nil, s, ErrSum
	}
	text := make([]byte, n)
	if _, err := f.ReadAt(text, size-n); err != nil {
		return nil, s, err
	}
	return Unseal(text)
}

// Decode unseals a text and decodes it into v, which has the field format. The error is ErrBefore
// for a text that has neither a format nor a seal.
func Decode(text []byte, v any) (s Seal, err error) {
	var has struct{ Format int }
	s, err = Owner{}.Decode(text, v)
	if errors.Is(err, ErrBare) && json.Unmarshal(text, &has) == nil && has.Format == 0 {
		return s, ErrBefore
	}
	return s, err
}

// Decode unseals the text of a file of o and decodes it into v. The zero Owner is not checked.
// Decoding changes the text.
func (o Owner) Decode(text []byte, v any) (s Seal, err error) {
	body, s, err := Unseal(text)
	if err == nil && o.ID != "" {
		err = o.Check(s.Owner)
	}
	if err == nil {
		err = json.Unmarshal(append(body, '}'), v)
	}
	return s, err
}

// Check returns an error, worded as part of a sentence, unless a file of another owner is o's.
func (o Owner) Check(of Owner) error {
	switch {
	case of.ID != o.ID:
		return fmt.Errorf("%w, to %s: restore the file from a copy", ErrForeign,
			cmp.Or(of.ID, "no run"))
	case of != o:
		return fmt.Errorf("%w: it was written beside another run.json; restore the files of one "+
			"moment from a copy", ErrForeign)
	}
	return nil
}

// lineEnd has the place of the checksum at the end of a line of a log.
const lineEnd = crcMark + "00000000" + `"}`

// SealLine returns a JSON object on one line with its checksum.
func SealLine(line []byte) []byte {
	line = line[:len(line)-1]
	return fmt.Appendf(line, `%s%s"}`, crcMark, checksum(line))
}

// UnsealLine returns the line without its checksum, in the same memory.
func UnsealLine(line []byte) ([]byte, error) {
	n := len(line) - len(lineEnd)
	if n < 0 || string(line[n:n+len(crcMark)]) != crcMark || !bytes.HasSuffix(line, []byte(`"}`)) ||
		[8]byte(line[n+len(crcMark):]) != checksum(line[:n]) {
		return nil, ErrSum
	}
	return append(line[:n], '}'), nil
}

// checksum returns the checksum of a text, in hexadecimal.
func checksum(text []byte) (digits [8]byte) {
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.Checksum(text, Castagnoli))
	hex.Encode(digits[:], sum[:])
	return digits
}

// maxJSON bounds the JSON files, in bytes: a run.json or a checkpoint's state
// with ten thousand classes has about one million.
const maxJSON = 16 << 20

// WriteSealed makes or replaces a sealed file that goes with this much of the log; nil: with none.
func (f *Folder) WriteSealed(name string, v any, log *Extent) error {
	b, err := Seal{Owner: f.Owner, Log: log}.JSON(v)
	if err != nil {
		return fmt.Errorf("writing %s: %w", f.Join(name), err)
	}
	return f.WriteText(name, b)
}

// WriteText makes or replaces a file with this text.
func (f *Folder) WriteText(name string, text []byte) error {
	return f.Write(name, atomicfile.Copying(bytes.NewReader(text)))
}

// JSON returns a value as the text of a sealed file.
func (s Seal) JSON(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return s.PutJSON(b)
}

// ReadJSON reads a sealed file of at most maxJSON bytes into v.
func (f *Folder) ReadJSON(name string, v any) error {
	_, err := f.ReadSealed(name, v)
	return err
}

// ReadSealed is ReadJSON, and returns the seal.
func (f *Folder) ReadSealed(name string, v any) (s Seal, err error) {
	text, err := f.Text(name)
	if err != nil {
		return s, err
	}
	s, err = f.Decode(text, v)
	if errors.Is(err, ErrSum) || errors.Is(err, ErrBare) {
		err = fmt.Errorf("%w; restore it from a copy", err)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", f.Join(name), err)
	}
	return s, nil
}

// Seal returns the seal of a file.
func (f *Folder) Seal(name string) (Seal, error) {
	var rest struct{}
	return f.ReadSealed(name, &rest)
}

// Text returns the text of a file of at most maxJSON bytes, with its seal.
func (f *Folder) Text(name string) ([]byte, error) { return f.text(name, maxJSON) }

// text returns the text of a file, which must not have more than most bytes.
func (f *Folder) text(name string, most int64) ([]byte, error) {
	o, size, err := f.Read(name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if size > most {
		return nil, fmt.Errorf("%s: %d bytes, expected at most %d", f.Join(name), size, most)
	}
	return io.ReadAll(io.LimitReader(o, most))
}
