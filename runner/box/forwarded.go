package box

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"drolab/runner/disk"
)

// Forwarded is what a command on a box is told of the machine that has forwarded it.
type Forwarded struct {
	Box     string  `json:"box"` // what the machine on which the command runs is called there
	Columns Columns `json:"columns"`
	Rows    int     `json:"rows,omitempty"` // of the terminal that shows stderr; 0: none
	// Renamed says how the paths of that machine's files, which lie in folders of the box for the
	// time of the command, are shown.
	Renamed []RenamedPath `json:"renamed,omitempty"`
}

// RenamedPath is the beginning of a path on a box, and what is shown in its place.
type RenamedPath struct {
	Path  string `json:"path"`
	Shown string `json:"shown"`
}

// renamed says how the path of a file is shown that lies in a folder: as it was typed. So are those
// of the files beside it.
func (f *PassedFile) renamed(folder, path string) []RenamedPath {
	list := []RenamedPath{{path, cmp.Or(f.Typed, f.Path)}}
	if dir, _ := filepath.Split(f.Typed); !f.Writes {
		list = append(list, RenamedPath{folder + string(filepath.Separator), dir})
	}
	return append(list, RenamedPath{folder, ""})
}

// ForwardedVariable is the environment variable that holds a Forwarded as JSON.
const ForwardedVariable = "DROLAB_FORWARDED"

// Worker runs forwarded commands on a box.
type Worker struct {
	Version string
	Command func(args ...string) *exec.Cmd // this program with other arguments
	Hangup  <-chan os.Signal               // says that ssh's own side has ended
}

// Serve runs the command that the other side asks for. If the other side ends first, the command is
// told what a command in a terminal is told when that is closed.
func (w *Worker) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	if _, err := fmt.Fprintln(out, Magic); err != nil {
		return err
	}
	to := &messages{to: out}
	err := to.sendJSON(greetingMessage, greeting{Protocol: forwardProtocol, Version: w.Version})
	if err != nil {
		return err
	}
	kind, body, err := nextMessage(in)
	if err != nil {
		return nil // the user has changed his mind
	}
	var req Request
	if err := json.Unmarshal(body, &req); err != nil || kind != requestMessage {
		return fmt.Errorf("expected a request: %w", err)
	}
	end, err := w.run(ctx, &req, in, to)
	if err != nil {
		end = exit{Status: 1, Error: err.Error()}
	}
	return to.sendJSON(exitMessage, end)
}

// run runs a command to its end, and sends the files that it has written.
func (w *Worker) run(ctx context.Context, req *Request, in io.Reader, to *messages) (exit, error) {
	var end exit
	dir, remove, err := makeFolder(os.TempDir())
	if err != nil {
		return end, err
	}
	defer remove()
	told := Forwarded{Box: req.Box, Columns: req.Columns, Rows: req.Rows}
	written := map[int]string{}
	for n, f := range req.Files {
		if f.Arg < 0 || f.Arg >= len(req.Args) {
			return end, errors.New("a file for an argument that does not exist")
		}
		folder := filepath.Join(dir, strconv.Itoa(n))
		path := filepath.Join(folder, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return end, err
		}
		if f.Writes {
			written[n] = path
		} else if err := writeSent(path, &f); err != nil {
			return end, err
		}
		told.Renamed = append(told.Renamed, f.renamed(folder, path)...)
		req.Args[f.Arg] = []byte(f.Before + path)
	}
	text, err := json.Marshal(told)
	if err != nil {
		return end, err
	}
	args := make([]string, len(req.Args))
	for i, arg := range req.Args {
		args[i] = string(arg)
	}
	cmd := w.Command(args...)
	cmd.Env = append(append(os.Environ(), req.Env...), ForwardedVariable+"="+string(text))
	cmd.Stdout, cmd.Stderr = to.stream(outputMessage), to.stream(errorsMessage)
	if end.Status, err = w.watch(ctx, cmd, req.Stdin, in); err != nil {
		return end, err
	}
	if end.Status == 0 && len(written) > 0 {
		err = packOutputs(to.stream(filesMessage), written)
	}
	return end, err
}

