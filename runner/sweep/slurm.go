package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/lists"
)

// Slurm is queried with its own commands, and separators that this package chooses. The output of
// --json changes from one version of Slurm to the next. Many clusters have no accounting, so sacct
// is asked only for what the other commands have forgotten.

// errEnded says that a command of Slurm was ended before it had ended by itself.
var errEnded = errors.New("was ended: it took longer than a minute, or was cancelled")

// command runs a command of Slurm and returns its output, also with an error. The error has the
// words of the command. It is errEnded if the command took too long, or ctx was cancelled.
func command(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Env = outsideOfJobs(os.Environ())
	c.WaitDelay = time.Second // a process that it has started may keep its output open
	out, err := c.Output()
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.Is(err, exec.ErrNotFound):
		err = fmt.Errorf("%s: this command is missing here: use a machine from which "+
			"Slurm jobs are submitted, or --on here", name)
	case ctx.Err() != nil:
		err = fmt.Errorf("%s %w", name, errEnded)
	case errors.As(err, &exit):
		words := strings.Join(strings.Fields(string(exit.Stderr)), " ")
		err = fmt.Errorf("%s: %s", name, cutMiddle(strings.TrimPrefix(words, name+": ")))
	}
	return string(out), err
}

// cutMiddle shortens long words of a command. Its beginning names what is wrong if it is one line;
// behind the banner of a site, the end does.
func cutMiddle(words string) string {
	const most = 400 // bytes at either end
	if len(words) <= 2*most {
		return words
	}
	return strings.ToValidUTF8(words[:most], "") + " … " +
		strings.ToValidUTF8(words[len(words)-most:], "")
}

// outsideOfJobs returns an environment without the variables of a job around this process. From
// them a command of Slurm takes options, and a job the binding of its processors. The variables
// that say which cluster is meant stay, and so do the user's own options of sbatch, SBATCH_*.
// Variables that choose what squeue, scontrol and sacct print go, because their output is read.
func outsideOfJobs(environ []string) []string {
	cluster := []string{"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT", "SLURM_CLUSTERS"}
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		for _, prefix := range []string{"SLURM_", "PMI", "SQUEUE_", "SCONTROL_", "SACCT_"} {
			if strings.HasPrefix(name, prefix) {
				return !slices.Contains(cluster, name)
			}
		}
		return false
	})
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

// States of tasks whose limits were too low.
const (
	outOfMemory = "OUT_OF_MEMORY"
	timeout     = "TIMEOUT"
)

