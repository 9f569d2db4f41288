package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"drolab/runner/spec"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Entry is a key of a YAML file with its value, or with the entries of the mapping that is its
// value. The entries of a list of mappings have the keys "1", "2" and so on.
type Entry struct {
	Key  string
	Line int
	// Value has the form that spec.Spec.Assign takes, with "null" for no value. It is nil where
	// Below is not.
	Value json.RawMessage
	Below []Entry
}

// Entries reads the one mapping in text. The text is not a preset but is written like one, such as
// a sweep file or a study, and must keep the bounds of a preset file. Errors name the file and the
// line.
func Entries(file string, text []byte) ([]Entry, error) {
	nodes, err := mapping(text)
	if err != nil {
		return nil, locate(file, err)
	}
	return entries(file, nodes)
}

func entries(file string, nodes []*ast.MappingValueNode) (list []Entry, err error) {
	for _, n := range nodes {
		e := Entry{Key: n.Key.GetToken().Value, Line: line(n)}
		if err := e.read(file, n.Value); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

func (e *Entry) read(file string, value ast.Node) (err error) {
	switch of := value.(type) {
	case *ast.MappingNode:
		e.Below, err = entries(file, of.Values)
		e.Below = append([]Entry{}, e.Below...) // an empty mapping is one, too
		return err
	case *ast.SequenceNode:
		isMapping := func(n ast.Node) bool { return n.Type() == ast.MappingType }
		if len(of.Values) == 0 || !isMapping(of.Values[0]) {
			break
		}
		for i, n := range of.Values {
			item := Entry{Key: strconv.Itoa(i + 1), Line: n.GetToken().Position.Line}
			if err := item.read(file, n); err != nil {
				return err
			}
			e.Below = append(e.Below, item)
		}
		return nil
	}
	if e.Value, err = valueJSON(value); err != nil {
		return fmt.Errorf("%s:%d: %s: %w", file, e.Line, e.Key, err)
	}
	return nil
}

func valueJSON(n ast.Node) (json.RawMessage, error) {
	var value any
	if err := yaml.NodeToValue(n, &value); err != nil {
		return nil, fmt.Errorf("%s", message(err))
	}
	if value == nil {
		return json.RawMessage("null"), nil
	}
	return jsonOf(value), nil
}

// jsonOf returns a value from YAML in the form that Assign takes. For .nan and .inf, which JSON
// lacks, it returns {}, which is valid for no setting.
func jsonOf(value any) json.RawMessage {
	b, err := json.Marshal(numbers(value))
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// Assign is Spec.Assign with a hint in the error for an unknown key or for several values.
func Assign(settings *spec.Spec, key string, value []byte) error {
	t, ok := spec.FindSetting(key)
	if !ok {
		return fmt.Errorf("%.40s: unknown key: %s", strconv.QuoteToGraphic(key), suggest(key))
	}
	err := settings.Assign(key, value)
	if wrong := new(spec.KeyError); errors.As(err, &wrong) && wrong.Key == key {
		wrong.Want += several(&t, value)
	}
	return err
}

// several returns a hint on where several values belong, for a setting that takes one value.
func several(t *spec.Setting, value []byte) string {
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
