//go:build unix

package box

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestLeftFolders: what a process that was killed has left of a command is removed, once it is old.
// The folder of a command that goes on stays, and so does everything of another form.
func TestLeftFolders(t *testing.T) {
	temp := t.TempDir()
	live, remove, err := makeFolder(temp)
	must(t, err)
	left := filepath.Join(temp, folderPrefix+"left")
	young := filepath.Join(temp, folderPrefix+"young")
	open, other := filepath.Join(temp, folderPrefix+"open"), filepath.Join(temp, "other")
	for _, dir := range []string{left, young, open, other} {
		must(t, os.MkdirAll(filepath.Join(dir, "0"), 0o700))
	}
	must(t, os.Chmod(open, 0o755)) // no folder that this program makes
	old := time.Now().Add(-2 * folderAge)
	for _, dir := range []string{live, left, open, other} {
		must(t, os.Chtimes(dir, old, old))
	}
	second, removeSecond, err := makeFolder(temp)
	must(t, err)
	for _, dir := range []string{live, young, open, other, second} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("%v, want that it stays", err)
		}
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want that it is removed", left, err)
	}
	remove()
	removeSecond()
	for _, dir := range []string{live, second} {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want that it is gone with its command", dir, err)
		}
	}
}

// TestSentBeside: a file arrives with those beside it, and none of them is written elsewhere.
func TestSentBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in", "sweep.yaml")
	must(t, os.Mkdir(filepath.Dir(path), 0o700))
	f := &PassedFile{Text: []byte("one"), Beside: map[string][]byte{"below/b.yaml": []byte("two")}}
	must(t, writeSent(path, f))
	text, err := os.ReadFile(filepath.Join(dir, "in", "below", "b.yaml"))
	if string(text) != "two" {
		t.Errorf("beside it is %q, %v, want two", text, err)
	}
	f.Beside = map[string][]byte{"../b.yaml": []byte("three")}
	if err := writeSent(path, f); err == nil {
		t.Error("a file above the folder is not refused")
	}
}

// init lets the tests run this very program as ssh, as the far side, and as the command that is
// forwarded.
func init() {
	args := os.Args[1:]
	switch {
	case os.Getenv(ForwardedVariable) != "":
		os.Exit(forwardedCommand(args))
	case slices.Equal(args, []string{"box-side", "run"}):
		w := &Worker{Version: "1", Command: command}
		if err := w.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	case os.Getenv(farVariable) == "" && slices.Contains(args, "RemoteCommand=none"): // ssh
		fmt.Println("Welcome to gpu1\n\n  drolab box-side 1, not yet")
		sh := "/bin/sh"
		err := syscall.Exec(sh, []string{sh, "-c", args[len(args)-1]}, os.Environ())
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(args ...string) *exec.Cmd { return exec.Command(os.Args[0], args...) }

// forwardedCommand does what its first argument says.
func forwardedCommand(args []string) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGHUP)
	switch args[0] {
	case "arguments":
		json.NewEncoder(os.Stdout).Encode(bytesOf(args))
		fmt.Fprintln(os.Stderr, "told")
	case "exit":
		status, _ := strconv.Atoi(args[1])
		return status
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "copy":
		io.Copy(os.Stdout, os.Stdin)
	case "wait":
		fmt.Println("ready")
		fmt.Println(<-signals)
		return 42
	case "hangup": // with a file for what it is told
		fmt.Println("ready")
		os.WriteFile(args[1], []byte((<-signals).String()), 0o600)
	case "write":
		file, folder := strings.TrimPrefix(args[1], "--out="), args[2]
		os.WriteFile(file, []byte("text"), 0o600)
		os.MkdirAll(filepath.Join(folder, "below"), 0o700)
		os.WriteFile(filepath.Join(folder, "below", "deep"), deep(), 0o600)
		read, err := os.ReadFile(args[3])
		fmt.Println(string(read), err)
	}
	return 0
}

func deep() []byte { return bytes.Repeat([]byte("deep"), 1e5) }

