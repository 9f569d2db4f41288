package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// process is a started program, of one system process or several. They have a process group of
// their own, so that an interrupt from the terminal does not reach them and their workers end with
// them.
type process struct {
	ranks []*rank
	group int // the process group
	log   io.WriteCloser
	over  chan struct{} // closed when all have ended
	first int           // the rank that has ended first; valid when over is closed

	closing atomic.Bool // it is told to end

	mu     sync.Mutex
	ended  time.Time     // zero while it runs
	due    time.Time     // limit of the read or write under way
	usual  time.Duration // time that the longest of the last answers has taken
	stops  int           // stops asked for so far: see listenToStops
	saving bool          // a checkpoint is under way, which a stop waits for
}

const (
	// lastWords is how long after a program's end to wait for what it has sent: a worker that it
	// leaves may hold its pipes open.
	lastWords = time.Second
	// grace is how long a program that is told to end may take for that.
	grace = 5 * time.Second
)

// begin starts the processes of a program. If it succeeds, stop closes the log.
func begin(s Start) (*process, error) {
	cmds, err := commands(s)
	p := &process{log: s.Log, over: make(chan struct{})}
	if err == nil {
		err = p.connect(cmds)
	}
	if err == nil {
		started := make(chan error)
		go p.live(started)
		err = <-started
	}
	for _, cmd := range cmds {
		for _, theirs := range cmd.ExtraFiles {
			theirs.Close()
		}
	}
	if err != nil {
		p.hangUp()
		return nil, err
	}
	return p, nil
}

// live starts the program and waits for its end. Both happen on one thread, because the system ends
// a process when the thread that started it ends. The program has ended when one of its processes
// has, unless it is told to end: then each takes its own time.
func (p *process) live(started chan<- error) {
	defer close(p.over)
	defer lockThread()()
	err := p.start()
	started <- err
	if err != nil {
		return
	}
	ends := make(chan int, len(p.ranks))
	for i, r := range p.ranks {
		go func() {
			r.cmd.Wait() // ProcessState has the outcome
			ends <- i
		}()
	}
	p.first = <-ends
	if !p.closing.Load() {
		killGroup(p.group)
	}
	for range p.ranks[1:] {
		<-ends
	}
	killGroup(p.group) // what it leaves
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = time.Now()
	p.setDeadlines(p.ended.Add(lastWords), p.ended)
}

// start starts all processes or none. They join the process group of the first one, which exists at
// least until somebody waits for that process.
func (p *process) start() error {
	for i, r := range p.ranks {
		setApart(r.cmd, p.group)
		if err := r.cmd.Start(); err != nil {
			for _, r := range p.ranks[:i] {
				killGroup(p.group)
				r.cmd.Wait()
			}
			return err
		}
		p.group = p.ranks[0].cmd.Process.Pid
	}
	return nil
}

// patience limits how long the next read or write may take. If its run is to stop, a program that
// has not answered yet gets no time again.
func (p *process) patience(d time.Duration, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stops > 0 && again {
		return
	}
	if p.stops > 0 && !p.saving {
		d = min(d, p.allowedSilence())
	}
	p.until(time.Now().Add(d))
}

// until sets the limit of reads and writes. The caller holds mu.
func (p *process) until(limit time.Time) {
	if p.due = limit; p.ended.IsZero() {
		p.setDeadlines(limit, limit)
	}
}

func (p *process) setDeadlines(read, write time.Time) {
	for _, r := range p.ranks {
		r.in.SetReadDeadline(read)
		r.out.SetWriteDeadline(write)
	}
}

// allowedSilence returns how long a program may be silent when its run is to stop. The program may
// be in a long step, after which the run saves. The caller holds mu.
func (p *process) allowedSilence() time.Duration { return max(grace, 3*p.usual) }

// recordTime records how long an answer has taken. The record decays with later answers.
func (p *process) recordTime(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.usual = max(d, p.usual-p.usual/64)
}

// setSaving records whether the program is asked for a checkpoint.
func (p *process) setSaving(now bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saving = now
}

// hurried returns how often the run was to stop, and how long the program may then be silent.
func (p *process) hurried() (stops int, spare time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stops, p.allowedSilence().Round(time.Second)
}

// listenToStops listens for the stops of the run, because the run itself waits for the program and
// cannot listen. The first stop leaves the program little patience; the second one ends it.
func (p *process) listenToStops(stops, done <-chan struct{}) {
	for range 2 {
		select {
		case <-p.over:
			return
		case <-stops:
		case <-done:
			done = nil
		}
		p.mu.Lock()
		p.stops++
		if soon := time.Now().Add(p.allowedSilence()); p.due.After(soon) && !p.saving {
			p.until(soon)
		}
		p.mu.Unlock()
	}
	p.kill()
}

// Processes returns the numbers of the program's processes, without those that they have started.
func (p *process) Processes() []int {
	return data.Map(p.ranks, func(r *rank) int { return r.cmd.Process.Pid })
}

// hasEnded reports whether the program has ended, to a caller that has found its pipe broken. It
// waits a moment for that.
func (p *process) hasEnded() bool {
	select {
	case <-p.over:
		return true
	case <-time.After(3 * lastWords): // its workers may hold its output open
		return false
	}
}

// stop ends the program, by force if it does not end by itself. The caller has closed its pipes out
// before, as the program also sees it when drolab is gone.
func (p *process) stop(force bool) {
	if !force {
		select {
		case <-p.over:
		case <-time.After(grace):
		}
	}
	p.kill()
	<-p.over
	p.hangUp()
	p.log.Close()
}

