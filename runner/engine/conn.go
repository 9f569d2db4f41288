package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"drolab/runner"
)

// messageConn is one end of a connection. It belongs to one goroutine.
type messageConn struct {
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

func newMessageConn(c net.Conn) *messageConn {
	w := &messageConn{Conn: c}
	w.in = bufio.NewScanner(w)
	w.in.Buffer(make([]byte, 4096), maxMessage)
	return w
}

// Read implements io.Reader.
func (w *messageConn) Read(p []byte) (int, error) {
	if w.gap > 0 {
		if err := w.SetReadDeadline(time.Now().Add(w.gap)); err != nil {
			return 0, err
		}
	}
	return w.Conn.Read(p)
}

// blank says that a reply is on its way.
func (w *messageConn) blank() error { return w.writeBytes([]byte{' '}) }

func (w *messageConn) writeBytes(b []byte) error {
	if err := w.SetWriteDeadline(time.Now().Add(replyTimeout)); err != nil {
		return err
	}
	_, err := w.Write(b)
	return err
}

// errClosed says that the other side ended the connection between messages.
var errClosed = errors.New("the connection was closed")

// receive reads one message into v. The message has to arrive by the limit; the zero time means no
// limit.
func (w *messageConn) receive(v any, limit time.Time) error {
	if err := w.SetReadDeadline(limit); err != nil {
		return err
	}
	if !w.in.Scan() {
		switch err := w.in.Err(); {
		case err == nil:
			return errClosed
		case errors.Is(err, bufio.ErrTooLong):
			return fmt.Errorf("message is too long: expected at most %d bytes", maxMessage)
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
func (w *messageConn) send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) >= maxMessage {
		return fmt.Errorf("message has %d bytes, expected fewer than %d: ask for fewer runs at "+
			"once",
			len(b), maxMessage)
	}
	return w.writeBytes(append(b, '\n'))
}
