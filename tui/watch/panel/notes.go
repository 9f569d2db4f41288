package panel

import (
	"slices"
	"time"

	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/plot"
)

// Note is a line of the log pane. Its text is one line without control characters: text from a log
// goes through cell.OneLine first.
type Note struct {
	Time time.Time
	Step int64
	Text string
	Bad  bool

	checkpoint bool
}

// The most notes and markers that are kept of a run. The latest are kept.
const (
	maxNotes   = 200
	maxMarkers = 64
)

// noteStatus notes the status that Progress has just taken over, with its cause.
func (t *Track) noteStatus(h *runner.Head) {
	p := t.read()
	text := string(p.Status)
	if p.Cause != "" {
		text += ": " + cell.OneLine(p.Cause)
	}
	t.note(h, p.Status == runner.Failed, text)
}

// note appends a line for the log pane, and drops the oldest line where there are too many.
func (t *Track) note(h *runner.Head, bad bool, text string) {
	t.Notes = push(t.Notes, Note{Time: h.Time, Step: h.Step, Text: text, Bad: bad}, maxNotes)
}

// push appends to a list of at most so many, and drops the oldest if there are more.
func push[T any](list []T, v T, most int) []T {
	if len(list) == most {
		list = slices.Delete(list, 0, 1)
	}
	return append(list, v)
}

// noteCheckpoint replaces the note of the previous checkpoint if nothing happened since.
// Checkpoints come by the dozen, and their notes would hide the others.
func (t *Track) noteCheckpoint(h *runner.Head, text string) {
	if n := len(t.Notes); n > 0 && t.Notes[n-1].checkpoint {
		t.Notes = t.Notes[:n-1]
	}
	t.note(h, false, text)
	t.Notes[len(t.Notes)-1].checkpoint = true
}

func (t *Track) mark(step int64, letter rune) {
	t.Markers = push(t.Markers, plot.Marker{X: float64(step), Letter: letter}, maxMarkers)
}
