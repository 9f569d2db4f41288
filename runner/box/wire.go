package box

import (
	"bufio"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"drolab/runner/eventlog"
	"drolab/runner/machine"
	"drolab/runner/record"
)

// Magic is the line with which the far side begins. What a login prints before it is skipped.
const Magic = "drolab box-side 1"

// A conversation is, in each direction, a compressed stream of frames. A frame is the length of its
// head and of its body, four bytes each, the head as JSON, and the body. Each side says hello
// first.
//
//	here  -> far   hello, have, heads, want, unwant, ask, ping
//	far   -> here  hello, versions, file*, run, lines, gone, all, answer, problem, pong
const (
	maxHead = 1 << 20
	// maxBody has room for the longest line of a log, since only whole lines are appended.
	maxBody = eventlog.MaxLine + 1
	// maxBanner bounds what is skipped before the magic line.
	maxBanner = 64 << 10
	filePiece = 256 << 10
)

// frame is one message. One of its fields is set; a file's piece and lines of a log are the body.
type frame struct {
	Hello    *Hello    `json:"hello,omitempty"`
	Have     []string  `json:"have,omitempty"` // a hash of each bucket: see buckets
	Versions *versions `json:"versions,omitempty"`
	Heads    *heads    `json:"heads,omitempty"`
	File     *filePart `json:"file,omitempty"`
	Run      string    `json:"run,omitempty"` // its files are complete
	Want     *place    `json:"want,omitempty"`
	Unwant   string    `json:"unwant,omitempty"`
	Lines    *place    `json:"lines,omitempty"`
	Gone     string    `json:"gone,omitempty"`
	All      bool      `json:"all,omitempty"` // all heads that were asked for were sent
	Problem  string    `json:"problem,omitempty"`
	// Ask is an ask, whose fields the far side must know, all of them.
	Ask    json.RawMessage `json:"ask,omitempty"`
	Answer *answer         `json:"answer,omitempty"`
	Ping   bool            `json:"ping,omitempty"`
	Pong   *pong           `json:"pong,omitempty"`

	body []byte
}

// pong is how the box is now.
type pong struct {
	Clock time.Time     `json:"clock"`
	GPUs  []machine.GPU `json:"gpus,omitempty"`
}

// versions has all runs of some buckets.
type versions struct {
	Buckets []int             `json:"buckets"`
	Runs    map[string]string `json:"runs"`           // their versions by their names
	More    bool              `json:"more,omitempty"` // another part follows
}

// heads answers a part of the versions: it asks for the heads of these runs.
type heads struct {
	IDs  []string `json:"ids"`
	More bool     `json:"more,omitempty"`
}

// filePart is a piece of a file of a run. verdictName stands for the verdict.
type filePart struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

const verdictName = "verdict"

// place is a place in the log of a run, with the checksum of what is before it.
type place struct {
	ID string `json:"id"`
	record.LogState
}

// Hello is what a side says of itself.
type Hello struct {
	Protocol int       `json:"protocol"`
	Version  string    `json:"version"`
	Format   int       `json:"format"` // of the runs
	System   string    `json:"system,omitempty"`
	CPU      string    `json:"cpu,omitempty"` // as recorded in the runs that are trained there
	Cores    int       `json:"cores,omitempty"`
	Memory   int64     `json:"memory,omitempty"` // bytes
	RunsDir  string    `json:"runs_dir,omitempty"`
	Clock    time.Time `json:"clock"`
	Advice   string    `json:"advice,omitempty"` // what ends runs there at a logout
}

// protocol is the version of the conversation. Both sides must have the same.
const protocol = 3 // version 1 had no verbs, and version 2 foresaw nothing

// sender writes frames. Its methods may be used from any goroutine.
type sender struct {
	mu sync.Mutex
	z  *flate.Writer
	n  int // frames that were sent
}

func newSender(to io.Writer) *sender {
	z, err := flate.NewWriter(to, flate.DefaultCompression)
	if err != nil {
		panic("box: a level that exists is refused: " + err.Error())
	}
	return &sender{z: z}
}

