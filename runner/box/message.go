package box

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
)

// The conversation about a forwarded command is a stream of messages in each direction, behind the
// magic line. A message is its kind, one byte, the length of its body, four bytes, and the body.
//
//	here  -> far   request, input*, inputEnd, interrupt
//	far   -> here  greeting, output*, errors*, files*, exit
type messageKind byte

const (
	greetingMessage  messageKind = 'g' // a greeting as JSON
	requestMessage   messageKind = 'r' // a Request as JSON
	inputMessage     messageKind = 'i' // a piece of the command's standard input
	inputEndMessage  messageKind = 'd'
	interruptMessage messageKind = 'c' // the user wants the command to end
	outputMessage    messageKind = 'o'
	errorsMessage    messageKind = 'e'
	filesMessage     messageKind = 'f' // a piece of the archive of the files that it wrote
	exitMessage      messageKind = 'x' // an exit as JSON; nothing follows
)

// maxMessage bounds the body of a message. A request has the text of preset files.
const maxMessage = 4 << 20

// greeting is what the far side says first.
type greeting struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
}

// forwardProtocol is the version of the conversation. Both sides must have the same.
const forwardProtocol = 1

// exit says how a command has ended.
type exit struct {
	Status int    `json:"status"`
	Error  string `json:"error,omitempty"` // why it did not begin, or why its files do not come
}

// messages writes messages. Its methods may be used from any goroutine.
type messages struct {
	mu sync.Mutex
	to io.Writer
}

func (m *messages) send(kind messageKind, body []byte) error {
	if len(body) > maxMessage {
		return fmt.Errorf("a message of %d bytes: expected at most %d", len(body), maxMessage)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	text := make([]byte, 5, 5+len(body))
	text[0] = byte(kind)
	binary.BigEndian.PutUint32(text[1:], uint32(len(body)))
	_, err := m.to.Write(append(text, body...))
	return err
}

func (m *messages) sendJSON(kind messageKind, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return m.send(kind, body)
}

// stream returns a writer whose pieces are messages of a kind.
func (m *messages) stream(kind messageKind) io.Writer { return messageWriter{m, kind} }

type messageWriter struct {
	to   *messages
	kind messageKind
}

// Write implements io.Writer.
func (w messageWriter) Write(p []byte) (n int, err error) {
	for piece := range slices.Chunk(p, filePiece) {
		if err := w.to.send(w.kind, piece); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return n, nil
}

// nextMessage reads a message. The error is io.EOF where the stream has ended between two of them.
func nextMessage(from io.Reader) (messageKind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxMessage {
		return 0, nil, fmt.Errorf("a message of %d bytes: expected at most %d", n, maxMessage)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(from, body); err != nil {
		return 0, nil, unexpected(err)
	}
	return messageKind(head[0]), body, nil
}
