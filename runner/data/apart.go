package data

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"drolab/runner/data/internal/dataset"
	"drolab/runner/internal/room"
)

// apart holds the function that returns the command of a process that reads the user's own files.
var apart atomic.Pointer[func() *exec.Cmd]

// ReadApart makes separate processes read the user's own files from now on, until undo is called.
// command returns such a process, not yet started, that does nothing but [Serve]. Each process may
// take a bounded part of the remaining memory, so that a malicious file ends that process and not
// this one. Without ReadApart, [Open] reads the files in this process.
func ReadApart(command func() *exec.Cmd) (undo func()) {
	before := apart.Swap(&command)
	return func() { apart.Store(before) }
}

const (
	// readerPart is the part of the remaining memory for the reading process and the data that it
	// reads.
	readerPart  = 0.9
	readerLeast = 64 << 20 // the least size of that part, in bytes
)

// readBy opens the dataset of a Provider, in a separate process if ReadApart is in effect and the
// Provider reads the user's own files.
func readBy(ctx context.Context, p *Provider, name string, o Options) (*Dataset, error) {
	command := apart.Load()
	if command == nil || *command == nil || !p.Apart {
		return p.Open(name, o)
	}
	for {
		share, err := room.ReservePart(ctx, readerPart, readerLeast, "reading it")
		if err != nil {
			return nil, err
		}
		d, err := (&reader{cmd: (*command)(), share: share}).read(ctx, name, o)
		if err == nil {
			return d, nil
		}
		share.Release()
		// Its part was small because of other readers: it tries again when they have ended.
		if _, bound := errors.AsType[*boundError](err); !share.Crowded || !bound {
			return nil, err
		}
		if err := room.Settled(ctx); err != nil {
			return nil, err
		}
	}
}

// boundError is the error of a data set that needs more memory than its reading process may take.
type boundError struct {
	bounded bool
	bytes   float64
}

func (e *boundError) Error() string {
	than := "there is"
	if e.bounded {
		than = "the " + room.Size(e.bytes) + " allowed here"
	}
	return fmt.Sprintf("reading it takes more memory than %s: "+
		"make it smaller, or use a machine with more", than)
}

// reader is a process that reads a data set.
type reader struct {
	cmd    *exec.Cmd
	share  *room.Share
	stderr stderr
}

func (r *reader) read(ctx context.Context, name string, o Options) (*Dataset, error) {
	in, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer in.Close() // the process ends then, whatever it does
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.cmd.Stderr = &r.stderr
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the process that reads it: %w", err)
	}
	defer context.AfterFunc(ctx, func() {
		r.cmd.Process.Kill()
		out.Close()
	})()
	ask := request{name, o, r.share.Bounded, r.share.Bytes(), runtime.GOMAXPROCS(0)}
	var d *Dataset
	if err = writeHeader(in, &ask); err == nil || errors.Is(err, syscall.EPIPE) {
		answer := bufio.NewReader(out)
		if err = hearProgress(answer, o.Progress); err == nil {
			d, err = receive(answer, r.share)
		}
	}
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && !ended {
		r.cmd.Process.Kill()
	}
	switch exited := r.wait(ctx); {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("reading it was stopped: %w", ctx.Err())
	case ended && exited:
		return nil, r.why()
	}
	return d, err
}

// wait waits for the process to end and reports whether it has ended. Once ctx ends, it abandons
// the process, which may hang on a disk that is gone.
func (r *reader) wait(ctx context.Context) (exited bool) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.cmd.Wait() // ProcessState holds the result
	}()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}

// why returns the reason why a process ended without sending a data set.
func (r *reader) why() error {
	line, state := r.stderr.line(), r.cmd.ProcessState.String()
	// A Go program without memory writes one of these or, if it cannot even do that, is killed by
	// the system.
	wants := []string{room.OutOfMemory, "cannot allocate memory", "newosproc", "pthread_create",
		"SIG", "killed"}
	if slices.ContainsFunc(wants, func(w string) bool { return strings.Contains(line+state, w) }) {
		return &boundError{r.share.Bounded, r.share.Bytes()}
	}
	return fmt.Errorf("the process that read it ended with %s: %q: please report it", state, line)
}

