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

// Walk reads the one mapping in text, which is no preset but written as one, such as a
// sweep's, and keeps the bounds of a preset's file. It visits each entry before those of
// the mapping that is its value. A value is as spec.Spec.Assign takes it, "null" for
// none; nil stands for a mapping. Errors name the file and the line.
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

// jsonOf is a value that YAML gave as Assign takes it; {}, which is no setting,
// for .nan and .inf, which have no JSON.
func jsonOf(value any) json.RawMessage {
	b, err := json.Marshal(numbers(value))
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// Assign is Spec.Assign with a word on what was meant by a key that is none, and by several values.
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

// several says where several values of a setting that has one belong.
func several(t *spec.Setting, value []byte) string {
	switch {
	case len(value) == 0 || !t.Single() && t.Key != "dataset":
		return ""
	case value[0] == '[':
		return fmt.Sprintf(": a list of values belongs below grid in a sweep's file, "+
			"as %s: [A, B], or in --set %s=A,B", t.Key, t.Key)
	case value[0] == '{':
		return fmt.Sprintf(": settings have no parts: write %s: VALUE", t.Key)
	}
	return ""
}