// writeSent writes a file that a command reads, with those beside it.
func writeSent(path string, f *PassedFile) error {
	if err := os.WriteFile(path, f.Text, 0o600); err != nil {
		return err
	}
	for name, text := range f.Beside {
		local := filepath.FromSlash(name)
		if !filepath.IsLocal(local) {
			return fmt.Errorf("%.200q: expected a file below the folder of another", name)
		}
		other := filepath.Join(filepath.Dir(path), local)
		if err := os.MkdirAll(filepath.Dir(other), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(other, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A folder has the files of one forwarded command. It is locked for the time of the command.
const (
	folderPrefix = "drolab-forwarded-"
	folderLock   = "lock"
	folderAge    = time.Minute // after which a folder without a lock is one that was left
)

// makeFolder makes such a folder in temp, and removes those that killed processes have left there.
func makeFolder(temp string) (dir string, remove func(), err error) {
	removeLeft(temp, time.Now().Add(-folderAge))
	if dir, err = os.MkdirTemp(temp, folderPrefix); err != nil {
		return "", nil, err
	}
	lock, err := disk.Acquire(filepath.Join(dir, folderLock))
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() { os.RemoveAll(dir); lock.Release() }, nil
}

// removeLeft removes the folders of this user that were made before a time and are not locked.
func removeLeft(temp string, before time.Time) {
	entries, _ := os.ReadDir(temp) // what cannot be read stays
	for _, e := range entries {
		dir := filepath.Join(temp, e.Name())
		if !strings.HasPrefix(e.Name(), folderPrefix) || disk.OwnFolder(dir) != nil {
			continue
		}
		lock := filepath.Join(dir, folderLock)
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) && !disk.Held(lock) {
			os.RemoveAll(dir)
		}
	}
}

// hangupPause is how long a command that was told of the end of the connection may take before it
// is left alone. Only a command that goes on without a terminal takes longer.
const hangupPause = 2 * time.Second

var errOtherSideEnded = errors.New("the other side has ended")

// watch starts a command, passes on what the other side sends it, and returns its exit status.
func (w *Worker) watch(
	ctx context.Context, cmd *exec.Cmd, reads bool, in io.Reader,
) (status int, err error) {
	setApart(cmd)
	cmd.WaitDelay = hangupPause // for the output, where a process of its own still holds it
	input := make(chan []byte, 1024)
	if reads {
		stdin, err := cmd.StdinPipe()
		if err != nil {
			return 0, err
		}
		go feed(stdin, input)
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	lost, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(lost)
		passOn(cmd, in, input)
	}()
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return statusOf(err)
	case <-lost:
	case <-w.Hangup:
	case <-ctx.Done():
	}
	hangUp(cmd)
	select {
	case <-ended:
	case <-time.After(hangupPause):
	}
	return 0, errOtherSideEnded
}

// feed writes the input of a command. A command that does not read it is no error.
func feed(stdin io.WriteCloser, input <-chan []byte) {
	defer stdin.Close()
	for piece := range input {
		if _, err := stdin.Write(piece); err != nil {
			break
		}
	}
	for range input {
	}
}

// passOn passes on what comes in for a command, until the other side ends.
func passOn(cmd *exec.Cmd, in io.Reader, input chan<- []byte) {
	open := true
	defer func() {
		if open {
			close(input)
		}
	}()
	for {
		kind, body, err := nextMessage(in)
		if err != nil {
			return
		}
		switch {
		case kind == interruptMessage:
			interruptGroup(cmd)
		case kind == inputMessage && open:
			input <- body
		case kind == inputEndMessage && open:
			open = false
			close(input)
		}
	}
}

// statusOf returns the exit status that a command has ended with.
func statusOf(err error) (int, error) {
	var failed *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return 0, nil
	case errors.As(err, &failed) && failed.ExitCode() >= 0:
		return failed.ExitCode(), nil
	case errors.As(err, &failed):
		return signalStatus(failed), nil
	}
	return 0, err
}
