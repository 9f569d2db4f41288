//go:build unix

package pythontest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"drolab/dro/peertest"
	"drolab/runner/bridge"
)

// zygote is a process that starts programs: see peer/zygote.py.
type zygote struct {
	once   sync.Once
	mu     sync.Mutex
	orders *os.File // its standard input
	last   int
	began  map[int]chan int // process numbers
	ended  map[int]chan int // statuses
	gone   error
}

// plain and torch start programs without and with PyTorch. A program without PyTorch is forked from
// a process without it, which is ten times as fast.
var plain, torch zygote

// client returns the folder of the package drolab.
func client(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("../python")
	must(t, err)
	return path
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run starts the zygote before its first program. The zygote ends with this process, which holds
// its standard input. It imports torch._dynamo, because the first optimiser of a program would, for
// seconds.
func (z *zygote) run(t testing.TB) *zygote {
	t.Helper()
	peers, imports := []string{"numpy"}, []string{"drolab"}
	if z == &torch {
		peers, imports = []string{"numpy", "torch"}, []string{"drolab.torch", "torch._dynamo"}
	}
	python := peertest.Python(t, peers...)
	path := client(t)
	z.once.Do(func() {
		z.began, z.ended = map[int]chan int{}, map[int]chan int{}
		c := exec.Command(python, append([]string{"peer/zygote.py", path}, imports...)...)
		c.Stderr = os.Stderr
		c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1")
		in, says, err := os.Pipe()
		if err == nil {
			c.Stdin, z.orders = in, says
			var said, out *os.File
			if said, out, err = os.Pipe(); err == nil {
				c.Stdout = out
				err = c.Start()
				in.Close()
				out.Close()
				go z.listen(said)
			}
		}
		z.gone = err
	})
	must(t, z.gone)
	return z
}

// listen passes on the zygote's messages about its programs.
func (z *zygote) listen(out *os.File) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var what string
		var id, n int
		if err := json.Unmarshal(lines.Bytes(), &[]any{&what, &id, &n}); err != nil {
			panic(fmt.Sprintf("%q: %v", lines.Text(), err))
		}
		z.mu.Lock()
		to := z.ended[id]
		if what == "pid" {
			to = z.began[id]
		}
		z.mu.Unlock()
		to <- n
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, c := range z.ended {
		close(c)
	}
	for _, c := range z.began {
		close(c)
	}
}

// order is a line to the zygote.
type order struct {
	ID     int               `json:"id"`
	Script string            `json:"script"`
	Words  []string          `json:"words"`
	Pipes  []string          `json:"pipes"`
	Log    string            `json:"log"`
	Env    map[string]string `json:"env"`
}

func (z *zygote) start(t testing.TB, o order) (pid, ended chan int) {
	t.Helper()
	z.mu.Lock()
	defer z.mu.Unlock()
	z.last++
	o.ID = z.last
	pid, ended = make(chan int, 1), make(chan int, 1)
	z.began[o.ID], z.ended[o.ID] = pid, ended
	line, err := json.Marshal(o)
	must(t, err)
	_, err = z.orders.Write(append(line, '\n'))
	must(t, err)
	return pid, ended
}

// program is a started program, with drolab's side of its pipes.
type program struct {
	*bridge.Conn
	t     testing.TB
	out   *os.File // to it
	in    *os.File
	log   string
	pid   int
	ended chan int
}

// start starts a program with its words. When the test ends, the program is told to end by its
// pipes.
func start(t testing.TB, script string, words ...string) *program {
	t.Helper()
	return startLogged(t, filepath.Join(t.TempDir(), "log"), script, words...)
}

func startLogged(t testing.TB, log, script string, words ...string) *program {
	t.Helper()
	return startIn(t, nil, log, script, words...)
}

