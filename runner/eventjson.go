package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"drolab/runner/measure"
)

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

// newEvent returns an empty event of a kind, or nil if the kind is unknown.
func newEvent(kind string) Event {
	switch kind {
	case "step":
		return &StepEvent{}
	case "eval":
		return &EvalEvent{}
	case "refit":
		return &RefitEvent{}
	case "checkpoint":
		return &CheckpointEvent{}
	case "warning":
		return &WarningEvent{}
	case "alert":
		return &AlertEvent{}
	case "status":
		return &StatusEvent{}
	case "knob":
		return &KnobEvent{}
	case "resume":
		return &ResumeEvent{}
	}
	return nil
}

// MarshalJSON writes one flat object: the fields that every event has, then one field per measure.
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
	if err != nil {
		return nil, err
	}
	return append(append(b[:len(b)-1], `,"epoch":`...), at...), nil
}

// UnmarshalJSON reads what MarshalJSON writes. Fields that a newer program adds are read as
// measures, too.
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
	case "elapsed":
		return h.Elapsed.UnmarshalJSON(value)
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
