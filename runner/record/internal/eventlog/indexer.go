package eventlog

import "drolab/runner/record/internal/disk"

// indexEvery is how much longer a log gets until its index is brought up to date,
// in bytes: what a viewer has to read besides is half a second's work at most.
const indexEvery = ExactTail / 2

// Indexer keeps the index of a log that is being written. It reads the log as any
// viewer does, in a goroutine of its own, so that the training has no part in it.
type Indexer struct {
	next int64         // size of the log from which on there is work
	wake chan struct{} // closed at the end; nil while the log is short
	done chan struct{}
}

// Grown tells that the log has a size. It never waits: where the goroutine is still
// at work the next event tells it.
func (x *Indexer) Grown(in *disk.Folder, size int64) {
	if size < max(x.next, ExactTail) {
		return
	}
	if x.wake == nil {
		x.wake, x.done = make(chan struct{}, 1), make(chan struct{})
		go x.run(in, x.wake)
	}
	select {
	case x.wake <- struct{}{}:
		x.next = size + indexEvery
	default:
	}
}

func (x *Indexer) run(in *disk.Folder, wake <-chan struct{}) {
	defer close(x.done)
	for range wake {
		MakeIndex(in, ExactTail/4)
	}
	MakeIndex(in, ExactTail/4)
}

// Close brings the index up to date once more.
func (x *Indexer) Close() {
	if x.wake != nil {
		close(x.wake)
		<-x.done
		x.wake = nil
	}
}

// MakeIndex makes the index of a log of more than so many bytes, or brings it up to date. What goes
// wrong costs a viewer time and nobody anything else.
func MakeIndex(in *disk.Folder, least int64) {
	s := IndexLog(&Tail{Path: in.Join(LogName)}, least)
	if s != nil && s.Exhaust() == nil {
		s.write(in)
	}
}
