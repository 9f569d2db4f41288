package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"drolab/runner/disk"
)

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
