package watch

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"drolab/runner/lists"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// output is the last output of the program of the run under the cursor, which the log pane can
// show in place of the events. It is read anew now and then while it is shown.
type output struct {
	id      string   // the run's ID
	lines   []string // the end of the output, as it may be drawn
	problem string   // why there are no lines; "" without a problem
	looked  time.Time
	reading bool
}

// The bounds of the end of a program's output that is shown.
const (
	mostOutput = 64 << 10 // bytes
	mostLines  = 1000
)

// trainsProgram reports whether the run trains a program, which may have printed something.
func trainsProgram(t *panel.Track) bool { return t != nil && t.Meta.Program != nil }

// readOutput looks for new output of the run's program, if the pane shows it.
func (w *Page) readOutput(now time.Time) tea.Cmd {
	t, p := w.Runs.Run(), &w.output
	same := t != nil && p.id == t.ID
	fresh := same && now.Sub(p.looked) < lookInterval
	if w.screen.logPane != outputPane || !trainsProgram(t) || p.reading || fresh {
		return nil
	}
	if !same {
		*p = output{id: t.ID}
	}
	p.reading, p.looked = true, now
	run, before := t.Run, *p
	return func() tea.Msg {
		text, whole, err := run.Printed(mostOutput)
		m := outputMsg{id: before.id}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			m.problem = "no output was kept"
		case err != nil:
			m.problem = cell.OneLine(err.Error())
		}
		m.lines = linesOf(text, whole)
		m.changes = !same || m.problem != before.problem || !slices.Equal(m.lines, before.lines)
		return m
	}
}

// linesOf returns the lines of a text. Of a line that a program has written over, such as a
// progress bar, the last form stays.
func linesOf(text []byte, whole bool) (lines []string) {
	if !whole { // its first line may have lost its beginning
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		line = line[strings.LastIndexByte(line, '\r')+1:]
		lines = append(lines, cell.Strip(strings.ReplaceAll(line, "\t", "    ")))
	}
	return slices.Clone(lines[max(0, len(lines)-mostLines):])
}

// showOutput shows the output. Output of another run than the one asked for last is dropped.
func (w *Page) showOutput(m outputMsg) {
	if p := &w.output; p.id == m.id {
		p.reading = false
		if m.changes {
			p.lines, p.problem = m.lines, m.problem
			w.touch()
		}
	}
}

// drawOutput draws the log pane with the output of the program of the run under the cursor.
func (w *Page) drawOutput(r kit.Rect, box bool) []string {
	t, p, run := w.Theme, &w.output, w.Runs.Run()
	var all []string
	note := ""
	switch {
	case !trainsProgram(run):
		note = "trains no program"
	case p.id != run.ID || p.reading && len(p.lines) == 0 && p.problem == "":
		note = "reading" + t.More
	case p.problem != "":
		note = p.problem
	default:
		all, note = p.lines, kit.Plural(len(p.lines), "line")
	}
	iw, ih := kit.Inside(box, r.W, r.H)
	said := func(line string) string { return line }
	shown, below := visibleLines(all, said, w.screen.words, w.screen.logBack, ih)
	lines := lists.Map(shown, func(line string) string {
		return " " + t.Text.Paint(cell.Cut(t.Greek(line), iw-2))
	})
	return t.Panel("Program of "+run.Label, below+note, false, box, lines, r.W, r.H)
}