// text describes the state to people, with the remedy if there is one.
func (j jobState) text() string {
	text := strings.ToLower(j.State)
	switch {
	case j.State == outOfMemory:
		text = "out of memory"
	case j.Reason != "" && j.Reason != "None":
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
	switch j.State {
	case outOfMemory:
		text += ": start the sweep again with more, as in --sbatch mem=64G"
	case timeout:
		text += ": its time limit came before the run was saved: start the sweep again with " +
			"more --time"
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
		fields := lists.Map(strings.Split(line, "|"), strings.TrimSpace)
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

// knownTasks returns the tasks of an array that Slurm still knows, also ended ones, which Slurm
// forgets after some minutes.
func knownTasks(ctx context.Context, job string) map[string]jobState {
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

// accountedTasks returns the tasks of arrays as the accounting has them, which forgets none. Many
// clusters have no accounting.
func accountedTasks(ctx context.Context, jobs []string) map[string]jobState {
	tasks := map[string]jobState{}
	out, err := command(ctx, "sacct", "-n", "-P", "-o", "JobID,State,NodeList", "-j",
		strings.Join(jobs, ","))
	if err != nil {
		return tasks
	}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) < 3 {
			continue
		}
		id, step, _ := strings.Cut(fields[0], ".")
		job, task, _ := strings.Cut(id, "_")
		index, err := strconv.Atoi(task)
		state, _, _ := strings.Cut(fields[1], " ") // "CANCELLED by 1000"
		if err != nil || step != "" && state != outOfMemory {
			continue // a step may be out of memory where the task has only failed
		}
		tasks[taskKey(job, index)] = jobState{State: state, Node: fields[2]}
	}
	return tasks
}

// pastTasks returns the tasks of batches that are no longer in the queue.
func pastTasks(
	ctx context.Context, batches []Batch, queued map[string]jobState,
) map[string]jobState {
	past, forgotten := map[string]jobState{}, []string{}
	for _, b := range batches {
		maps.Copy(past, knownTasks(ctx, b.Job))
		if slices.ContainsFunc(b.Tasks, func(t int) bool {
			key := taskKey(b.Job, t)
			return queued[key].State == "" && past[key].State == ""
		}) {
			forgotten = append(forgotten, b.Job)
		}
	}
	if len(forgotten) > 0 {
		for key, state := range accountedTasks(ctx, forgotten) {
			if past[key].State == "" {
				past[key] = state
			}
		}
	}
	return past
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
	batches, err := f.submittedBatches()
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	queued, err := squeue(ctx, f.jobName())
	if err != nil {
		return nil, err
	}
	var past map[string]jobState
	if all {
		past = pastTasks(ctx, batches, queued)
	}
	jobs := Jobs{}
	for _, b := range batches {
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

// Queue has the places of each stage whose tasks are in Slurm's queue or run, with their jobs.
type Queue []map[int]string

// Queue asks Slurm which tasks of the sweep are in its queue or run.
func (f *Folder) Queue(ctx context.Context) (queue Queue, err error) {
	batches, err := f.submittedBatches()
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	queued, err := squeue(ctx, f.jobName())
	if err != nil {
		return nil, err
	}
	for _, b := range batches {
		for _, t := range b.Tasks {
			if !queued[taskKey(b.Job, t)].isLive() {
				continue
			}
			for len(queue) <= b.Rung {
				queue = append(queue, map[int]string{})
			}
			queue[b.Rung][b.Base+t] = b.Job
		}
	}
	return queue, nil
}

// has reports whether a place of a stage is in the queue.
func (q Queue) has(stage, place int) bool {
	return stage < len(q) && q[stage][place] != ""
}

// jobs returns the jobs of a stage, in ascending order.
func (q Queue) jobs(stage int) []string {
	if stage < 0 || stage >= len(q) {
		return nil
	}
	list := slices.Sorted(maps.Values(q[stage]))
	return slices.Compact(list)
}

// MostTasks returns the number of tasks that an array may have on this cluster: its indices are
// from 0 to the site's MaxArraySize minus 1. It is 0 if Slurm does not say.
func MostTasks(ctx context.Context) int {
	out, err := command(ctx, "scontrol", "show", "config")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(line, "=")
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil &&
			strings.TrimSpace(name) == "MaxArraySize" {
			return max(1, n)
		}
	}
	return 0
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

// Mark adds to the states of the runs what Slurm does with them.
func (j Jobs) Mark(states []State) {
	for i := range states {
		job, ok := j[i]
		s := &states[i]
		switch {
		case !ok || s.Status == runner.Done || s.Status == Dropped || s.Status == Waiting:
		case s.Status == runner.Failed && job.State == outOfMemory: // which killed it
			s.Cause = strings.TrimSuffix("Slurm: "+job.text()+"; "+s.Cause, "; ")
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
	batches, err := f.submittedBatches()
	if err != nil || len(batches) == 0 {
		return err
	}
	_, err = command(ctx, "scancel", "--name="+f.jobName())
	return err
}

// Holder returns the holder of leases that a task is in its present life: the name in its leases
// where the disk has no locks, and a way to ask about other tasks. A life that Slurm has ended, or
// put back into the queue, holds nothing any more. With the end of ctx, nothing is known of others.
func (f *Folder) Holder(ctx context.Context, array, task, restarts string) disk.Holder {
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
		tasks, err := squeue(ctx, f.jobName())
		if err != nil {
			return false, false
		}
		job, ok := tasks[words[1]]
		life := strconv.Itoa(job.Restarts)
		return ok && job.State != "PENDING" && life == words[2], true
	}
	return disk.Holder{Name: "slurm " + mine + " " + restarts, Alive: alive}
}
