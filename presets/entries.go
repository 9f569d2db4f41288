package presets

import (
	"encoding/json"
	"fmt"
	"strconv"

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
		return nil, locateError(file, err)
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
	of, err := valueOf(value)
	if err != nil {
		return fmt.Errorf("%s:%d: %s: %w", file, e.Line, e.Key, err)
	}
	e.Value = jsonOf(of)
	return nil
}

// Decode decodes the value into a variable. Where that takes a number, a number in quotes is one.
func (e *Entry) Decode(into any) error {
	if err := json.Unmarshal(e.Value, into); err == nil {
		return nil
	}
	return json.Unmarshal(unquoteNumbers(e.Value), into)
}

// Remedy returns the end of an error about a value in which other numbers are wanted: see
// numeral.Remedy.
func (e *Entry) Remedy() string { return remedy(e.Value) }