func bytesOf(args []string) (list [][]byte) {
	for _, arg := range args {
		list = append(list, []byte(arg))
	}
	return list
}

// forwardTo returns a command for a box whose login finds this program as drolab.
func forwardTo(t *testing.T, args ...string) (f *Forwarding, stdout, stderr *bytes.Buffer) {
	t.Helper()
	home := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(home, ".local", "bin"), 0o700))
	self, err := os.Executable()
	must(t, err)
	must(t, os.Symlink(self, filepath.Join(home, ".local", "bin", "drolab")))
	t.Setenv("HOME", home)
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &Forwarding{Program: self, Box: "gpu1", Request: Request{Args: bytesOf(args)},
		Stdout: stdout, Stderr: stderr}, stdout, stderr
}

// TestPathsAsTyped: what a command says of a file of the other machine, or of one beside it, has
// the path as it was typed there.
func TestPathsAsTyped(t *testing.T) {
	for typed, beside := range map[string]string{
		"sw.yaml": "base.yaml", "./sw.yaml": "./base.yaml",
		"a/sw.yaml": "a/base.yaml", "../sw.yaml": "../base.yaml", "/a/sw.yaml": "/a/base.yaml"} {
		f := PassedFile{Path: "sw.yaml", Typed: typed}
		var pairs []string
		for _, p := range f.renamed("/tmp/f/0", "/tmp/f/0/sw.yaml") {
			pairs = append(pairs, p.Path, p.Shown)
		}
		said := "/tmp/f/0/sw.yaml:5: wrong, as is /tmp/f/0/base.yaml:2"
		want := typed + ":5: wrong, as is " + beside + ":2"
		if got := strings.NewReplacer(pairs...).Replace(said); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
	f := PassedFile{Path: "/home/me/out.csv", Typed: "out.csv", Writes: true}
	want := []RenamedPath{{"/tmp/f/1/home/me/out.csv", "out.csv"}, {"/tmp/f/1", ""}}
	if got := f.renamed("/tmp/f/1", "/tmp/f/1/home/me/out.csv"); !slices.Equal(got, want) {
		t.Errorf("a written file: %v, want %v", got, want)
	}
}

// TestForwardedArguments: arguments arrive as they are, whatever their bytes, and the streams stay
// apart. What the login prints is in neither of them.
func TestForwardedArguments(t *testing.T) {
	var all []byte
	for b := 1; b < 256; b++ {
		all = append(all, byte(b))
	}
	args := []string{"arguments", "", string(all), "--", "-x", "$HOME `id` 'a' \"b\"\n", "\\"}
	f, stdout, stderr := forwardTo(t, args...)
	if status, err := f.Run(t.Context()); status != 0 || err != nil {
		t.Fatalf("exit status %d, %v", status, err)
	}
	var got [][]byte
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil ||
		!reflect.DeepEqual(got, bytesOf(args)) {
		t.Errorf("the arguments %q arrive as %q: %v", args, got, err)
	}
	if stderr.String() != "told\n" {
		t.Errorf("stderr is %q, want what the command writes there", stderr)
	}
}

// TestForwardedStatus: the exit status is that of the command, as a shell gives it.
func TestForwardedStatus(t *testing.T) {
	for args, want := range map[string]int{"exit 0": 0, "exit 7": 7, "exit 255": 255,
		"killed": 128 + int(syscall.SIGKILL)} {
		f, _, _ := forwardTo(t, strings.Fields(args)...)
		if status, err := f.Run(t.Context()); status != want || err != nil {
			t.Errorf("%s has the exit status %d, %v, want %d", args, status, err, want)
		}
	}
}

// TestForwardedInput: a command gets the input to its end, and none if it reads none.
func TestForwardedInput(t *testing.T) {
	text := strings.Repeat("a line\n", 1e5)
	for _, reads := range []bool{true, false} {
		f, stdout, _ := forwardTo(t, "copy")
		in := strings.NewReader(text)
		f.Stdin, f.Request.Stdin = in, reads
		if status, err := f.Run(t.Context()); status != 0 || err != nil {
			t.Fatalf("exit status %d, %v", status, err)
		}
		if got := stdout.String() == text; got != reads || in.Len() == len(text) == reads {
			t.Errorf("reads is %v: %d bytes came back, %d were left here", reads, stdout.Len(),
				in.Len())
		}
	}
}

// whenReady is a writer that calls do once.
type whenReady struct {
	bytes.Buffer
	do func()
}

func (w *whenReady) Write(p []byte) (int, error) {
	w.do()
	return w.Buffer.Write(p)
}

// TestForwardedInterrupt: Ctrl-C here is one there, and the command says how it ends.
func TestForwardedInterrupt(t *testing.T) {
	f, _, _ := forwardTo(t, "wait")
	interrupt := make(chan struct{})
	out := &whenReady{do: sync.OnceFunc(func() { close(interrupt) })}
	f.Stdout, f.Interrupted = out, interrupt
	status, err := f.Run(t.Context())
	if status != 42 || err != nil || out.String() != "ready\ninterrupt\n" {
		t.Errorf("exit status %d, %v, output %q", status, err, out.String())
	}
}

// TestInterruptBeforeTheCommand: Ctrl-C ends a connection on which no drolab answers.
func TestInterruptBeforeTheCommand(t *testing.T) {
	f, _, _ := forwardTo(t, "wait")
	interrupt := make(chan struct{})
	close(interrupt)
	f.Program, f.Interrupted = "yes", interrupt // prints without end, and no magic line
	if status, err := f.Run(t.Context()); status != interruptedStatus || err != nil {
		t.Errorf("exit status %d, %v, want %d", status, err, interruptedStatus)
	}
}

// TestHangup: when the connection ends, the command is told what the end of a terminal tells it.
func TestHangup(t *testing.T) {
	told := filepath.Join(t.TempDir(), "told")
	in, here := io.Pipe()
	fromFar, out := io.Pipe()
	w := &Worker{Command: command}
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(t.Context(), in, out) }()
	to := &messages{to: here}
	go to.sendJSON(requestMessage, &Request{Args: bytesOf([]string{"hangup", told})})
	text := make([]byte, len(Magic)+1)
	_, err := io.ReadFull(fromFar, text)
	must(t, err)
	for {
		kind, _, err := nextMessage(fromFar)
		must(t, err)
		if kind == outputMessage {
			break
		}
	}
	must(t, here.Close())
	go io.Copy(io.Discard, fromFar)
	<-ended
	if text, err := os.ReadFile(told); string(text) != syscall.SIGHUP.String() {
		t.Errorf("the command is told %q, %v", text, err)
	}
}

