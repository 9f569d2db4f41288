package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"drolab/runner"
	"drolab/runner/numeral"
	"drolab/runner/spec"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// docKey is the one key of a preset file that is not a setting.
const docKey = "doc"

// parse reads a preset file. Each of its errors names the file and the line.
func parse(file string, text []byte) (Preset, error) {
	p := Preset{file: file, lines: map[string]int{}, Preset: runner.Preset{Name: BaseName(file),
		Spec: spec.Defaults(), Reasons: map[string]string{}}}
	entries, err := mapping(text)
	if err != nil {
		return Preset{}, locateError(file, err)
	}
	var wrong []LineError
	if !utf8.ValidString(p.Name) { // the name is kept as JSON, which would change it
		wrong = append(wrong,
			LineError{Err: fmt.Errorf("the name %q is not UTF-8: rename the file", p.Name)})
	}
	for _, e := range entries {
		if err := p.add(e); err != nil {
			wrong = append(wrong, LineError{line(e), err})
		}
	}
	for _, key := range p.Overrides {
		if err := p.Spec.Unread([]string{key}); err != nil {
			wrong = append(wrong, LineError{p.lines[key], err})
		}
	}
	if len(wrong) > 0 { // otherwise wrong values may still be overridden
		wrong = append(wrong, p.place(p.Spec.WrongValues())...)
		return Preset{}, InFile(file, p.Name, wrong)
	}
	return p, nil
}

// Check returns an error for each setting of s that cannot be used. s is the preset's Spec with
// later changes. An error names the file and the line if the setting stands there.
func (p *Preset) Check(s *spec.Spec) Errors {
	return InFile(p.file, p.Name, p.place(s.Problems()))
}

// place finds the line of the setting that each error is about.
func (p *Preset) place(errs []error) (list []LineError) {
	for _, err := range errs {
		e := LineError{Err: err}
		if of, ok := errors.AsType[*spec.KeyError](err); ok {
			e.Line = p.lines[of.Key]
		}
		list = append(list, e)
	}
	return list
}

func (p *Preset) add(e *ast.MappingValueNode) error {
	key := e.Key.GetToken().Value
	value, err := valueOf(e.Value)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if key == docKey {
		doc, ok := value.(string)
		if !ok || strings.ContainsAny(strings.TrimSpace(doc), "\n\r") {
			return &spec.KeyError{Key: docKey, Value: value, Want: "one line of text"}
		}
		p.Doc = strings.TrimSpace(doc)
		return nil
	}
	if err := assign(&p.Spec, key, value); err != nil {
		return err
	}
	p.Overrides, p.lines[key] = append(p.Overrides, key), line(e)
	if reason := comment(e); reason != "" {
		p.Reasons[key] = reason
	}
	return nil
}

// mapping returns the entries of the one YAML mapping in text, or none if the text is empty.
func mapping(text []byte) ([]*ast.MappingValueNode, error) {
	tokens, err := tokensOf(text)
	if err != nil {
		return nil, err
	}
	f, err := parser.Parse(tokens, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if len(f.Docs) > 1 {
		return nil, errors.New("holds several YAML documents: expected one")
	}
	for _, d := range f.Docs {
		switch body := d.Body.(type) {
		case nil, *ast.CommentGroupNode:
		case *ast.MappingNode:
			return body.Values, nil
		default:
			return nil, errors.New("expected lines of the form \"key: value\"")
		}
	}
	return nil, nil
}

// comment returns the text of the comments above and beside an entry.
func comment(e *ast.MappingValueNode) string {
	var words []string
	for _, node := range []ast.Node{e, e.Key, e.Value} {
		group := node.GetComment()
		if group == nil {
			continue
		}
		for _, c := range group.Comments {
			words = append(words, strings.Fields(strings.TrimLeft(c.GetToken().Value, "# "))...)
		}
	}
	return strings.Join(words, " ")
}

func line(e *ast.MappingValueNode) int { return e.Key.GetToken().Position.Line }

// locateError adds the file and, if it is known, the line to a parser's error.
func locateError(file string, err error) error {
	if bounds := new(LineError); errors.As(err, &bounds) {
		return fmt.Errorf("%s:%d: %w", file, bounds.Line, err)
	}
	if y := yaml.Error(nil); errors.As(err, &y) && y.GetToken() != nil {
		return fmt.Errorf("%s:%d: %s", file, y.GetToken().Position.Line, y.GetMessage())
	}
	return fmt.Errorf("%s: %w", file, err)
}

// valueOf returns the value of a node. Its error is without the excerpt of the source. A plain
// value needs no decoder, and one for each would delay the first screen.
func valueOf(n ast.Node) (value any, err error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return plainValue(n.Token), nil
	case *ast.IntegerNode:
		return plainValue(n.Token), nil
	case *ast.FloatNode:
		return plainValue(n.Token), nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.SequenceNode:
		list := make([]any, len(n.Values))
		for i, of := range n.Values {
			if list[i], err = valueOf(of); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	err = yaml.NodeToValue(n, &value)
	if y := yaml.Error(nil); errors.As(err, &y) {
		err = errors.New(y.GetMessage())
	}
	return value, err
}

// plainValue returns the number that a token states, or its text. The parser is not asked, because
// it takes 010 for 8, and 1e-3 for text. What stands in quotes is text.
func plainValue(t *token.Token) any {
	quoted := t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
	if literal, ok := numeral.Decimal(t.Value); ok && !quoted {
		return json.Number(literal)
	}
	return t.Value
}
