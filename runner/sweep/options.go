package sweep

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Options of sbatch that a site demands, each a text NAME=VALUE or NAME with the long name of the
// option. Each is one argument of sbatch. They come from the command line, which is the user's own,
// and from the sweep file, which may be somebody else's.

// optionForm matches an option. sbatch itself checks the value.
var optionForm = regexp.MustCompile(`^[a-z][a-z0-9-]*(=.*)?$`)

// notFree has the options that a user cannot give, with the reason or the flag to use.
var notFree = map[string]string{
	"array":         "drolab numbers the tasks of a sweep",
	"cluster":       "set SLURM_CLUSTERS, which squeue and scontrol read, too",
	"clusters":      "set SLURM_CLUSTERS, which squeue and scontrol read, too",
	"cpus-per-task": "give --cpus",
	"dependency":    "rungs wait for one another by it",
	"error":         "the logs of tasks lie in the sweep's folder",
	"help":          "sbatch would submit nothing",
	"job-name":      "drolab finds the sweep's jobs by it",
	"no-requeue":    "a requeued task continues from its checkpoint",
	"open-mode":     "a requeued task continues its log",
	"output":        "the logs of tasks lie in the sweep's folder",
	"parsable":      "drolab reads the job's number from what sbatch prints",
	"requeue":       "a requeued task continues from its checkpoint",
	"signal":        "a task saves its run at this signal",
	"test-only":     "sbatch would submit nothing: give --dry-run",
	"time":          "give --time",
	"usage":         "sbatch would submit nothing",
	"version":       "sbatch would submit nothing",
	"wait":          "sbatch would wait for the end of the job",
	"wrap":          "it is the task: commands before it are setup: in the sweep file",
}

// harmless has the options that ask for resources and no more. No other option is taken from a file
// that the user has not approved: some of them start a program, as container and export do.
var harmless = []string{"account", "begin", "cluster-constraint", "comment", "constraint",
	"contiguous", "core-spec", "cores-per-socket", "cpus-per-gpu", "deadline", "delay-boot",
	"distribution", "exclude", "exclusive", "extra-node-info", "gpu-bind", "gpu-freq", "gpus",
	"gpus-per-node", "gpus-per-socket", "gpus-per-task", "gres", "gres-flags", "hint", "licenses",
	"mail-type", "mem", "mem-bind", "mem-per-cpu", "mem-per-gpu", "mincpus", "nice", "no-kill",
	"nodelist", "nodes", "ntasks", "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node",
	"ntasks-per-socket", "overcommit", "oversubscribe", "partition", "prefer", "priority", "qos",
	"reservation", "sockets-per-node", "spread-job", "switches", "thread-spec", "threads-per-core",
	"time-min", "tmp", "use-min-nodes", "wckey"}

// others has the other options that sbatch knows, up to version 25.05.
var others = []string{"acctg-freq", "batch", "bb", "bbf", "chdir", "consolidate-segments",
	"container", "container-id", "cpu-freq", "export", "export-file", "extra", "get-user-env",
	"gid", "hold", "ignore-pbs", "input", "kill-on-invalid-dep", "mail-user", "mcs-label",
	"network", "nodefile", "ntasks-per-tres", "oom-kill-step", "power", "profile", "propagate",
	"quiet", "reboot", "resv-ports", "segment", "spread-segments", "stepmgr", "tres-bind",
	"tres-per-task", "uid", "verbose", "wait-all-nodes", "x11"}

// bare has the options that take no value, and optional those that may go without one. All other
// options that sbatch knows need a value.
var (
	bare = []string{"consolidate-segments", "contiguous", "hold", "ignore-pbs", "overcommit",
		"oversubscribe", "quiet", "reboot", "spread-job", "spread-segments", "stepmgr",
		"use-min-nodes", "verbose"}
	optional = []string{"exclusive", "get-user-env", "nice", "no-kill", "oom-kill-step",
		"propagate", "resv-ports", "x11"}
)

// known has all options that sbatch knows. A site may add others.
var known = slices.Concat(slices.Sorted(maps.Keys(notFree)), harmless, others)

// optionName returns the name of an option.
func optionName(option string) string {
	name, _, _ := strings.Cut(option, "=")
	return name
}

// isHarmless reports whether an option asks for resources and no more.
func isHarmless(option string) bool { return slices.Contains(harmless, optionName(option)) }

