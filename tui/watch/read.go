package watch

import (
	"errors"
	"io/fs"
	"slices"
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
// The command has copies of the RunLogs and answers in parts by ID. So it shares nothing with
// the interface but the logs themselves, and the field reading keeps the interface off these. In a
// replay the clock moves here, and nothing is read if it has not moved.
func (w *Page) read(now time.Time) tea.Cmd {
	if w.logs.reading || len(w.Runs.Tracks) == 0 {
		return nil
	}
	back, until := false, eventlog.Moment{}
	if c := w.logs.clock; c != nil {
		c.Tick(now)
		if !c.Due() {
			return nil
		}
		back, until = c.NextRead()
	}
	w.logs.reading = true
	// A log does not say that its writer was killed: the run's directory does.
	look := w.logs.clock == nil && now.Sub(w.logs.looked) >= lookInterval
	if look {
		w.logs.looked = now
	}
	type source struct { // what the command needs to know of a run
		panel.RunLog
		look bool // whether to look at its directory
	}
	var logs []source
	first := slices.IndexFunc(w.Runs.Tracks,
		func(t *panel.Track) bool { return t.ID == w.logs.unread })
	for _, t := range w.Runs.Tracks[max(0, first):] {
		// An interrupted run may be resumed by any process; one that is done stays done.
		mayGoOn := !t.Status.Ended() || t.Status == runner.Interrupted
		logs = append(logs, source{t.RunLog, look && mayGoOn})
	}
	round, unshown := w.logs.round, w.hasUnshown()
	find := w.Source.Find
	sources := lab.InSmall(w.Source, !w.Config.ReadOnly)
	return func() tea.Msg {
		m, events := readMsg{round: round, fromStart: back, tick: now, unshown: unshown}, 0
		for _, s := range logs {
			// A replay reads all of its logs, as the runs have to be at one moment.
			if events >= mostRead && s.Tape == nil {
				m.unread = s.Run.Meta.ID
				break
			}
			p := runNews{id: s.Run.Meta.ID}
			if s.Tape != nil {
				s.Tape.Prepare(&s.RunLog, back, until)
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
	if m.round != w.logs.round {
		return nil
	}
	w.logs.reading, w.logs.unread = false, m.unread
	if m.fromStart {
		w.restart()
	}
	changed, problem, touched := false, "", w.turns.touched
	var cmds []tea.Cmd
	for _, p := range m.parts {
		i := slices.IndexFunc(w.Runs.Tracks, func(t *panel.Track) bool { return t.ID == p.id })
		if i < 0 {
			continue
		}
		// Without its folder a run was deleted. The next look at the folder takes it away.
		if p.err != nil && !errors.Is(p.err, fs.ErrNotExist) {
			problem = cell.OneLine(p.err.Error())
		}
		cmds = append(cmds, w.addPart(i, p))
		changed = changed || len(p.events) > 0
	}
	if changed {
		if w.Board.FurnishOwn() {
			w.touch()
		}
		w.Runs.PointBegun()
		if w.logs.clock == nil {
			w.Board.Fit()
		} else {
			w.fitInView()
		}
	}
	if w.turns.touched != touched || w.isStoryTurn(m.tick) {
		w.updateStory()
	}
	w.noteTurns(m.tick, m.brings())
	if problem != "" && problem != w.logs.problem { // once, not at every tick
		cmds = append(cmds, kit.Send(kit.Notice{Text: problem, Bad: true}))
	}
	w.logs.problem = problem
	half := func(t *panel.Track) bool { return t.Share < 1 }
	all := m.unread == "" && !slices.ContainsFunc(w.Runs.Tracks, half)
	switch {
	case !all: // at once, not at the next tick: these logs have been there for long
		cmds = append(cmds, w.read(w.logs.looked))
	case !w.logs.all:
		cmds = append(cmds, freeMemory)
	}
	w.logs.all = all
	return tea.Batch(cmds...)
}

// addPart adds what was read of the run i to its track.
func (w *Page) addPart(i int, p runNews) tea.Cmd {
	t := w.Runs.Tracks[i]
	if p.again != nil { // what it has shown is void
		w.Runs.Tracks[i] = w.trackAgain(t, *p.again)
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
	if w.logs.clock != nil {
		w.logs.clock.Load(p.id, t.Tape.Replay.Tape(), len(w.Runs.Tracks))
		t.Stop(w.logs.clock.Ended())
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

// lookInterval is the time between two looks at the directories, which tell whether their runs are
// still alive. On a shared disk each look is a round trip, and a death that is seen two seconds
// late does no harm.
const lookInterval = 2 * time.Second

// freeMemory is a command that gives back the memory that reading the logs took.
func freeMemory() tea.Msg {
	lab.FreeMemory()
	return nil
}
