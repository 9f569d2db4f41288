package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"

	"github.com/goccy/go-yaml"
)

// Set changes one setting of spec as "key=value" says, the value written as in
// a preset file. It changes nothing when it fails.
func Set(spec *runner.Spec, assignment string) error {
	key, text, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("%.60q: want key=value, as in rho=0.5", assignment)
	}
	entries, err := mapping([]byte("value: " + text))
	if err != nil || len(entries) != 1 || strings.ContainsAny(text, "\n\r") {
		return &runner.KeyError{Key: key, Value: show(text), Want: "one value, as in rho=0.5 or algorithms=[sfk, erm]"}
	}
	var value any
	if err := yaml.NodeToValue(entries[0].Value, &value); err != nil {
		return fmt.Errorf("%s: %s", key, message(err))
	}
	return assign(spec, strings.TrimSpace(key), value)
}

// Keys returns the names of all settings, in the order of runner.Spec.
func Keys() []string {
	var keys []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[runner.Spec]()) {
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

// assign sets the field of spec with that key to a value that YAML gave. The
// value goes through JSON, so that a preset, --set and run.json are read by
// one decoder, which is strict about types. A field is replaced as a whole:
// slices are never shared with another Spec.
func assign(spec *runner.Spec, key string, value any) error {
	field, err := fieldOf(spec, key)
	if err != nil {
		return err
	}
	wrong := &runner.KeyError{Key: key, Value: show(value), Want: wanted(field.Interface())}
	if value == nil {
		wrong.Value = "nothing"
		return wrong
	}
	text, err := json.Marshal(numbers(value))
	if err != nil {
		return wrong // .nan and .inf have no JSON
	}
	fresh := reflect.New(field.Type())
	if err := json.Unmarshal(text, fresh.Interface()); err != nil {
		var own *runner.KeyError
		if errors.As(err, &own) {
			return own
		}
		return wrong
	}
	field.Set(fresh.Elem())
	return nil
}

func fieldOf(spec *runner.Spec, key string) (reflect.Value, error) {
	for i, k := range Keys() {
		if k == key {
			return reflect.ValueOf(spec).Elem().Field(i), nil
		}
	}
	return reflect.Value{}, fmt.Errorf("%.40s: unknown key: did you mean %s? (`drolab presets shapes` lists all)",
		strconv.QuoteToGraphic(key), nearestFirst(key, Keys())[0])
}

// numbers turns text that is a number into one, in lists too: the YAML parser
// takes 1e-3, which has no dot, for text.
func numbers(value any) any {
	switch v := value.(type) {
	case string:
		if x, err := strconv.ParseFloat(v, 64); err == nil && json.Valid([]byte(v)) {
			return x
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = numbers(v[i])
		}
		return list
	}
	return value
}

// wanted says what a setting of a type looks like. Ranges are Validate's.
func wanted(field any) string {
	switch field.(type) {
	case float64:
		return "a number"
	case int:
		return "a whole number"
	case uint64:
		return "a whole number ≥ 0"
	case bool:
		return "true or false"
	case runner.Auto:
		return "auto or a number"
	case []float64:
		return "a list of numbers, as in [0.5, 0.5]"
	case []dro.Algorithm:
		return "a list, as in [sfk, erm]"
	}
	return "text"
}

func show(value any) string {
	if s, ok := value.(string); ok {
		return strconv.QuoteToGraphic(s)
	}
	return fmt.Sprint(value)
}
