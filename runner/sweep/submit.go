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
	wrong := fmt.Errorf("%.40q: expected minutes, H:M:S or D-H:M:S, as in 04:00:00", text)
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

// submittedBatches returns the submitted batches, in their order. The last one may have no job, if
// a start was about to submit it.
func (f *Folder) submittedBatches() ([]Batch, error) {
	var s submissions
	if _, err := f.readIfThere(f.ownPath("slurm", jobsName), &s); err != nil {
		return nil, err
	}
	return s.Batches, nil
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
	jobs, err := f.submittedBatches()
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

// Sbatch is the Submit of this machine.
func Sbatch(ctx context.Context, args []string) (string, error) {
	out, err := command(ctx, "sbatch", append([]string{"--parsable"}, args...)...)
	if err != nil {
		return "", err
	}
	job, _, _ := strings.Cut(strings.TrimSpace(out), ";") // a cluster's name may follow
	if _, err := strconv.Atoi(job); err != nil {
		return "", fmt.Errorf("sbatch answered %.80q: expected a job's number", out)
	}
	return job, nil
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
	for key := range queued {
		job, _, _ := strings.Cut(key, "_")
		if !slices.ContainsFunc(batches, func(b Batch) bool { return b.Job == job }) {
			batches[n].Job = job
			return f.noteSubmitted(batches)
		}
	}
	return f.noteSubmitted(batches[:n])
}
