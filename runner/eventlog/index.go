package eventlog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/disk"
	"drolab/runner/measure"
)

// Index is a log in short: a sequence of consecutive blocks of it. In each block the steps become
// one StepEvent with the least and the greatest values of all of them, beside the events of other
// types. A viewer that draws the events of the Index gets the curves of the whole log with every
// spike in them, in a time and a memory that do not grow with the log.
//
// It is derived from the log, and made anew wherever it does not fit the log. Evaluations and notes
// are thinned where there are too many.
type Index struct {
	blocks []block
	Size   int64 // bytes of the log that the blocks stand for
	span   int64 // least number of bytes that a block stands for
	others int   // number of events that are not steps
	lists  int   // numbers in the lists of all evaluations
	watch  stopwatch
}

// block is what is kept of a part of a log.
type block struct {
	end    int64 // offset in the log behind the block
	events []dated
}

// dated is an event, with the seconds that the run had trained by then.
type dated struct {
	Event   runner.Event
	seconds float64
}

// Bounds of an index: three blocks for each column of a wide terminal, and about
// 300 kB as a file.
const (
	MaxBlocks = 1200
	maxOthers = 2000
	maxLists  = 40_000
	maxValues = 64 + measure.MostUser // values of one event
	maxText   = 500                   // bytes of text in one event
)

// add takes in the next event; end is the offset behind its line in the log. The index owns the
// event from then on.
func (x *Index) add(e runner.Event, end int64) {
	if n := len(x.blocks); n == 0 || x.blocks[n-1].end-x.start(n-1) >= x.span {
		if n == MaxBlocks {
			x.halve()
		}
		x.blocks = append(x.blocks, block{})
	}
	x.Size = end
	x.watch.add(e)
	trim(e)
	b := &x.blocks[len(x.blocks)-1]
	b.add(dated{e, x.watch.Seconds})
	b.end = end
	if _, ok := e.(*runner.StepEvent); !ok {
		x.others++
		x.lists += numbers(e)
		x.thin()
	}
}

// start returns the offset at which block i starts.
func (x *Index) start(i int) int64 {
	if i == 0 {
		return 0
	}
	return x.blocks[i-1].end
}

// halve joins each two blocks into one. New blocks get as long as these from then on.
func (x *Index) halve() {
	n := len(x.blocks) / 2
	for i := range n {
		a, b := x.blocks[2*i], x.blocks[2*i+1]
		for _, e := range b.events {
			a.add(e)
		}
		x.blocks[i] = block{b.end, a.events}
	}
	x.blocks = slices.Delete(x.blocks, n, 2*n)
	x.span = max(1, x.Size/int64(len(x.blocks)))
}

// makeRoom prepares the index for more bytes of the log, so that no blocks have to be joined while
// these are taken in.
func (x *Index) makeRoom(more int64) {
	if x.span > 0 && int64(len(x.blocks))+more/x.span+1 <= MaxBlocks {
		return
	}
	for len(x.blocks) > MaxBlocks/2 {
		x.halve()
	}
	x.span = max(x.span, more/(MaxBlocks/2)+1)
}

// add adds an event. Of the steps without a resume between them only the last one stays, and
// covers the others.
func (b *block) add(e dated) {
	if s, ok := e.Event.(*runner.StepEvent); ok {
		for i, before := range slices.Backward(b.events) {
			if _, resumed := before.Event.(*runner.ResumeEvent); resumed {
				break
			}
			if last, ok := before.Event.(*runner.StepEvent); ok {
				s.Cover(last)
				b.events = slices.Delete(b.events, i, i+1)
				break
			}
		}
	}
	b.events = append(b.events, e)
}

// thin keeps the events that are not steps within the bounds: it drops every second event of the
// most common type, but never the last one.
func (x *Index) thin() {
	for x.others > maxOthers {
		x.drop(x.commonest())
	}
	if x.lists > maxLists { // of few evaluations with very many classes, one or two stay
		x.drop((*runner.EvalEvent)(nil).Kind())
	}
}

// commonest returns the most common type of the events that are not steps.
func (x *Index) commonest() (most string) {
	counts := map[string]int{}
	for e := range x.All() {
		if _, ok := e.Event.(*runner.StepEvent); !ok {
			counts[e.Event.Kind()]++
		}
	}
	for kind, n := range counts {
		if n > counts[most] || n == counts[most] && kind < most {
			most = kind
		}
	}
	return most
}

// drop removes every second event of a type, counted from the last, which stays. The evaluation
// that the run has selected stays, too.
func (x *Index) drop(kind string) {
	behind, selected := 0, runner.Event(nil)
	for e := range x.All() {
		if e.Event.Kind() == kind {
			behind++
		}
		if eval, ok := e.Event.(*runner.EvalEvent); ok && eval.Selected {
			selected = eval
		}
	}
	for i := range x.blocks {
		b := &x.blocks[i]
		b.events = slices.DeleteFunc(b.events, func(e dated) bool {
			if e.Event.Kind() != kind {
				return false
			}
			behind--
			if behind%2 == 0 || e.Event == selected {
				return false
			}
			x.others--
			x.lists -= numbers(e.Event)
			return true
		})
	}
}