// recorded returns what a far side sends for a command that writes a file and a folder, and the
// forwarding of that command.
func recorded(t *testing.T) (text []byte, f *Forwarding, file, folder string) {
	t.Helper()
	dir := t.TempDir()
	file, folder = filepath.Join(dir, "file.csv"), filepath.Join(dir, "folder")
	f = &Forwarding{Box: "gpu1", Stdout: io.Discard, Stderr: io.Discard}
	f.Request = Request{Args: bytesOf([]string{"write", "--out=x", "x", "x"}),
		Files: []PassedFile{{Arg: 1, Before: "--out=", Path: file, Writes: true},
			{Arg: 2, Path: folder, Writes: true},
			{Arg: 3, Path: "my.yaml", Text: []byte("a preset")}}}
	var in, out bytes.Buffer
	must(t, (&messages{to: &in}).sendJSON(requestMessage, &f.Request))
	stays, _ := io.Pipe() // so that the input does not end
	w := &Worker{Version: "1", Command: command}
	must(t, w.Serve(t.Context(), io.MultiReader(&in, stays), &out))
	return out.Bytes(), f, file, folder
}

// replay lets a forwarding read what a far side has sent.
func replay(t *testing.T, f *Forwarding, text []byte) error {
	t.Helper()
	name := filepath.Join(t.TempDir(), "sent")
	must(t, os.WriteFile(name, text, 0o600))
	f.Program = filepath.Join(t.TempDir(), "ssh")
	must(t, os.WriteFile(f.Program, []byte("#!/bin/sh\nexec cat '"+name+"'\n"), 0o700))
	_, err := f.Run(t.Context())
	return err
}

