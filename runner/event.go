package runner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// The states of a run. Interrupted is derived by readers (the run is unfinished, and nobody holds
// the directory's lock) and never written.
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

// Ended reports whether the run will produce nothing more by itself.
func (s Status) Ended() bool {
	return s == Done || s == Stopped || s == Failed || s == Interrupted
}

// Event is one line of a run's log: a *StatusEvent, *StepEvent, *EvalEvent, *RefitEvent,
// *WarningEvent, *AlertEvent, *CheckpointEvent, *ResumeEvent or *KnobEvent.
type Event interface {
	// Header returns the fields that every event has, for the writer to fill.
	Header() *Head
	// Kind returns the event's type as written in the log.
	Kind() string
}

// Head is the first part of every event. The writer sets Seq (counted from 1) and Time. A
// comparison of two logs drops Time and ImagesPerSecond: no other field depends on the clock.
type Head struct {
	Seq  int64     `json:"seq"`
	Type string    `json:"type"`
	Time time.Time `json:"time"`
	// Step counts finished training steps.
	Step int64 `json:"step"`
	// Elapsed is the seconds of training up to this event as the log of another program has them,
	// where Time is that of the import. It is empty in all other runs.
	Elapsed measure.Number `json:"elapsed,omitzero"`
}

// Header returns h itself.
func (h *Head) Header() *Head { return h }

// StatusEvent records that a run changed its state.
type StatusEvent struct {
	Head
	Status Status `json:"status"`
	// Cause is the reason for a failed or stopped run, in one line.
	Cause string `json:"cause,omitempty"`
	// Foreign says, where an imported run begins, that Elapsed alone tells its times.
	Foreign bool `json:"foreign,omitempty"`
}

// StepEvent reports one step out of every log_every, on that step's own batches. It has the
// measures of its method and of the paper's methods, null where they do not apply, and the latest
// values of the program's own (see measure.UserName). Each measure has its least and greatest value
// since the event before.
type StepEvent struct {
	Head
	Epoch           float64
	measure.Values  // at this step
	Min, Max        measure.Values
	ImagesPerSecond measure.Number
}

// EvalEvent reports the measures of EvalMeasures over whole splits, in evaluation mode and without
// augmentation.
type EvalEvent struct {
	Head
	Epoch float64
	measure.Values
	// ByGroup holds the measures with one number per class, group, radius or bin.
	ByGroup measure.Lists
	// Selected says that this evaluation is better than all before it by a measure of the
	// validation split, or preferred among equal ones, in a run that selects: see Spec.Select and
	// TieRule.
	Selected bool
	// Heaviest are the training samples with the largest weights in the worst case. No measure
	// depends on them.
	Heaviest []Heavy
}

// Fill computes the measures that the run can have. A list without known values gets one empty
// number for each place.
func (e *EvalEvent) Fill(m *Meta, from *measure.Evaluation) {
	for _, row := range measure.EvalMeasures() {
		if !row.CanApply(m) {
			continue
		}
		row.Compute(from, &e.Values, &e.ByGroup)
		if row.IsList() && e.ByGroup.Named(row.Name) == nil {
			e.ByGroup.Set(row.Name, make([]measure.Number, len(m.Places(row.Axis))))
		}
	}
}

// RefitEvent records that a fit of the last layer begins, after the training: the fit with this
// number, or 0 where the features of the samples are computed first. No figure of a run depends on
// it, and programs of earlier versions pass over it.
type RefitEvent struct {
	Head
	Fit  int `json:"fit"`
	Fits int `json:"fits"` // all that the refit takes; 0: not known yet
}

// Brief says in a few cells which fit goes on, and Text in words.
func (e *RefitEvent) Brief() string {
	if e.Fit <= 0 {
		return "refit"
	}
	return fmt.Sprintf("fit %d/%d", e.Fit, e.Fits)
}

func (e *RefitEvent) Text() string {
	if e.Fit <= 0 {
		return "the last layer is about to be fitted again"
	}
	return fmt.Sprintf("the last layer is fitted again, fit %d of %d", e.Fit, e.Fits)
}

// WarningEvent records something suspicious but usable.
type WarningEvent struct {
	Head
	Message string `json:"message"`
}

// AlertEvent records what no other event of the log says and people want to be told of. Package
// alert has the names, the levels and the texts. No figure of a run depends on it, and programs of
// earlier versions pass over it.
type AlertEvent struct {
	Head
	Level string `json:"level"`
	Alert string `json:"alert"`
	Text  string `json:"text"`
}

// CheckpointEvent records that a checkpoint of Head.Step is safely on disk.
type CheckpointEvent struct {
	Head
	File string `json:"file"`
}

// ResumeEvent records that the run continued from Head.Step: readers discard step and eval events
// of later steps that precede this line.
type ResumeEvent struct{ Head }

// KnobEvent records a live change of a setting, which holds for the steps after Head.Step. A value
// that does not apply is the word "auto".
type KnobEvent struct {
	Head
	Key string         `json:"key"`
	Old measure.Number `json:"old"`
	New measure.Number `json:"new"`
}

// Apply changes the setting in s as the event says.
func (e *KnobEvent) Apply(s *spec.Spec) error {
	_, err := s.Replay(e.Key, e.Value())
	return err
}

// Value returns the new value in the form of a setting.
func (e *KnobEvent) Value() dro.Auto {
	if !e.New.Applies() {
		return dro.Auto{}
	}
	return dro.Fixed(e.New.Float())
}

// NewKnobEvent returns the event of a change of a setting.
func NewKnobEvent(h Head, key string, from, to dro.Auto) *KnobEvent {
	number := func(a dro.Auto) measure.Number { return measure.NumIf(!a.IsAuto(), a.Or(0)) }
	return &KnobEvent{Head: h, Key: key, Old: number(from), New: number(to)}
}

// ValidKnobs returns the changes of a log that are still valid at its end, in the order of their
// steps. After a resume from an earlier step, a new change of a knob cancels lost changes of the
// same knob at later steps.
func ValidKnobs(log []KnobEvent) []KnobEvent {
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
func (*RefitEvent) Kind() string      { return "refit" }      // Kind implements Event.
func (*WarningEvent) Kind() string    { return "warning" }    // Kind implements Event.
func (*AlertEvent) Kind() string      { return "alert" }      // Kind implements Event.
func (*CheckpointEvent) Kind() string { return "checkpoint" } // Kind implements Event.
func (*ResumeEvent) Kind() string     { return "resume" }     // Kind implements Event.
func (*KnobEvent) Kind() string       { return "knob" }       // Kind implements Event.

// NewStatus returns the event of a run's new status, with the first line of the cause.
func NewStatus(h Head, s Status, cause error) *StatusEvent {
	e := &StatusEvent{Head: h, Status: s}
	if cause != nil {
		e.Cause, _, _ = strings.Cut(cause.Error(), "\n")
	}
	return e
}
