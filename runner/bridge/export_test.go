package bridge

import (
	"bufio"
	"io"
	"os"
	"os/exec"
)

// Wired returns the network of a program that is no process: it answers on in, and is asked through
// ask, which writes to out. over is closed when it has ended.
func Wired(s Start, in, out *os.File, ask io.Writer, over chan struct{}) *Network {
	proc := &process{cmd: &exec.Cmd{}, in: in, out: out, printed: &printed{log: out}, over: over}
	p := &Program{process: proc, start: s, out: bufio.NewWriterSize(ask, 1<<16)}
	p.conn = NewConn(in, p.out)
	return &Network{Program: p, classes: 2}
}

// Hello asks the program what it has; nil: it failed.
func (n *Network) Hello() *Description { return n.hello() }
