package machine

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"drolab/runner/measure"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/net"
	"github.com/shirou/gopsutil/v4/process"
)

// every is the usual time between two looks at the machine.
const every = 10 * time.Second

// Watch looks at the machine for the runs of a queue. Its methods may be used from any goroutine,
// and none of them waits for a look.
type Watch struct {
	End    context.CancelFunc  // ends the watch and its programs
	ctx    context.Context     // cancelled by End
	dir    string              // on the disk of the runs
	broken func(recovered any) // is told of a panic of a look
	gpus   func() *gpus        // starts nvidia-smi when it is first called
	Every  time.Duration       // between two looks; set before the first Follow

	mu      sync.Mutex
	started map[int][]int // the processes of the machine by the process that has started them
	at      time.Time     // of started
}

// NewWatch returns a watch that ends when ctx is cancelled.
func NewWatch(ctx context.Context, dir string, broken func(recovered any)) *Watch {
	ctx, end := context.WithCancel(ctx)
	return &Watch{End: end, ctx: ctx, dir: dir, broken: broken, Every: every,
		gpus: sync.OnceValue(func() *gpus { return startGPUs(ctx) })}
}

// Follow gives samples to a function until leave is called; a call that has begun may end later.
// roots are the processes of the run's program; without them the run is one of this process.
func (w *Watch) Follow(see func(*Sample), roots ...int) (leave func()) {
	ctx, leave := context.WithCancel(w.ctx)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				w.broken(p)
			}
		}()
		w.follow(ctx, see, roots)
	}()
	return leave
}

// follow looks at the machine for one run. The first look is for the counters alone: a run that is
// shorter than a tick leaves nothing, and starts no nvidia-smi.
func (w *Watch) follow(ctx context.Context, see func(*Sample), roots []int) {
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	var before look
	for first := true; ; first = false {
		l := look{now: time.Now(), before: &before, counters: map[string]float64{}}
		s, pids := l.machine(w.dir), w.processes(l.now, roots)
		s.Run = l.run(pids, len(roots))
		if before, l.before = l, nil; !first {
			s.GPUs = w.gpus().list(l.now, pids)
			see(&s)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look is a look at the machine for one run.
type look struct {
	now      time.Time
	before   *look
	counters map[string]float64 // values that only grow, by their names
}

// machine returns what a look finds, without GPUs and processes.
func (l *look) machine(dir string) Sample {
	s := Sample{Time: l.now.UTC().Truncate(time.Millisecond), Cores: runtime.NumCPU()}
	if t, err := cpu.Times(false); err == nil && len(t) == 1 {
		c := t[0] // guest time is in user time
		s.CPU = l.rate("cpu", c.User+c.System+c.Nice+c.Irq+c.Softirq+c.Steal)
	}
	if m, err := mem.VirtualMemory(); err == nil {
		s.Memory = part(m.Total-min(m.Total, m.Available), m.Total)
	}
	if d, err := disk.Usage(dir); err == nil {
		s.Disk = part(d.Used, d.Used+d.Free)
	}
	// A partition and its disk, or a bridge and its device, count the same bytes: the busiest one
	// stands for all.
	disks, _ := disk.IOCounters()
	for _, d := range disks {
		s.Reads = larger(s.Reads, l.rate("reads "+d.Name, float64(d.ReadBytes)))
		s.Writes = larger(s.Writes, l.rate("writes "+d.Name, float64(d.WriteBytes)))
	}
	devices, _ := net.IOCounters(true)
	for _, d := range devices {
		if !strings.HasPrefix(strings.ToLower(d.Name), "lo") { // it leads to this machine
			s.In = larger(s.In, l.rate("in "+d.Name, float64(d.BytesRecv)))
			s.Out = larger(s.Out, l.rate("out "+d.Name, float64(d.BytesSent)))
		}
	}
	return s
}

// rate returns how much a counter has grown in a second, if it was there at the look before.
func (l *look) rate(counter string, value float64) measure.Number {
	l.counters[counter] = value
	old, ok := l.before.counters[counter]
	seconds := l.now.Sub(l.before.now).Seconds()
	perSecond := math.Round(1000*(value-old)/seconds) / 1000
	return measure.NumIf(ok && seconds > 0 && value >= old, perSecond)
}

// run sums up the processes of a run. Those behind the roots are workers.
func (l *look) run(pids []int, roots int) (of Processes) {
	for i, pid := range pids {
		p := process.Process{Pid: int32(pid)}
		t, err := p.Times()
		if err != nil { // it has ended
			continue
		}
		cores := l.rate(fmt.Sprint("process ", pid), t.User+t.System)
		of.CPU = add(of.CPU, cores)
		if m, err := p.MemoryInfo(); err == nil {
			of.Memory = add(of.Memory, measure.Num(float64(m.RSS)))
		}
		if i >= max(1, roots) {
			of.Workers++
			if cores.Float() >= .5 {
				of.Busy++
			}
		}
	}
	return of
}

// processes returns the roots and all that they have started, but not this process, which is the
// child of a script. Without roots it returns this process alone.
func (w *Watch) processes(now time.Time, roots []int) []int {
	if len(roots) == 0 {
		return []int{os.Getpid()}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Sub(w.at) > w.Every/2 { // several runs share it
		pids, _ := process.Pids()
		w.started, w.at = map[int][]int{}, now
		for _, pid := range pids {
			if by, err := (&process.Process{Pid: pid}).Ppid(); err == nil {
				w.started[int(by)] = append(w.started[int(by)], int(pid))
			}
		}
	}
	list := slices.Clone(roots)
	for i := 0; i < len(list); i++ {
		for _, pid := range w.started[list[i]] {
			// The numbers are not of one moment, so there may be a loop.
			if pid != os.Getpid() && !slices.Contains(list, pid) {
				list = append(list, pid)
			}
		}
	}
	return list
}
