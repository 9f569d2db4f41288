package tuitest

import (
	"slices"
	"time"

	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// Loop is Bubble Tea's loop without its goroutines: it runs each command at once, and time passes
// only when a test says so.
type Loop struct {
	Take func(tea.Msg) tea.Cmd // takes each message, as Update does
	Now  *time.Time            // the time; a script's clock can be it
	Late bool                  // the first of several commands in a batch is answered last

	// Answered is called with each message that a command brings, unless it is nil.
	Answered func(tea.Msg)
}

// Send sends messages, and then the messages that result from them.
func (l *Loop) Send(msgs ...tea.Msg) {
	for _, m := range msgs {
		l.Run(l.Take(m))
	}
}

// Run runs a command and sends its message.
func (l *Loop) Run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		if l.Late {
			slices.Reverse(m)
		}
		for _, c := range m {
			l.Run(c)
		}
	default:
		if l.Answered != nil {
			l.Answered(m)
		}
		l.Send(m)
	}
}

// Press presses keys by name: "tab", "ctrl+c", "z", "Z".
func (l *Loop) Press(keys ...string) {
	for _, k := range keys {
		l.Send(kit.Press(k))
	}
}

// Type presses the keys of a text.
func (l *Loop) Type(s string) {
	for _, c := range s {
		l.Press(string(c))
	}
}

// Wait lets the time d pass, frame by frame. At each frame, the interface looks at the files.
func (l *Loop) Wait(d, frame time.Duration) {
	for end := l.Now.Add(d); l.Now.Before(end); {
		*l.Now = l.Now.Add(frame)
		l.Send(kit.Tick(*l.Now))
	}
}
