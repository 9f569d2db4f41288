package bridge

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"syscall"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
)

// version is the version of docs/protocol.md.
const version = 2

// Program is a started program. It belongs to one goroutine. Its first failure stays: after that,
// nothing is said to the program.
type Program struct {
	*process
	start   Start
	err     error
	heads   []head         // of the answers to a question, by rank
	answers [][]Array      // by rank; valid until the next answers
	pending []int          // memory of receive: the ranks that it has not read yet
	logged  measure.Values // values of its own since the last call of Logged, by name
}

// question is a message to a program, with the members of every kind.
type question struct {
	Do     string   `json:"do"`
	Mode   string   `json:"mode,omitempty"`
	Form   string   `json:"form,omitempty"`
	By     string   `json:"by,omitempty"`
	Keep   bool     `json:"keep,omitempty"`
	Split  string   `json:"split,omitempty"`
	Epoch  uint64   `json:"epoch"`
	Of     int      `json:"of,omitempty"` // samples that all processes weigh together
	Want   []string `json:"want,omitempty"`
	Add    bool     `json:"add,omitempty"`
	Folder string   `json:"folder,omitempty"`
}

// answer has the members of every kind of answer, except those that only hello's answer has.
type answer struct {
	Alive   bool     `json:"alive"`
	Waits   bool     `json:"waits"` // it is alive, and waits for the other processes
	Error   *string  `json:"error"`
	Lost    bool     `json:"lost"` // the error is that it has lost the other processes
	Skipped bool     `json:"skipped"`
	Log     []string `json:"log"`
}

// head is the head of an answer of any kind; plain returns the answer that it begins with.
type head interface{ plain() *answer }

func (a *answer) plain() *answer { return a }

// answerSize says what an answer to a question has: arrays of so many bytes together.
type answerSize struct{ arrays, bytes int }

// helloSize is the answer to hello. Its arrays are known when its head is: see helloAnswer.
var helloSize = answerSize{-1, MostBody}

// launch starts a program and says nothing to it yet. After an error the log is closed, and the
// caller removes the scratch folder.
func launch(s Start) (*Program, error) {
	if !supported {
		s.Log.Close()
		return nil, errors.New("programs are trained on Linux and macOS: this system " +
			"gives a process no pipes beside its standard streams")
	}
	proc, err := begin(s)
	if err != nil {
		s.Log.Close()
		return nil, fmt.Errorf("starting %s: %w", s.named(), err)
	}
	p := newProgram(proc, s)
	go proc.listenToStops(s.Stops, s.Done)
	return p, nil
}

func newProgram(proc *process, s Start) *Program {
	p := &Program{process: proc, start: s}
	for _, r := range p.ranks {
		r.asked = bufio.NewWriterSize(timedWriter(func(b []byte) (int, error) {
			p.limitTime(p.limit(), false)
			return r.out.Write(b)
		}), 1<<16)
		r.conn = NewConn(r.in, r.asked)
		p.heads = append(p.heads, &answer{})
	}
	p.answers = make([][]Array, len(p.ranks))
	return p
}

// timedWriter is a pipe whose writes have a limit of time. Most questions stay in the buffer in
// front of it and need no limit.
type timedWriter func([]byte) (int, error)

// Write implements io.Writer.
func (p timedWriter) Write(b []byte) (int, error) { return p(b) }

// Err returns the first failure, in one line.
func (p *Program) Err() error { return p.err }

// fail keeps the first failure.
func (p *Program) fail(doing string, err error) { p.failAt(0, doing, err) }

// failAt keeps the first failure, which shows at one of the processes. A pipe breaks when the
// program ends; the end is then the cause.
func (p *Program) failAt(rank int, doing string, err error) {
	if p.err != nil {
		return
	}
	late, broken := errors.Is(err, os.ErrDeadlineExceeded), isBroken(err)
	if len(p.ranks) > 1 && (broken || late && p.isOver() || errors.Is(err, errLost)) {
		rank, err = p.culprit(rank, err)
		late, broken = errors.Is(err, os.ErrDeadlineExceeded), isBroken(err)
	}
	stops, spare := p.stopRequests()
	name := p.named(rank)
	const goOn = "drolab resume continues from the last checkpoint"
	switch {
	case late && stops > 0 && !p.saving:
		p.err = fmt.Errorf("%s did not answer for %v when its run was to stop, and was ended: "+
			"%s", name, min(spare, p.limit()), goOn)
	case broken && stops > 1 && p.hasEnded():
		p.err = fmt.Errorf("%s was ended because its run was to stop at once: %s", p.start.named(),
			goOn)
	case broken && p.hasEnded(), late && p.isOver():
		p.err = fmt.Errorf("%s ended with %v%s", name, p.ranks[rank].cmd.ProcessState,
			p.behind(rank))
	case broken:
		p.err = fmt.Errorf("%s has closed its pipes but still runs, asked for %s", name, doing)
	case late:
		p.err = fmt.Errorf("%s did not answer for %v when asked for %s: raise "+
			"program_patience, or look at its log%s", name, p.limit(), doing, p.behind(rank))
	default:
		p.err = fmt.Errorf("%s, asked for %s: %s", name, doing,
			runner.OneLine(err.Error(), mostLine))
	}
}

// isBroken reports whether an error is that of a pipe whose other side is closed.
func isBroken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.EPIPE)
}

// behind returns the last line that a process printed, for the end of an error.
func (p *Program) behind(rank int) string {
	if line := p.ranks[rank].output.line(); line != "" {
		return ": " + line
	}
	return ""
}

