package spec

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// ownNumber returns the number of a method's own setting, or its default.
func (t *Setting) ownNumber(s *Spec) Auto {
	if v, ok := s.Own[t.Key]; ok {
		return v
	}
	return t.own.Default
}

// assignOwn is Assign for a method's own setting.
func (s *Spec) assignOwn(t *Setting, value []byte) error {
	var v Auto
	switch text := string(bytes.TrimSpace(value)); {
	case t.own.On && text == "true":
		v = Fixed(1)
	case t.own.On && text == "false":
		v = Fixed(0)
	case t.own.On:
		return t.wrong(nil, value, true)
	case t.own.Choices != nil:
		var word string
		err := json.Unmarshal(value, &word)
		at := slices.Index(t.own.Choices, word)
		if err != nil || at < 0 {
			return &KeyError{t.Key, string(value), t.Want}
		}
		v = Fixed(float64(at))
	default:
		var x float64
		if err := json.Unmarshal(value, &x); err != nil || text == "null" {
			return &KeyError{t.Key, string(value), t.Want}
		}
		v = Fixed(x)
	}
	s.SetOwn(t.Key, v)
	return nil
}

// SetOwn sets a method's own setting. It makes a new map, so that copies of s keep theirs.
func (s *Spec) SetOwn(key string, v Auto) {
	own := maps.Clone(s.Own)
	if own == nil {
		own = map[string]Auto{}
	}
	own[key] = v
	s.Own = own
}
