package box

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// runCommand is what runs on the box, behind a command that is forwarded there.
const runCommand = `exec sh -c 'PATH=$HOME/.local/bin:$PATH exec drolab box-side run'`

// Request is a command that is to run on a box.
type Request struct {
	Box     string       `json:"box"` // what it is called here
	Args    [][]byte     `json:"args"`
	Env     []string     `json:"env,omitempty"` // NAME=value: what the terminal here is able to do
	Columns Columns      `json:"columns"`
	Rows    int          `json:"rows,omitempty"`  // of the terminal that shows stderr; 0: none
	Stdin   bool         `json:"stdin,omitempty"` // it reads standard input
	Files   []PassedFile `json:"files,omitempty"`
}

// Columns are the widths of the terminals here that show the streams of a command; 0 is none.
type Columns struct {
	Stdout int `json:"stdout,omitempty"`
	Stderr int `json:"stderr,omitempty"`
}

// PassedFile is an argument that names a file of this machine. A file that the command reads is
// sent with the request. A file or folder that it writes is sent back.
type PassedFile struct {
	Arg    int    `json:"arg"`              // the place of the argument in Args
	Before string `json:"before,omitempty"` // the text before the path, as in --out=
	Path   string `json:"path"`             // here
	Typed  string `json:"typed,omitempty"`  // the path as the user has typed it
	Writes bool   `json:"writes,omitempty"`
	Text   []byte `json:"text,omitempty"` // of a file that the command reads
	// Beside are the texts of the files beside it that it names, by their paths from its folder.
	Beside map[string][]byte `json:"beside,omitempty"`
}

// Forwarding is a command that runs on a box, with the streams of this process.
type Forwarding struct {
	Program        string // ssh, or another one that takes its arguments
	Box            string
	Request        Request
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Interrupted    <-chan struct{} // closed when the user wants the command to end
}

// LinkError says that there is no connection with a box, or that there is none any more.
type LinkError struct {
	Box string
	Err error
}

func (e *LinkError) Error() string { return fmt.Sprintf("box %s: %v", e.Box, e.Err) }

func (e *LinkError) Unwrap() error { return e.Err }

// Run runs the command, and returns its exit status. The error says why the command has not run, or
// why its end is not known.
func (f *Forwarding) Run(ctx context.Context) (status int, err error) {
	wanted := map[int]string{}
	for n, file := range f.Request.Files {
		if file.Writes {
			wanted[n] = file.Path
		}
	}
	files, err := newOutputs(wanted)
	if err != nil {
		return 0, err
	}
	defer files.drop()
	conn, err := startSSH(ctx, f.Program, f.Box, runCommand)
	if err != nil {
		return 0, &LinkError{f.Box, err}
	}
	closed := sync.OnceValue(conn.Close)
	defer closed()
	c := &forwardConversation{Forwarding: f, out: &messages{to: conn}, files: files,
		over: make(chan struct{})}
	defer close(c.over)
	go c.watchInterrupt(func() { closed() })
	in := bufio.NewReader(conn)
	if err := c.begin(in); err != nil {
		if c.isInterrupted() {
			return interruptedStatus, nil
		}
		if said := closed(); said != nil {
			err = said
		}
		return 0, &LinkError{f.Box, err}
	}
	end, err := c.read(in)
	if lost := (*lostError)(nil); errors.As(err, &lost) {
		word := "ssh has ended"
		if said := closed(); said != nil {
			word = strings.TrimSuffix(said.Error(), ".")
		}
		return 0, &LinkError{f.Box, fmt.Errorf("the connection was lost: %s: drolab runs --box %s "+
			"shows what became of its runs", word, f.Box)}
	}
	if err != nil {
		return 0, err
	}
	if end.Error != "" {
		return 0, fmt.Errorf("box %s: %.500s", f.Box, end.Error)
	}
	return end.Status, files.keep()
}

