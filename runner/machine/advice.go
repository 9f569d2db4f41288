package machine

import "fmt"

// Bounds of what Advice says.
const (
	MinuteSamples = 6  // samples of a minute; with fewer, Advice says nothing of GPUs
	busyUse       = 50 // per cent; a GPU that is used less waits
)

// nearlyFull reports whether less than 1 GiB is free, or less than a tenth of a small part.
func nearlyFull(p Part) bool { return p.Of > 0 && p.Of-p.Used < min(gibi, p.Of/10) }

// Concern is something that matters. Its name is that of an alert.
type Concern struct{ Name, Text string }

// The names of concerns.
const (
	ScarceMemory = "memory"
	ScarceDisk   = "disk"
	WaitingData  = "gpu_data"
	WaitingCores = "gpu_processor"
)

// Advice returns the one thing that matters most in some samples, or "" if nothing does.
func Advice(list []Sample) string {
	if all := Concerns(list); len(all) > 0 {
		return all[0].Text
	}
	return ""
}

// Concerns returns all that matters in some samples, the most important first. Of the GPUs it looks
// at the first one, and says nothing if no process of the run is known there.
func Concerns(list []Sample) (all []Concern) {
	say := func(name, format string, args ...any) {
		all = append(all, Concern{name, fmt.Sprintf(format, args...)})
	}
	var last Sample
	var n, use, busy, workers, cores float64
	for _, last = range list {
		if g := last.GPUs; len(g) > 0 && g[0].Run > 0 && g[0].Use.Of > 0 {
			n, use, cores = n+1, use+g[0].Use.Used, cores+last.Run.CPU
			busy, workers = busy+float64(last.Run.Busy), workers+float64(last.Run.Workers)
		}
	}
	if m := last.Memory; nearlyFull(m) {
		say(ScarceMemory, "the memory is nearly full: %.1f GiB free", (m.Of-m.Used)/gibi)
	}
	if d := last.Disk; nearlyFull(d) {
		say(ScarceDisk, "the disk of the runs is nearly full: %.1f GiB free", (d.Of-d.Used)/gibi)
	}
	switch {
	case n < MinuteSamples || use >= busyUse*n || len(last.GPUs) == 0:
	case busy >= n && 2*busy >= workers:
		say(WaitingData, "GPU %d waits for data: %.0f %% used, %.0f workers busy",
			last.GPUs[0].Index, use/n, busy/n)
	case cores >= .9*n:
		say(WaitingCores, "GPU %d waits for the processor: %.0f %% used, the run uses %.1f cores",
			last.GPUs[0].Index, use/n, cores/n)
	}
	return all
}
