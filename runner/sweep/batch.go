package sweep

import (
	"cmp"
	"math"
	"slices"
	"time"

	"drolab/runner/bridge"
	"drolab/runner/lists"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// Resources has the resources that a sweep's jobs request from Slurm.
type Resources struct {
	Options   []string      // more options of sbatch: see CheckOption
	Setup     []string      // lines of a shell that a job runs before its task
	Time      time.Duration // of a task; 0: as estimated
	Parallel  int           // tasks of a class at once; 0: no limit
	Threads   int           // processors of a task
	MostTasks int           // of an array, by the site's MaxArraySize; 0: defaultTasks
	DataDir   string
	Program   string // path of this program on the nodes
	// Approved lists the programs that tasks may start. The user of a node may never have started
	// one there.
	Approved []bridge.Approval
	// Estimate returns what a run takes on a machine like this one; nil if Time is given and
	// nothing else is to be asked for.
	Estimate func(*spec.Spec) (Need, error)
}

// Need is the time and the memory that a run takes.
type Need struct {
	Seconds float64
	Bytes   float64
}

// Batch is one job array: runs of one stage with the same needs.
type Batch struct {
	Job   string `json:"job"` // ID of Slurm; empty before it is submitted
	Rung  int    `json:"rung"`
	Base  int    `json:"base"`  // offset of the runs' indices, or of their places in the rung
	Tasks []int  `json:"tasks"` // array indices, which are relative to Base

	asked Need // of each task
}

// defaultTasks is the number of tasks that an array may have by Slurm's default of MaxArraySize.
const defaultTasks = 1001

// Batches returns the job arrays to submit for the runs in todo, in the order of their stages,
// without the places that are in the queue. The runs of later stages are known by their places
// only. A stage before one that is queued is left as it is, because the later stage does not wait
// for jobs that are submitted now.
func (f *Folder) Batches(todo []int, queue Queue, a *Resources) (list []Batch, err error) {
	s, err := f.stages()
	if err != nil {
		return nil, err
	}
	for n := max(s.last, len(queue)-1); n <= len(f.List.Halving.Epochs); n++ {
		slots, err := f.slots(n, s.last, todo)
		if err != nil {
			return nil, err
		}
		slots = slices.DeleteFunc(slots, func(s slot) bool { return queue.has(n, s.place) })
		batches, err := f.groupByNeed(n, slots, a)
		if err != nil {
			return nil, err
		}
		list = append(list, batches...)
	}
	return list, nil
}

// slot is a place in a stage, by which a task is known, and the run that has the place: one of
// several as long as this is not decided.
type slot struct {
	place int
	runs  []int
}

// slots returns the slots of stage n for the runs in todo, while stage now goes on.
func (f *Folder) slots(n, now int, todo []int) (list []slot, err error) {
	switch {
	case n > now:
		all, places := page.Indices(len(f.List.Runs)), page.Indices(f.List.mostKept(n))
		return lists.Map(places, func(place int) slot { return slot{place, all} }), nil
	case n == 0:
		return lists.Map(todo, func(i int) slot { return slot{i, []int{i}} }), nil
	}
	r, err := f.rung(n)
	if err != nil {
		return nil, err
	}
	for place, i := range r.Kept {
		if slices.Contains(todo, i) {
			list = append(list, slot{place, []int{i}})
		}
	}
	return list, nil
}

// groupByNeed groups tasks by what they need, one batch for each group.
func (f *Folder) groupByNeed(stage int, slots []slot, a *Resources) (list []Batch, err error) {
	known := map[int]Need{} // by setting
	most := cmp.Or(a.MostTasks, defaultTasks)
	for _, s := range slots {
		var asked Need // the most that one of its runs asks for
		for _, i := range s.runs {
			n, err := f.runNeed(stage, i, a, known)
			if err != nil {
				return nil, err
			}
			asked = Need{max(asked.Seconds, n.Seconds), max(asked.Bytes, n.Bytes)}
		}
		base := s.place / most * most
		same := func(b Batch) bool { return b.asked == asked && b.Base == base }
		n := slices.IndexFunc(list, same)
		if n < 0 {
			n, list = len(list), append(list, Batch{Rung: stage, Base: base, asked: asked})
		}
		list[n].Tasks = append(list[n].Tasks, s.place-base)
	}
	return list, nil
}

// runNeed returns what run i asks for in a stage, with margins and rounded.
func (f *Folder) runNeed(stage, i int, a *Resources, known map[int]Need) (n Need, err error) {
	n, ok := known[f.List.Runs[i].Setting]
	if !ok && a.Estimate != nil {
		one, err := f.List.Spec(i)
		if err != nil {
			return n, err
		}
		one.Epochs = min(one.Epochs, cmp.Or(f.List.Halving.stageEnd(stage), one.Epochs))
		if n, err = a.Estimate(&one); err != nil {
			return n, err
		}
	}
	known[f.List.Runs[i].Setting] = n
	seconds := a.Time.Seconds()
	if seconds == 0 {
		seconds = roundTime(timeMargin*n.Seconds + timeBase)
	}
	const step = 256 << 20
	return Need{seconds, math.Ceil(memoryMargin*n.Bytes/step) * step}, nil
}

// roundTime rounds up to one of a few times, so that there are few classes.
func roundTime(seconds float64) float64 {
	for _, minutes := range []float64{10, 20, 30, 60, 120, 240, 480, 720, 1440, 2880, 4320} {
		if seconds <= 60*minutes {
			return 60 * minutes
		}
	}
	return math.Ceil(seconds/86400) * 86400
}

// Margins of the requests: the nodes may be slower than this machine, and the estimates of
// evaluations and of the first reading of data are rough.
const (
	timeMargin   = 2.0
	timeBase     = 5 * 60 // seconds
	memoryMargin = 1.5
)
