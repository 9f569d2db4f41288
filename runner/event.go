package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner/data"
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

// Event is one line of a run's log: a *StatusEvent, *StepEvent, *EvalEvent,
// *WarningEvent, *CheckpointEvent, *ResumeEvent or *KnobEvent.
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
}

// Header returns h itself.
func (h *Head) Header() *Head { return h }

// StatusEvent records that a run changed its state.
type StatusEvent struct {
	Head
	Status Status `json:"status"`
	// Cause is the reason for a failed or stopped run, in one line.
	Cause string `json:"cause,omitempty"`
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

// WarningEvent records something suspicious but usable.
type WarningEvent struct {
	Head
	Message string `json:"message"`
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
func (e *KnobEvent) Value() spec.Auto {
	if !e.New.Applies() {
		return spec.Auto{}
	}
	return spec.Fixed(e.New.Float())
}

// NewKnobEvent returns the event of a change of a setting.
func NewKnobEvent(h Head, key string, from, to spec.Auto) *KnobEvent {
	number := func(a spec.Auto) measure.Number { return measure.NumIf(!a.IsAuto(), a.Or(0)) }
	return &KnobEvent{Head: h, Key: key, Old: number(from), New: number(to)}
}

// Turned returns the changes of a log that are still valid at its end, in the order of their steps.
// After a resume from an earlier step, a new change of a knob cancels lost changes of the same knob
// at later steps.
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

// DecodeEvent reads one line of an event log. It returns (nil, nil) for an unknown type, so that a
// log of a newer program stays readable.
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

// unmarshal is json.Unmarshal, but faster for events with measures: json.Unmarshal would read their
// text three times, and a long log has millions of them.
func unmarshal(line []byte, e Event) error {
	if own, ok := e.(json.Unmarshaler); ok && json.Valid(line) {
		return own.UnmarshalJSON(line)
	}
	return json.Unmarshal(line, e)
}

// leadingType returns the type of a line if it directly follows seq, as in the lines of
// EncodeEvent, else "". Viewers spend much of their time on lines, and so need to read few of them
// twice.
func leadingType(line []byte) string {
	rest, _ := bytes.CutPrefix(line, []byte(`{"seq":`))
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(rest, "0123456789"), []byte(`,"type":"`))
	if !ok {
		return ""
	}
	kind, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(kind)
}

// events has an event of each kind, those of which a log has most first.
var events = []Event{&StepEvent{}, &EvalEvent{}, &CheckpointEvent{}, &WarningEvent{},
	&StatusEvent{}, &KnobEvent{}, &ResumeEvent{}}

// newEvent returns an empty event of a kind, or nil if the kind is unknown.
func newEvent(kind string) Event {
	for _, e := range events {
		if e.Kind() == kind {
			return reflect.New(reflect.TypeOf(e).Elem()).Interface().(Event)
		}
	}
	return nil
}

// NewStatus returns the event of a run's new status, with the first line of the cause.
func NewStatus(h Head, s Status, cause error) *StatusEvent {
	e := &StatusEvent{Head: h, Status: s}
	if cause != nil {
		e.Cause, _, _ = strings.Cut(cause.Error(), "\n")
	}
	return e
}

// Events with measures are flat JSON objects: the fields that every event has, then one field per
// measure. Fields that a newer program adds are read as measures, too.

// MarshalJSON writes one flat object.
func (e *StepEvent) MarshalJSON() ([]byte, error) {
	b, err := e.Head.beginObject(e.Epoch)
	if err != nil {
		return nil, err
	}
	b = append(e.Values.AppendFields(b), `,"min":`...)
	b = append(e.Min.AppendJSON(b), `,"max":`...)
	b = append(e.Max.AppendJSON(b), `,"images_per_second":`...)
	return append(e.ImagesPerSecond.AppendJSON(b), '}'), nil
}

// MarshalJSON writes one flat object.
func (e *EvalEvent) MarshalJSON() ([]byte, error) {
	b, err := e.Head.beginObject(e.Epoch)
	if err != nil {
		return nil, err
	}
	if e.Selected {
		b = append(b, `,"selected":true`...)
	}
	b = e.ByGroup.AppendFields(e.Values.AppendFields(b))
	if len(e.Heaviest) > 0 {
		b = appendHeavy(append(b, `,"heaviest":`...), e.Heaviest)
	}
	return append(b, '}'), nil
}

// beginObject begins the object of an event that belongs to an epoch.
func (h *Head) beginObject(epoch float64) ([]byte, error) {
	b, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	at, err := json.Marshal(epoch)
	return append(append(b[:len(b)-1], `,"epoch":`...), at...), err
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *StepEvent) UnmarshalJSON(b []byte) error {
	*e = StepEvent{}
	return measure.EachField(b, func(key, value []byte) error {
		switch string(key) {
		case "min":
			return e.Min.UnmarshalJSON(value)
		case "max":
			return e.Max.UnmarshalJSON(value)
		case "images_per_second":
			return e.ImagesPerSecond.UnmarshalJSON(value)
		}
		return readEventField(&e.Head, &e.Epoch, key, value, &e.Values, nil)
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *EvalEvent) UnmarshalJSON(b []byte) error {
	*e = EvalEvent{}
	return measure.EachField(b, func(key, value []byte) error {
		switch string(key) {
		case "selected":
			return json.Unmarshal(value, &e.Selected)
		case "heaviest":
			e.Heaviest = readHeavy(value)
			return nil
		}
		return readEventField(&e.Head, &e.Epoch, key, value, &e.Values, &e.ByGroup)
	})
}

// readEventField reads one field of an event with measures.
func readEventField(
	h *Head, epoch *float64, key, value []byte, v *measure.Values, l *measure.Lists,
) error {
	switch string(key) {
	case "seq":
		return readInteger(value, &h.Seq)
	case "type":
		return json.Unmarshal(value, &h.Type)
	case "time":
		return h.Time.UnmarshalJSON(value)
	case "step":
		return readInteger(value, &h.Step)
	case "epoch":
		return json.Unmarshal(value, epoch)
	}
	return measure.ReadField(key, value, v, l)
}

// readInteger reads an integer.
func readInteger(value []byte, n *int64) error {
	if i, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		*n = i
		return nil
	}
	return json.Unmarshal(value, n) // for its error message
}

// MostHeavy is the largest number of samples that an evaluation lists.
const MostHeavy = 24

// Heavy is one of the training samples with the largest weights in an evaluation's exact worst
// case.
type Heavy struct {
	Index int // in the training split, from 0
	// Ratio is the sample's likelihood ratio dQ/dP, with the worst case Q over the whole training
	// split at the run's radius, rounded to a float32; 1 is no reweighting.
	Ratio float64
	Label int // its class
	Group int // its group, of those that methods train on; its class if no groups are given
}

// Heaviest returns the samples with the largest losses, and so with the largest ratios, the
// heaviest first; equal ones are in the split's order. The slices have the same length, with one
// entry per sample.
func Heaviest(losses, ratios []float64, labels, groups []int) []Heavy {
	order := make([]int, 0, MostHeavy+1)
	for i, loss := range losses {
		if len(order) == MostHeavy && loss <= losses[order[MostHeavy-1]] {
			continue
		}
		at, _ := slices.BinarySearchFunc(order, loss, func(j int, loss float64) int {
			if losses[j] >= loss {
				return -1
			}
			return 1
		})
		order = slices.Insert(order, at, i)
		order = order[:min(len(order), MostHeavy)]
	}
	return data.Map(order, func(i int) Heavy {
		return Heavy{i, float64(float32(ratios[i])), labels[i], groups[i]}
	})
}

// appendHeavy writes [[index, ratio, label, group], ...].
func appendHeavy(b []byte, list []Heavy) []byte {
	b = append(b, '[')
	for i, h := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), int64(h.Index), 10)
		b = strconv.AppendFloat(append(b, ','), h.Ratio, 'g', -1, 32)
		b = strconv.AppendInt(append(b, ','), int64(h.Label), 10)
		b = strconv.AppendInt(append(b, ','), int64(h.Group), 10)
		b = append(b, ']')
	}
	return append(b, ']')
}