// stderr is the beginning of the standard error of a process.
type stderr struct{ bytes.Buffer }

// Write implements io.Writer.
func (s *stderr) Write(p []byte) (int, error) {
	const most = 4 << 10
	s.Buffer.Write(p[:min(len(p), max(0, most-s.Len()))])
	return len(p), nil
}

// line returns the line that states the error: the first that begins as an error of a failing Go
// program does, else the last line.
func (s *stderr) line() (text string) {
	for text = range strings.Lines(s.String()) {
		for _, begin := range []string{"fatal error: ", "runtime/cgo: ", "panic: ", "SIG",
			"drolab: "} {
			if strings.HasPrefix(text, begin) {
				return strings.TrimSpace(text)
			}
		}
	}
	return strings.TrimSpace(text)
}

// A data set goes from one process to another as a header, followed by numbers as they lie in
// memory, base after base and split after split. The receiver is the same program on the same
// machine. The header bounds the size of the numbers.

// mostHeader bounds the names, categories and notes of a data set, in bytes.
const mostHeader = 64 << 20

// Before the answer, the reading process says how far it is. Such a message begins with a length
// that no header has, and has two numbers: how many samples are read, and of how many.
const progressMark = ^uint64(0)

// tellProgress writes such a message.
func tellProgress(to io.Writer, done, of int) error {
	return binary.Write(to, binary.NativeEndian, []uint64{progressMark, uint64(done), uint64(of)})
}

// hearProgress reads the messages until the answer begins, and passes them to tell.
func hearProgress(from *bufio.Reader, tell func(done, of int) error) error {
	for {
		begin, err := from.Peek(8)
		if err != nil || binary.NativeEndian.Uint64(begin) != progressMark {
			return nil // receive finds the error, too
		}
		var message [3]uint64
		if err := binary.Read(from, binary.NativeEndian, &message); err != nil {
			return err
		}
		done, of := int(message[1]), int(message[2])
		if done < 0 || done > of {
			return fmt.Errorf("the process that reads it says that it has read %d of %d", done, of)
		}
		if tell != nil {
			if err := tell(done, of); err != nil {
				return err
			}
		}
	}
}

// request is the message that asks the other process for a data set.
type request struct {
	Name    string
	Options Options
	Bounded bool
	Bytes   float64 // memory that it may take, if Bounded
	Threads int
}

// sent is the header of the answer: a Dataset as a Provider opens it, without its numbers, or an
// error.
type sent struct {
	Error   string
	Missing *MissingError // if that is the error

	Dataset Dataset // its exported fields
	Bases   []base
	Splits  [3]part // training, validation and test
}

// kinds of bases
const (
	tableBase = iota
	featuresBase
	imagesBase
)

// base is a source that splits are parts of.
type base struct {
	Kind            int
	Samples         int
	Shape           Shape
	Size            int // features: bytes of a number; images: bytes from one sample to the next
	Skip            int // images: bytes before the first
	Grouped, Origin bool
	Members         int // words of each sample
	Keyed           bool
	Bytes           int // of the samples
	File            *filePlace
}

// part is a split: all samples of a base, or some of them in an order of their own.
type part struct {
	Base    int // from 1; 0: the data have no such split
	Whole   bool
	Samples int
}

// filePlace is the place of samples that stay in their file.
type filePlace struct {
	Path     string
	At, Size int64
	Changed  time.Time
}

// placeIn returns the place of samples in one of the mapped files, or nil.
func placeIn(samples []byte, in dataset.Mapped) (*filePlace, error) {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(samples)))
	for _, m := range in {
		// The difference wraps to a huge number if the samples begin before the mapping.
		at := first - uintptr(unsafe.Pointer(unsafe.SliceData(m.Bytes)))
		if at >= uintptr(len(m.Bytes)) {
			continue
		}
		info, err := os.Stat(m.Path)
		if err != nil {
			return nil, err
		}
		return &filePlace{m.Path, int64(at), int64(len(m.Bytes)), info.ModTime()}, nil
	}
	return nil, nil
}

