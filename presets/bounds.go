package presets

import (
	"errors"
	"fmt"

	"drolab/runner/data"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

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
		return nil, &boundsError{wrong.Line, wrong.What}
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
