package eventlog

import (
	"sync"

	"drolab/runner/disk"
)

// indexEvery is the number of bytes by which a log grows before its index is brought up to date.
// The part of the log that a viewer has to read besides takes half a second at most.
const indexEvery = ExactTail / 2

// Indexer keeps the index of a log that is being written. It reads the log as any viewer does, in a
// goroutine of its own, so that training does not wait for it.
type Indexer struct {
	next int64         // size of the log at which the index is brought up to date
	wake chan struct{} // closed at the end; nil while the log is short
	work sync.WaitGroup
}

// Grown tells the Indexer the size of the log. It never waits: while the goroutine is busy, a later
// event wakes it.
func (x *Indexer) Grown(in *disk.Folder, size int64) {
	if size < max(x.next, ExactTail) {
		return
	}
	if x.wake == nil {
		wake := make(chan struct{}, 1)
		x.wake = wake
		x.work.Go(func() {
			for range wake {
				MakeIndex(in, ExactTail/4)
			}
			MakeIndex(in, ExactTail/4)
		})
	}
	select {
	case x.wake <- struct{}{}:
		x.next = size + indexEvery
	default:
	}
}

// Close brings the index up to date once more.
func (x *Indexer) Close() {
	if x.wake != nil {
		close(x.wake)
		x.work.Wait()
		x.wake = nil
	}
}

// MakeIndex makes the index of a log of more than least bytes, or brings it up to date. A failure
// costs the next viewer time and has no other effect.
func MakeIndex(in *disk.Folder, least int64) {
	s := IndexLog(&Tail{Path: in.Join(LogName)}, least)
	if s != nil && s.Exhaust() == nil {
		s.write(in)
	}
}
