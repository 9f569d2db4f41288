package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"drolab/dro"
)

// FlowText writes a value as YAML does on one line.
func FlowText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it: a & is no \u0026
	if err := e.Encode(v); err != nil {
		return "" // a number that is not finite, which Validate refuses
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return strings.ReplaceAll(strings.ReplaceAll(text, `"`, ""), ",", ", ")
}

// Assign sets the setting of that key to a JSON value, as presets, --set and run.json do. The error
// is a *KeyError, and s is unchanged then; Validate checks ranges. The value is replaced as a
// whole: nothing is shared with another Spec.
func (s *Spec) Assign(key string, value []byte) error {
	t, ok := FindSetting(key)
	if !ok {
		return &KeyError{key, string(value), "a setting"}
	}
	return s.assign(&t, value)
}

func (s *Spec) assign(t *Setting, value []byte) error {
	if t.own != nil {
		return s.assignOwn(t, value)
	}
	field := t.field(s)
	isNull := bytes.Equal(bytes.TrimSpace(value), []byte("null"))
	if isNull && field.Kind() != reflect.Slice { // the JSON of an empty list
		return t.typeError(nil, value, field.Interface())
	}
	fresh := reflect.New(field.Type())
	if err := json.Unmarshal(value, fresh.Interface()); err != nil {
		return t.typeError(err, value, field.Interface())
	}
	field.Set(fresh.Elem())
	if t.Key == "model" && s.IsProgram() {
		s.takeProgram()
	}
	return nil
}

// typeError returns the error for a value that is not of the setting's type.
func (t *Setting) typeError(cause error, value []byte, like any) error {
	if own, ok := errors.AsType[*KeyError](cause); ok {
		return own
	}
	want := typeWants[reflect.TypeOf(like)]
	if _, auto := like.(dro.Auto); auto {
		want = t.Want
	}
	return &KeyError{t.Key, string(value), want}
}

// typeWants says in words what a value of each type looks like. Validate checks ranges.
var typeWants = map[reflect.Type]string{
	reflect.TypeFor[string]():          "text",
	reflect.TypeFor[float64]():         "a number",
	reflect.TypeFor[int]():             "a whole number",
	reflect.TypeFor[uint64]():          "a whole number ≥ 0",
	reflect.TypeFor[bool]():            "true or false",
	reflect.TypeFor[[]float64]():       "a list of numbers, as in [0.5, 0.5]",
	reflect.TypeFor[[]int]():           "a list of whole numbers, as in [64, 32]",
	reflect.TypeFor[[]dro.Algorithm](): "a list, as in [sfk, erm]",
}

// MarshalJSON writes every setting by its key. Of the methods' own settings it writes only those
// that the Spec's methods read.
func (s Spec) MarshalJSON() ([]byte, error) {
	var fields []string
	for _, t := range AllSettings() {
		if !t.suits(&s) || t.own != nil && !t.ReadIn(&s) {
			continue
		}
		value, err := json.Marshal(t.value(&s))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Key, err)
		}
		fields = append(fields, fmt.Sprintf("%q:%s", t.Key, value))
	}
	return []byte("{" + strings.Join(fields, ",") + "}"), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and skips unknown keys. A key that is missing gets
// the default: a setting that is added later must by default do what was done without it.
func (s *Spec) UnmarshalJSON(b []byte) error {
	*s = Defaults()
	var values map[string]json.RawMessage
	if err := json.Unmarshal(b, &values); err != nil {
		return err
	}
	list := allSettings()
	for i := range list { // a setting is large to copy, and thousands of runs are listed
		if value, ok := values[list[i].Key]; ok {
			if err := s.assign(&list[i], value); err != nil {
				return err
			}
		}
	}
	return nil
}

// assignOwn is Assign for a method's own setting.
func (s *Spec) assignOwn(t *Setting, value []byte) error {
	var v dro.Auto
	switch text := string(bytes.TrimSpace(value)); {
	case t.own.On && text == "true":
		v = dro.Fixed(1)
	case t.own.On && text == "false":
		v = dro.Fixed(0)
	case t.own.On:
		return t.typeError(nil, value, true)
	case t.own.Auto && text == `"auto"`: // v is that
	case t.own.Choices != nil:
		var word string
		err := json.Unmarshal(value, &word)
		at := slices.Index(t.own.Choices, word)
		if err != nil || at < 0 {
			return &KeyError{t.Key, string(value), t.Want}
		}
		v = dro.Fixed(float64(at))
	default:
		var x float64
		if err := json.Unmarshal(value, &x); err != nil || text == "null" {
			return &KeyError{t.Key, string(value), t.Want}
		}
		v = dro.Fixed(x)
	}
	s.SetOwn(t.Key, v)
	return nil
}

// SetOwn sets a method's own setting. It makes a new map, so that copies of s keep theirs.
func (s *Spec) SetOwn(key string, v dro.Auto) {
	own := map[string]dro.Auto{}
	maps.Copy(own, s.Own)
	own[key] = v
	s.Own = own
}
