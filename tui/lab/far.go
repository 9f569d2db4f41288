package lab

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"time"

	"drolab/runner"
	"drolab/runner/box"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// NoSamples says why the samples of a run cannot be shown here, and the command that shows them; ""
// where they can. The data and the checkpoints of a run of a box are there.
func NoSamples(r *record.Run) string {
	if m := &r.Meta; m.Imported != nil && !m.Predicted() {
		return fmt.Sprintf("%s has no samples: it is %s", m.ID, m.Origin())
	}
	of := r.Mirrored()
	if of == nil {
		return ""
	}
	return fmt.Sprintf("%s is on box %s: drolab eval %[1]s --box %[2]s --split train --top 50",
		r.Meta.ID, of.Box)
}

// NoNetwork says why a run cannot be trained on; "" for a run that was trained here.
func NoNetwork(m *runner.Meta) string {
	if m.Imported == nil {
		return ""
	}
	return fmt.Sprintf("%s has no network: it is %s", m.ID, m.Origin())
}

// OfEpochs writes the epochs done and planned, as in 3.5/10, or "–" for a log of another program
// that does not count them.
func OfEpochs(m *runner.Meta, done float64, digits int) string {
	text := strconv.FormatFloat(done, 'g', digits, 64)
	switch {
	case m.Imported == nil:
		return fmt.Sprintf("%s/%d", text, m.Spec.Epochs)
	case done == 0:
		return "–"
	case m.Spec.Epochs == 0:
		return text
	}
	return fmt.Sprintf("%s/%d", text, m.Spec.Epochs)
}

// FolderOf says where the folder of a run is. For a box that has not said where its runs are, it
// says the name.
func (s *Lab) FolderOf(r *record.Run) string {
	of := r.Mirrored()
	if of == nil {
		return r.Dir
	}
	if link := s.Link(of.Box); link != nil {
		if hello := link.State().Hello; hello != nil && hello.RunsDir != "" {
			return "on box " + of.Box + ": " + path.Join(hello.RunsDir, r.Meta.ID)
		}
	}
	return "on box " + of.Box
}

// MachineOf returns what a box has said of its machine: its processor, cores and memory.
func MachineOf(h *box.Hello) (words []string) {
	const gibi = 1 << 30
	if h.CPU != "" {
		words = append(words, cell.OneLine(h.CPU))
	}
	words = append(words, kit.Plural(h.Cores, "core"))
	if h.Memory > 0 {
		words = append(words, fmt.Sprintf("%.3g GiB", float64(h.Memory)/gibi))
	}
	return words
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
