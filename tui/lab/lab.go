package lab

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"drolab/runner"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// Lab is the state that all pages share.
type Lab struct {
	Config Config
	Source Source
	Theme  *kit.Theme
	// Mine are the runs that this process was asked to start or resume.
	Mine map[string]bool
	// Body is the pages' part of the screen. A page lays itself out by it to find what the mouse
	// points at.
	Body kit.Rect
	// Colors holds the numbers of the configurations in the folder, as of the last look at it.
	Colors Colors
	// Newcomer says that the folder had no run when the interface began.
	Newcomer bool
	// Round is the time in which each part of a page has its turn to show what is new; 0 shows
	// everything at once.
	Round time.Duration
}

// Started returns the runs of this process, sorted by name.
func (s *Lab) Started() []string { return slices.Sorted(maps.Keys(s.Mine)) }

// Controls reports whether a run takes requests while it is live. Only the process that runs it
// takes them, which is this one or a process for all runs.
func (s *Lab) Controls(id string) bool { return s.Config.RunsGoOn || s.Mine[id] }

// Start asks for runs; the answer is Started.
func (s *Lab) Start(r runner.Request) tea.Cmd {
	return func() tea.Msg {
		ids, err := s.Config.Verbs.Start(r)
		parent, _, _ := runner.ParseParent(r.Parent) // "" for a run of its own
		return Started{IDs: ids, Err: err, Parent: parent}
	}
}

// Ask asks something of a run: "pause", "resume" or "stop". The answer is Answered.
func (s *Lab) Ask(verb, id string) tea.Cmd {
	return s.do(runner.Order{Verb: runner.Verb(verb), Run: id}, func(int64) string { return "" })
}

// Save asks for a checkpoint; the answer is Answered.
func (s *Lab) Save(id string) tea.Cmd {
	return s.do(runner.Order{Verb: runner.Checkpoint, Run: id}, func(step int64) string {
		return fmt.Sprintf("Saved at step %d", step)
	})
}

// Turn asks for another value of a setting; the answer is Answered.
func (s *Lab) Turn(id, key, value string) tea.Cmd { return s.set(id, key, value, setTo) }

// TurnBack asks for the value that a setting had before; the answer is Answered.
func (s *Lab) TurnBack(id, key, value string) tea.Cmd { return s.set(id, key, value, setBack) }

func (s *Lab) set(id, key, value, done string) tea.Cmd {
	o := runner.Order{Verb: runner.Knob, Run: id, Key: key, Value: value}
	return s.do(o, func(int64) string { return fmt.Sprintf(done, key, value) })
}

func (s *Lab) do(o runner.Order, done func(step int64) string) tea.Cmd {
	v := s.Config.Verbs
	return func() tea.Msg {
		step, err := v.Do(o)
		return Answered{Verb: string(o.Verb), ID: o.Run, Done: done(step), Err: err}
	}
}
