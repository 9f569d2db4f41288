package runner

import (
	"encoding/json"
	"strconv"

	"drolab/runner/measure"
)

// Events with measures are flat JSON objects: the fields that every event has, then one field per
// measure. Fields that a newer program adds are read as measures, too.

// MarshalJSON writes one flat object.
func (e *StepEvent) MarshalJSON() ([]byte, error) {
	b, err := e.Head.open(e.Epoch)
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
	b, err := e.Head.open(e.Epoch)
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

// open begins the object of an event that belongs to an epoch.
func (h *Head) open(epoch float64) ([]byte, error) {
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
		return field(&e.Head, &e.Epoch, key, value, &e.Values, nil)
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
		return field(&e.Head, &e.Epoch, key, value, &e.Values, &e.ByGroup)
	})
}

// field reads one field of an event with measures.
func field(h *Head, epoch *float64, key, value []byte, v *measure.Values, l *measure.Lists) error {
	switch string(key) {
	case "seq":
		return whole(value, &h.Seq)
	case "type":
		return json.Unmarshal(value, &h.Type)
	case "time":
		return h.Time.UnmarshalJSON(value)
	case "step":
		return whole(value, &h.Step)
	case "epoch":
		return json.Unmarshal(value, epoch)
	}
	return measure.ReadField(key, value, v, l)
}

// whole reads an integer.
func whole(value []byte, n *int64) error {
	if i, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		*n = i
		return nil
	}
	return json.Unmarshal(value, n) // for its error message
}