// TestForwardedFiles: a preset goes to the box, and the files that the command writes come here.
func TestForwardedFiles(t *testing.T) {
	text, f, file, folder := recorded(t)
	var stdout bytes.Buffer
	f.Stdout = &stdout
	must(t, replay(t, f, text))
	if stdout.String() != "a preset <nil>\n" {
		t.Errorf("the command says %q of the preset", stdout.String())
	}
	if got, err := os.ReadFile(file); string(got) != "text" {
		t.Errorf("the file is %q, %v", got, err)
	}
	got, err := os.ReadFile(filepath.Join(folder, "below", "deep"))
	if !bytes.Equal(got, deep()) {
		t.Errorf("the file of the folder has %d bytes, %v", len(got), err)
	}
	if err := replay(t, f, text); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("once more: %v, want that the file exists", err)
	}
	onlyThese(t, filepath.Dir(file), "file.csv", "folder")
}

func onlyThese(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

// TestCutForwarding: a conversation that ends early is a lost connection, and leaves no file.
func TestCutForwarding(t *testing.T) {
	text, f, file, _ := recorded(t)
	cuts := []int{0, 1, len(Magic), len(Magic) + 1, len(Magic) + 3, len(text) - 1}
	for at := len(Magic) + 50; at < len(text); at += len(text) / 12 {
		cuts = append(cuts, at)
	}
	for _, at := range cuts {
		var link *LinkError
		if err := replay(t, f, text[:at]); !errors.As(err, &link) {
			t.Errorf("cut after %d of %d bytes: %v, want an error of the connection", at,
				len(text), err)
		}
		onlyThese(t, filepath.Dir(file))
	}
}

// TestHostileFiles: a box names no file here, and makes no link.
func TestHostileFiles(t *testing.T) {
	for name, heads := range map[string][]tar.Header{
		"no number":   {{Name: "x", Typeflag: tar.TypeReg}},
		"not asked":   {{Name: "1", Typeflag: tar.TypeReg}},
		"outside":     {{Name: "0/../../x", Typeflag: tar.TypeReg}},
		"absolute":    {{Name: "/0", Typeflag: tar.TypeReg}},
		"link":        {{Name: "0", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}},
		"hard link":   {{Name: "0", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}},
		"twice":       {{Name: "0", Typeflag: tar.TypeReg}, {Name: "0", Typeflag: tar.TypeReg}},
		"no folder":   {{Name: "0/x", Typeflag: tar.TypeReg}},
		"device":      {{Name: "0", Typeflag: tar.TypeBlock}},
		"one too big": {{Name: "0", Typeflag: tar.TypeReg, Size: maxOutputBytes + 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var archive bytes.Buffer
			w := tar.NewWriter(&archive)
			for _, head := range heads {
				must(t, w.WriteHeader(&head))
			}
			dir := t.TempDir()
			o, err := newOutputs(map[int]string{0: filepath.Join(dir, "mine")})
			must(t, err)
			end := strings.NewReader(strings.Repeat("\x00", 1024))
			err = o.unpack(io.MultiReader(&archive, end))
			if o.drop(); err == nil {
				t.Error("it is taken in, want an error")
			}
			onlyThese(t, dir)
		})
	}
}

// TestMessagesAreBounded: no length that a box sends makes this side take memory for it.
func TestMessagesAreBounded(t *testing.T) {
	_, _, err := nextMessage(strings.NewReader("o\xff\xff\xff\xff"))
	if err == nil || !strings.Contains(err.Error(), "expected at most") {
		t.Errorf("%v, want that the message is too long", err)
	}
}
