package bridge

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"drolab/runner/lists"
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
	// drainTime is how long after a program's end to wait for what it has sent: a worker that it
	// leaves may hold its pipes open.
	drainTime = time.Second
	// gracePeriod is how long a program that is told to end may take for that.
	gracePeriod = 5 * time.Second
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
		go p.run(started)
		err = <-started
	}
	for _, cmd := range cmds {
		for _, theirs := range cmd.ExtraFiles {
			theirs.Close()
		}
	}
	if err != nil {
		p.closePipes()
		return nil, err
	}
	return p, nil
}

// run starts the program and waits for its end. Both happen on one thread, because the system ends
// a process when the thread that started it ends. The program has ended when one of its processes
// has, unless it is told to end: then each takes its own time.
func (p *process) run(started chan<- error) {
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
	p.setDeadlines(p.ended.Add(drainTime), p.ended)
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

// limitTime limits how long the next read or write may take. If its run is to stop, a program that
// has not answered yet gets no time again.
func (p *process) limitTime(d time.Duration, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stops > 0 && again {
		return
	}
	if p.stops > 0 && !p.saving {
		d = min(d, p.allowedSilence())
	}
	p.setLimit(time.Now().Add(d))
}

// setLimit sets the limit of reads and writes. The caller holds mu.
func (p *process) setLimit(limit time.Time) {
	p.due = limit
	if p.ended.IsZero() {
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
func (p *process) allowedSilence() time.Duration { return max(gracePeriod, 3*p.usual) }

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

// stopRequests returns how often the run was to stop, and how long the program may then be silent.
func (p *process) stopRequests() (stops int, spare time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stops, p.allowedSilence().Round(time.Second)
}

// listenToStops listens for the stops of the run, because the run itself waits for the program and
// cannot listen. The first stop leaves the program little time; the second one ends it.
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
			p.setLimit(soon)
		}
		p.mu.Unlock()
	}
	p.kill()
}

// Processes returns the numbers of the program's processes, without those that they have started.
func (p *process) Processes() []int {
	return lists.Map(p.ranks, func(r *rank) int { return r.cmd.Process.Pid })
}

// hasEnded reports whether the program has ended, to a caller that has found its pipe broken. It
// waits a moment for that.
func (p *process) hasEnded() bool {
	select {
	case <-p.over:
		return true
	case <-time.After(3 * drainTime): // its workers may hold its output open
		return false
	}
}

// stop ends the program, by force if it does not end by itself. The caller has closed its pipes out
// before, as the program also sees it when drolab is gone.
func (p *process) stop(force bool) {
	if !force {
		select {
		case <-p.over:
		case <-time.After(gracePeriod):
		}
	}
	p.kill()
	<-p.over
	p.closePipes()
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
