package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/numeral"
	"drolab/runner/spec"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// docKey is the one key of a preset file that is not a setting.
const docKey = "doc"

// Errors holds all errors of a preset, each about one line of its file.
type Errors []error

func (e Errors) Error() string   { return errors.Join(e...).Error() }
func (e Errors) Unwrap() []error { return e }

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

// LineError is an error with its line in a file, or 0 if it has no line there.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return e.Err.Error() }

// InFile sorts errors by line, and adds the file and the line to each. Without a file or a line it
// adds the name.
func InFile(file, name string, list []LineError) (wrong Errors) {
	slices.SortStableFunc(list, func(a, b LineError) int { return a.Line - b.Line })
	for _, e := range list {
		if e.Line == 0 || file == "" {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, e.Err))
		} else {
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", file, e.Line, e.Err))
		}
	}
	return wrong
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

// Bounds of a preset file. Settings are single values and lists. Deeper or longer text is refused
// before it is parsed, because the parser takes gigabytes of memory for some hundred kilobytes of
// brackets.
const (
	maxDepth   = 4      // of lists in lists
	maxInLine  = 16     // keys and dashes in a line, each of which opens a level
	maxEntries = 10_000 // of all lists together
)

// bounded returns the tokens of a text, or a LineError if the text exceeds the bounds or cannot
// be read.
func bounded(text []byte) (token.Tokens, error) {
	if len(text) > maxFile {
		return nil, &LineError{1, fmt.Errorf("%d bytes, want at most %d", len(text), maxFile)}
	}
	if wrong := new(data.TextError); errors.As(data.CheckText(text), &wrong) {
		return nil, &LineError{wrong.Line, errors.New(wrong.What + ": " + wrong.Remedy)}
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
			return nil, &LineError{line, errors.New(what)}
		}
	}
	return tokens, nil
}

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

// jsonOf returns a value from YAML in the form that Assign takes. For .nan and .inf, which JSON
// lacks, it returns {}, which is valid for no setting.
func jsonOf(value any) json.RawMessage {
	b, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// Decode decodes the value into a variable. Where that takes a number, a number in quotes is one.
func (e *Entry) Decode(into any) error {
	if err := json.Unmarshal(e.Value, into); err == nil {
		return nil
	}
	return json.Unmarshal(unquoted(e.Value), into)
}

// Remedy returns the end of an error about a value in which other numbers are wanted: see
// numeral.Remedy.
func (e *Entry) Remedy() string { return remedy(e.Value) }

// Assign is Spec.Assign with a hint in the error for an unknown key, for several values or for a
// number that is not written in the form of package numeral. Value becomes Canonical.
func Assign(settings *spec.Spec, key string, value []byte) error {
	t, ok := spec.FindSetting(key)
	if !ok {
		return fmt.Errorf("%.40s: unknown key: %s", strconv.QuoteToGraphic(key), suggest(key))
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

// Canonical returns the value of a setting as Spec.Assign takes it: where the setting takes
// numbers, those in quotes are numbers, too.
func Canonical(key string, value json.RawMessage) json.RawMessage {
	if t, ok := spec.FindSetting(key); ok && t.TakesNumbers() {
		return unquoted(value)
	}
	return value
}

// unquoted returns a JSON value with its texts that are numbers as numbers.
func unquoted(value json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil && list != nil {
		for i := range list {
			list[i] = unquoted(list[i])
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
