package watch

import (
	"bytes"
	"errors"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// mostRead is the number of events after which a look leaves the other logs to the next look.
// Events are held until they are drawn, and dozens of logs that were never read have thousands
// each. A log that was begun is read as far as its Read goes, so a look may bring more than this.
const mostRead = 1 << 11

// read looks for what was appended to the logs. One command at a time reads, since a log keeps its
// place.
//
// The command has copies of the Opened runs and answers in parts by ID. So it shares nothing with
// the interface but the logs themselves, and the field reading keeps the interface off these. In a
// replay the clock moves here, and nothing is read if it has not moved.
func (w *Page) read(now time.Time) tea.Cmd {
	if w.reading || len(w.Tracks) == 0 {
		return nil
	}
	back, until := false, eventlog.Moment{}
	if c := w.clock; c != nil {
		c.Tick(now)
		if !c.Due() {
			return nil
		}
		back, until = c.NextRead()
	}
	w.reading = true
	// A log does not say that its writer was killed: the run's directory does.
	look := w.clock == nil && now.Sub(w.looked) >= lookAgain
	if look {
		w.looked = now
	}
	type source struct { // what the command needs to know of a run
		panel.Opened
		look bool // whether to look at its directory
	}
	var logs []source
	for _, t := range w.Tracks[w.unread:] {
		// An interrupted run may be resumed by any process; one that is done stays done.
		mayGoOn := !t.Status.Ended() || t.Status == runner.Interrupted
		logs = append(logs, source{t.Opened, look && mayGoOn})
	}
	round, find, owes, first := w.round, w.Source.Find, w.hasUnshown(), w.unread
	sources := lab.InSmall(w.Source, !w.Config.ReadOnly)
	return func() tea.Msg {
		m, events := readMsg{round: round, fromStart: back, tick: now, unshown: owes}, 0
		for i, s := range logs {
			// A replay reads all of its logs, as the runs have to be at one moment.
			if events >= mostRead && s.Tape == nil {
				m.unread = first + i
				break
			}
			p := part{id: s.Run.Meta.ID}
			if s.Tape != nil {
				s.Tape.Prepare(&s.Opened, back, until)
			}
			p.events, p.err = s.Log.Read()
			if s.Tape == nil && errors.Is(p.err, eventlog.ErrChanged) {
				if r, err := find(p.id); err == nil {
					opened := openRun(sources, r)
					p.again, p.err = &opened, nil
				}
			}
			if s.look && len(p.events) == 0 { // a run that logs is alive
				if r, err := find(p.id); err == nil {
					p.status = r.Status()
				}
			}
			p.log = s.Log
			events += len(p.events)
			m.parts = append(m.parts, p)
		}
		return m
	}
}

// addEvents adds the events that were read to the tracks, and decides which parts of the page show
// them.
//
// A part of the message is applied in a fixed order: first the events of its run, then the end of
// the log if it was read to there, and last the directory's status. In another order a run that has
// just ended would be called interrupted.
func (w *Page) addEvents(m readMsg) tea.Cmd {
	if m.round != w.round {
		return nil
	}
	w.reading, w.unread = false, m.unread
	if m.fromStart {
		w.restart()
	}
	changed, problem := false, ""
	var cmds []tea.Cmd
	for _, p := range m.parts {
		i := slices.IndexFunc(w.Tracks, func(t *panel.Track) bool { return t.ID == p.id })
		if i < 0 {
			continue
		}
		if p.err != nil {
			problem = cell.OneLine(p.err.Error())
		}
		cmds = append(cmds, w.addPart(i, p))
		changed = changed || len(p.events) > 0
	}
	if changed {
		if w.FurnishOwn() {
			w.arrange()
		}
		w.PointBegun()
		if w.clock == nil {
			w.Fit()
		} else {
			w.fitInView()
		}
	}
	w.updateStory()
	w.noteTurns(m.tick, m.brings())
	if problem != "" && problem != w.problem { // once, not at every tick
		cmds = append(cmds, kit.Send(kit.Notice{Text: problem, Bad: true}))
	}
	w.problem = problem
	half := func(t *panel.Track) bool { return t.Share < 1 }
	all := m.unread == 0 && !slices.ContainsFunc(w.Tracks, half)
	switch {
	case !all: // at once, not at the next tick: these logs have been there for long
		cmds = append(cmds, w.read(w.looked))
	case !w.all:
		cmds = append(cmds, tidy)
	}
	w.all = all
	return tea.Batch(cmds...)
}

// addPart adds what was read of the run i to its track.
func (w *Page) addPart(i int, p part) tea.Cmd {
	t := w.Tracks[i]
	if p.again != nil { // what it has shown is void
		w.Tracks[i] = w.trackAgain(t, *p.again)
		w.touch()
		return nil
	}
	// Whether it was live has to be known from before its events: an end is news only then.
	live := t.Behind == nil && !t.Status.Ended()
	t.Log = p.log // a replay that went back has made it anew
	t.Add(p.events)
	t.Skipped, t.Share = p.log.Skipped(), p.log.Share()
	if p.err != nil {
		t.Share = 1 // a log that cannot be read has nothing more to wait for; the others go on
	}
	if w.clock != nil {
		w.clock.Load(p.id, t.Tape.Replay.Tape(), len(w.Tracks))
		t.Stop(w.clock.Ended())
	}
	if t.Share == 1 && t.CaughtUp() {
		w.touch() // what was recorded before is shown at once, and only news in turns
	}
	if len(p.events) > 0 && t.Behind == nil && t.Status.Ended() {
		t.Settle()
	}
	// With events the writer lives, whatever the directory said a moment before.
	if p.status == runner.Interrupted && len(p.events) == 0 && !t.Status.Ended() {
		t.Status = p.status
	}
	if live && t.Status.Ended() {
		w.touch() // an end is shown at once
	}
	return w.ringEnd(t, live)
}

// lookAgain is the time between two looks at the directories, which tell whether their runs are
// still alive. On a shared disk each look is a round trip, and a death that is seen two seconds
// late does no harm.
const lookAgain = 2 * time.Second

// tidy gives back the memory that reading the logs took, once they are read. Otherwise nothing
// would collect it before as much is allocated again. It is a command, because a collection takes
// longer than a key should wait for its frame.
func tidy() tea.Msg {
	debug.FreeOSMemory()
	return nil
}

// openMsg brings the runs that lab.Watch asks for. Problems do not take the place of runs: the runs
// that could be opened are watched, and the first problem is shown.
type openMsg struct {
	request  int            // the number of the request that this answers
	runs     []panel.Opened // the runs to watch
	found    int            // the number of runs that were found, of which runs has some
	wanted   lab.Watch      // what was asked for
	colors   lab.Colors     // the colours of the folder; nil leaves them as they were
	problems []error        // one for each name or directory
}

// readMsg brings the events that were appended to the logs of the watched runs. Every read is
// answered by one readMsg, even if nothing is new, because it ends the read.
type readMsg struct {
	parts     []part
	unread    int       // the run whose log comes next; 0: all were read
	round     int       // the number of the set of runs that was read; an older one is stale
	fromStart bool      // whether the logs were read from their start
	tick      time.Time // the time of the tick that asked, by which turns come
	unshown   bool      // whether something read before is not shown everywhere
}

// part is the news of one run. It names its run by ID, because a command has no reference into the
// page.
type part struct {
	id     string
	events []runner.Event
	status runner.Status // as a fresh look at the directory says; "" without one
	err    error
	log    lab.Log       // the log that was read
	again  *panel.Opened // the run, to be read from its start, if lost lines have come; or nil
}

// Changes reports whether the screen may look different. The model keeps the last frame where it
// does not, which makes an idle minute cheap. A part that waits for its turn counts, or the turn
// would pass unseen.
func (m readMsg) Changes() bool { return m.unshown || m.brings() }

// brings reports whether there is something new to show: events, an error, a status from a
// directory, or a run that is read again. Turns are counted by it.
func (m readMsg) brings() bool {
	return m.News() || slices.ContainsFunc(m.parts,
		func(p part) bool { return p.err != nil || p.status != "" || p.again != nil })
}

// News reports whether a run logged something. The model looks less often at logs without news for
// a while.
func (m readMsg) News() bool {
	return slices.ContainsFunc(m.parts, func(p part) bool { return len(p.events) > 0 })
}

// printed is the last output of the program of the run under the cursor, which the log pane can
// show in place of the events. It is read anew now and then while it is shown.
type printed struct {
	id      string   // the run's ID
	lines   []string // the end of the output, as it may be drawn
	problem string   // why there are no lines; "" without a problem
	looked  time.Time
	reading bool
}

// The bounds of the end of a program's output that is shown.
const (
	mostPrinted = 64 << 10 // bytes
	mostLines   = 1000
)

// trains reports whether the run trains a program, which may have printed something.
func trains(t *panel.Track) bool { return t != nil && t.Meta.Program != nil }

// readPrinted looks for new output of the run's program, if the pane shows it.
func (w *Page) readPrinted(now time.Time) tea.Cmd {
	t, p := w.Run(), &w.printed
	same := t != nil && p.id == t.ID
	fresh := same && now.Sub(p.looked) < lookAgain
	if w.logPane != printedPane || !trains(t) || p.reading || fresh {
		return nil
	}
	if !same {
		*p = printed{id: t.ID}
	}
	p.reading, p.looked = true, now
	run, before := t.Run, *p
	return func() tea.Msg {
		text, whole, err := run.Printed(mostPrinted)
		m := printedMsg{id: before.id}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			m.problem = noOutput
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
		lines = append(lines, cell.Bare(strings.ReplaceAll(line, "\t", "    ")))
	}
	return slices.Clone(lines[max(0, len(lines)-mostLines):])
}

// printedMsg brings the output of a program.
type printedMsg struct {
	id, problem string
	lines       []string
	changes     bool
}

// Changes reports whether the output differs from before.
func (m printedMsg) Changes() bool { return m.changes }

// showPrinted shows the output. Output of another run than the one asked for last is dropped.
func (w *Page) showPrinted(m printedMsg) {
	if p := &w.printed; p.id == m.id {
		p.reading = false
		if m.changes {
			p.lines, p.problem = m.lines, m.problem
			w.touch()
		}
	}
}

// program draws the log pane with the output of the program of the run under the cursor.
func (w *Page) program(r kit.Rect, box bool) []string {
	t, p, run := w.Theme, &w.printed, w.Run()
	var all []string
	note := ""
	switch {
	case !trains(run):
		note = noProgram
	case p.id != run.ID || p.reading && len(p.lines) == 0 && p.problem == "":
		note = "reading" + t.More
	case p.problem != "":
		note = p.problem
	default:
		all, note = p.lines, kit.Plural(len(p.lines), "line")
	}
	iw, ih := kit.Inside(box, r.W, r.H)
	said := func(line string) string { return line }
	shown, below := scrolled(all, said, w.words, w.logBack, ih)
	lines := kit.Map(shown, func(line string) string {
		return " " + t.Text.Paint(cell.Cut(t.Greek(line), iw-2))
	})
	return t.Panel("Program of "+run.Label, below+note, false, box, lines, r.W, r.H)
}
