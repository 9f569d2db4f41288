package sweep

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"drolab/runner/bridge"
	"drolab/runner/spec"
)

// Ask has the resources that a sweep's jobs request from Slurm.
type Ask struct {
	Partition, Constraint string        // empty: not asked for
	Time                  time.Duration // of a task; 0: as estimated
	Parallel              int           // tasks of an array at once; 0: no limit
	Threads               int           // processors of a task
	DataDir               string
	Program               string // path of this program on the nodes
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

	seconds, bytes float64
}

// mostTasks is the number of indices that an array may have by Slurm's default (MaxArraySize 1001).
const mostTasks = 1000

// Margins of the requests: the nodes may be slower than this machine, and the estimates of
// evaluations and of the first reading of data are rough.
const (
	timeMargin   = 2.0
	timeBase     = 5 * 60 // seconds
	memoryMargin = 1.5
)

// Batches returns the job arrays to submit for the runs in todo, stage by stage. The runs of later
// stages are known by their places only.
func (f *Folder) Batches(todo []int, a *Ask) (stages [][]Batch, err error) {
	s, err := f.stages()
	if err != nil {
		return nil, err
	}
	for n := s.last; n <= len(f.List.Halving.Epochs); n++ {
		slots, err := f.slots(n, s.last, todo)
		if err != nil {
			return nil, err
		}
		batches, err := f.classes(n, slots, a)
		if err != nil {
			return nil, err
		}
		stages = append(stages, batches)
	}
	return stages, nil
}

// slot is a place in a stage, by which a task is known, and the run that has the place; −1 means
// that this is not decided yet.
type slot struct{ place, run int }

// slots returns the slots of stage n for the runs in todo, while stage now goes on.
func (f *Folder) slots(n, now int, todo []int) (list []slot, err error) {
	switch {
	case n > now:
		for place := range f.List.places(n) {
			list = append(list, slot{place, -1})
		}
		return list, nil
	case n == 0:
		for _, i := range todo {
			list = append(list, slot{i, i})
		}
		return list, nil
	}
	r, err := f.rung(n)
	if err != nil {
		return nil, err
	}
	for place, i := range r.Kept {
		if slices.Contains(todo, i) {
			list = append(list, slot{place, i})
		}
	}
	return list, nil
}

// classes groups tasks by what they need, one batch for each group.
func (f *Folder) classes(stage int, slots []slot, a *Ask) (list []Batch, err error) {
	known := map[int]Need{} // by setting
	type class struct {
		seconds, bytes float64
		base           int
	}
	where := map[class]int{}
	for _, s := range slots {
		seconds, bytes, err := f.ask(stage, s.run, a, known)
		if err != nil {
			return nil, err
		}
		key := class{seconds, bytes, s.place / mostTasks * mostTasks}
		n, ok := where[key]
		if !ok {
			n = len(list)
			where[key] = n
			list = append(list, Batch{Rung: stage, Base: key.base, seconds: seconds, bytes: bytes})
		}
		list[n].Tasks = append(list[n].Tasks, s.place-key.base)
	}
	return list, nil
}

// ask returns what run i asks for in a stage, with margins and rounded. For i = −1 it returns the
// most that any run asks for.
func (f *Folder) ask(stage, i int, a *Ask, known map[int]Need) (seconds, bytes float64, err error) {
	if i >= 0 {
		return f.askOne(stage, i, a, known)
	}
	for i := range f.List.Runs {
		s, b, err := f.askOne(stage, i, a, known)
		if err != nil {
			return 0, 0, err
		}
		seconds, bytes = max(seconds, s), max(bytes, b)
	}
	return seconds, bytes, nil
}

