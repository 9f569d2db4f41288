package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"drolab/runner"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Entry is one "key: value" of a YAML file that is no preset but is written as
// one, such as a sweep's.
type Entry struct {
	Key  string
	Line int
	// JSON is the value as runner.Spec.Assign takes it, "null" for none; empty
	// where Below has the entries of a mapping.
	JSON  json.RawMessage
	Below []Entry
}

// Entries reads the one mapping in text, which keeps the bounds of a preset
// file. Errors name the file and the line.
func Entries(file string, text []byte) ([]Entry, error) {
	nodes, err := mapping(text)
	if err != nil {
		return nil, locate(file, err)
	}
	return entriesOf(file, nodes)
}

func entriesOf(file string, nodes []*ast.MappingValueNode) (list []Entry, err error) {
	for _, n := range nodes {
		e := Entry{Key: n.Key.GetToken().Value, Line: line(n)}
		if below, ok := n.Value.(*ast.MappingNode); ok {
			e.Below, err = entriesOf(file, below.Values)
		} else {
			e.JSON, err = valueJSON(n.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", file, e.Line, e.Key, err)
		}
		list = append(list, e)
	}
	return list, nil
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
func Assign(spec *runner.Spec, key string, value []byte) error {
	t, ok := runner.FindSetting(key)
	if !ok {
		return fmt.Errorf("%.40s: unknown key: %s", strconv.QuoteToGraphic(key), Meant(key))
	}
	err := spec.Assign(key, value)
	if wrong := new(runner.KeyError); errors.As(err, &wrong) && wrong.Key == key {
		wrong.Want += several(&t, value)
	}
	return err
}

// several says where several values of a setting that has one belong.
func several(t *runner.Setting, value []byte) string {
	switch {
	case len(value) == 0 || !t.Single() && t.Key != "dataset":
		return ""
	case value[0] == '[':
		return fmt.Sprintf(": a list of values belongs below grid in a sweep's file, as %s: [A, B], or in "+
			"--set %s=A,B", t.Key, t.Key)
	case value[0] == '{':
		return fmt.Sprintf(": settings have no parts: write %s: VALUE", t.Key)
	}
	return ""
}

// ReadFile reads a YAML file of the size that a preset's may have.
func ReadFile(path string) ([]byte, error) { return readFile(path) }
