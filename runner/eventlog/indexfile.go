package eventlog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
)

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
	Foreign bool    // see stopwatch
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
		Foreign: x.watch.foreign,
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
	x := &Index{Size: h.Size, span: h.Span, watch: stopwatch{
		Seconds: h.Seconds, since: h.Since, foreign: h.Foreign}}
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
			x.lists += countNumbers(e)
			b.events, times = append(b.events, timedEvent{e, times[0]}), times[1:]
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