func (p *Program) limit() time.Duration {
	if p.closing.Load() {
		return gracePeriod
	}
	return time.Duration(p.start.Spec.ProgramPatience * float64(time.Second))
}

// send sends a question that has no answer. Of an array with a number for each sample, a process
// gets the part of its samples. Where there are several processes, none may wait for another one
// that has not heard of the question, so it goes out at once.
func (p *Program) send(q any, doing string, arrays ...Array) {
	if p.err != nil {
		return
	}
	for i, r := range p.ranks {
		if err := r.conn.Send(q, p.partsOf(i, arrays)...); err != nil {
			p.failAt(i, doing, err)
			return
		}
	}
	if len(p.ranks) > 1 {
		p.flush(doing)
	}
}

// flush sends the questions that wait.
func (p *Program) flush(doing string) {
	for i, r := range p.ranks {
		if err := r.asked.Flush(); err != nil {
			p.failAt(i, doing, err)
			return
		}
	}
}

// request sends a question and reads its answer into a. It returns the answer's arrays, which are
// valid until the next answer, or nil after a failure. Of several processes, it is the answer of
// the first one; p.answers has the arrays of all.
func (p *Program) request(q any, a head, doing string, w answerSize, arrays ...Array) []Array {
	p.heads[0] = a
	p.send(q, doing, arrays...)
	if p.err == nil {
		p.flush(doing)
	}
	if p.err != nil {
		return nil
	}
	if i, err := p.receive(w); err != nil {
		p.failAt(i, doing, err)
		return nil
	}
	return p.answers[0]
}

// receive reads the answer of each process. The time starts anew when the process says that it is
// alive, unless its run is to stop. A process that waits for the others is read after them, so that
// the time ends of the one that they wait for. An error is that of the process with this rank.
func (p *Program) receive(w answerSize) (rank int, err error) {
	mostHead := UsualHead
	if w == helloSize {
		mostHead = MostHead
	}
	asked := time.Now()
	pending := p.pending[:0]
	for i := range p.ranks {
		pending = append(pending, i)
	}
	p.pending = pending
	for again := false; len(pending) > 0; again = true {
		i := pending[0]
		a := p.heads[i].plain()
		*a = answer{}
		p.limitTime(p.limit(), again)
		got, err := p.ranks[i].conn.Receive(p.heads[i], mostHead, min(w.bytes+mostLogged, MostBody))
		switch {
		case err != nil:
			return i, err
		case a.Error != nil:
			return i, a.failure()
		case a.Alive && a.Waits:
			copy(pending, pending[1:])
			pending[len(pending)-1] = i
			continue
		case a.Alive:
			continue
		}
		if got, err = p.takeLog(i, a, got); err != nil {
			return i, err
		}
		if w != helloSize && len(got) != w.arrays {
			return i, fmt.Errorf("its answer has %d arrays: expected %d", len(got), w.arrays)
		}
		p.answers[i] = got
		pending = pending[1:]
	}
	p.recordTime(time.Since(asked))
	return 0, nil
}

// failure returns the error that an answer has.
func (a *answer) failure() error {
	line := runner.OneLine(*a.Error, mostLine)
	if a.Lost {
		return fmt.Errorf("%w: %s", errLost, line)
	}
	return errors.New(line)
}

// mostLogged is the number of bytes beyond what is wanted up to which an answer is read. It may log
// values, and the error for a few numbers too many says more than the one for a long frame.
const mostLogged = 4 << 10

// takeLog takes the program's own values off an answer. Those of its first process count.
func (p *Program) takeLog(rank int, a *answer, arrays []Array) ([]Array, error) {
	n := len(a.Log)
	if n == 0 {
		return arrays, nil
	}
	if rank > 0 {
		return arrays[:max(0, len(arrays)-1)], nil
	}
	values := make([]float64, n)
	if n > measure.MostUser || len(arrays) == 0 {
		return nil, fmt.Errorf("it logs %d values in %d arrays: expected at most %d in one more",
			n, len(arrays), measure.MostUser)
	}
	last := len(arrays) - 1
	if err := arrays[last].Floats(values); err != nil {
		return nil, fmt.Errorf("the values that it logs: %w", err)
	}
	for i, name := range a.Log {
		p.logged.Set(name, measure.Num(values[i]))
	}
	if n := len(p.logged); n > measure.MostUser {
		return nil, fmt.Errorf("it logs %d values of its own: expected at most %d", n,
			measure.MostUser)
	}
	return arrays[:last], nil
}

// Logged implements train.Logger.
func (p *Program) Logged() measure.Values {
	values := p.logged
	p.logged = p.logged[:0]
	return values
}

// floats fills into with the first array of an answer, or with NaN if there is none.
func (p *Program) floats(into []float64, arrays []Array, doing string) {
	if len(arrays) > 0 {
		err := arrays[0].Floats(into)
		if err == nil {
			return
		}
		p.fail(doing, err)
	}
	for j := range into {
		into[j] = math.NaN()
	}
}

// Close ends the program and removes its scratch folder. It also does so after a failure, without
// asking the program.
func (p *Program) Close() {
	p.closing.Store(true)
	for _, r := range p.ranks {
		if p.err == nil && r.conn.Send(question{Do: "close"}) == nil {
			r.asked.Flush()
		}
		r.out.Close()
	}
	p.stop(p.err != nil)
	for _, r := range p.ranks {
		r.conn.Forget()
	}
	os.RemoveAll(p.start.Scratch)
	if p.err == nil {
		p.err = os.ErrClosed
	}
}
