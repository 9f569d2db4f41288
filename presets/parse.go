package presets

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// docKey is the one key of a preset file that is no setting.
const docKey = "doc"

// Errors are all that is wrong with a preset, an error a line of its file.
type Errors []error

func (e Errors) Error() string   { return errors.Join(e...).Error() }
func (e Errors) Unwrap() []error { return e }

// parse reads a preset file. Errors name the file and the line, each of them.
func parse(file string, text []byte) (Preset, error) {
	p := Preset{file: file, Preset: runner.Preset{Name: baseName(file), Spec: spec.Defaults(),
		Reasons: map[string]string{}}}
	entries, err := mapping(text)
	if err != nil {
		return Preset{}, locate(file, err)
	}
	var wrong []placed
	if !utf8.ValidString(p.Name) { // it is kept as JSON, which would change it
		wrong = append(wrong,
			placed{err: fmt.Errorf("the name %q is not UTF-8: rename the file", p.Name)})
	}
	for _, e := range entries {
		if err := p.add(e); err != nil {
			wrong = append(wrong, placed{line(e), err})
		}
	}
	for i, key := range p.Overrides {
		if err := p.Spec.Unread([]string{key}); err != nil {
			wrong = append(wrong, placed{p.lines[i], err})
		}
	}
	if len(wrong) > 0 { // else what follows may still be overridden
		return Preset{}, p.inOrder(append(wrong, p.place(p.Spec.WrongValues())...))
	}
	return p, nil
}

// placed is an error of a line of the preset's file; 0 is of none.
type placed struct {
	line int
	err  error
}

// inOrder gives errors their places, by the lines.
func (p *Preset) inOrder(list []placed) (wrong Errors) {
	slices.SortStableFunc(list, func(a, b placed) int { return a.line - b.line })
	for _, e := range list {
		if e.line == 0 || p.file == "" {
			wrong = append(wrong, fmt.Errorf("%s: %w", p.Name, e.err))
		} else {
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", p.file, e.line, e.err))
		}
	}
	return wrong
}

// Check returns an error for each setting of s, the preset's with what was changed, that cannot be
// used, with the file and the line where it stands there.
func (p *Preset) Check(s *spec.Spec) Errors { return p.inOrder(p.place(s.Problems())) }

// place finds the lines of the settings that errors are of.
func (p *Preset) place(errs []error) (list []placed) {
	for _, err := range errs {
		var of *spec.KeyError
		e := placed{err: err}
		if errors.As(err, &of) {
			if at := slices.Index(p.Overrides, of.Key); at >= 0 {
				e.line = p.lines[at]
			}
		}
		list = append(list, e)
	}
	return list
}

func (p *Preset) add(e *ast.MappingValueNode) error {
	key := e.Key.GetToken().Value
	var value any
	if err := yaml.NodeToValue(e.Value, &value); err != nil {
		return fmt.Errorf("%s: %s", key, message(err))
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
	p.Overrides, p.lines = append(p.Overrides, key), append(p.lines, line(e))
	if reason := comment(e); reason != "" {
		p.Reasons[key] = reason
	}
	return nil
}

// mapping returns the entries of the one YAML mapping in text; none of an
// empty text.
func mapping(text []byte) ([]*ast.MappingValueNode, error) {
	tokens, err := bounded(text)
	if err != nil {
		return nil, err
	}
	f, err := parser.Parse(tokens, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if len(f.Docs) > 1 {
		return nil, errors.New("holds several YAML documents: want one")
	}
	for _, d := range f.Docs {
		switch body := d.Body.(type) {
		case nil, *ast.CommentGroupNode:
		case *ast.MappingNode:
			return body.Values, nil
		default:
			return nil, errors.New("want lines of the form \"key: value\"")
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

// locate puts file and, where it is known, line in front of a parser's error.
func locate(file string, err error) error {
	var y yaml.Error
	var bounds *boundsError
	if errors.As(err, &bounds) {
		return fmt.Errorf("%s:%d: %w", file, bounds.line, err)
	}
	if errors.As(err, &y) && y.GetToken() != nil {
		return fmt.Errorf("%s:%d: %s", file, y.GetToken().Position.Line, y.GetMessage())
	}
	return fmt.Errorf("%s: %w", file, err)
}

// message returns a parser's error without the drawing of the source.
func message(err error) string {
	var y yaml.Error
	if errors.As(err, &y) {
		return y.GetMessage()
	}
	return err.Error()
}

// What a preset may be made of. Settings are single values and lists; deeper or
// longer text is refused before it is parsed, which takes memory by the
// gigabyte for some hundred kilobytes of brackets.
const (
	maxDepth   = 4      // of lists in lists
	maxInLine  = 16     // keys and dashes that open a level each
	maxEntries = 10_000 // of all lists together
)

// boundsError says what is too much, and where.
type boundsError struct {
	line int
	text string
}

func (e *boundsError) Error() string { return e.text }

// bounded returns the tokens of a text that keeps the bounds.
func bounded(text []byte) (token.Tokens, error) {
	if len(text) > maxFile {
		return nil, &boundsError{1, fmt.Sprintf("%d bytes, want at most %d", len(text), maxFile)}
	}
	if wrong := new(data.TextError); errors.As(data.CheckText(text), &wrong) {
		return nil, &boundsError{wrong.Line, wrong.What + ": " + wrong.Remedy}
	}
	tokens := lexer.Tokenize(string(text))
	depth, entries, line, inLine := 0, 0, 0, 0
	for _, t := range tokens {
		if at := t.Position.Line; at != line {
			line, inLine = at, 0
		}
		what := ""
		switch t.Type {
		case token.AliasType, token.AnchorType, token.MergeKeyType, token.TagType:
			what = "aliases, anchors and tags are not read: write the value out"
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.MappingKeyType, token.MappingValueType:
			inLine++
		case token.SequenceEntryType:
			inLine++
			entries++
		case token.CollectEntryType:
			entries++
		}
		switch {
		case depth > maxDepth || inLine > maxInLine:
			what = "lists in lists too deep: a setting is a value or a list of them"
		case entries > maxEntries:
			what = fmt.Sprintf("lists of more than %d values", maxEntries)
		}
		if what != "" {
			return nil, &boundsError{line, what}
		}
	}
	return tokens, nil
}