// open maps the file and returns the samples in it, unless the file has changed.
func (p *filePlace) open(in *dataset.Mapped, bytes int) (samples []byte, err error) {
	f, err := dataset.OpenInput(p.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || f.Size != p.Size || !info.ModTime().Equal(p.Changed) {
		return nil, fmt.Errorf("%s: changed while it was read: try again when it does not", p.Path)
	}
	b, err := in.Map(f)
	if err != nil {
		return nil, err
	}
	return b[p.At:][:bytes], nil
}

// bytesOf returns the bytes of numbers as they lie in memory.
func bytesOf[T byte | uint16 | uint32 | float32](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))),
		len(list)*int(unsafe.Sizeof(*new(T))))
}

// writeHeader writes the length of a header, then the header.
func writeHeader(to io.Writer, header any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(header); err != nil {
		return err
	}
	if b.Len() > mostHeader {
		return fmt.Errorf("its names and categories take %d bytes: at most %d are taken", b.Len(),
			mostHeader)
	}
	err := binary.Write(to, binary.NativeEndian, uint64(b.Len()))
	if err == nil {
		_, err = to.Write(b.Bytes())
	}
	return err
}

// readHeader reads a header, and nothing behind it.
func readHeader(from io.Reader, header any) error {
	var length uint64
	if err := binary.Read(from, binary.NativeEndian, &length); err != nil {
		return err
	}
	if length > mostHeader {
		return fmt.Errorf("a header of %d bytes", length)
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(from, b); err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(b)).Decode(header)
}

// Serve does the whole work of a process that reads a data set for another. It takes the request
// from in, reads the files within its memory bound, and writes the data set to out. It ends the
// process when in ends, since nobody waits for the data then.
func Serve(in io.Reader, out io.Writer) error {
	var ask request
	if err := readHeader(in, &ask); err != nil {
		return fmt.Errorf("this command is for drolab itself: see drolab data show: %w", err)
	}
	go func() {
		io.Copy(io.Discard, in)
		os.Exit(1)
	}()
	runtime.GOMAXPROCS(ask.Threads)
	debug.SetGCPercent(10) // kept data hold no pointers, and garbage counts against the bound
	if ask.Bounded {
		if err := room.Bound(ask.Bytes); err != nil {
			return err
		}
	}
	ask.Options.Progress = func(done, of int) error { return tellProgress(out, done, of) }
	d, err := readOwn(ask.Name, ask.Options)
	if err == nil {
		err = send(out, d)
	}
	if _, lost := errors.AsType[*lostError](err); err == nil || lost {
		return err // nobody reads any more, or a part has been read
	}
	failed := sent{Error: err.Error()}
	errors.As(err, &failed.Missing)
	return writeHeader(out, &failed)
}

// errCut is the error of files of the user that were cut while they were read.
var errCut = errors.New("its files were cut or lost while they were read: " +
	"bring them back and try again")

// readOwn opens the user's own files. It turns a fault in a mapped file into an error.
func readOwn(name string, o Options) (d *Dataset, err error) {
	err = Unfaulted(errCut, func() error {
		p, err := find(name)
		if err == nil {
			d, err = p.Open(name, o)
		}
		return err
	})
	return d, err
}

// Unfaulted calls do, which reads samples. A fault in one of their mapped files becomes the error
// cut.
func Unfaulted(cut error, do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover(); {
		case IsFault(p):
			err = cut
		case p != nil:
			panic(p)
		}
	}()
	return do()
}

// lostError is the error of numbers that did not reach the process that asked for them.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// sender writes the numbers of a data set, and gives up their memory.
type sender struct {
	sent
	numbers [][]byte
	sources []Source
}