// forwardConversation is the state of a forwarded command on this machine.
type forwardConversation struct {
	*Forwarding
	out   *messages
	files *outputs
	over  chan struct{} // closed at the end

	mu    sync.Mutex
	begun bool // the request is sent

	archive  *io.PipeWriter // the files that come in; nil: none has come
	unpacked chan error
}

// watchInterrupt passes on that the user wants the command to end. Before the command has begun,
// that ends the connection.
func (c *forwardConversation) watchInterrupt(drop func()) {
	select {
	case <-c.over:
		return
	case <-c.Interrupted:
	}
	c.mu.Lock()
	begun := c.begun
	c.mu.Unlock()
	if !begun || c.out.send(interruptMessage, nil) != nil {
		drop()
	}
}

// interruptedStatus is the exit status of a command that Ctrl-C has ended, as shells give it.
const interruptedStatus = 130

func (c *forwardConversation) isInterrupted() bool {
	select {
	case <-c.Interrupted:
		return true
	default:
		return false
	}
}

// begin reads the greeting, and sends the request and the input.
func (c *forwardConversation) begin(in *bufio.Reader) error {
	if banner, err := skipBanner(in); err != nil {
		if banner = strings.TrimSpace(banner); banner != "" {
			return fmt.Errorf("no drolab answers: %.200s", banner)
		}
		return fmt.Errorf("no drolab answers: %w", err)
	}
	kind, body, err := nextMessage(in)
	if err != nil {
		return err
	}
	var g greeting
	if err := json.Unmarshal(body, &g); err != nil || kind != greetingMessage {
		return errors.New("what answers is no drolab")
	}
	if g.Protocol != forwardProtocol {
		return fmt.Errorf("its drolab %.100s forwards commands by protocol %d, and this one by "+
			"protocol %d: install the same version there", g.Version, g.Protocol, forwardProtocol)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = true
	if err := c.out.sendJSON(requestMessage, &c.Request); err != nil {
		return err
	}
	if c.Request.Stdin && c.Stdin != nil {
		go c.sendInput()
	}
	return nil
}

// sendInput sends the input to its end. If that fails, what is read from the box says more.
func (c *forwardConversation) sendInput() {
	if _, err := io.Copy(c.out.stream(inputMessage), c.Stdin); err == nil {
		_ = c.out.send(inputEndMessage, nil)
	}
}

// lostError is the error of a conversation that has ended too early.
type lostError struct{ error }

// read passes on what the command writes, until it ends.
func (c *forwardConversation) read(in io.Reader) (end exit, err error) {
	defer func() { err = errors.Join(err, c.endFiles(err)) }()
	for {
		kind, body, err := nextMessage(in)
		if err != nil {
			return end, &lostError{err}
		}
		switch kind {
		case outputMessage:
			_, err = c.Stdout.Write(body)
		case errorsMessage:
			_, err = c.Stderr.Write(body)
		case filesMessage:
			err = c.takeFiles(body)
		case exitMessage:
			if err := json.Unmarshal(body, &end); err != nil {
				return end, &lostError{err}
			}
			return end, nil
		}
		if err != nil {
			return end, err
		}
	}
}

// takeFiles takes in a piece of the archive.
func (c *forwardConversation) takeFiles(piece []byte) error {
	if c.archive == nil {
		var from *io.PipeReader
		from, c.archive = io.Pipe()
		c.unpacked = make(chan error, 1)
		go func() {
			err := c.files.unpack(from)
			_, rest := io.Copy(io.Discard, from) // what pads an archive
			from.CloseWithError(err)
			c.unpacked <- errors.Join(err, rest)
		}()
	}
	_, err := c.archive.Write(piece)
	return err
}

// endFiles waits until the files that have come are written; failed is why no more of them come.
func (c *forwardConversation) endFiles(failed error) error {
	if c.archive == nil {
		return nil
	}
	c.archive.CloseWithError(failed)
	return <-c.unpacked
}
