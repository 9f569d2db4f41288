//go:build unix

// Package zygote starts programs in Python for tests, as forks of a process that has imported their
// modules. A start of PyTorch takes seconds, and a fork takes none.
package zygote

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"drolab/dro/peertest"
)

// Zygote is a process that starts programs. It starts before its first program, and ends with this
// process, which holds its standard input.
type Zygote struct {
	Client  string   // the folder of the package drolab
	Env     []string // further variables, among them those that Python reads at its start
	Peers   []string // modules that the programs need
	Modules []string // modules that it imports

	once   sync.Once
	input  *os.File
	socket string
	err    error
}

// Socket returns the path of the zygote's socket. It skips the test if Python or a peer is missing.
func (z *Zygote) Socket(t testing.TB) string {
	t.Helper()
	python := peertest.Python(t, z.Peers...)
	z.once.Do(func() { z.err = z.start(python) })
	if z.err != nil {
		t.Fatal(z.err)
	}
	return z.socket
}

func (z *Zygote) start(python string) error {
	client, err := filepath.Abs(z.Client)
	if err != nil {
		return err
	}
	script := filepath.Join(client, "../testdata/zygote/zygote.py")
	c := exec.Command(python, append([]string{script, client}, z.Modules...)...)
	c.Stderr = os.Stderr
	c.Env = slices.Concat(os.Environ(), z.Env,
		[]string{"PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1"})
	in, input, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	c.Stdin, z.input = in, input
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		z.socket, err = bufio.NewReader(out).ReadString('\n')
		z.socket = strings.TrimSuffix(z.socket, "\n")
	}
	return err
}

// Run runs a program with further variables in its environment, and returns what it prints. A
// program that fails is an error.
func (z *Zygote) Run(t testing.TB, env []string, args ...string) (stdout, stderr []byte, err error) {
	t.Helper()
	socket := z.Socket(t)
	o := Order{Args: args, Env: map[string]string{}}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		o.Env[name] = value
	}
	if o.Dir, err = os.Getwd(); err != nil {
		return nil, nil, err
	}
	folder := t.TempDir()
	for _, name := range []string{os.DevNull, filepath.Join(folder, "out"),
		filepath.Join(folder, "err")} {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		o.Files = append(o.Files, f)
	}
	_, ended, err := o.Start(socket)
	if err != nil {
		return nil, nil, err
	}
	status := <-ended
	if stdout, err = os.ReadFile(o.Files[1].Name()); err != nil {
		return nil, nil, err
	}
	if stderr, err = os.ReadFile(o.Files[2].Name()); err != nil {
		return nil, nil, err
	}
	if status != 0 {
		err = fmt.Errorf("%s: status %d", args[0], status)
	}
	return stdout, stderr, err
}

// Order says how a program is started.
type Order struct {
	Args []string          `json:"args"` // the first is the script
	Env  map[string]string `json:"env"`  // further variables
	Dir  string            `json:"dir"`  // the folder it works in
	// Files are the program's files from 0 on.
	Files []*os.File `json:"-"`
}

// Start starts a program by the zygote of this socket. It returns the program's process, and later
// its status, which is negative for a signal.
func (o Order) Start(socket string) (pid int, ended <-chan int, err error) {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return 0, nil, err
	}
	line, err := json.Marshal(o)
	var files []int
	for _, f := range o.Files {
		files = append(files, int(f.Fd()))
	}
	if err == nil {
		line = append(line, '\n')
		var n int
		n, _, err = c.WriteMsgUnix(line, syscall.UnixRights(files...), nil)
		line = line[n:]
	}
	if err == nil {
		_, err = c.Write(line)
	}
	if err == nil {
		_, err = fmt.Fscan(c, &pid)
	}
	if err != nil {
		c.Close()
		return 0, nil, err
	}
	status := make(chan int, 1)
	go func() {
		defer c.Close()
		var n int
		if _, err := fmt.Fscan(c, &n); err != nil {
			n = -int(syscall.SIGKILL) // the zygote has gone
		}
		status <- n
	}()
	return pid, status, nil
}

// StandIn is the main function of a process that stands for an interpreter of Python: the zygote of
// the socket starts the program that its arguments name, with its files. It ends as the program
// does, and the program is killed if it is killed.
func StandIn(socket string) int {
	o := Order{Args: os.Args[1:], Env: map[string]string{},
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}}
	for _, kv := range os.Environ() {
		key, value, _ := strings.Cut(kv, "=")
		o.Env[key] = value
	}
	last := 4 // the pipes, and perhaps the socket where processes meet
	if o.Env["DROLAB_MEETING"] != "" {
		last = 5
	}
	for fd := 3; fd <= last; fd++ {
		o.Files = append(o.Files, os.NewFile(uintptr(fd), ""))
	}
	var err error
	if o.Dir, err = os.Getwd(); err == nil {
		var ended <-chan int
		if _, ended, err = o.Start(socket); err == nil {
			for _, f := range o.Files[3:] {
				f.Close()
			}
			if status := <-ended; status >= 0 {
				return status
			} else {
				syscall.Kill(os.Getpid(), syscall.Signal(-status))
			}
			select {}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}
