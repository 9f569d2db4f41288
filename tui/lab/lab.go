package lab

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/lists"
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
	looks  lookState
	far    map[string]string // the runs of boxes, each with the name of its box
	Silent Silences          // the silent boxes, as of the last tick
	heeded map[string]bool   // the boxes of which the user was told what a logout ends there
	// Open opens an overlay over the page that is shown, at once. Only the event loop calls it.
	Open func(*kit.Overlay)
	// opening counts the commands of Opening that are under way.
	opening int
	// asked says that something was asked of the Verbs, which are made for the first request.
	asked bool
	// Newcomer says that the folder had no run when the interface began.
	Newcomer bool
	// Round is the time in which each part of a page has its turn to show what is new; 0 shows
	// everything at once.
	Round time.Duration
	// Starting says which runs were asked for and are not answered for yet; "" for none. A start
	// may take seconds, because it reads data. A key that is typed meanwhile was meant for the
	// screen before the start, and does nothing, except to leave.
	Starting string
}

// Reader is a Source or Verbs that says how far it is when it reads what takes long.
type Reader interface {
	Reading() *runner.Reading // nil: nothing is being read
}

// Reading says what is being read that takes long, data or runs; nil for nothing.
func (s *Lab) Reading() *runner.Reading {
	const few = 100 // are read in a moment
	var now *runner.Reading
	if by, ok := s.Config.Verbs.(Reader); ok && s.asked {
		now = by.Reading()
	}
	for _, b := range s.Config.Boxes {
		if far := b.Link.Reading(); far != nil {
			now = far
		}
	}
	if by, ok := s.Source.(Reader); ok && now == nil {
		now = by.Reading()
	}
	if now == nil || now.Of < few {
		return nil
	}
	return now
}

// AsksAgain names a box of which something will be asked again once its link is back; "" for none.
func (s *Lab) AsksAgain() string {
	for _, b := range s.Config.Boxes {
		if b.Link.AsksAgain() {
			return b.Name
		}
	}
	return ""
}

// Unanswered names the box that was asked first of those that have not answered, and says for how
// long it has not; "" if no answer is overdue.
func (s *Lab) Unanswered() (name string, longest time.Duration) {
	const usual = time.Second // for an answer
	for _, b := range s.Config.Boxes {
		if waits := b.Link.Unanswered(); waits >= usual && waits > longest {
			name, longest = b.Name, waits
		}
	}
	return name, longest
}

// Started returns the runs of this process, sorted by name.
func (s *Lab) Started() []string { return slices.Sorted(maps.Keys(s.Mine)) }

// Controls reports whether a run takes requests while it is live. Only the process that runs it
// takes them, which is this one or a process for all runs. A run of a box takes them over the link.
func (s *Lab) Controls(id string) bool {
	if s.far[id] != "" {
		return s.Unreached(id) == ""
	}
	return s.Config.RunsGoOn || s.Mine[id]
}

// RunsOn returns the number of runs that are shown of a box.
func (s *Lab) RunsOn(box string) (n int) {
	for _, of := range s.far {
		if of == box {
			n++
		}
	}
	return n
}

// Start asks for runs; the answer is Started. Forks start on the machine that has their parent.
func (s *Lab) Start(r runner.Request) tea.Cmd {
	parent, _, _ := runner.ParseParent(r.Parent) // "" for a run of its own
	return s.StartOn(s.far[parent], r)
}

// StartOn asks for runs on a box; "" is this machine. Where a logout ends the runs there, the user
// is asked first.
func (s *Lab) StartOn(box string, r runner.Request) tea.Cmd {
	parent, _, _ := runner.ParseParent(r.Parent)
	verbs := s.verbsOn(box)
	return s.heeding(box, func() tea.Msg {
		ids, err := verbs.Start(r)
		return Started{IDs: ids, Err: err, Parent: parent, Box: box}
	})
}

// Begun notes which machine has the runs that were started. Those of a box are not runs of this
// process, which may end without them.
func (s *Lab) Begun(m Started) {
	for _, id := range m.IDs {
		if m.Box == "" {
			s.Mine[id] = true
			continue
		}
		if s.far == nil {
			s.far = map[string]string{}
		}
		s.far[id] = m.Box
	}
}

// Ask asks something of a run: "pause", "resume", "stop" or "checkpoint". The answer is Answered.
func (s *Lab) Ask(verb, id string) tea.Cmd {
	return s.send(runner.Order{Verb: runner.Verb(verb), Run: id}, "")
}

// AskAll asks the same of several runs, one after another. The answer is AllAnswered, because one
// question has one answer.
func (s *Lab) AskAll(verb string, ids []string) tea.Cmd {
	asks := lists.Map(ids, func(id string) tea.Cmd { return s.Ask(verb, id) })
	return func() tea.Msg {
		return AllAnswered(lists.Map(asks, func(ask tea.Cmd) Answered { return ask().(Answered) }))
	}
}

// Turn asks for another value of a setting; the answer is Answered.
func (s *Lab) Turn(id, key, value string) tea.Cmd {
	return s.turn(id, key, value, fmt.Sprintf("Set %s to %s · u undoes it", key, value))
}

// TurnBack asks for the value that a setting had before; the answer is Answered.
func (s *Lab) TurnBack(id, key, value string) tea.Cmd {
	return s.turn(id, key, value, fmt.Sprintf("Set %s back to %s", key, value))
}

// turn asks for a value of a setting; done is what the user is told once the run has it.
func (s *Lab) turn(id, key, value, done string) tea.Cmd {
	return s.send(runner.Order{Verb: runner.Knob, Run: id, Key: key, Value: value}, done)
}

func (s *Lab) send(o runner.Order, done string) tea.Cmd {
	v := s.verbsOn(s.far[o.Run])
	return func() tea.Msg {
		step, err := v.CarryOut(o)
		if o.Verb == runner.Checkpoint {
			done = fmt.Sprintf("Saved at step %d", step)
		}
		return Answered{Verb: string(o.Verb), ID: o.Run, Done: done, Err: err}
	}
}

// MaxWatched is the maximum number of runs that are watched at once: three seeds of as many
// configurations as there are colours.
const MaxWatched = 3 * kit.Colors

// Comparing asks for a table of the runs of these names, as they are now.
func (s *Lab) Comparing(names []string) tea.Cmd {
	return func() tea.Msg {
		var m Compare
		for _, name := range names {
			if r, err := s.Source.Find(name); err == nil { // otherwise the run is gone by now
				m.Runs = append(m.Runs, r)
			}
		}
		return m
	}
}