// errTooLong is the error of a frame that is not sent.
var errTooLong = errors.New("a message is too long")

// send writes frames, and does not return before the other side can read them.
func (s *sender) send(frames ...*frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(frames) == 0 {
		return nil
	}
	for _, f := range frames {
		head, err := json.Marshal(f)
		if err != nil {
			return err
		}
		if len(head) > maxHead || len(f.body) > maxBody {
			return fmt.Errorf("%w: %d and %d bytes, of at most %d and %d",
				errTooLong, len(head), len(f.body), maxHead, maxBody)
		}
		var lengths [8]byte
		binary.BigEndian.PutUint32(lengths[:4], uint32(len(head)))
		binary.BigEndian.PutUint32(lengths[4:], uint32(len(f.body)))
		for _, part := range [][]byte{lengths[:], head, f.body} {
			if _, err := s.z.Write(part); err != nil {
				return err
			}
		}
		s.n++
	}
	return s.z.Flush()
}

// outbox is a writer that never waits: what is written waits in memory until run passes it on. So
// this machine reads on while the box is busy with sending, and the two never wait for each other.
type outbox struct {
	mu      sync.Mutex
	waiting []byte
	err     error
	wake    chan struct{} // has room for one
}

// maxWaiting bounds what waits to be sent, in bytes.
const maxWaiting = 64 << 20

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// Write implements io.Writer.
func (o *outbox) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil && len(o.waiting)+len(b) > maxWaiting {
		o.err = fmt.Errorf("more than %d bytes wait to be sent", maxWaiting)
	}
	if o.err != nil {
		return 0, o.err
	}
	o.waiting = append(o.waiting, b...)
	select {
	case o.wake <- struct{}{}:
	default: // it is awake already
	}
	return len(b), nil
}

// run passes on what is written until ctx is cancelled or that fails.
func (o *outbox) run(ctx context.Context, to io.Writer) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.wake:
		}
		o.mu.Lock()
		b := o.waiting
		o.waiting = nil
		o.mu.Unlock()
		if _, err := to.Write(b); err != nil {
			o.mu.Lock()
			o.err = err
			o.mu.Unlock()
			return
		}
	}
}

// receiver reads frames. Its memory is bounded, whatever the other side sends.
type receiver struct{ z io.Reader }

func newReceiver(from io.Reader) *receiver { return &receiver{flate.NewReader(from)} }

// next returns the next frame. The error is io.EOF only where the other side has ended between two
// frames.
func (r *receiver) next() (*frame, error) {
	var lengths [8]byte
	if _, err := io.ReadFull(r.z, lengths[:]); err != nil {
		return nil, err
	}
	head := binary.BigEndian.Uint32(lengths[:4])
	body := binary.BigEndian.Uint32(lengths[4:])
	if head > maxHead || body > maxBody {
		return nil, fmt.Errorf("a message of %d and %d bytes: expected at most %d and %d",
			head, body, maxHead, maxBody)
	}
	text := make([]byte, head)
	if _, err := io.ReadFull(r.z, text); err != nil {
		return nil, unexpected(err)
	}
	f := &frame{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("a message that cannot be read: %w", err)
	}
	f.body = make([]byte, body)
	if _, err := io.ReadFull(r.z, f.body); err != nil {
		return nil, unexpected(err)
	}
	return f, nil
}

// unexpected turns an end into one that comes too early.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// skipBanner reads up to the magic line, and returns what the login printed before it.
func skipBanner(r *bufio.Reader) (banner string, err error) {
	var before strings.Builder
	for before.Len() <= maxBanner {
		line, err := r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return before.String(), err
		}
		if strings.TrimRight(string(line), "\r\n") == Magic {
			return before.String(), nil
		}
		before.Write(line)
	}
	return before.String(), fmt.Errorf("more than %d bytes came before drolab", maxBanner)
}
