package lab

import (
	"encoding/json"
	"reflect"
	"strings"

	"drolab/runner"
)

// Setting is the setting of s with that key as a preset would state it:
// what presets.Set reads back. Empty for an unknown key.
func Setting(s *runner.Spec, key string) string {
	for field, value := range reflect.ValueOf(s).Elem().Fields() {
		if field.Tag.Get("json") != key {
			continue
		}
		switch v := value.Interface().(type) {
		case string:
			return v
		case []float64:
			if v == nil {
				return "[]"
			}
		}
		return FlowText(value.Interface())
	}
	return ""
}

// FlowText writes a value as YAML does on one line.
func FlowText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "" // a number that is not finite, which Validate refuses
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(text), `"`, ""), ",", ", ")
}
