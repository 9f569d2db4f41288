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

	"drolab/runner/measure"
	"drolab/runner/spec"
)

// version is the version of docs/protocol.md.
const version = 2

// The purposes for which a program is started.
const (
	Describing = "describe"
	Training   = "train"
	Evaluating = "evaluate"
)

// Start says how a program is started.
type Start struct {
	Program spec.Program // its path is absolute
	Spec    *spec.Spec   // the program is told its settings
	Purpose string       // one of the above
	Python  string       // the interpreter of files of Python
	Env     []string     // nil: the environment of this process
	Threads int
	Scratch string         // a folder of its own, which is removed at the end
	Log     io.WriteCloser // for its output; closed at the end
	// Stops has a value for each time that the run is to stop; closing Done counts as one more. See
	// listenToStops. A nil channel asks for no stop.
	Stops, Done <-chan struct{}
}

// Program is a started program. It belongs to one goroutine. Its first failure stays: after that,
// nothing is said to the program.
type Program struct {
	*process
	start   Start
	conn    *Conn
	out     *bufio.Writer // questions without an answer wait for the next question with one
	err     error
	closing bool
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
	Want   []string `json:"want,omitempty"`
	Add    bool     `json:"add,omitempty"`
	Folder string   `json:"folder,omitempty"`
}

// answer has the members of every kind of answer, except those that only hello's answer has.
type answer struct {
	Alive   bool     `json:"alive"`
	Error   *string  `json:"error"`
	Skipped bool     `json:"skipped"`
	Log     []string `json:"log"`
}

// head is the head of an answer of any kind; plain returns the answer that it begins with.
type head interface{ plain() *answer }

func (a *answer) plain() *answer { return a }

// wanted says what an answer to a question has: arrays of so many bytes together.
type wanted struct{ arrays, bytes int }

// described is the answer to hello. Its arrays are known when its head is: see greeting.
var described = wanted{-1, MostBody}

// launch starts a program and says nothing to it yet. After an error the log is closed, and the
// caller removes the scratch folder.
func launch(s Start) (*Program, error) {
	if !supported {
		s.Log.Close()
		return nil, errors.New("programs are trained on Linux and macOS: this system " +
			"gives a process no pipes beside its standard streams")
	}
	proc, err := begin(command(s), s.Log)
	if err != nil {
		s.Log.Close()
		return nil, fmt.Errorf("starting %s: %w", s.named(), err)
	}
	var p *Program
	out := bufio.NewWriterSize(punctual(func(b []byte) (int, error) {
		p.patience(p.limit(), false)
		return proc.out.Write(b)
	}), 1<<16)
	go proc.listenToStops(s.Stops, s.Done)
	p = &Program{process: proc, start: s, conn: NewConn(proc.in, out), out: out}
	return p, nil
}

// punctual is a pipe whose writes have a limit of time. Most questions stay in the buffer in front
// of it and need no limit.
type punctual func([]byte) (int, error)

// Write implements io.Writer.
func (p punctual) Write(b []byte) (int, error) { return p(b) }

// Err returns the first failure, in one line.
func (p *Program) Err() error { return p.err }

// fail keeps the first failure. A pipe breaks when the program ends; the end is then the cause.
func (p *Program) fail(doing string, err error) {
	if p.err != nil {
		return
	}
	broken := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.EPIPE)
	late := errors.Is(err, os.ErrDeadlineExceeded)
	stops, spare := p.hurried()
	const goOn = "drolab resume continues from the last checkpoint"
	switch {
	case late && stops > 0 && !p.saving:
		p.err = fmt.Errorf("%s did not answer for %v when its run was to stop, and was ended: "+
			"%s", p.start.named(), min(spare, p.limit()), goOn)
	case broken && stops > 1 && p.hasEnded():
		p.err = fmt.Errorf("%s was ended because its run was to stop at once: %s", p.start.named(),
			goOn)
	case broken && p.hasEnded(), late && p.isOver():
		p.err = fmt.Errorf("%s ended with %v%s", p.start.named(), p.cmd.ProcessState, p.behind())
	case broken:
		p.err = fmt.Errorf("%s has closed its pipes but still runs, asked for %s", p.start.named(),
			doing)
	case late:
		p.err = fmt.Errorf("%s did not answer for %v when asked for %s: raise "+
			"program_patience, or look at its log%s", p.start.named(), p.limit(), doing, p.behind())
	default:
		p.err = fmt.Errorf("%s, asked for %s: %s", p.start.named(), doing,
			OneLine(err.Error(), mostLine))
	}
}