// send writes a data set.
func send(out io.Writer, d *Dataset) error {
	s := &sender{}
	s.Dataset = *d
	s.Dataset.Mapped = nil // sources say where in these files they lie
	s.Dataset.Train, s.Dataset.Val, s.Dataset.Test, s.Dataset.Release = nil, nil, nil, nil
	for i, split := range []Source{d.Train, d.Val, d.Test} {
		if split == nil {
			continue
		}
		if err := s.add(&s.Splits[i], split, d.Mapped); err != nil {
			return err
		}
	}
	for i, split := range []Source{d.Train, d.Val, d.Test} {
		if part, _ := partOf(split); s.Splits[i].Base > 0 && !s.Splits[i].Whole {
			s.numbers = append(s.numbers, bytesOf(part))
		}
	}
	if err := writeHeader(out, &s.sent); err != nil {
		return err
	}
	const size = 1 << 20 // bytes of a piece, whose memory is given up once it is written
	for _, b := range s.numbers {
		for piece := range slices.Chunk(b, size) {
			if _, err := out.Write(piece); err != nil {
				return &lostError{err}
			}
			forget(piece)
		}
	}
	return nil
}

// partOf returns the base of a split, and the indices of the split's samples in it: nil for all.
func partOf(split Source) (index []uint32, of Source) {
	switch s := split.(type) {
	case *dataset.Subset:
		return s.Index, s.Source
	case *dataset.ImageSubset:
		return s.Index, s.Source
	}
	return nil, split
}

// add describes a split in p, and adds its base if the base is new.
func (s *sender) add(p *part, split Source, mapped dataset.Mapped) error {
	index, src := partOf(split)
	*p = part{Base: 1 + slices.Index(s.sources, src), Whole: src == split, Samples: len(index)}
	if p.Base > 0 {
		return nil
	}
	b := base{Samples: src.Len(), Shape: src.Shape()}
	var marks dataset.Marks
	var origin []uint32
	var samples [][]byte
	switch src := src.(type) {
	case *dataset.Table:
		b.Kind, marks, origin = tableBase, src.Marks, src.Origin
		samples = rawRows(src.X, src.Len())
	case *dataset.Features:
		b.Kind, marks, b.Size, samples = featuresBase, src.Marks, src.Size, [][]byte{src.Data}
	case *dataset.Images:
		b.Kind, marks, samples = imagesBase, src.Marks, [][]byte{src.Data}
		b.Size, b.Skip = src.Stride, src.Skip
	default:
		return fmt.Errorf("a source of type %T cannot be sent", src)
	}
	s.numbers = append(s.numbers, bytesOf(marks.Labels))
	if b.Grouped = &marks.Labels[0] != &marks.Groups[0]; b.Grouped {
		s.numbers = append(s.numbers, bytesOf(marks.Groups))
	}
	b.Members = len(marks.Members) / src.Len()
	s.numbers = append(s.numbers, bytesOf(marks.Members))
	if b.Keyed = marks.Keys != nil; b.Keyed {
		s.numbers = append(s.numbers, bytesOf(marks.Keys))
	}
	if b.Origin = origin != nil; b.Origin {
		s.numbers = append(s.numbers, bytesOf(origin))
	}
	var err error
	if b.Kind != tableBase {
		b.File, err = placeIn(samples[0], mapped)
	}
	for _, piece := range samples {
		b.Bytes += len(piece)
	}
	if b.File == nil {
		s.numbers = append(s.numbers, samples...)
	}
	s.Bases, s.sources = append(s.Bases, b), append(s.sources, src)
	p.Base = len(s.Bases)
	return err
}

// rawRows returns the bytes of the first n rows as they lie in memory.
func rawRows(b *dataset.RowBlocks, n int) (list [][]byte) {
	for _, block := range b.Blocks {
		rows := min(n, b.Per)
		list = append(list, bytesOf(block[:rows*b.Width]))
		n -= rows
	}
	return list
}

// receiver makes a data set from the message of another process.
type receiver struct {
	sent
	in      io.Reader
	sources []Source
	mapped  dataset.Mapped
	err     error // the first error
}