func (f *Folder) askOne(
	stage, i int, a *Ask, known map[int]Need,
) (seconds, bytes float64, err error) {
	n, ok := known[f.List.Runs[i].Setting]
	if !ok && a.Estimate != nil {
		spec, err := f.List.Spec(i)
		if err != nil {
			return 0, 0, err
		}
		if h := &f.List.Halving; h.until(stage) > 0 {
			spec.Epochs = min(spec.Epochs, h.until(stage))
		}
		if n, err = a.Estimate(&spec); err != nil {
			return 0, 0, err
		}
	}
	known[f.List.Runs[i].Setting] = n
	seconds = a.Time.Seconds()
	if seconds == 0 {
		seconds = roundTime(timeMargin*n.Seconds + timeBase)
	}
	const step = 256 << 20
	return seconds, math.Ceil(memoryMargin*n.Bytes/step) * step, nil
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

// job returns the arguments of sbatch for a batch. No value is in a #SBATCH line, where a line
// break would begin a line of the script and each character has a rule of its own. The command is
// an exec, so that signals reach this program.
func (f *Folder) job(b *Batch, a *Ask, after []string) []string {
	var args []string
	add := func(format string, values ...any) {
		args = append(args, fmt.Sprintf(format, values...))
	}
	add("--job-name=%s", f.jobName())
	array := ranges(b.Tasks)
	if a.Parallel > 0 {
		array += fmt.Sprintf("%%%d", a.Parallel)
	}
	add("--array=%s", array)
	add("--cpus-per-task=%d", a.Threads)
	if b.bytes > 0 {
		add("--mem=%.0fM", b.bytes/(1<<20))
	}
	add("--time=%s", slurmTime(b.seconds))
	// Slurm may send the signal 60 s early. A short task receives it with a third of its time left.
	add("--signal=B:USR1@%.0f", min(120, b.seconds/3))
	add("--requeue")
	add("--open-mode=append")
	// A backslash makes Slurm take the name as it stands: then all tasks share a log.
	escape, name := "%", "%A_%a.log"
	if strings.Contains(f.Dir, `\`) {
		escape, name = `\`, "tasks.log"
	}
	add("--output=%s/%s", strings.ReplaceAll(f.own("slurm"), escape, escape+escape), name)
	for _, option := range [][2]string{{"partition", a.Partition}, {"constraint", a.Constraint}} {
		if option[1] != "" {
			add("--%s=%s", option[0], option[1])
		}
	}
	if len(after) > 0 {
		add("--dependency=afterany:%s", strings.Join(after, ":"))
	}
	place := "$SLURM_ARRAY_TASK_ID"
	if b.Base > 0 {
		place = fmt.Sprintf("$((%d + SLURM_ARRAY_TASK_ID))", b.Base)
	}
	if b.Rung > 0 {
		place += fmt.Sprintf(" --rung %d", b.Rung)
	}
	for _, p := range a.Approved {
		place += " --program " + Quote(p.String())
	}
	add("--wrap=exec %s --data %s --threads \"$SLURM_CPUS_PER_TASK\" sweep task %s %s",
		Quote(a.Program), Quote(a.DataDir), Quote(f.Dir), place)
	return args
}

// jobName returns a name that tells this sweep's jobs from other jobs.
func (f *Folder) jobName() string {
	h := fnv.New32a()
	h.Write([]byte(f.Dir))
	return fmt.Sprintf("drolab-%s-%08x", plain(f.List.Name), h.Sum32())
}

// ranges writes ascending numbers as Slurm does: 0-3,7.
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "-" + strconv.Itoa(list[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ",")
}

func slurmTime(seconds float64) string {
	n := int(math.Ceil(seconds))
	return fmt.Sprintf("%d-%02d:%02d:%02d", n/86400, n/3600%24, n/60%60, n%60)
}

// ParseTime reads a time as Slurm does: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S.
func ParseTime(text string) (time.Duration, error) {
	wrong := fmt.Errorf("%.40q: want minutes, H:M:S or D-H:M:S, as in 04:00:00", text)
	days, rest, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, rest = "0", text
	}
	parts := strings.Split(rest, ":")
	units := []time.Duration{time.Minute, time.Second}
	if hasDays || len(parts) == 3 {
		units = []time.Duration{time.Hour, time.Minute, time.Second}
	}
	if len(parts) > len(units) {
		return 0, wrong
	}
	total := time.Duration(0)
	for i, part := range append([]string{days}, parts...) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > 1e6 {
			return 0, wrong
		}
		total += time.Duration(n) * append([]time.Duration{24 * time.Hour}, units...)[i]
	}
	if total == 0 {
		return 0, wrong
	}
	return total, nil
}

// Quote makes a word for a shell of any text.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// jobsName is the file in a sweep's own folder that lists the submitted batches.
const jobsName = "jobs.json"

// submissions is the content of that file.
type submissions struct {
	Batches []Batch `json:"batches"`
}

// submitted returns the submitted batches, in their order. The last one may have no job, if a start
// was about to submit it.
func (f *Folder) submitted() ([]Batch, error) {
	var s submissions
	_, err := f.noted(f.own("slurm", jobsName), &s)
	return s.Batches, err
}

func (f *Folder) noteSubmitted(list []Batch) error {
	return f.files.Write(f.own("slurm", jobsName), submissions{list})
}

// Submit is a function that calls sbatch with arguments and returns the job.
type Submit func(ctx context.Context, args []string) (job string, err error)

// Submit submits the batches, each stage after the one before. It returns the arguments of sbatch
// for each. If submit is nil, it does nothing else. The caller is Alone.
func (f *Folder) Submit(
	ctx context.Context, stages [][]Batch, a *Ask, submit Submit,
) (calls [][]string, err error) {
	jobs, err := f.submitted()
	if err != nil {
		return nil, err
	}
	if submit != nil {
		if err := f.files.Folder(f.own("slurm")); err != nil {
			return nil, err
		}
	}
	var after []string
	for _, batches := range stages {
		var now []string
		for i := range batches {
			b := &batches[i]
			args := f.job(b, a, after)
			calls = append(calls, args)
			if submit == nil {
				now = append(now, "JOB")
				continue
			}
			jobs = append(jobs, *b)
			if err := f.submitLast(ctx, jobs, args, submit); err != nil {
				return nil, err
			}
			now = append(now, jobs[len(jobs)-1].Job)
		}
		if len(now) > 0 {
			after = now
		}
	}
	return calls, nil
}

// submitLast submits the last of the batches. It notes the batch before that, without a job, so
// that a crash leaves no job that nobody knows of: see Adopt.
func (f *Folder) submitLast(
	ctx context.Context, jobs []Batch, args []string, submit Submit,
) (err error) {
	n := len(jobs) - 1
	if err := f.noteSubmitted(jobs); err != nil {
		return err
	}
	if jobs[n].Job, err = submit(ctx, args); err != nil {
		return err
	}
	if err := f.noteSubmitted(jobs); err != nil {
		return fmt.Errorf("job %s is submitted, and cannot be noted: %w", jobs[n].Job, err)
	}
	return nil
}
