package alert

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"drolab/runner"
)

// Alert is something that happened to a run.
type Alert struct {
	Time   time.Time `json:"time"`
	Level  Level     `json:"level"`
	Name   string    `json:"alert"`
	Run    string    `json:"run"`
	Box    string    `json:"box,omitempty"` // that has the run, if it is another machine
	Step   int64     `json:"step"`
	Text   string    `json:"text"`
	Remedy string    `json:"remedy,omitempty"`
}

// New returns the event of an alert, with the values of its text.
func New(h runner.Head, name string, values ...any) *runner.AlertEvent {
	k := find(name)
	return &runner.AlertEvent{Head: h, Alert: name, Level: string(k.Level),
		Text: fmt.Sprintf(k.Text, values...)}
}

// Of returns the alert of an event; ok is false for an event that is none.
func Of(e runner.Event) (a Alert, ok bool) {
	switch e := e.(type) {
	case *runner.AlertEvent:
		return ofEvent(e)
	case *runner.WarningEvent:
		return ofEvent(New(e.Head, Warning, e.Message))
	case *runner.StatusEvent:
		switch e.Status {
		case runner.Done:
			return ofEvent(New(e.Head, Done, e.Step))
		case runner.Failed:
			return ofEvent(New(e.Head, Failed, e.Cause))
		}
	}
	return Alert{}, false
}

// ofEvent returns the alert of its event, which may be another version's.
func ofEvent(e *runner.AlertEvent) (a Alert, ok bool) {
	a = Alert{Time: e.Time, Level: Level(e.Level), Name: e.Alert, Step: e.Step, Text: e.Text}
	if k := find(a.Name); k != nil {
		a.Level, a.Remedy = k.Level, k.Remedy
	}
	return a, a.Level != End && slices.Contains(levels, a.Level)
}

// In returns the alert as one of a run, which is on a box or, with "", on this machine.
func (a Alert) In(run, box string) Alert {
	a.Run, a.Box = run, box
	a.Remedy = strings.ReplaceAll(a.Remedy, "RUN", run)
	return a
}

// key tells apart the alerts that are told separately. Texts that differ in figures alone are the
// same: a resumed run warns again, with the figures of its step.
func (a *Alert) key() string {
	if k := find(a.Name); k == nil || !k.ByText {
		return a.Name
	}
	return a.Name + " " + figures.ReplaceAllString(a.Text, "0")
}

// figures matches a number in a text.
var figures = regexp.MustCompile(`[-+−]?\d[\d.,_]*(?:[eE][-+]?\d+)?`)

// IsAhead reports whether an alert is dated after now, with a minute for clocks that differ.
func (a *Alert) IsAhead(now time.Time) bool { return a.Time.After(now.Add(time.Minute)) }

// NewestFirst sorts alerts by their times. Those that are ahead of the clock stand behind all
// others, because when they happened is not known.
func NewestFirst(list []Alert, now time.Time) {
	ahead := func(a Alert) int {
		if a.IsAhead(now) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(x, y Alert) int {
		return cmp.Or(cmp.Compare(ahead(x), ahead(y)), y.Time.Compare(x.Time))
	})
}
