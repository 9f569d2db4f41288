package eventlog

import (
	"path/filepath"

	"drolab/runner"
	"drolab/runner/disk"
)

// A long log is read line by line only at its end. The part before comes from its index, which a
// viewer makes where there is none.
const (
	ExactTail = 4 << 20 // bytes
	buildPart = 8 << 20 // bytes of log that are taken in at a time while an index is made
)

// InSmall returns a log that gives the early part of a long log from its index: see Index. A log
// that is not a file is returned as it is. With keep, an index that had to be made is written
// beside the log, if that folder is the user's own and nobody records the run. Without keep nothing
// is written.
func InSmall(l Log, keep bool) Log {
	tail, ok := l.(*Tail)
	if !ok || tail.Text != nil {
		return l
	}
	return &indexedLog{tail: tail, keep: keep}
}

// indexedLog gives the blocks of an index, then the log behind them.
//
//	start -> index of the file -> extend (parts) -> blocks -> tail
type indexedLog struct {
	tail    *Tail
	keep    bool
	started bool
	source  *indexBuilder // nil once its blocks were given, or if there is none
	given   int           // number of blocks that were given
}

// Read implements Log.
func (l *indexedLog) Read() ([]runner.Event, error) {
	if !l.started {
		l.started = true
		l.source = IndexLog(l.tail, ExactTail)
	}
	if l.source == nil {
		return l.tail.Read()
	}
	if err := l.source.extend(); err != nil {
		return nil, err
	}
	events := l.next()
	if l.source.share() == 1 {
		if l.keep {
			l.source.save()
		}
		l.source = nil
	}
	if len(events) == 0 && l.source == nil {
		return l.tail.Read()
	}
	return events, nil
}

// next returns the events of the next blocks that will not change any more.
func (l *indexedLog) next() (events []runner.Event) {
	blocks := l.source.Index.blocks
	if l.source.share() < 1 {
		blocks = blocks[:max(0, len(blocks)-1)]
	}
	for ; l.given < len(blocks); l.given++ {
		for _, e := range blocks[l.given].events {
			events = append(events, e.Event)
		}
	}
	return events
}

// Skipped implements Log.
func (l *indexedLog) Skipped() int { return l.tail.Skipped() }

// Share implements Log.
func (l *indexedLog) Share() float64 {
	switch {
	case !l.started:
		return 0
	case l.source != nil:
		return min(l.source.share(), 0.99)
	}
	return l.tail.Share()
}

// indexBuilder extends the index of a log, part by part, up to the offset goal.
type indexBuilder struct {
	in    string // folder of the run
	Index *Index
	tail  *Tail // its offset is the end of the index
	goal  int64
	made  bool // a part of the index was made here, not loaded
}

// IndexLog returns the index of a log as its file has it, or an empty one, to be extended. It
// returns nil where the log has at most exact bytes.
func IndexLog(tail *Tail, exact int64) *indexBuilder {
	in, err := disk.OpenFolder(nil, filepath.Dir(tail.Path))
	if err != nil {
		return nil
	}
	defer in.Close()
	log, size, err := in.Read(LogName)
	if err != nil {
		return nil
	}
	log.Close()
	if size <= exact {
		return nil
	}
	s := &indexBuilder{in: in.Path, tail: tail, goal: size}
	if s.Index, err = LoadIndex(in); err != nil {
		s.Index = &Index{}
	}
	tail.offset, tail.size = s.Index.Size, size
	if tail.from = tail.offset; tail.from > 0 {
		tail.last.seq = -1
	}
	s.Index.makeRoom(size - s.Index.Size)
	if size-s.Index.Size <= exact {
		s.goal = s.Index.Size
	}
	return s
}

// share returns the part of the goal that the index has reached, 0 to 1.
func (s *indexBuilder) share() float64 { return share(s.tail.offset, s.goal) }

// extend adds the next part of the log to the index.
func (s *indexBuilder) extend() error {
	for end := min(s.goal, s.tail.offset+buildPart); s.tail.offset < end; s.made = true {
		before := s.tail.offset
		if err := s.tail.readPart(s.goal, s.Index.add); err != nil {
			return err
		}
		if s.tail.offset == before { // the rest is a line that is not whole yet
			s.goal = before
			return nil
		}
	}
	return nil
}

// save writes an index that was made here, if the folder is the user's own and nobody records the
// run.
func (s *indexBuilder) save() {
	in, err := disk.OpenFolder(nil, s.in)
	if err != nil {
		return
	}
	defer in.Close()
	info, err := in.Lstat(".")
	if err != nil || disk.Foreign(info) || in.Held(LockName) {
		return
	}
	s.write(in)
}

// write writes the index. If that fails, the next viewer makes it again. An index of a log with
// lost lines is not kept: it would hide them, and the lines may come yet.
func (s *indexBuilder) write(in *disk.Folder) {
	if s.made && len(s.Index.blocks) > 0 && len(s.tail.spans) == 0 {
		_ = saveIndex(in, s.Index)
	}
}

// Exhaust extends the index until it reaches its goal.
func (s *indexBuilder) Exhaust() error {
	for s.share() < 1 {
		if err := s.extend(); err != nil {
			return err
		}
	}
	return nil
}
