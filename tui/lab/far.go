package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"
)

// Deed is what a key does to a run.
type Deed int

// The deeds.
const (
	Pause Deed = iota
	Resume
	Stop
	Save
	Turn
	ForkRun
	Delete
	Note
	Tag
	Archive
	LookAtSamples
)

// deed says how something is done to a run of a box.
type deed struct {
	command string // does it on the box, behind "drolab"; RUN stands for the run
	reaches bool   // the interface of this machine does it, too
}

// of returns the row of a deed. Of a run of a box, the interface does what reaches it, and refuses
// the rest with the command.
func (d Deed) of() deed {
	return [...]deed{
		Pause:         {"pause RUN", false},
		Resume:        {"resume RUN", false},
		Stop:          {"stop RUN", false},
		Save:          {"checkpoint RUN", false},
		Turn:          {"knob RUN KEY=VALUE", false},
		ForkRun:       {"run --from RUN", false},
		Delete:        {"delete RUN", false},
		Note:          {"label RUN --note TEXT", false},
		Tag:           {"label RUN --tag WORD", false},
		Archive:       {"label RUN --archive", false},
		LookAtSamples: {"eval RUN --split train --top 50", false},
	}[d]
}

// NotHere says why something cannot be done from here to a run of a box, and the command that does
// it there; "" where it can.
func (d Deed) NotHere(r *record.Run) string {
	of := r.Mirrored()
	if of == nil || d.of().reaches {
		return ""
	}
	command := strings.ReplaceAll(d.of().command, "RUN", r.Meta.ID)
	return fmt.Sprintf("%s is on box %s: %s", r.Meta.ID, of.Box, farCommand(of.Box, command))
}

// farCommand returns the line that does something on a box.
func farCommand(box, command string) string {
	return "ssh " + box + " .local/bin/drolab " + command
}

// Silences are the boxes from which nothing is heard, each with how long ago it was heard: "3 h
// ago". Their runs are shown as they were known then. A Silences does not change.
type Silences map[string]string

// LookAtBoxes takes in which boxes are silent at a tick. It reports whether pages look different
// then.
func (s *Lab) LookAtBoxes(now time.Time) (changed bool) {
	silent := Silences{}
	for _, b := range s.Config.Boxes {
		if state := b.Link.State(); state.Silent(now) {
			silent[b.Name] = kit.Age(now.Sub(state.Known)) + " ago"
		}
	}
	changed = !maps.Equal(silent, s.Silent)
	s.Silent = silent
	return changed
}

// Ago says how long ago a run was known to have a status. It returns "" where that is the status of
// this moment, as of every run that has ended. Every view of runs that go on asks it.
func (s Silences) Ago(r *record.Run, status runner.Status) string {
	of := r.Mirrored()
	if of == nil || status.Ended() {
		return ""
	}
	return s[of.Box]
}

// Live returns those of the runs of which it is known at this moment that they go on.
func (s Silences) Live(runs []*record.Run) []*record.Run {
	return slices.DeleteFunc(Live(runs),
		func(r *record.Run) bool { return s.Ago(r, r.Status()) != "" })
}

// Notes returns a sentence on each silent box that has one of the runs.
func (s Silences) Notes(runs []*record.Run) (notes []string) {
	for _, box := range slices.Sorted(maps.Keys(s)) {
		if slices.ContainsFunc(runs, func(r *record.Run) bool {
			return r.Mirrored() != nil && r.Mirrored().Box == box
		}) {
			notes = append(notes, fmt.Sprintf(
				"Box %s has no link: its runs are shown as they were known %s", box, s[box]))
		}
	}
	return notes
}
