package machine

import (
	"cmp"
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"drolab/runner/internal/cgroup"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/process"
)

// Interval is the usual time between two looks.
const Interval = 10 * time.Second

// Watch looks at the machine for the runs of a queue. Its methods may be used from any goroutine,
// and none of them waits for a look.
type Watch struct {
	Every  time.Duration       // between two looks, usually Interval; set before the first Follow
	End    context.CancelFunc  // ends the watch and its programs
	ctx    context.Context     // cancelled by End
	dir    string              // on the disk of the runs
	broken func(recovered any) // is told of a panic of a look
	begin  sync.Once
	runs   sync.Map // the keys are *run
}

// run is one that is followed.
type run struct {
	see   func(*Sample)
	roots []int
	known map[int]*process.Process // of the look before, with the times of their processors
}

// NewWatch returns a watch that ends when ctx is cancelled.
func NewWatch(ctx context.Context, dir string, broken func(recovered any)) *Watch {
	ctx, end := context.WithCancel(ctx)
	return &Watch{Every: Interval, End: end, ctx: ctx, dir: dir, broken: broken}
}

// Follow gives samples to a function until leave is called; a call that has begun may end later.
// roots are the processes of the run's program; without them the run is one of this process. The
// first look is for the counters alone: a short run leaves no sample.
func (w *Watch) Follow(see func(*Sample), roots ...int) (leave func()) {
	r := &run{see: see, roots: roots}
	w.runs.Store(r, nil)
	w.begin.Do(func() { go w.follow() })
	return func() { w.runs.Delete(r) }
}

// cacheBootTime keeps gopsutil from reading the time of the boot again for each process.
var cacheBootTime = sync.OnceFunc(func() { process.EnableBootTimeCache(true) })

// follow looks at the machine until the watch ends.
func (w *Watch) follow() {
	defer func() {
		if p := recover(); p != nil {
			w.broken(p)
		}
	}()
	cacheBootTime()
	gpus := sync.OnceValue(func() *gpus { return startGPUs(w.ctx) })
	busy := cores{groups: cgroup.System}
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-tick.C:
		}
		s, children := look(w.dir, &busy), sync.OnceValue(children)
		for r := range w.runs.Range {
			r.(*run).look(s, gpus(), children)
		}
	}
}

// look returns what a look finds, without GPUs and processes.
func look(dir string, busy *cores) Sample {
	s := Sample{Time: time.Now().UTC().Truncate(time.Millisecond)}
	s.CPU = busy.look(time.Now())
	if m, err := mem.VirtualMemory(); err == nil {
		s.Memory = memory(m, cgroup.System)
	}
	if d, err := disk.Usage(dir); err == nil {
		s.Disk = Part{float64(d.Used), float64(d.Used + d.Free)}
	}
	return s
}

// children returns the processes of the machine by the process that has started them.
func children() map[int][]int {
	of := map[int][]int{}
	pids, _ := process.Pids()
	for _, pid := range pids {
		if by, err := (&process.Process{Pid: pid}).Ppid(); err == nil {
			of[int(by)] = append(of[int(by)], int(pid))
		}
	}
	return of
}

// look completes a sample for the run, and gives it to the run unless it is the first.
func (r *run) look(s Sample, gpus *gpus, children func() map[int][]int) {
	pids, known := processTree(r.roots, children), map[int]*process.Process{}
	if len(pids) == 0 {
		pids = []int{os.Getpid()}
	}
	for i, pid := range pids {
		p := cmp.Or(r.known[pid], &process.Process{Pid: int32(pid)})
		percent, err := p.Percent(0)
		m, errMemory := p.MemoryInfo()
		if err != nil || errMemory != nil { // it has ended
			continue
		}
		known[pid] = p
		s.Run.CPU += percent / 100
		s.Run.Memory += float64(m.RSS)
		if i >= max(1, len(r.roots)) {
			s.Run.Workers++
			s.Run.Busy += int(min(1, percent/50)) // 1 from half a core on
		}
	}
	s.GPUs = gpus.list(s.Time, pids)
	if r.known != nil {
		r.see(&s)
	}
	r.known = known
}

// processTree returns processes and all that they have started, but not this process, which is the
// child of a script.
func processTree(roots []int, children func() map[int][]int) []int {
	list := slices.Clone(roots)
	for i := 0; i < len(list); i++ {
		for _, pid := range children()[list[i]] {
			// The numbers are not of one moment, so there may be a loop.
			if pid != os.Getpid() && !slices.Contains(list, pid) {
				list = append(list, pid)
			}
		}
	}
	return list
}