// receive reads a data set. It asks for no further memory, but keeps as much of the reading
// process's share as the data set takes: that process gives up its memory meanwhile.
func receive(in io.Reader, share *room.Share) (*Dataset, error) {
	r := &receiver{in: in}
	if err := readHeader(in, &r.sent); err != nil {
		return nil, err
	}
	switch {
	case r.Missing != nil:
		return nil, r.Missing
	case r.Error != "":
		return nil, errors.New(r.Error)
	}
	bytes := r.bytes()
	if share.Bounded && bytes > share.Bytes() {
		return nil, &room.Error{What: "what was read", Need: bytes, Has: share.Bytes()}
	}
	d := &r.Dataset
	for i := range r.Bases {
		r.sources = append(r.sources, r.source(&r.Bases[i]))
	}
	for i, to := range []*Source{&d.Train, &d.Val, &d.Test} {
		*to = r.split(&r.Splits[i])
	}
	if r.err != nil {
		return nil, errors.Join(r.err, r.mapped.Close())
	}
	d.Mapped = r.mapped
	d.Release = share.Release
	share.Shrink(bytes)
	return d, nil
}

// bytes returns the memory, in bytes, of the numbers that follow the header.
func (r *receiver) bytes() (sum float64) {
	for _, b := range r.Bases {
		const marks = 2 + 2 + 4 + 4 // label, group, key and origin
		sum += float64(marks+4*b.Members) * float64(b.Samples)
		if b.File == nil {
			sum += float64(b.Bytes)
		}
	}
	for _, p := range r.Splits {
		sum += 4 * float64(p.Samples)
	}
	return sum
}

// source reads a base.
func (r *receiver) source(b *base) Source {
	marks := r.marks(b)
	switch b.Kind {
	case tableBase:
		var origin []uint32
		if b.Origin {
			origin = make([]uint32, b.Samples)
			r.read(bytesOf(origin))
		}
		return &dataset.Table{Marks: marks, Origin: origin, X: r.rows(b)}
	case featuresBase:
		return &dataset.Features{Marks: marks, Dims: b.Shape, Size: b.Size,
			Data: r.samples(b), Decode: dataset.Decoders()[b.Size]}
	}
	return &dataset.Images{Marks: marks, Dims: b.Shape, Stride: b.Size, Skip: b.Skip,
		Data: r.samples(b)}
}

func (r *receiver) read(to []byte) {
	if r.err == nil {
		_, r.err = io.ReadFull(r.in, to)
	}
}

func (r *receiver) marks(b *base) (m dataset.Marks) {
	m = dataset.NewLabels(b.Samples)
	r.read(bytesOf(m.Labels))
	if b.Grouped {
		m.Groups = make([]uint16, b.Samples)
		r.read(bytesOf(m.Groups))
	}
	m.Members = make([]uint32, b.Members*b.Samples)
	r.read(bytesOf(m.Members))
	if b.Keyed {
		m.Keys = make([]uint32, b.Samples)
		r.read(bytesOf(m.Keys))
	}
	return m
}

// rows reads the rows block by block: this process takes only memory that the other has given up.
func (r *receiver) rows(b *base) *dataset.RowBlocks {
	x := &dataset.RowBlocks{Width: b.Shape.C, Per: max(1, dataset.BlockWords/b.Shape.C)}
	for left := b.Samples; left > 0; left -= x.Per {
		block := make([]float32, min(left, x.Per)*x.Width)
		r.read(bytesOf(block))
		x.Blocks = append(x.Blocks, block)
	}
	return x
}

// samples reads the samples of a base, or maps the file in which they lie.
func (r *receiver) samples(b *base) (samples []byte) {
	if b.File == nil {
		samples = make([]byte, b.Bytes)
		r.read(samples)
		return samples
	}
	samples, err := b.File.open(&r.mapped, b.Bytes)
	r.err = errors.Join(r.err, err)
	return samples
}

func (r *receiver) split(p *part) Source {
	switch {
	case p.Base == 0:
		return nil
	case p.Whole:
		return r.sources[p.Base-1]
	}
	index := make([]uint32, p.Samples)
	r.read(bytesOf(index))
	return dataset.SubsetOf(r.sources[p.Base-1], index)
}