// CheckOption returns why an option cannot be given to sbatch, or nil.
func CheckOption(option string) error {
	if err := checkLine(option); err != nil {
		return err
	}
	if !optionForm.MatchString(option) {
		return fmt.Errorf("%.200q: expected the long name of an option of sbatch and its value, "+
			"as in account=vision", option)
	}
	name, value, hasValue := strings.Cut(option, "=")
	if reason, own := notFree[name]; own {
		return fmt.Errorf("%s: drolab sets this option itself: %s", name, reason)
	}
	longer := func(whole string) bool { return strings.HasPrefix(whole, name) }
	switch i := slices.IndexFunc(known, longer); {
	case !slices.Contains(known, name) && i >= 0: // sbatch takes name for it, or refuses it
		return fmt.Errorf("%s: expected the whole name of an option of sbatch, such as %s", name,
			known[i])
	case slices.Contains(bare, name) && value != "":
		return fmt.Errorf("%s: expected no value, because sbatch takes none for this option",
			option)
	case slices.Contains(known, name) && !hasValue && !slices.Contains(bare, name) &&
		!slices.Contains(optional, name):
		return fmt.Errorf("%s: expected a value, as in %s=VALUE", name, name)
	}
	return nil
}

// CheckTwice returns an error if a list has two options with one name.
func CheckTwice(options []string) error {
	given := map[string]string{}
	for _, option := range options {
		name := optionName(option)
		if before, twice := given[name]; twice {
			return fmt.Errorf("%s: expected one value, and %s and %s are given", name, before,
				option)
		}
		given[name] = option
	}
	return nil
}

// checkLine returns an error if text cannot be one line of a job.
func checkLine(text string) error {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%.200q: expected no control characters in a Slurm job", text)
	}
	return nil
}

// MergeOptions returns the options of all lists. Of options with one name the last one counts, and
// an option with an empty value, as in account=, is dropped.
func MergeOptions(lists ...[]string) (merged []string) {
	for _, option := range slices.Concat(lists...) {
		same := func(other string) bool { return optionName(other) == optionName(option) }
		if i := slices.IndexFunc(merged, same); i >= 0 {
			merged[i] = option
		} else {
			merged = append(merged, option)
		}
	}
	dropped := func(option string) bool {
		_, value, given := strings.Cut(option, "=")
		return given && value == ""
	}
	return slices.DeleteFunc(merged, dropped)
}

// memoryOptions returns the options that ask for memory.
func memoryOptions(options []string) (list []string) {
	for _, option := range options {
		if slices.Contains([]string{"mem", "mem-per-cpu", "mem-per-gpu"}, optionName(option)) {
			list = append(list, option)
		}
	}
	return list
}

// CheckMemory returns an error if merged options ask for memory in more than one way, which sbatch
// refuses.
func CheckMemory(options []string) error {
	if asked := memoryOptions(options); len(asked) > 1 {
		return fmt.Errorf("%s: sbatch takes one option for memory: forget the other, as with "+
			"--sbatch %s=", strings.Join(asked, " and "), optionName(asked[0]))
	}
	return nil
}

// ErrOwnFile says that only a file which the user has approved may hold such a line.
var ErrOwnFile = errors.New("only a sweep file that you have approved may")

// CheckTrust returns an error if the file has a line that may start a program on a node. Such a
// line is taken from a file only if its user has approved the file.
func (f *File) CheckTrust() error {
	if len(f.Setup) > 0 {
		return fmt.Errorf("setup: %w run commands in a job", ErrOwnFile)
	}
	for _, option := range f.Sbatch {
		if !isHarmless(option) {
			return fmt.Errorf("sbatch: %s: %w give options that do more than ask for resources",
				optionName(option), ErrOwnFile)
		}
	}
	return nil
}

// KeptOptions returns the options that the command line of an earlier start gave. The folder may be
// somebody else's, so only options count that ask for resources and no more.
func (f *Folder) KeptOptions() ([]string, error) {
	s, err := f.submissions()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.Options, func(option string) bool {
		return CheckOption(option) != nil || !isHarmless(option)
	}), nil
}

// KeepOptions notes the options of the command line for later starts, beside those that are kept
// already. It returns those that it does not keep, because later starts would not take them from
// the folder. The caller is in WithLock.
func (f *Folder) KeepOptions(options []string) (notKept []string, err error) {
	s, err := f.submissions()
	if err != nil {
		return nil, err
	}
	var keep []string
	for _, option := range options {
		if isHarmless(option) {
			keep = append(keep, option)
		} else {
			notKept = append(notKept, option)
		}
	}
	all := MergeOptions(s.Options, keep)
	if slices.Equal(all, s.Options) {
		return notKept, nil
	}
	s.Options = all
	return notKept, f.writeSubmissions(s)
}
