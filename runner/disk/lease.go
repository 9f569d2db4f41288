package disk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"drolab/runner/internal/atomicfile"
)

// A lease is a lock on a disk that has none. Its file says who holds it. The file's time says when
// the disk last heard of the holder, by the disk's own clock: nobody's clock need be right. After
// leaseTime without a word another machine may take the lease, so that a crash blocks nothing for
// good. A machine that was only asleep sees before its next write that the file says something
// else.
type lease struct {
	file  atomicfile.File
	local atomicfile.File // lock file on this machine, locked by the holder

	mu    sync.Mutex
	words []byte
	over  bool
}

const (
	leaseTime = 2 * time.Minute
	leaseBeat = leaseTime / 6
)

// Holder is who takes leases, and a way to ask about other holders. The zero value is this machine,
// which knows of others only what the disk says.
type Holder struct {
	Name string // written beside the machine's name
	// Alive reports whether the holder of that name still exists. known is false where that cannot
	// be found out; then the lease's age decides. Alive may be nil.
	Alive func(name string) (alive, known bool)
}

// ErrLeased says that another machine holds a lock on a disk that has none.
var ErrLeased = errors.New("the disk has no locks, and the file says that another machine holds it")

// leaseText is the content of a lease's file. JSON keeps a name distinct from longer names that
// contain it, even if it has line breaks. An engine writes more fields beside these.
type leaseText struct {
	Host   string `json:"host"` // the machine
	Holder string `json:"holder,omitempty"`
}

// parseLease parses the text of a lease's file. claimed is false where the text is blank. Text in
// another form names no machine, so the lease is somebody else's.
func parseLease(b []byte) (c leaseText, claimed bool) {
	if json.Unmarshal(b, &c) != nil {
		c = leaseText{}
	}
	return c, len(bytes.TrimSpace(b)) > 0
}

// isOf reports whether machine has made the claim. A machine without a name cannot be told from
// others, and has no claim.
func (c leaseText) isOf(machine string) bool { return machine != "" && c.Host == machine }

// String names the holder of a claim, for people.
func (c leaseText) String() string {
	text := cmp.Or(c.Host, "a machine without a name")
	if c.Holder != "" {
		text += ", " + c.Holder
	}
	return text
}

// write replaces the text of the lease's file.
func (l *lease) write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.words = bytes.Clone(b[:min(len(b), maxWords)])
	return rewrite(l.file, b)
}

// keep renews the lease until it is over.
func (l *lease) keep() {
	beat := time.NewTicker(leaseBeat)
	defer beat.Stop()
	for range beat.C {
		if !l.renew() {
			return
		}
	}
}

// renew renews the lease. It returns false where the lease is over, or somebody else's.
func (l *lease) renew() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || !bytes.Equal(lockText(l.file), l.words) {
		return false
	}
	l.file.WriteAt(l.words, 0) // where that fails, the next beat does it
	return true
}

// isHeld reports whether the file still holds what this holder wrote.
func (l *lease) isHeld() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Equal(lockText(l.file), l.words)
}

// end gives up the lease, unless it is somebody else's by now.
func (l *lease) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if !bytes.Equal(lockText(l.file), l.words) {
		return nil
	}
	return l.file.Truncate(0)
}

// maxWords is the number of bytes of a lock file that are read.
const maxWords = 1 << 10

// lockText returns the text of a lock file, or nothing where it cannot be read.
func lockText(f atomicfile.File) []byte {
	b := make([]byte, maxWords)
	n, _ := f.ReadAt(b, 0)
	return b[:n]
}

// age returns how long ago a file was written, by the clock of its disk: it makes a file to learn
// the disk's time.
func (f *Folder) age(o atomicfile.File) (time.Duration, error) {
	const name = atomicfile.Prefix + "clock"
	if err := f.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	c, err := f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, lockMode)
	if err != nil {
		return 0, err
	}
	now, err := c.Stat()
	err = errors.Join(err, c.Close(), f.Remove(name))
	then, e := o.Stat()
	if err = errors.Join(err, e); err != nil {
		return 0, err
	}
	return now.ModTime().Sub(then.ModTime()), nil
}
