package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"drolab/runner/numeral"
	"drolab/runner/spec"
)

// Assign is Spec.Assign with a hint in the error for an unknown key, for several values or for a
// number that is not written in the form of package numeral. Value becomes Canonical.
func Assign(settings *spec.Spec, key string, value []byte) error {
	t, ok := spec.FindSetting(key)
	if !ok {
		return fmt.Errorf("unknown setting %s: %s", nameOf(key), suggest(key))
	}
	err := settings.Assign(key, Canonical(key, value))
	if wrong := new(spec.KeyError); errors.As(err, &wrong) && wrong.Key == key {
		hint := severalHint(&t, value)
		if hint == "" && t.TakesNumbers() {
			hint = remedy(value)
		}
		wrong.Want += hint
	}
	return err
}

// nameOf writes a key in an error, in quotes unless it is a plain name.
func nameOf(key string) string {
	plain := func(r rune) bool {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	other := func(r rune) bool { return !plain(r) }
	if key == "" || len(key) > 40 || strings.ContainsFunc(key, other) {
		return fmt.Sprintf("%.40s", strconv.QuoteToGraphic(key))
	}
	return key
}

// assign sets the setting with that key to a value that YAML gave. The value goes
// through JSON, so that a preset, --set and run.json are read by one decoder,
// which is strict about types.
func assign(settings *spec.Spec, key string, value any) error {
	text := json.RawMessage("{}") // valid for no setting
	if value != nil {
		text = jsonOf(value)
	}
	err := Assign(settings, key, text)
	if wrong, ok := errors.AsType[*spec.KeyError](err); ok && wrong.Key == key {
		wrong.Value = quoteValue(value)
	}
	return err
}

// Canonical returns the value of a setting as Spec.Assign takes it: where the setting takes
// numbers, those in quotes are numbers, too.
func Canonical(key string, value json.RawMessage) json.RawMessage {
	if t, ok := spec.FindSetting(key); ok && t.TakesNumbers() {
		return unquoteNumbers(value)
	}
	return value
}

// unquoteNumbers returns a JSON value with its texts that are numbers as numbers.
func unquoteNumbers(value json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil && list != nil {
		for i := range list {
			list[i] = unquoteNumbers(list[i])
		}
		return jsonOf(list)
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		if literal, ok := numeral.Decimal(text); ok {
			return json.RawMessage(literal)
		}
	}
	return value
}

// severalHint returns a hint on where several values belong, for a setting that takes one value.
func severalHint(t *spec.Setting, value []byte) string {
	switch {
	case len(value) == 0 || !t.Single() && t.Key != "dataset":
		return ""
	case value[0] == '[':
		return fmt.Sprintf(": a list of values belongs below grid in a sweep's file, "+
			"as %s: [A, B], or in --set %s=A,B", t.Key, t.Key)
	case value[0] == '{' && string(value) != "{}": // {} is no value or one that JSON lacks
		return fmt.Sprintf(": settings have no parts: write %s: VALUE", t.Key)
	}
	return ""
}

// remedy returns the first remedy for one of the words or numbers of a JSON value.
func remedy(value json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		for _, one := range list {
			if hint := remedy(one); hint != "" {
				return hint
			}
		}
		return ""
	}
	word := string(value)
	json.Unmarshal(value, &word) // of a number, the value is the word
	return numeral.Remedy(word)
}

// jsonOf returns a value from YAML in the form that Assign takes. For .nan and .inf, which JSON
// lacks, it returns {}, which is valid for no setting.
func jsonOf(value any) json.RawMessage {
	b, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// quoteValue returns a value in the form in which errors show it.
func quoteValue(value any) string {
	if value == nil {
		return "nothing"
	}
	if s, ok := value.(string); ok {
		return strconv.QuoteToGraphic(s)
	}
	return fmt.Sprint(value)
}
