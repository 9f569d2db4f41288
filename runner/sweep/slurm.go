package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/disk"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// Resources has the resources that a sweep's jobs request from Slurm.
type Resources struct {
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

	asked Need // of each task
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
func (f *Folder) Batches(todo []int, a *Resources) (stages [][]Batch, err error) {
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
		return data.Map(places, func(place int) slot { return slot{place, all} }), nil
	case n == 0:
		return data.Map(todo, func(i int) slot { return slot{i, []int{i}} }), nil
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

// classes groups tasks by what they need, one batch for each group.
func (f *Folder) classes(stage int, slots []slot, a *Resources) (list []Batch, err error) {
	known := map[int]Need{} // by setting
	for _, s := range slots {
		var asked Need // the most that one of its runs asks for
		for _, i := range s.runs {
			n, err := f.runNeed(stage, i, a, known)
			if err != nil {
				return nil, err
			}
			asked = Need{max(asked.Seconds, n.Seconds), max(asked.Bytes, n.Bytes)}
		}
		base := s.place / mostTasks * mostTasks
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
	seconds := cmp.Or(a.Time.Seconds(), roundTime(timeMargin*n.Seconds+timeBase))
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

// job returns the arguments of sbatch for a batch. No value is in a #SBATCH line, where a line
// break would begin a line of the script and each character has a rule of its own. The command is
// an exec, so that signals reach this program.
func (f *Folder) job(b *Batch, a *Resources, after []string) []string {
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
	if b.asked.Bytes > 0 {
		add("--mem=%.0fM", b.asked.Bytes/(1<<20))
	}
	add("--time=%s", slurmTime(b.asked.Seconds))
	// Slurm may send the signal 60 s early. A short task receives it with a third of its time left.
	add("--signal=B:USR1@%.0f", min(120, b.asked.Seconds/3))
	add("--requeue")
	add("--open-mode=append")
	// A backslash makes Slurm take the name as it stands: then all tasks share a log.
	escape, name := "%", "%A_%a.log"
	if strings.Contains(f.Dir, `\`) {
		escape, name = `\`, "tasks.log"
	}
	add("--output=%s/%s", strings.ReplaceAll(f.ownPath("slurm"), escape, escape+escape), name)
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
	return fmt.Sprintf("drolab-%s-%08x", folderName(f.List.Name), h.Sum32())
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
	_, err := f.readIfThere(f.ownPath("slurm", jobsName), &s)
	return s.Batches, err
}

func (f *Folder) noteSubmitted(list []Batch) error {
	return f.files.Write(f.ownPath("slurm", jobsName), submissions{list})
}

// Submit is a function that calls sbatch with arguments and returns the job.
type Submit func(ctx context.Context, args []string) (job string, err error)

// Submit submits the batches, each stage after the one before. It returns the arguments of sbatch
// for each. If submit is nil, it does nothing else. The caller is in WithLock.
func (f *Folder) Submit(
	ctx context.Context, stages [][]Batch, a *Resources, submit Submit,
) (calls [][]string, err error) {
	jobs, err := f.submitted()
	if err != nil {
		return nil, err
	}
	if submit != nil {
		if err := f.files.Folder(f.ownPath("slurm")); err != nil {
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

// What follows queries Slurm with Slurm's own commands, and separators that this package chooses.
// The output of --json changes from one version of Slurm to the next, and many clusters have no
// accounting (sacct).

// command runs a command of Slurm and returns its output. The error has the words of the command.
func command(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s: this command is missing here: use a machine from which "+
			"Slurm jobs are submitted, or --on here", name)
	case errors.As(err, &exit):
		return "", fmt.Errorf("%s: %s", name, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}

// Sbatch is the Submit of this machine.
func Sbatch(ctx context.Context, args []string) (string, error) {
	out, err := command(ctx, "sbatch", append([]string{"--parsable"}, args...)...)
	job, _, _ := strings.Cut(strings.TrimSpace(out), ";") // a cluster's name may follow
	if _, e := strconv.Atoi(job); err == nil && e != nil {
		return "", fmt.Errorf("sbatch answered %.80q: want a job's number", out)
	}
	return job, err
}

// Requeue puts a task of an array back into the queue. It must not use SLURM_JOB_ID: for the last
// task of an array, that is the ID of the array itself, and all tasks would begin again.
func Requeue(ctx context.Context, array, task string) error {
	_, err := command(ctx, "scontrol", "requeue", array+"_"+task)
	return err
}

// jobState is the state of a task in Slurm.
type jobState struct {
	State, Reason string
	Node          string
	Restarts      int
}

// text describes the state to people.
func (j jobState) text() string {
	text := strings.ToLower(j.State)
	if j.Reason != "" && j.Reason != "None" {
		text += " (" + j.Reason + ")"
	}
	if j.Node != "" {
		text += " on " + j.Node
	}
	switch {
	case j.Restarts == 1:
		text += ", requeued once"
	case j.Restarts > 1:
		text += fmt.Sprintf(", requeued %d times", j.Restarts)
	}
	return text
}

// isLive reports whether the task runs or will run.
func (j jobState) isLive() bool {
	switch j.State {
	case "PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD",
		"REQUEUE_FED", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED":
		return true
	}
	return false
}

// taskKey names a task: JOB_INDEX.
func taskKey(job string, index int) string { return fmt.Sprintf("%s_%d", job, index) }

// squeue returns the tasks in Slurm's queue with a job's name.
func squeue(ctx context.Context, name string) (map[string]jobState, error) {
	out, err := command(ctx, "squeue", "-h", "-r", "-n", name,
		"-O", "ArrayJobID:|,ArrayTaskID:|,State:|,NodeList:|,RestartCnt:|,Reason:|")
	if err != nil {
		return nil, err
	}
	tasks := map[string]jobState{}
	for line := range strings.Lines(out) {
		fields := data.Map(strings.Split(line, "|"), strings.TrimSpace)
		if len(fields) < 6 {
			continue
		}
		index, err := strconv.Atoi(fields[1])
		if err != nil {
			continue // not a task of an array
		}
		restarts, _ := strconv.Atoi(fields[4])
		tasks[taskKey(fields[0], index)] = jobState{fields[2], fields[5], fields[3], restarts}
	}
	return tasks, nil
}

// remembered returns the tasks of an array that Slurm still knows, also ended ones, which Slurm
// forgets after some minutes.
func remembered(ctx context.Context, job string) map[string]jobState {
	out, err := command(ctx, "scontrol", "show", "job", "-o", job)
	if err != nil {
		return nil
	}
	tasks := map[string]jobState{}
	for line := range strings.Lines(out) {
		if key, state, ok := parseJob(line); ok {
			tasks[key] = state
		}
	}
	return tasks
}

// parseJob reads a line of scontrol show job -o.
func parseJob(line string) (key string, j jobState, ok bool) {
	fields := map[string]string{}
	for _, word := range strings.Fields(line) {
		if name, value, found := strings.Cut(word, "="); found {
			fields[name] = value
		}
	}
	index, err := strconv.Atoi(fields["ArrayTaskId"])
	if err != nil || fields["ArrayJobId"] == "" {
		return "", j, false
	}
	j = jobState{State: fields["JobState"], Reason: fields["Reason"], Node: fields["NodeList"]}
	j.Restarts, _ = strconv.Atoi(fields["Restarts"])
	if j.Node == "(null)" {
		j.Node = ""
	}
	return taskKey(fields["ArrayJobId"], index), j, true
}

// Jobs is Slurm's view of a sweep's runs, by index.
type Jobs map[int]jobState

// Jobs asks Slurm for the tasks of the sweep. With all, it asks for ended tasks, too.
func (f *Folder) Jobs(ctx context.Context, all bool) (Jobs, error) {
	batches, err := f.submitted()
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	queued, err := squeue(ctx, f.jobName())
	if err != nil {
		return nil, err
	}
	jobs := Jobs{}
	for _, b := range batches {
		var past map[string]jobState
		if all {
			past = remembered(ctx, b.Job)
		}
		runs := func(place int) int { return place }
		if b.Rung > 0 {
			r, err := f.rung(b.Rung)
			if err != nil {
				return nil, err
			}
			runs = func(place int) int {
				if r == nil || place >= len(r.Kept) {
					return -1
				}
				return r.Kept[place]
			}
		}
		for _, t := range b.Tasks {
			key := taskKey(b.Job, t)
			state, ok := queued[key]
			if !ok {
				state, ok = past[key]
			}
			if i := runs(b.Base + t); ok && i >= 0 && !(jobs[i].isLive() && !state.isLive()) {
				jobs[i] = state
			}
		}
	}
	return jobs, nil
}

// Adopt settles a batch that a start had noted before it died, without learning its job. The job is
// the one job of the sweep in Slurm's queue that is not noted. If there is none, Adopt removes the
// batch. The caller is in WithLock.
func (f *Folder) Adopt(ctx context.Context) error {
	batches, err := f.submitted()
	n := len(batches) - 1
	if err != nil || n < 0 || batches[n].Job != "" {
		return err
	}
	queued, err := squeue(ctx, f.jobName())
	if err != nil {
		return err
	}
	for key := range queued {
		job, _, _ := strings.Cut(key, "_")
		if !slices.ContainsFunc(batches, func(b Batch) bool { return b.Job == job }) {
			batches[n].Job = job
			return f.noteSubmitted(batches)
		}
	}
	return f.noteSubmitted(batches[:n])
}

// Busy tells whether a task of any run is in the queue or runs.
func (j Jobs) Busy() bool {
	for _, state := range j {
		if state.isLive() {
			return true
		}
	}
	return false
}

// Live tells whether a task of run i is in the queue or runs.
func (j Jobs) Live(i int) bool { return j[i].isLive() }

// Mark adds to the states of the runs what Slurm does with them.
func (j Jobs) Mark(states []State) {
	for i := range states {
		job, ok := j[i]
		s := &states[i]
		switch {
		case !ok || s.Status == runner.Done || s.Status == Dropped || s.Status == Waiting:
		case s.Status == runner.Running || s.Status == runner.Failed:
			s.Cause = strings.TrimPrefix(s.Cause+"; Slurm: "+job.text(), "; ")
		case job.isLive():
			s.Status, s.Cause = runner.Queued, "Slurm: "+job.text()
		case s.Status == Missing: // it is lost: no task trains it any more
			s.Status, s.Cause = runner.Failed, "Slurm: "+job.text()
		default:
			s.Cause = "Slurm: " + job.text()
		}
	}
}

// Cancel takes the sweep's tasks out of the queue. Running tasks stop with a checkpoint.
func (f *Folder) Cancel(ctx context.Context) error {
	batches, err := f.submitted()
	if err != nil || len(batches) == 0 {
		return err
	}
	_, err = command(ctx, "scancel", "--name="+f.jobName())
	return err
}

// Holder returns the holder of leases that a task is in its present life: the name in its leases
// where the disk has no locks, and a way to ask about other tasks. A life that Slurm has ended, or
// put back into the queue, holds nothing any more.
func (f *Folder) Holder(array, task, restarts string) disk.Holder {
	mine := array + "_" + task
	restarts = cmp.Or(restarts, "0")
	alive := func(name string) (alive, known bool) {
		words := strings.Fields(name)
		if len(words) != 3 || words[0] != "slurm" {
			return false, false
		}
		if words[1] == mine { // an earlier life of this task
			return false, words[2] != restarts
		}
		tasks, err := squeue(context.Background(), f.jobName())
		if err != nil {
			return false, false
		}
		job, ok := tasks[words[1]]
		life := strconv.Itoa(job.Restarts)
		return ok && job.State != "PENDING" && life == words[2], true
	}
	return disk.Holder{Name: "slurm " + mine + " " + restarts, Alive: alive}
}
