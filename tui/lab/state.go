package lab

import (
	"cmp"
	"fmt"

	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// State returns the glyph of a status, and its style.
func State(t *kit.Theme, s runner.Status) (string, kit.Style) {
	glyphs := map[runner.Status]string{runner.Queued: cell.Queued, runner.Running: cell.Running,
		runner.Paused: cell.Paused, runner.Done: cell.Done, runner.Stopped: cell.Stopped,
		runner.Failed: cell.Failed, runner.Interrupted: cell.Interrupted}
	styles := map[runner.Status]kit.Style{runner.Running: t.Accent, runner.Done: t.Text,
		runner.Paused: t.Warn, runner.Stopped: t.Warn, runner.Interrupted: t.Warn,
		runner.Failed: t.Alarm}
	st, ok := styles[s]
	if !ok {
		st = t.Dim
	}
	return cmp.Or(glyphs[s], "?"), st
}

// StateKnown returns how a status is shown that was known some time ago, as Silences tell: faint,
// and with the age.
func StateKnown(
	t *kit.Theme, s runner.Status, ago string,
) (glyph string, st kit.Style, text string) {
	glyph, st = State(t, s)
	if ago == "" {
		return glyph, st, string(s)
	}
	return glyph, t.Dim, StateWords(s, ago, true)
}

// StateWords writes a status that was known some time ago, as Silences tell: "running, 3 h ago".
// Where there is no room for the time, it is "running?", as the help defines it.
func StateWords(s runner.Status, ago string, wide bool) string {
	switch {
	case ago == "":
		return string(s)
	case !wide:
		return string(s) + "?"
	}
	return fmt.Sprintf("%s, %s", s, ago)
}

// RunWords writes the state of a run, as StateWords does. A run whose import is done is imported,
// and of one whose last layer is fitted again it says how far that is.
func RunWords(
	m *runner.Meta, s runner.Status, refit *runner.RefitEvent, ago string, wide bool,
) string {
	switch {
	case m.Imported != nil && s == runner.Done:
		return "imported"
	case refit != nil && ago == "":
		return refit.Brief()
	}
	return StateWords(s, ago, wide)
}

// missing is the status of a run of a sweep that has not begun.
const missing runner.Status = "missing"

// StateWord returns the word for a status. A run of a sweep that has not begun is queued.
func StateWord(s runner.Status) string {
	if s == missing {
		s = runner.Queued
	}
	return string(s)
}

// Counts returns the number of runs in each status that has any, in words: "2 running", "1 done".
// Runs of a sweep that have not begun count as queued.
func Counts(n map[runner.Status]int, order ...runner.Status) (words []string) {
	for _, s := range order {
		count := n[s]
		if s == runner.Queued {
			count += n[missing]
		}
		if count > 0 {
			words = append(words, fmt.Sprintf("%d %s", count, s))
		}
	}
	return words
}