// startIn starts a program with more variables in its environment.
func startIn(
	t testing.TB, env map[string]string, log, script string, words ...string,
) *program {
	t.Helper()
	dir := t.TempDir()
	script, err := filepath.Abs(script)
	must(t, err)
	told, said := filepath.Join(dir, "told"), filepath.Join(dir, "said")
	must(t, syscall.Mkfifo(told, 0o600))
	must(t, syscall.Mkfifo(said, 0o600))
	z := &torch
	if name := filepath.Base(script); name == "numpy_softmax.py" || name == "lookup.py" {
		z = &plain
	}
	pid, ended := z.run(t).start(t, order{Script: script, Words: append([]string{}, words...),
		Pipes: []string{told, said}, Log: log, Env: env})
	p := &program{t: t, log: log, ended: ended}
	p.out, err = os.OpenFile(told, os.O_WRONLY, 0)
	must(t, err)
	p.in, err = os.OpenFile(said, os.O_RDONLY, 0)
	must(t, err)
	p.pid = <-pid
	p.Conn = bridge.NewConn(p.in, p.out)
	t.Cleanup(func() { p.out.Close(); p.in.Close() })
	return p
}

// message is the head of any message.
type message = map[string]any

func (p *program) tell(head message, arrays ...bridge.Array) {
	p.t.Helper()
	must(p.t, p.Send(head, arrays...))
}

// ask sends a question and returns its answer. An answer with an error fails the test.
func (p *program) ask(head message, arrays ...bridge.Array) (message, []bridge.Array) {
	p.t.Helper()
	p.tell(head, arrays...)
	said, got := p.answer()
	if said["error"] != nil {
		p.t.Fatalf("%v: %v\n%s", head, said["error"], p.printed())
	}
	return said, got
}

// answer receives an answer and returns it with copies of its arrays.
func (p *program) answer() (message, []bridge.Array) {
	p.t.Helper()
	var head message
	got, err := p.Receive(&head, bridge.MostHead, bridge.MostBody)
	if err != nil {
		p.t.Fatalf("%v\n%s", err, p.printed())
	}
	if head["alive"] == true {
		return p.answer()
	}
	copies := []bridge.Array{}
	for _, a := range got {
		copies = append(copies, bridge.Array{Type: a.Type, Raw: append([]byte{}, a.Raw...)})
	}
	return head, copies
}

// numbers asks a question and returns the numbers of the answer's first array.
func (p *program) numbers(head message, arrays ...bridge.Array) []float64 {
	p.t.Helper()
	_, got := p.ask(head, arrays...)
	if len(got) == 0 {
		p.t.Fatalf("%v has no array", head)
	}
	values := make([]float64, got[0].Len())
	must(p.t, got[0].Floats(values))
	return values
}

// greeting returns a hello for training, with more settings than the usual ones.
func greeting(more message, words ...string) message {
	settings := message{"lr": 0.05, "momentum": 0.9, "weight_decay": 0}
	for k, v := range more {
		settings[k] = v
	}
	return message{"do": "hello", "version": 2, "purpose": "train", "settings": settings,
		"arguments": append([]string{}, words...), "seed": 7, "batch": 128, "threads": 1,
		"scratch": "."}
}

// begin starts a program and greets it.
func begin(t testing.TB, script string, words ...string) *program {
	t.Helper()
	p := start(t, script, words...)
	p.ask(greeting(nil, words...))
	return p
}

// close ends a program, and fails unless it ends with the status 0.
func (p *program) close() {
	p.t.Helper()
	p.tell(message{"do": "close"})
	if status := <-p.ended; status != 0 {
		p.t.Errorf("it ended with the status %d:\n%s", status, p.printed())
	}
}

// printed returns the text that the program wrote to its standard streams.
func (p *program) printed() string {
	text, _ := os.ReadFile(p.log)
	return string(text)
}

// lines returns the lines of standard error that are not prints of the tests' program.
func lines(text string) []string {
	var list []string
	for _, l := range strings.Split(strings.TrimSpace(text), "\n") {
		if l != "" && l != "to standard output" {
			list = append(list, l)
		}
	}
	return list
}
