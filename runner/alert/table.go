package alert

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/lists"
	"drolab/runner/machine"
)

// Level says how much an alert matters.
type Level string

// The levels, ascending.
const (
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

// End, in the place of a level, wants the ends of runs alone: done and failed.
const End Level = "end"

// levels are what ParseLevel takes. The place of a level among the last three is its rank.
var levels = []Level{End, Info, Warn, Error}

// Levels returns what ParseLevel takes.
func Levels() []string { return lists.Map(levels, func(l Level) string { return string(l) }) }

// ParseLevel reads a level; "" is End.
func ParseLevel(text string) (Level, error) {
	if text == "" {
		return End, nil
	}
	if l := Level(text); slices.Contains(levels, l) {
		return l, nil
	}
	return End, fmt.Errorf("%q: expected %s", text, strings.Join(Levels(), ", "))
}

// Wants reports whether somebody who asked for a level wants an alert.
func (l Level) Wants(a Alert) bool {
	if l == End {
		return a.Name == Done || a.Name == Failed
	}
	return slices.Index(levels, a.Level) >= slices.Index(levels, l)
}

// The names of alerts; those about the machine are in runner/machine.
const (
	Done        = "done"
	Warning     = "warning"
	WorstClass  = "worst_class"
	Failed      = "failed"
	Interrupted = "interrupted"
)

// Kind is a row of the table of alerts.
type Kind struct {
	Name  string
	Level Level
	When  string
	// Text is the form of the text. With ByText, a text that differs in more than its figures is
	// another alert.
	Text   string
	ByText bool
	Remedy string // RUN stands for the name of the run
}

// kinds are all alerts, by their levels.
var kinds = []Kind{
	{Name: Done, Level: Info, When: "the run is done", Text: "done at step %d",
		Remedy: "drolab show RUN has its results"},
	{Name: Warning, Level: Warn, When: "the log has a warning", Text: "%s", ByText: true,
		Remedy: "its text says what helps; drolab show RUN has the figures"},
	{Name: machine.ScarceMemory, Level: Warn, Text: "%s",
		When: "less than 1 GiB of memory is free, or less than a tenth where there is less than " +
			"10 GiB",
		Remedy: "train fewer runs at once, or with a smaller batch"},
	{Name: machine.WaitingData, Level: Warn,
		When: "a GPU is used less than half, and workers are busy", Text: "%s",
		Remedy: "give the loader more workers, or cheaper samples"},
	{Name: machine.WaitingCores, Level: Warn,
		When: "a GPU is used less than half, and a core is busy", Text: "%s",
		Remedy: "make the batch larger, or the work between steps smaller"},
	{Name: WorstClass, Level: Warn,
		When: "the worst class or group has been below its best for a fifth of the run",
		Text: "worst %s %.1f %%, the mean of 5 evaluations, was %.1f %% (95 %% interval from " +
			"%.1f %%) and has been below that since step %d",
		Remedy: "drolab run --from RUN@STEP forks the run before it fell, as with a smaller lr"},
	{Name: Failed, Level: Error, When: "the run has failed", Text: "failed: %s", ByText: true,
		Remedy: "drolab show RUN says how it stands, drolab resume RUN goes on from its newest " +
			"checkpoint"},
	{Name: Interrupted, Level: Error,
		When:   "nobody trains the run any more, and its log has no end",
		Text:   "interrupted behind step %d: its process was killed, or its machine went down",
		Remedy: "drolab resume RUN goes on from its newest checkpoint"},
	{Name: machine.ScarceDisk, Level: Error,
		When: "less than 1 GiB of the disk of the runs is free, or less than a tenth where it " +
			"has less than 10 GiB", Text: "%s",
		Remedy: "remove what nobody needs: drolab delete RUN removes a run"},
}

// Kinds returns the table of alerts.
func Kinds() []Kind { return slices.Clone(kinds) }

// find returns the row of a name; nil for the name of another version.
func find(name string) *Kind {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}
