package tui

import (
	"time"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/data"
	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// Every message that is not Bubble Tea's own.

// tickMsg asks for a look at the files.
type tickMsg time.Time

// showMsg turns to a page.
type showMsg pageID

// doMsg does what a row of the key table does.
type doMsg struct{ *Key }

// noticeMsg puts a line where the footer is, until the next key or for noticeTime.
type noticeMsg struct {
	text string
	bad  bool
}

// overlayMsg puts a text or a question over the page.
type overlayMsg struct{ *overlay }

// startMsg is the answer to a request to start runs.
type startMsg struct {
	ids []string
	err error
}

// verbMsg is the answer to something that was asked of one run: "pause",
// "resume", "stop", "checkpoint" or a setting that was to be turned.
type verbMsg struct {
	verb, id string
	err      error
}

// watchMsg asks the Watch page to show these runs in place of what it shows;
// none means the newest.
type watchMsg struct{ ids []string }

// compareMsg asks the Compare page for a table of these runs.
type compareMsg struct{ ids []string }

// openMsg brings the runs that watchMsg asked for.
type openMsg struct {
	runs     []opened
	problems []error
}

// readMsg brings what was appended to the logs of the watched runs.
type readMsg struct {
	parts []part
	round int // of the watched set that was read; an older one is stale
}

// part is what is new of one run.
type part struct {
	id      string
	events  []runner.Event
	skipped int           // lines of the log that are no events, so far
	status  runner.Status // as a fresh look at the directory says; "" without one
	err     error
}

// listMsg brings all runs of the folder, newest first.
type listMsg struct {
	runs     []*record.Run
	problems []error
}

// deletedMsg says which runs are gone, and why others are not.
type deletedMsg struct {
	ids      []string
	problems []error
}

// datasetsMsg brings what the data folder has, by name.
type datasetsMsg struct{ entries map[string]data.Entry }

// comparedMsg brings the table of the runs that were asked for.
type comparedMsg struct {
	live   bool   // a run of the folder has not ended; where nothing was selected
	preset string // of what was compared, where nothing was selected
	runs   []*record.Run
	table  *compare.Table
	diffs  []compare.KeyDiff // settings in which the rows differ, a value a row
	logs   []Log             // of the runs
	round  int               // of the question; an older one is stale
	err    error
}

// curvesMsg brings what was read of the evaluations of one run. A nil one
// stands for a resume, which discards what lies above the step of the next.
type curvesMsg struct {
	run   int // index into the runs of comparedMsg
	evals []*runner.EvalEvent
	end   bool // there is no more
	round int
	err   error
}

// leaveMsg says which runs of this process are live when leaving is asked for.
type leaveMsg struct{ live []string }

// clickMsg and wheelMsg are the mouse's, in the page's own coordinates.
type (
	clickMsg struct{ x, y int }
	wheelMsg struct {
		x, y int
		down bool
	}
)

// send makes a command of a message.
func send(m tea.Msg) tea.Cmd { return func() tea.Msg { return m } }

func notify(text string) tea.Cmd { return send(noticeMsg{text: text}) }
func complain(err error) tea.Cmd { return send(noticeMsg{text: OneLine(err.Error()), bad: true}) }
