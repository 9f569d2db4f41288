package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync/atomic"
	"time"

	"drolab/runner"
	"drolab/runner/spec"
)

// protocol is the version of the protocol. It changes when an older side would misread a newer one.
const protocol = 2 // version 1 named no runs folder

// maxMessage bounds a message in bytes; a request for some 600 runs fits.
const maxMessage = 1 << 20

// patience is how long one side waits for the other to send something. A verb is answered within
// it. A start, which reads a whole dataset, may take longer: the server then sends a blank in front
// of its reply now and then, which JSON ignores, or a reply that says how far the reading is.
const patience = 10 * time.Second

// readingEvery is the time between two replies that say how far a reading is.
const readingEvery = 250 * time.Millisecond

// looks is the loop of a caller that polls for something: it yields at once and then every 10 ms,
// for the time long.
func looks(long time.Duration) func(look func() bool) {
	return func(look func() bool) {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for begin := time.Now(); time.Since(begin) < long && look(); <-tick.C {
		}
	}
}

// The verbs of an engine, besides those of a run. The view socket answers status only.
const (
	verbStatus   runner.Verb = "status"
	verbStart    runner.Verb = "start"
	verbShutdown runner.Verb = "shutdown"
)

// hello is the first message from a server. A client that has received it will be served: the
// engine does not end by itself before the connection is closed.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	PID      int    `json:"pid"`
	// Folder is the only runs folder that this engine answers for.
	Folder runsFolder `json:"folder"`
}

type request struct {
	runner.Order // its verb may be one of the engine's
	// Folder is the runs folder that the client means.
	Folder runsFolder `json:"folder"`

	Start *runner.Request `json:"start,omitempty"`
	Force bool            `json:"force,omitempty"` // shut down although runs are live: they stop
}

// reply answers a request. Without an error, a start, a checkpoint or a knob is on disk; a pause or
// a stop was handed to the run, which does it at its next step.
type reply struct {
	Error  string   `json:"error,omitempty"`
	Fault  *fault   `json:"fault,omitempty"` // the kind of the error, if known
	IDs    []string `json:"ids,omitempty"`
	Step   int64    `json:"step,omitempty"` // of a checkpoint that is on disk
	Status *Status  `json:"status,omitempty"`
	// Reading says how far the data of a start or a resume are read. Such a reply is not the last.
	Reading *runner.Reading `json:"reading,omitempty"`
}

// Status is an engine's description of itself. The progress of its runs is in their directories.
type Status struct {
	PID     int              `json:"pid"`
	Version string           `json:"version"`
	Started time.Time        `json:"started"`
	RunsDir string           `json:"runs_dir"`
	Log     string           `json:"log"` // path of the engine's own log
	Runs    []runner.LiveRun `json:"runs"`
}

// wire is one end of a connection. It belongs to one goroutine.
type wire struct {
	net.Conn
	in *bufio.Scanner
	// strict refuses unknown fields: a server must know every field of a request, while an answer
	// may have more fields than the client knows.
	strict bool
	// gap, if not 0, is how long to wait for any byte, in place of the limit of a whole message.
	// Only the client uses it.
	gap time.Duration
	// folder is the runs folder that the client means.
	folder runsFolder
	// reading gets what the server says of a reading; nil: nobody asks.
	reading *atomic.Pointer[runner.Reading]
}

func newWire(c net.Conn) *wire {
	w := &wire{Conn: c}
	w.in = bufio.NewScanner(w)
	w.in.Buffer(make([]byte, 4096), maxMessage)
	return w
}

// Read implements io.Reader.
func (w *wire) Read(p []byte) (int, error) {
	if w.gap > 0 {
		if err := w.SetReadDeadline(time.Now().Add(w.gap)); err != nil {
			return 0, err
		}
	}
	return w.Conn.Read(p)
}

// blank says that a reply is on its way.
func (w *wire) blank() error { return w.writeBytes([]byte{' '}) }

func (w *wire) writeBytes(b []byte) error {
	if err := w.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err := w.Write(b)
	return err
}

// errClosed says that the other side ended the connection between messages.
var errClosed = errors.New("the connection was closed")

// receive reads one message into v. The message has to arrive by the limit; the zero time means no
// limit.
func (w *wire) receive(v any, limit time.Time) error {
	if err := w.SetReadDeadline(limit); err != nil {
		return err
	}
	if !w.in.Scan() {
		switch err := w.in.Err(); {
		case err == nil:
			return errClosed
		case errors.Is(err, bufio.ErrTooLong):
			return fmt.Errorf("message is too long: want at most %d bytes", maxMessage)
		default:
			return err
		}
	}
	d := json.NewDecoder(bytes.NewReader(w.in.Bytes()))
	if w.strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("message cannot be read: %w", err)
	}
	return nil
}

// send writes v as one message.
func (w *wire) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) >= maxMessage {
		return fmt.Errorf("message has %d bytes, want fewer than %d: ask for fewer runs at once",
			len(b), maxMessage)
	}
	return w.writeBytes(append(b, '\n'))
}

// fault is the kind of an error, beside its text, on its way over a socket. With it, errors.Is and
// errors.As work on the other side, too. A reader that does not know a code has the text.
type fault struct {
	Code string `json:"code"`
	// Key, Value and Want describe a bad setting. Value and What describe an error of a disk.
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
	Want  string `json:"want,omitempty"`
	What  string `json:"what,omitempty"`
}

// Codes of errors that carry details.
const (
	codeSetting = "setting"
	codeDisk    = "disk"
)

// codes returns the errors without details, by their codes.
func codes() map[string]error {
	return map[string]error{
		"not_running": runner.ErrNotRunning,
		"elsewhere":   runner.ErrElsewhere,
		"busy":        runner.ErrBusy,
		"slow":        runner.ErrSlow,
		"nothing":     runner.ErrNothing,
		"done":        runner.ErrDone,
		"live":        errLive,
		"missing":     fs.ErrNotExist,
	}
}

// failed returns the reply that reports err.
func failed(err error) *reply {
	out := &reply{Error: err.Error()}
	var key *spec.KeyError
	var disk *runner.DiskError
	switch {
	case errors.As(err, &key):
		out.Fault = &fault{
			Code:  codeSetting,
			Key:   key.Key,
			Value: fmt.Sprint(key.Value),
			Want:  key.Want,
		}
	case errors.As(err, &disk):
		out.Fault = &fault{Code: codeDisk, Value: disk.Err.Error(), What: disk.What}
	default:
		for code, kind := range codes() {
			if errors.Is(err, kind) {
				out.Fault = &fault{Code: code}
			}
		}
	}
	return out
}

// remoteError is an error from the engine, with its text and its kind.
type remoteError struct {
	text string
	kind error
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.kind }

// err returns the error that a reply reports, nil if there is none.
func (r *reply) err() error {
	if r.Error == "" {
		return nil
	}
	e := &remoteError{text: r.Error}
	if f := r.Fault; f != nil {
		switch f.Code {
		case codeSetting:
			e.kind = &spec.KeyError{Key: f.Key, Value: f.Value, Want: f.Want}
		case codeDisk:
			e.kind = &runner.DiskError{What: f.What, Err: errors.New(f.Value)}
		default:
			e.kind = codes()[f.Code]
		}
	}
	return e
}
