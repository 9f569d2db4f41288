package disk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"drolab/runner/internal/aside"
)

// A lease is a lock on a disk that has none. Its file says who holds it, and
// when the disk last heard of him, by the disk's own clock: nobody's clock need
// be right. After leaseTime without a word another machine may take it, so that
// a crash blocks nothing for good; one that was only asleep sees before its next
// write that the file says something else.
type lease struct {
	file  File
	local File // locked by this machine's holder

	mu    sync.Mutex
	words []byte
	over  bool
}

// Holder is who takes leases, and how to learn of others. The zero value is this
// machine, which knows nothing of others but what the disk says.
type Holder struct {
	Name string // stands beside the machine's name
	// Alive tells whether a holder of that name is there still; known is false
	// where that cannot be found out, and the lease's age decides. It may be nil.
	Alive func(name string) (alive, known bool)
}

// ErrLeased says that another machine holds a lock on a disk that has none.
var ErrLeased = errors.New("the disk has no locks, and the file says that another machine holds it")

// claim is what the file of a lease says. A name that is part of another one, or
// has line breaks in it, is a name of its own in JSON. An engine writes more beside
// these fields.
type claim struct {
	Host   string `json:"host"` // the machine
	Holder string `json:"holder,omitempty"`
}

// words are what a lease says.
func (c claim) words() ([]byte, error) {
	b, err := json.Marshal(c)
	return append(b, '\n'), err
}

// parseClaim reads what a file says; claimed is false where it says nothing. Programs
// before wrote the machine on the first line, and the holder on the second. Text that
// is neither form names a machine that nobody has: the lease is somebody else's.
func parseClaim(b []byte) (c claim, claimed bool) {
	if len(bytes.TrimSpace(b)) == 0 {
		return claim{}, false
	}
	if json.Unmarshal(b, &c) != nil {
		machine, holder, _ := strings.Cut(string(b), "\n")
		c = claim{machine, strings.TrimSuffix(holder, "\n")}
	}
	return c, true
}

// of tells whether a claim is a machine's. One without a name cannot be told from
// others, and has no claim.
func (c claim) of(machine string) bool { return machine != "" && c.Host == machine }

// String names who claims, for people.
func (c claim) String() string {
	text := cmp.Or(c.Host, "a machine without a name")
	if c.Holder != "" {
		text += ", " + c.Holder
	}
	return text
}

// asks tells whether who claims is there still.
func (h Holder) asks(c claim) (alive, known bool) {
	if c.Holder == "" || h.Alive == nil {
		return false, false
	}
	return h.Alive(c.Holder)
}

const (
	leaseTime = 2 * time.Minute
	leaseBeat = leaseTime / 6
)

// say replaces what the file says.
func (l *lease) say(b []byte) (int, error) {
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

// renew is false where the lease is over, or another's.
func (l *lease) renew() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || !bytes.Equal(said(l.file), l.words) {
		return false
	}
	l.file.WriteAt(l.words, 0) // where that fails, the next beat does it
	return true
}

// stands tells whether the file says still what its holder wrote.
func (l *lease) stands() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Equal(said(l.file), l.words)
}

// end gives the lease up, unless it is another's by now.
func (l *lease) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if !bytes.Equal(said(l.file), l.words) {
		return nil
	}
	return l.file.Truncate(0)
}

// maxWords is as much of a lock file as is looked at, in bytes.
const maxWords = 1 << 10

// said is what a lock file says; what cannot be read says nothing.
func said(f File) []byte {
	b := make([]byte, maxWords)
	n, _ := f.ReadAt(b, 0)
	return b[:n]
}

// age tells how long ago a file was written, by the clock of its disk: that of a
// file which is made now.
func (f *Folder) age(o File) (time.Duration, error) {
	const name = aside.Prefix + "clock"
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
