package record

import "drolab/runner/record/internal/disk"

// indexEvery is how much longer a log gets until its index is brought up to date,
// in bytes: what a viewer has to read besides is half a second's work at most.
const indexEvery = exactTail / 2

// indexer keeps the index of a log that is being written. It reads the log as any
// viewer does, in a goroutine of its own, so that the training has no part in it.
type indexer struct {
	next int64         // size of the log from which on there is work
	wake chan struct{} // closed at the end; nil while the log is short
	done chan struct{}
}

// grown tells that the log has a size. It never waits: where the goroutine is still
// at work the next event tells it.
func (x *indexer) grown(in *disk.Folder, size int64) {
	if size < max(x.next, exactTail) {
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

func (x *indexer) run(in *disk.Folder, wake <-chan struct{}) {
	defer close(x.done)
	for range wake {
		makeIndex(in)
	}
	makeIndex(in)
}

// close brings the index up to date once more.
func (x *indexer) close() {
	if x.wake != nil {
		close(x.wake)
		<-x.done
		x.wake = nil
	}
}

// makeIndex makes the index of a run's log, or brings it up to date. What goes wrong
// costs a viewer time and nobody anything else.
func makeIndex(in *disk.Folder) {
	s := indexLog(&Tail{path: in.Join(logName)}, exactTail/4)
	if s != nil && s.exhaust() == nil {
		s.write(in)
	}
}
