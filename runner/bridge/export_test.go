package bridge

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Wired returns the network of a program that is no process: it answers on in, and is asked through
// ask, which writes to out. over is closed when it has ended.
func Wired(s Start, in, out *os.File, ask io.Writer, over chan struct{}) *Network {
	proc := &process{log: out, over: over, ranks: []*rank{{cmd: &exec.Cmd{}, in: in, out: out,
		output: &processOutput{mu: new(sync.Mutex), log: out}}}}
	p := newProgram(proc, s)
	r := p.ranks[0]
	r.asked = bufio.NewWriterSize(ask, 1<<16)
	r.conn = NewConn(in, r.asked)
	return &Network{Program: p, classes: 2}
}

// Hello asks the program what it has; nil: it failed.
func (n *Network) Hello() *Description { return n.hello() }
