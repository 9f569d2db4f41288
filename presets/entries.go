package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"drolab/runner/spec"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Walk reads the one mapping in text. The text is not a preset but is written like one, such as a
// sweep file, and must keep the bounds of a preset file. Walk visits an entry before the entries of
// the mapping that is its value. A value has the form that spec.Spec.Assign takes, with "null" for
// no value; nil stands for a mapping. Errors name the file and the line.
func Walk(
	file string, text []byte, visit func(path []string, line int, value json.RawMessage),
) error {
	nodes, err := mapping(text)
	if err != nil {
		return locate(file, err)
	}
	return walk(file, nil, nodes, visit)
}

func walk(
	file string, above []string, nodes []*ast.MappingValueNode,
	visit func(path []string, line int, value json.RawMessage),
) error {
	for _, n := range nodes {
		path := append(slices.Clip(above), n.Key.GetToken().Value)
		if below, ok := n.Value.(*ast.MappingNode); ok {
			visit(path, line(n), nil)
			if err := walk(file, path, below.Values, visit); err != nil {
				return err
			}
			continue
		}
		value, err := valueJSON(n.Value)
		if err != nil {
			return fmt.Errorf("%s:%d: %s: %w", file, line(n), path[len(path)-1], err)
		}
		visit(path, line(n), value)
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
