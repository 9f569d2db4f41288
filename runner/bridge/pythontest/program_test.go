//go:build unix

package pythontest

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/bridge"
	"drolab/runner/bridge/testdata/zygote"
)

// plain and torch start programs without and with PyTorch. A program without PyTorch is forked from
// a process without it, which is ten times as fast. The first optimiser of a program would import
// torch._dynamo, for seconds.
var (
	plain = zygote.Zygote{Client: "../python", Peers: []string{"numpy"},
		Modules: []string{"drolab"}}
	torch = zygote.Zygote{Client: "../python", Peers: []string{"numpy", "torch"},
		Modules: []string{"drolab.torch", "torch._dynamo"}}
)

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

// order starts a script without pipes, and returns its status and what it prints.
func order(t testing.TB, script string, words ...string) (status int, printed string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	_, ended := startBare(t, nil, log, nil, script, words...)
	status = <-ended
	text, err := os.ReadFile(log)
	must(t, err)
	return status, string(text)
}

// startBare starts a script whose output goes to a log, with further files.
func startBare(
	t testing.TB, env map[string]string, log string, files []*os.File, script string,
	words ...string,
) (pid int, ended <-chan int) {
	t.Helper()
	script, err := filepath.Abs(script)
	must(t, err)
	z := &torch
	if name := filepath.Base(script); name == "numpy_softmax.py" || name == "lookup.py" {
		z = &plain
	}
	socket := z.Socket(t)
	null, err := os.Open(os.DevNull)
	must(t, err)
	defer null.Close()
	out, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	must(t, err)
	defer out.Close()
	o := zygote.Order{Args: append([]string{script}, words...), Env: env,
		Files: append([]*os.File{null, out, out}, files...)}
	pid, ended, err = o.Start(socket)
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
	ended <-chan int
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
	told, out, err := os.Pipe()
	must(t, err)
	defer told.Close()
	in, said, err := os.Pipe()
	must(t, err)
	defer said.Close()
	p := &program{t: t, log: log, out: out, in: in}
	pipes := map[string]string{"DROLAB_PIPES": "3,4"}
	maps.Copy(pipes, env)
	p.pid, p.ended = startBare(t, pipes, log, []*os.File{told, said}, script, words...)
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
		p.t.Errorf("the program ends with the status %d, want 0:\n%s", status, p.printed())
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
