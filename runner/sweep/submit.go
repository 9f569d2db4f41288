package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"drolab/runner/numeral"
)

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
	if b.asked.Bytes > 0 && len(memoryOptions(a.Options)) == 0 {
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
	for _, option := range a.Options {
		add("--%s", option)
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
	task := fmt.Sprintf("exec %s --data %s --threads \"$SLURM_CPUS_PER_TASK\" sweep task %s %s",
		Quote(a.Program), Quote(a.DataDir), Quote(f.Dir), place)
	if len(a.Setup) > 0 {
		// A login shell has the commands of the site, such as module. A line that fails ends the
		// task, so that no run is trained without what it needs.
		script := "set -e\n" + strings.Join(a.Setup, "\n") + "\n" + task
		task = "exec bash -l -c " + Quote(script)
	}
	add("--wrap=%s", task)
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

// ParseTime reads a time as Slurm does: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S. It also reads a
// duration with its units.
func ParseTime(text string) (time.Duration, error) {
	wrong := fmt.Errorf("%.40q: expected minutes, H:M:S, D-H:M:S or a duration, as in 04:00:00 or "+
		"4h", text)
	if d, ok := numeral.Duration(text); ok && d >= time.Second && d < 1e6*time.Minute {
		return d, nil
	}
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
	// Options are options of sbatch that the command line of a start gave, for later starts.
	Options []string `json:"sbatch,omitempty"`
}

func (f *Folder) submissions() (s submissions, err error) {
	_, err = f.readIfThere(f.ownPath("slurm", jobsName), &s)
	return s, err
}

func (f *Folder) writeSubmissions(s submissions) error {
	if err := f.files.Folder(f.ownPath("slurm")); err != nil {
		return err
	}
	return f.files.Write(f.ownPath("slurm", jobsName), s)
}

// submittedBatches returns the submitted batches, in their order. The last one may have no job, if
// a start was about to submit it.
func (f *Folder) submittedBatches() ([]Batch, error) {
	s, err := f.submissions()
	return s.Batches, err
}

func (f *Folder) noteSubmitted(list []Batch) error {
	s, err := f.submissions()
	if err != nil {
		return err
	}
	s.Batches = list
	return f.writeSubmissions(s)
}

// Submit is a function that calls sbatch with arguments and returns the job.
type Submit func(ctx context.Context, args []string) (job string, err error)

// Calls returns the arguments of sbatch for each batch. JOB stands for the jobs of other batches.
func (f *Folder) Calls(batches []Batch, queue Queue, a *Resources) (calls [][]string) {
	w := waits{queue: queue, lanes: a.lanes()}
	for i := range batches {
		b := &batches[i]
		calls = append(calls, f.job(b, a, w.before(b)))
		w.add(b, "JOB")
	}
	return calls
}

// Submit submits batches, each after the jobs that it waits for, and returns the batches with their
// jobs. With an error, it returns those that it has submitted before. The caller is in WithLock.
func (f *Folder) Submit(
	ctx context.Context, batches []Batch, queue Queue, a *Resources, submit Submit,
) (submitted []Batch, err error) {
	jobs, err := f.submittedBatches()
	if err != nil {
		return nil, err
	}
	w := waits{queue: queue, lanes: a.lanes()}
	for _, b := range batches {
		var limit error // of the site, on the number of tasks
		for {
			jobs = append(jobs, b)
			err := f.submitLast(ctx, jobs, f.job(&b, a, w.before(&b)), submit)
			if errors.Is(err, errTooMany) && len(b.Tasks) > 1 {
				jobs, b.Tasks, limit = jobs[:len(jobs)-1], b.Tasks[:len(b.Tasks)/2], err
				continue
			}
			if err != nil {
				return submitted, err
			}
			break
		}
		b = jobs[len(jobs)-1]
		submitted = append(submitted, b)
		w.add(&b, b.Job)
		if limit != nil {
			return submitted, limit
		}
	}
	return submitted, nil
}

// waits knows which jobs a batch has to wait for.
type waits struct {
	queue Queue
	added []Batch // with their jobs
	lanes int     // arrays of a class that run at once; 0: all
}

// before returns the jobs that a batch waits for: all of the stage before and, if few tasks of its
// class may run at once, an earlier array of the class.
func (w *waits) before(b *Batch) []string {
	jobs := w.queue.jobs(b.Rung - 1)
	var class []string
	for i := range w.added {
		switch other := &w.added[i]; {
		case other.Rung == b.Rung-1 && !slices.Contains(jobs, other.Job):
			jobs = append(jobs, other.Job)
		case other.Rung == b.Rung && other.asked == b.asked:
			class = append(class, other.Job)
		}
	}
	if n := len(class); w.lanes > 0 && n >= w.lanes {
		jobs = append(jobs, class[n-w.lanes])
	}
	return jobs
}

func (w *waits) add(b *Batch, job string) {
	added := *b
	added.Job = job
	w.added = append(w.added, added)
}

// lanes returns how many arrays of a class may run at once; 0 if that does not matter.
func (a *Resources) lanes() int {
	if a.Parallel == 0 {
		return 0
	}
	return max(1, a.Parallel/cmp.Or(a.MostTasks, defaultTasks))
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
	jobs[n].Job, err = submit(ctx, args)
	if errors.Is(err, errNoNumber) {
		jobs[n].Job, err = f.jobOfLast(ctx, jobs, err)
	}
	if err != nil {
		return err
	}
	if err := f.noteSubmitted(jobs); err != nil {
		return fmt.Errorf("job %s is submitted, and cannot be noted: %w", jobs[n].Job, err)
	}
	return nil
}

// jobOfLast returns the job of the last batch, which sbatch may have submitted, as the queue has
// it. If it is not there, the error says how to look for it. The batch stays noted without a job,
// so that the next start looks for the job before it submits anything.
func (f *Folder) jobOfLast(ctx context.Context, jobs []Batch, why error) (string, error) {
	queued, err := squeue(ctx, f.jobName())
	if job := unnoted(queued, jobs); job != "" {
		return job, nil
	}
	return "", errors.Join(fmt.Errorf("%w; a job may be queued: look with squeue --name=%s, then "+
		"start the sweep again, which takes the job over if it is there", why, f.jobName()), err)
}

// errNoNumber says that sbatch may have submitted a job, and has not told the job's number.
var errNoNumber = errors.New("no job's number")

// errTooMany says that the site's limit leaves no room for so many tasks.
var errTooMany = errors.New("start the sweep again when some tasks have ended, to submit the rest")

// tooMany matches what sbatch says of a limit on the number of jobs, such as MaxSubmitJobs.
var tooMany = regexp.MustCompile(`(?i)job submit limit|MaxSubmitJob`)

// Sbatch is the Submit of this machine.
func Sbatch(ctx context.Context, args []string) (string, error) {
	out, err := command(ctx, "sbatch", append([]string{"--parsable"}, args...)...)
	job := jobNumber(out)
	switch ended := errors.Is(err, errEnded); {
	case job != "" && (err == nil || ended): // it may have waited for the job, by SBATCH_WAIT
		return job, nil
	case err == nil:
		return "", fmt.Errorf("sbatch: %w is in its answer %.80q", errNoNumber, out)
	case ended:
		return "", fmt.Errorf("%w: %w is in its answer %.80q", err, errNoNumber, out)
	case tooMany.MatchString(err.Error()):
		return "", fmt.Errorf("%w: %w", err, errTooMany)
	}
	return "", err
}

// jobLine matches the line of sbatch --parsable. The name of a cluster may follow the number.
var jobLine = regexp.MustCompile(`^([0-9]+)(;\S+)?$`)

// jobNumber returns the job's number in the output of sbatch, which is the last line of this form:
// a site may print other lines. It is "" if there is none.
func jobNumber(out string) (job string) {
	for line := range strings.Lines(out) {
		if m := jobLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			job = m[1]
		}
	}
	return job
}

// Adopt settles a batch that a start had noted before it died, without learning its job. The job is
// the one job of the sweep in Slurm's queue that is not noted. If there is none, Adopt removes the
// batch. The caller is in WithLock.
func (f *Folder) Adopt(ctx context.Context) error {
	batches, err := f.submittedBatches()
	if err != nil {
		return err
	}
	n := len(batches) - 1
	if n < 0 || batches[n].Job != "" {
		return nil
	}
	queued, err := squeue(ctx, f.jobName())
	if err != nil {
		return err
	}
	if job := unnoted(queued, batches); job != "" {
		batches[n].Job = job
		return f.noteSubmitted(batches)
	}
	return f.noteSubmitted(batches[:n])
}

// unnoted returns the job in the queue that is the last batch: no other batch has it, and all of
// its tasks are the batch's. It returns "" if there is none.
func unnoted(queued map[string]jobState, batches []Batch) string {
	last := batches[len(batches)-1]
	tasks := map[string][]int{}
	for key := range queued {
		job, index, _ := strings.Cut(key, "_")
		n, _ := strconv.Atoi(index) // taskKey wrote it
		tasks[job] = append(tasks[job], n)
	}
	for job, list := range tasks {
		noted := slices.ContainsFunc(batches, func(b Batch) bool { return b.Job == job })
		foreign := func(n int) bool { return !slices.Contains(last.Tasks, n) }
		if !noted && !slices.ContainsFunc(list, foreign) {
			return job
		}
	}
	return ""
}