// behind returns the last line that the program printed, for the end of an error.
func (p *Program) behind() string {
	if line := p.printed.line(); line != "" {
		return ": " + line
	}
	return ""
}

func (p *Program) limit() time.Duration {
	if p.closing {
		return grace
	}
	return time.Duration(p.start.Spec.ProgramPatience * float64(time.Second))
}

// send sends a question that has no answer.
func (p *Program) send(q any, doing string, arrays ...Array) {
	if p.err != nil {
		return
	}
	if err := p.conn.Send(q, arrays...); err != nil {
		p.fail(doing, err)
	}
}

// request sends a question and reads its answer into a. It returns the answer's arrays, which are
// valid until the next answer, or nil after a failure.
func (p *Program) request(q any, a head, doing string, w wanted, arrays ...Array) []Array {
	p.send(q, doing, arrays...)
	if p.err != nil {
		return nil
	}
	if err := p.out.Flush(); err != nil {
		p.fail(doing, err)
		return nil
	}
	got, err := p.receive(a, w)
	if err == nil {
		got, err = p.takeLog(a.plain(), got)
	}
	if err == nil && w != described && len(got) != w.arrays {
		err = fmt.Errorf("its answer has %d arrays: want %d", len(got), w.arrays)
	}
	if err != nil {
		p.fail(doing, err)
		return nil
	}
	return got
}

// receive reads an answer. The time starts anew when the program says that it is alive, unless its
// run is to stop.
func (p *Program) receive(a head, w wanted) ([]Array, error) {
	mostHead := UsualHead
	if w == described {
		mostHead = MostHead
	}
	asked := time.Now()
	for again := false; ; again = true {
		*a.plain() = answer{}
		p.patience(p.limit(), again)
		arrays, err := p.conn.Receive(a, mostHead, min(w.bytes+mostLogged, MostBody))
		if err != nil {
			return nil, err
		}
		switch said := a.plain(); {
		case said.Error != nil:
			return nil, errors.New(OneLine(*said.Error, mostLine))
		case !said.Alive:
			p.recordTime(time.Since(asked))
			return arrays, nil
		}
	}
}

// mostLogged is the number of bytes beyond what is wanted up to which an answer is read. It may log
// values, and the error for a few numbers too many says more than the one for a long frame.
const mostLogged = 4 << 10

// takeLog takes the program's own values off an answer.
func (p *Program) takeLog(a *answer, arrays []Array) ([]Array, error) {
	n := len(a.Log)
	if n == 0 {
		return arrays, nil
	}
	values := make([]float64, n)
	if n > measure.MostUser || len(arrays) == 0 {
		return nil, fmt.Errorf("it logs %d values in %d arrays: want at most %d in one more",
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
		return nil, fmt.Errorf("it logs %d values of its own: want at most %d", n,
			measure.MostUser)
	}
	return arrays[:last], nil
}

// Logged implements train.Logger.
func (p *Program) Logged(put func(name string, value float64) error) error {
	defer func() { p.logged = p.logged[:0] }()
	for _, v := range p.logged {
		if err := put(v.Name, v.Float()); err != nil {
			return err
		}
	}
	return nil
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
	p.closing = true
	if p.err == nil {
		p.out.Flush()
		if p.conn.Send(question{Do: "close"}) == nil {
			p.out.Flush()
		}
	}
	p.process.out.Close()
	p.stop(p.err != nil)
	p.conn.Forget()
	os.RemoveAll(p.start.Scratch)
	if p.err == nil {
		p.err = os.ErrClosed
	}
}
