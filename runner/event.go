package runner

import (
	"bytes"
	"cmp"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The states of a run. Interrupted is derived by readers (unfinished, and no
// one holds the directory's lock) and never written.
const (
	Queued      Status = "queued"
	Running     Status = "running"
	Paused      Status = "paused"
	Done        Status = "done"
	Stopped     Status = "stopped"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
)

// Status is the state of a run.
type Status string

// Ended tells whether the run will produce nothing more by itself.
func (s Status) Ended() bool {
	return s == Done || s == Stopped || s == Failed || s == Interrupted
}

// Event is one line of a run's log: a *StatusEvent, *StepEvent, *EvalEvent,
// *WarningEvent, *CheckpointEvent, *ResumeEvent or *KnobEvent.
type Event interface {
	// Header returns the fields that every event has, for the writer to fill.
	Header() *Head
	// Kind returns the event's type as written in the log.
	Kind() string
}

// Head opens every event. Seq (counted from 1) and Time are the writer's;
// Time is one of the fields that a comparison of two logs drops, together
// with ImagesPerSecond: nothing else depends on the clock.
type Head struct {
	Seq  int64     `json:"seq"`
	Type string    `json:"type"`
	Time time.Time `json:"time"`
	// Step counts finished training steps.
	Step int64 `json:"step"`
}

// Header returns h itself.
func (h *Head) Header() *Head { return h }

// StatusEvent tells that a run changed its state.
type StatusEvent struct {
	Head
	Status Status `json:"status"`
	// Cause says why, for failed and stopped runs: one line.
	Cause string `json:"cause,omitempty"`
}

// StepEvent reports one step out of every log_every, on that step's own batches:
// the measures of its method and those of the paper's methods, null where they do
// not apply, and the values of the program's own as it last gave them (see
// measure.UserName), each with its least and greatest value since the event before.
type StepEvent struct {
	Head
	Epoch           float64
	measure.Values  // as of this step
	Min, Max        measure.Values
	ImagesPerSecond measure.Number
}

// EvalEvent reports measures over whole splits, in evaluation mode and without
// augmentation: those of EvalMeasures.
type EvalEvent struct {
	Head
	Epoch float64
	measure.Values
	// ByGroup has the measures with a number a class, a group or a radius.
	ByGroup measure.Lists
	// Selected says that the validation split finds this evaluation better than
	// all before, in a run that selects: see Spec.Select.
	Selected bool
	// Heaviest are the training samples that the worst case weighs most; none in logs of
	// programs before. No measure depends on them.
	Heaviest []Heavy
}

// Fill computes the measures that the run can have. A list of which nothing is known has its
// places, and nothing in them.
func (e *EvalEvent) Fill(m *Meta, from *measure.Evaluation) {
	for _, row := range measure.EvalMeasures() {
		if !row.IsWritten(m) {
			continue
		}
		row.Compute(from, &e.Values, &e.ByGroup)
		if row.IsList() && e.ByGroup.Of(row.Name) == nil {
			e.ByGroup.Set(row.Name, make([]measure.Number, len(m.Places(row.Axis))))
		}
	}
}

// WarningEvent keeps what is suspicious but usable.
type WarningEvent struct {
	Head
	Message string `json:"message"`
}

// CheckpointEvent tells that a checkpoint of Head.Step is safely on disk.
type CheckpointEvent struct {
	Head
	File string `json:"file"`
}

// ResumeEvent tells that the run went on from Head.Step: readers discard step
// and eval events above it that stand before this line.
type ResumeEvent struct{ Head }

// KnobEvent records a live change of a setting: steps after Head.Step are taken
// with it. A value that does not apply is the word "auto".
type KnobEvent struct {
	Head
	Key string         `json:"key"`
	Old measure.Number `json:"old"`
	New measure.Number `json:"new"`
}

// Apply turns the knob of s as the event says.
func (e *KnobEvent) Apply(s *spec.Spec) error {
	_, err := s.Replay(e.Key, e.Value())
	return err
}

// Value is the new value as settings have it.
func (e *KnobEvent) Value() spec.Auto {
	if !e.New.Applies() {
		return spec.Auto{}
	}
	return spec.Fixed(e.New.Float())
}

// NewKnobEvent is a change of a setting from one value to another.
func NewKnobEvent(h Head, key string, from, to spec.Auto) *KnobEvent {
	number := func(a spec.Auto) measure.Number { return measure.NumIf(!a.IsAuto(), a.Or(0)) }
	return &KnobEvent{Head: h, Key: key, Old: number(from), New: number(to)}
}

// Turned returns the changes that hold in the end, in the order of their steps,
// of those in a log. Where a run was resumed and a knob turned before the step
// of a change that was lost, the lost one no longer holds.
func Turned(log []KnobEvent) []KnobEvent {
	var list []KnobEvent
	for _, k := range log {
		lost := func(old KnobEvent) bool { return old.Key == k.Key && old.Step > k.Step }
		list = append(slices.DeleteFunc(list, lost), k)
	}
	slices.SortStableFunc(list, func(a, b KnobEvent) int { return cmp.Compare(a.Step, b.Step) })
	return list
}

// Kind implements Event.
func (*StatusEvent) Kind() string     { return "status" }
func (*StepEvent) Kind() string       { return "step" }       // Kind implements Event.
func (*EvalEvent) Kind() string       { return "eval" }       // Kind implements Event.
func (*WarningEvent) Kind() string    { return "warning" }    // Kind implements Event.
func (*CheckpointEvent) Kind() string { return "checkpoint" } // Kind implements Event.
func (*ResumeEvent) Kind() string     { return "resume" }     // Kind implements Event.
func (*KnobEvent) Kind() string       { return "knob" }       // Kind implements Event.

// EncodeEvent returns e as one line of JSON without the newline.
func EncodeEvent(e Event) ([]byte, error) {
	e.Header().Type = e.Kind()
	return json.Marshal(e)
}

// DecodeEvent reads one line of an event log. An unknown type gives (nil,
// nil): a log of a newer program stays readable.
func DecodeEvent(line []byte) (Event, error) {
	e := newEvent(leadingType(line))
	if e == nil {
		var h Head
		if err := json.Unmarshal(line, &h); err != nil {
			return nil, fmt.Errorf("event: %w", err)
		}
		if e = newEvent(h.Type); e == nil {
			return nil, nil
		}
	}
	if err := unmarshal(line, e); err != nil {
		return nil, fmt.Errorf("event (%s): %w", e.Kind(), err)
	}
	if h := e.Header(); h.Type != e.Kind() {
		return nil, fmt.Errorf("event %d: is of two types, %q and %q", h.Seq, e.Kind(), h.Type)
	}
	return e, nil
}

// unmarshal is json.Unmarshal, which would read the text of an event of measures
// three times over: a long log has millions.
func unmarshal(line []byte, e Event) error {
	if own, ok := e.(json.Unmarshaler); ok && json.Valid(line) {
		return own.UnmarshalJSON(line)
	}
	return json.Unmarshal(line, e)
}

// leadingType returns the type where it stands in the lines of EncodeEvent,
// right behind seq, and "" elsewhere. Viewers spend much of their time on lines,
// and so read few of them twice.
func leadingType(line []byte) string {
	rest, _ := bytes.CutPrefix(line, []byte(`{"seq":`))
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(rest, "0123456789"), []byte(`,"type":"`))
	if !ok {
		return ""
	}
	kind, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(kind)
}

func newEvent(kind string) Event {
	switch kind {
	case "status":
		return &StatusEvent{}
	case "step":
		return &StepEvent{}
	case "eval":
		return &EvalEvent{}
	case "warning":
		return &WarningEvent{}
	case "checkpoint":
		return &CheckpointEvent{}
	case "resume":
		return &ResumeEvent{}
	case "knob":
		return &KnobEvent{}
	}
	return nil
}

// NewStatus tells that a run has come to a status, with as much of the cause as a log
// takes: its first line.
func NewStatus(h Head, s Status, cause error) *StatusEvent {
	e := &StatusEvent{Head: h, Status: s}
	if cause != nil {
		e.Cause, _, _ = strings.Cut(cause.Error(), "\n")
	}
	return e
}