// numbers returns how many numbers the lists of an event hold; a sample counts as one.
func numbers(e runner.Event) (n int) {
	if e, ok := e.(*runner.EvalEvent); ok {
		n = len(e.Heaviest)
		for _, l := range e.ByGroup {
			n += len(l.Numbers)
		}
	}
	return n
}

// trim bounds the other contents of an event: a log may come from anybody.
func trim(e runner.Event) {
	cut := func(s *string) {
		if len(*s) > maxText {
			*s = strings.Clone((*s)[:maxText])
		}
	}
	few := func(v *measure.Values) { *v = (*v)[:min(len(*v), maxValues)] }
	switch e := e.(type) {
	case *runner.StepEvent:
		few(&e.Values)
		few(&e.Min)
		few(&e.Max)
	case *runner.EvalEvent:
		few(&e.Values)
		e.ByGroup = e.ByGroup[:min(len(e.ByGroup), maxValues)]
	case *runner.WarningEvent:
		cut(&e.Message)
	case *runner.StatusEvent:
		cut(&e.Cause)
	case *runner.CheckpointEvent:
		cut(&e.File)
	case *runner.KnobEvent:
		cut(&e.Key)
	}
}

// All returns an iterator over the events, in the order of the log.
func (x *Index) All() func(yield func(dated) bool) {
	return func(yield func(dated) bool) {
		for _, b := range x.blocks {
			for _, e := range b.events {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// IndexName is the name of a compressed file of JSON lines: an indexHead, then the events. The file
// is sealed. A reader checks the seal, and the index against the log. Where either differs, the
// index does not count.
const IndexName = "events.index.gz"

const (
	indexVersion = 1
	maxIndexText = 32 << 20 // bytes, uncompressed
	samplesLog   = 64 << 10 // bytes of log of which First and Last are checksums
)

// indexHead is the first line of an index: the part of the log that it stands for, and its blocks.
type indexHead struct {
	Type    string
	Version int
	Size    int64 // bytes of the log that the index stands for
	First   uint32
	Last    uint32
	Span    int64
	Seconds float64
	Since   time.Time
	Ends    []int64 // offset behind each block
	Counts  []int   // number of events in each block
	Times   []float64
}

// ErrStale is worded as part of a sentence.
var ErrStale = errors.New("belongs to another log")

// saveIndex writes x beside the log.
func saveIndex(in *disk.Folder, x *Index) error {
	log, _, err := in.Read(LogName)
	if err != nil {
		return err
	}
	defer log.Close()
	h := indexHead{
		Type:    "index",
		Version: indexVersion,
		Size:    x.Size,
		Span:    x.span,
		Seconds: x.watch.Seconds,
		Since:   x.watch.since,
	}
	if h.First, h.Last, err = sampleLog(log, x.Size); err != nil {
		return err
	}
	for _, b := range x.blocks {
		h.Ends, h.Counts = append(h.Ends, b.end), append(h.Counts, len(b.events))
		for _, e := range b.events {
			h.Times = append(h.Times, e.seconds)
		}
	}
	of, err := OwnerOf(in)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := writeIndex(&b, &h, x); err != nil {
		return err
	}
	text, err := disk.Seal{Owner: of}.Put(b.Bytes())
	if err != nil {
		return err
	}
	return in.WriteText(IndexName, text)
}

func writeIndex(to io.Writer, h *indexHead, x *Index) error {
	w := gzip.NewWriter(to)
	line, err := json.Marshal(h)
	for e := range x.All() {
		if err != nil {
			return err
		}
		if _, err = w.Write(append(line, '\n')); err == nil {
			line, err = runner.EncodeEvent(ShortEvent(e.Event))
		}
	}
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return errors.Join(err, w.Close())
}

// shortDigits is the number of digits that a screen can tell apart; they take half the bytes.
const shortDigits = 7

// ShortEvent returns an event whose numbers are rounded to shortDigits digits.
func ShortEvent(e runner.Event) runner.Event {
	switch e := e.(type) {
	case *runner.StepEvent:
		r := *e
		r.Time = r.Time.Truncate(time.Millisecond)
		r.Values, r.Min = RoundValues(e.Values, shortDigits), RoundValues(e.Min, shortDigits)
		r.Max = RoundValues(e.Max, shortDigits)
		r.ImagesPerSecond = Round(e.ImagesPerSecond, shortDigits)
		return &r
	case *runner.EvalEvent:
		r := *e
		r.Values, r.ByGroup = RoundValues(e.Values, shortDigits), nil
		short := func(n measure.Number) measure.Number { return Round(n, shortDigits) }
		for _, l := range e.ByGroup {
			l.Numbers = data.Map(l.Numbers, short)
			r.ByGroup = append(r.ByGroup, l)
		}
		return &r
	}
	return e
}

// RoundValues returns a copy of values, rounded to this number of significant digits.
func RoundValues(values measure.Values, digits int) measure.Values {
	values = slices.Clone(values)
	for i := range values {
		values[i].Number = Round(values[i].Number, digits)
	}
	return values
}

// Round returns n, rounded to this number of significant digits.
func Round(n measure.Number, digits int) measure.Number {
	x, err := strconv.ParseFloat(strconv.FormatFloat(n.Float(), 'g', digits, 64), 64)
	return measure.NumIf(n.Applies() && err == nil, x)
}

// LoadIndex reads the index of a log. The error is an fs.ErrNotExist where there is no index, and
// ErrStale where the index belongs to another log.
func LoadIndex(in *disk.Folder) (*Index, error) {
	text, err := in.Text(IndexName)
	if err != nil {
		return nil, err
	}
	text, seal, err := disk.Unseal(text)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	x, h, err := readIndex(bufio.NewReaderSize(io.LimitReader(z, maxIndexText), 64<<10))
	if err != nil {
		return nil, err
	}
	log, length, err := in.Read(LogName)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if length < x.Size {
		return nil, ErrStale
	}
	first, last, err := sampleLog(log, x.Size)
	of, _ := OwnerOf(in)
	if err == nil && (of != seal.Owner || first != h.First || last != h.Last) {
		err = ErrStale
	}
	return x, err
}

// readIndex reads the text to its end.
func readIndex(r *bufio.Reader) (*Index, *indexHead, error) {
	var h indexHead
	line, err := r.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &h)
	}
	if err == nil {
		err = h.check()
	}
	if err != nil {
		return nil, nil, err
	}
	x := &Index{Size: h.Size, span: h.Span, watch: stopwatch{h.Seconds, h.Since}}
	times := h.Times
	for i, end := range h.Ends {
		b := block{end: end}
		for range h.Counts[i] {
			if line, err = r.ReadBytes('\n'); err != nil {
				return nil, nil, err
			}
			e, err := runner.DecodeEvent(bytes.TrimSpace(line))
			if err != nil || e == nil {
				return nil, nil, errors.Join(err, errors.New("an event of it cannot be read"))
			}
			trim(e)
			if _, ok := e.(*runner.StepEvent); !ok {
				x.others++
			}
			x.lists += numbers(e)
			b.events, times = append(b.events, dated{e, times[0]}), times[1:]
		}
		x.blocks = append(x.blocks, b)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, nil, errors.Join(err, errors.New("it continues after its end"))
	}
	return x, &h, nil
}

// check checks that the sizes in the head fit together: an index may come from anybody.
func (h *indexHead) check() error {
	n := len(h.Ends)
	fit := h.Type == "index" && h.Version == indexVersion && h.Span >= 0 && h.Seconds >= 0 &&
		0 < n && n <= MaxBlocks && n == len(h.Counts) && h.Ends[n-1] == h.Size
	before, events := int64(0), 0
	for i := 0; fit && i < n; i++ {
		fit = h.Ends[i] > before && h.Counts[i] >= 0 && h.Counts[i] <= len(h.Times)
		before, events = h.Ends[i], events+h.Counts[i]
	}
	if !fit || events != len(h.Times) {
		return errors.New("its head is not that of an index of this program")
	}
	return nil
}

// sampleLog returns the checksums of the first and the last bytes of the log up to size.
func sampleLog(log io.ReaderAt, size int64) (first, last uint32, err error) {
	n := min(size, samplesLog)
	buf := make([]byte, n)
	if _, err = log.ReadAt(buf, 0); err != nil && err != io.EOF {
		return 0, 0, err
	}
	first = crc32.Checksum(buf, disk.Castagnoli)
	if _, err = log.ReadAt(buf, size-n); err != nil && err != io.EOF {
		return 0, 0, err
	}
	return first, crc32.Checksum(buf, disk.Castagnoli), nil
}

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
	source  *indexed // nil once its blocks were given, or if there is none
	given   int      // number of blocks that were given
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

// indexed extends the index of a log, part by part, up to the offset goal.
type indexed struct {
	in    string // folder of the run
	Index *Index
	tail  *Tail // its offset is the end of the index
	goal  int64
	made  bool // a part of the index was made here, not loaded
}

// IndexLog returns the index of a log as its file has it, or an empty one, to be extended. It
// returns nil where the log has at most exact bytes.
func IndexLog(tail *Tail, exact int64) *indexed {
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
	s := &indexed{in: in.Path, tail: tail, goal: size}
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
func (s *indexed) share() float64 { return share(s.tail.offset, s.goal) }

// extend adds the next part of the log to the index.
func (s *indexed) extend() error {
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
func (s *indexed) save() {
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
func (s *indexed) write(in *disk.Folder) {
	if s.made && len(s.Index.blocks) > 0 && len(s.tail.spans) == 0 {
		_ = saveIndex(in, s.Index)
	}
}

// Exhaust extends the index until it reaches its goal.
func (s *indexed) Exhaust() error {
	for s.share() < 1 {
		if err := s.extend(); err != nil {
			return err
		}
	}
	return nil
}

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
