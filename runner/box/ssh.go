package box

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// farCommand is what runs on the box. It lowers its own priority, but not that of an engine which
// it starts. A login shell that is no POSIX shell only starts sh.
const farCommand = `exec sh -c 'PATH=$HOME/.local/bin:$PATH exec drolab box-side'`

// sshOptions keep ssh from asking, from forwarding anything, and from a link that is dead and says
// nothing.
var sshOptions = []string{"-T", "-x", "-e", "none",
	"-o", "BatchMode=yes",
	"-o", "ConnectTimeout=10",
	"-o", "ServerAliveInterval=5",
	"-o", "ServerAliveCountMax=3",
	"-o", "RemoteCommand=none",
	"-o", "ClearAllForwardings=yes",
	"-o", "ForwardAgent=no",
	"-o", "PermitLocalCommand=no",
}

// SSH returns how the far side of a box is started: by the user's ssh, with his configuration, keys
// and jumps. program is ssh, or another one that takes its arguments.
func SSH(program, box string) Dial {
	return func(ctx context.Context) (Conn, error) {
		p, err := startSSH(ctx, program, box, farCommand)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
}

// startSSH starts a command on a box.
func startSSH(ctx context.Context, program, box, command string) (*process, error) {
	args := append(append([]string{}, sshOptions...), "--", box, command)
	p := &process{box: box, cmd: exec.CommandContext(ctx, program, args...), words: &lastWords{}}
	p.cmd.Stderr = p.words
	p.cmd.WaitDelay = 2 * time.Second
	setApart(p.cmd)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", program, err)
	}
	return p, nil
}

// CheckName returns an error unless box can be the name of a host for ssh, and of a folder. A name
// that begins with a minus would be an option.
func CheckName(box string) error {
	ok := box != "" && len(box) <= 100 && box[0] != '-' && box[0] != '.' && box[0] != '@' &&
		box != "here" // which stands for this machine in filters
	for _, c := range []byte(box) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		ok = ok && (letter || strings.IndexByte(".-_@", c) >= 0)
	}
	if !ok {
		return fmt.Errorf("box %q: expected the name of a host as ssh takes it: letters, digits "+
			"and . - _ @", box)
	}
	return nil
}

// process is a running ssh.
type process struct {
	box   string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	words *lastWords
}

// Read implements Conn.
func (p *process) Read(b []byte) (int, error) { return p.out.Read(b) }

// Write implements Conn.
func (p *process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close ends ssh, and with it the far side, whose input ends. The error is what ssh said last.
func (p *process) Close() error {
	p.in.Close()
	// The far side ends by itself, and ssh with it. A link that is dead does not.
	timer := time.AfterFunc(2*time.Second, func() { p.cmd.Process.Kill() })
	defer timer.Stop()
	p.out.Close()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == notFound {
		return fmt.Errorf("there is no drolab on the box: drolab box install %s copies this one "+
			"to it", p.box)
	}
	if said := p.words.String(); said != "" {
		return explain(said, p.box)
	}
	return nil
}

// notFound is the exit status of a shell that has not found a program.
const notFound = 127

// explain returns what ssh said of a box, and the remedy where one is known.
func explain(said, box string) error {
	for _, known := range []struct{ words, remedy string }{
		{"Host key verification failed", "connect once with ssh by hand, to check its key"},
		{"Permission denied", "ssh must connect without a password: add a key to your agent"},
		{"Could not resolve hostname", "no such host: see ~/.ssh/config"},
		{`unknown command "box-side"`, "its drolab is an older one: drolab box install " + box +
			" puts this version there"},
	} {
		if strings.Contains(said, known.words) {
			return fmt.Errorf("%s (%s)", known.remedy, said)
		}
	}
	return errors.New(said)
}

// lastWords keeps the last line of a text.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (w *lastWords) Write(b []byte) (int, error) {
	const most = 500 // bytes
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, b...)
	w.text = w.text[max(0, len(w.text)-most):]
	return len(b), nil
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(w.text), []byte("\n"))
	return strings.TrimSpace(string(lines[len(lines)-1]))
}