// readHeavy reads the list that appendHeavy writes. It drops invalid entries and everything after
// the first MostHeavy: a log may come from anybody, and nothing else depends on the list.
func readHeavy(text []byte) (list []Heavy) {
	var all [][]float64
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	whole := func(x float64) bool { return x >= 0 && x <= math.MaxInt32 && x == math.Trunc(x) }
	for _, v := range all[:min(len(all), MostHeavy)] {
		if len(v) == 4 && whole(v[0]) && v[1] >= 0 && whole(v[2]) && whole(v[3]) {
			list = append(list, Heavy{int(v[0]), float64(float32(v[1])), int(v[2]), int(v[3])})
		}
	}
	return list
}

// mostUserMeasures is the largest number of the programs' own values in a table of runs: the names
// in a folder may come from anybody.
const mostUserMeasures = 4 * measure.MostUser

// UserSides holds the better side of each of the programs' own values in runs, by name.
type UserSides map[string]dro.Sense

// Add adds the values of a run. If two programs disagree about the better side of a value, it has
// none.
func (u UserSides) Add(m *Meta, values measure.Values) {
	for _, v := range values.User() {
		says := m.User.Sense(v.Name)
		if before, known := u[v.Name]; known && before != says {
			says = dro.Neither
		} else if !known && len(u) == mostUserMeasures {
			continue
		}
		u[v.Name] = says
	}
}

// Measures returns the values as measures, sorted by name.
func (u UserSides) Measures() (list []measure.Measure) {
	for _, name := range slices.Sorted(maps.Keys(u)) {
		list = append(list, measure.UserMeasure(name, u[name]))
	}
	return list
}
