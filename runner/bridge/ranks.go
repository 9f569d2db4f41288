package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// The word procs=N of a program starts N processes of it, which compute one run together. Each of
// them hears every question, with its part of the samples, and answers for its part. The processes
// themselves add up their gradients, so that all of them take the same step.

// rank is one of the processes of a program, with its pipes.
type rank struct {
	cmd     *exec.Cmd
	in, out *os.File // pipes: from the process, and to it
	output  *processOutput
	conn    *Conn
	asked   *bufio.Writer // questions without an answer wait for the next question with one
}

// commands returns the commands that start the processes of a program. Several processes find each
// other as those of torchrun do. The first one inherits the socket where they meet.
func commands(s Start) ([]*exec.Cmd, error) {
	n := s.Procs
	if n <= 1 || s.Purpose == Describing {
		return []*exec.Cmd{command(s)}, nil
	}
	meeting, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	defer meeting.Close()
	socket, err := meeting.File()
	if err != nil {
		return nil, err
	}
	cmds := make([]*exec.Cmd, n)
	for i := range cmds {
		cmds[i] = command(s)
		cmds[i].Env = append(cmds[i].Env, strings.Fields(fmt.Sprintf("RANK=%d LOCAL_RANK=%[1]d "+
			"WORLD_SIZE=%d LOCAL_WORLD_SIZE=%[2]d MASTER_ADDR=127.0.0.1 MASTER_PORT=%d", i, n,
			meeting.Addr().(*net.TCPAddr).Port))...)
	}
	cmds[0].ExtraFiles = []*os.File{socket}
	cmds[0].Env = append(cmds[0].Env, "DROLAB_MEETING=5")
	return cmds, nil
}

// connect makes the pipes of each command.
func (p *process) connect(cmds []*exec.Cmd) error {
	one := new(sync.Mutex)
	for i, cmd := range cmds {
		said, says, err := os.Pipe()
		told, tells, lacks := os.Pipe()
		r := &rank{cmd: cmd, in: said, out: tells, output: &processOutput{mu: one, log: p.log}}
		if i > 0 {
			r.output.name = fmt.Sprintf("rank %d: ", i)
		}
		cmd.ExtraFiles = append([]*os.File{told, says}, cmd.ExtraFiles...) // 3, 4 and perhaps 5
		cmd.Stdout, cmd.Stderr = stdoutWriter{r.output}, r.output
		cmd.WaitDelay = drainTime
		p.ranks = append(p.ranks, r)
		if err := errors.Join(err, lacks); err != nil {
			return err
		}
	}
	return nil
}

// closePipes closes this side of the pipes.
func (p *process) closePipes() {
	for _, r := range p.ranks {
		r.in.Close()
		r.out.Close()
	}
}

// named returns the words for a process in an error.
func (p *Program) named(rank int) string {
	if len(p.ranks) == 1 {
		return p.start.named()
	}
	return fmt.Sprintf("rank %d: %s", rank, p.start.named())
}

// errLost is wrapped by the error of a process that has lost the other processes.
var errLost = errors.New("it has lost the other processes")

// culprit returns the process, and its error, behind an error of a process that has lost the
// others, or was ended with them. It is the process that gives another error or, if there is none,
// the one that has ended first.
func (p *Program) culprit(rank int, err error) (int, error) {
	ended := p.hasEnded()
	if !ended {
		p.limitTime(drainTime, false)
	}
	for i, r := range p.ranks {
		for {
			var a answer
			if _, err := r.conn.Receive(&a, UsualHead, MostBody); err != nil {
				break
			}
			if a.Error != nil && !a.Lost {
				return i, a.failure()
			}
		}
	}
	if ended {
		return p.first, io.EOF
	}
	return rank, err
}

// part returns the bounds of the part of n samples that a process has. The first processes have the
// larger parts.
func (p *process) part(rank, n int) (from, to int) {
	size := len(p.ranks)
	return (n*rank + size - 1) / size, (n*(rank+1) + size - 1) / size
}

// partsOf returns the arrays of a message as a process gets them.
func (p *process) partsOf(rank int, arrays []Array) []Array {
	if len(p.ranks) == 1 || len(arrays) == 0 {
		return arrays
	}
	parts := make([]Array, len(arrays))
	for i, a := range arrays {
		if a.bySample {
			from, to := p.part(rank, a.Len())
			a.Raw = a.Raw[from*sizes[a.Type] : to*sizes[a.Type]]
		}
		parts[i] = a
	}
	return parts
}

// gather fills into with the numbers of samples, of which array k of each answer has a part. After
// a failure, they are NaN.
func (p *Program) gather(into []float64, k int, doing string) {
	for i := range p.ranks {
		if from, to := p.part(i, len(into)); p.err == nil {
			if err := p.answers[i][k].Floats(into[from:to]); err != nil {
				p.failAt(i, doing, err)
			}
		}
	}
	if p.err != nil {
		for j := range into {
			into[j] = math.NaN()
		}
	}
}

// agree fails unless all processes have described the same samples.
func (p *Program) agree() {
	for i, arrays := range p.answers {
		if !slices.EqualFunc(arrays, p.answers[0], func(a, b Array) bool {
			return a.Type == b.Type && bytes.Equal(a.Raw, b.Raw)
		}) {
			p.failAt(i, "hello", errors.New("it has other labels or groups than rank 0: every "+
				"process must have the same"))
		}
	}
}