// kill ends the program by force, unless it has ended.
func (p *process) kill() {
	if !p.isOver() {
		killGroup(p.group)
	}
}

// isOver reports whether the program has ended by now.
func (p *process) isOver() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// printed takes the output of a process: all of it goes to the log, and the end of its standard
// error is kept.
type printed struct {
	mu   *sync.Mutex // of the log
	log  io.Writer
	name string // begins each line in the log
	end  []byte
}

const mostEnd = 4 << 10 // bytes

// Write implements io.Writer, for the standard error.
func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = append(p.end, b[max(0, len(b)-mostEnd):]...)
	p.end = p.end[max(0, len(p.end)-mostEnd):]
	p.pass(b)
	return len(b), nil
}

// pass writes to the log, with the name before each line.
func (p *printed) pass(b []byte) {
	if p.name != "" {
		text := strings.TrimSuffix(string(b), "\n")
		b = []byte(p.name + strings.ReplaceAll(text, "\n", "\n"+p.name) + "\n")
	}
	p.log.Write(b)
}

// toLog takes the standard output.
type toLog struct{ *printed }

// Write implements io.Writer.
func (t toLog) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass(b)
	return len(b), nil
}

// line returns the last line of the standard error that is not blank.
func (p *printed) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := bytes.TrimSpace(p.end)
	return OneLine(string(last[bytes.LastIndexByte(last, '\n')+1:]), mostLine)
}

// mostLine bounds a line of a program in the cause of a failure.
const mostLine = 300 // runes

// OneLine returns text from elsewhere as one line of at most n runes that a terminal shows as it
// is.
func OneLine(text string, n int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > n {
		text = string(runes[:n]) + "…"
	}
	return text
}

// command returns the command that runs a program, in the folder of its file. The interpreter runs
// a file of Python; any other file runs by itself.
func command(s Start) *exec.Cmd {
	path := s.Program.Path
	line := append([]string{path}, s.Program.Words...)
	if filepath.Ext(path) == ".py" {
		line = append([]string{s.Python}, line...)
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = filepath.Dir(path)
	cmd.Env = s.Env
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "DROLAB_PIPES=3,4",
		"PYTHONUNBUFFERED=1", "PWD="+cmd.Dir)
	return cmd
}

// named returns the words for the program in an error.
func (s Start) named() string { return "the program " + filepath.Base(s.Program.Path) }

// Start returns how to start the program of s, which this user must have started before, and what a
// run records of the program.
func (a Approvals) Start(
	s *spec.Spec, m *runner.ProgramMeans,
) (p runner.Program, start Start, err error) {
	named, ok := s.Program()
	if !ok || !filepath.IsAbs(named.Path) {
		return p, start, fmt.Errorf("model: %s: want program:PATH with the whole path", s.Model)
	}
	p = runner.Program{Path: named.Path, Arguments: named.Words}
	if p.SHA256, err = a.Check(named.Path); err != nil {
		return p, start, err
	}
	start = Start{Program: named, Spec: s}
	if m != nil {
		start.Python, start.Env = m.Python, m.Env
	}
	if start.Procs, err = named.Procs(); err != nil {
		return p, start, err
	}
	p.Processes = start.Procs
	if filepath.Ext(named.Path) == ".py" {
		if start.Python == "" {
			if start.Python, err = exec.LookPath("python3"); err != nil {
				return p, start, errors.New("no python3 is in the PATH: a program that ends " +
					"in .py needs it")
			}
		}
		p.Interpreter = start.Python
	}
	return p, start, nil
}

// Outside prepares a program that runs outside of any run: it gets a temporary folder of its own,
// and its output is discarded.
func (s *Start) Outside() (err error) {
	s.Log = nobody{}
	s.Scratch, err = os.MkdirTemp("", "drolab-program-")
	return err
}

// nobody discards what a program prints.
type nobody struct{}

// Write implements io.Writer.
func (nobody) Write(b []byte) (int, error) { return len(b), nil }

// Close implements io.Closer.
func (nobody) Close() error { return nil }

// Measuring starts the program of a run, to measure checkpoints with it. It returns the run's
// samples and a function that returns the network. The program ends when the samples or the network
// are closed, or with ctx.
func (a Approvals) Measuring(
	ctx context.Context, m *runner.Meta, threads int,
) (*data.Dataset, train.NewNetwork, error) {
	if m.Spec.IsScript() {
		return nil, nil, fmt.Errorf("run %s has its network and data in a script: drolab show has "+
			"what run.evaluate gave", m.ID)
	}
	if a == "" {
		return nil, nil, fmt.Errorf("run %s trains a program, and a read-only view starts none",
			m.ID)
	}
	p, start, err := a.Start(&m.Spec, nil)
	if err == nil {
		err = start.Outside()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", m.ID, err)
	}
	start.Purpose, start.Threads = Evaluating, max(1, threads)
	n, d, err := open(ctx, start, m.Checksum)
	if err != nil {
		os.RemoveAll(start.Scratch)
		return nil, nil, fmt.Errorf("run %s: %w", m.ID, err)
	}
	if then := m.Program; then != nil && then.SHA256 != p.SHA256 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s is not the file that the run was started with: "+
			"its numbers may differ", filepath.Base(p.Path)))
	}
	d.Release = n.Close
	network := func(*spec.Spec, *data.Dataset, int) (train.Network, error) { return n, n.Err() }
	return d, network, nil
}
