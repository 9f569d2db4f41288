package presets

import (
	"errors"
	"fmt"

	"drolab/runner/data"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a preset file. Settings are single values and lists. Deeper or longer text is refused
// before it is parsed, because the parser takes gigabytes of memory for some hundred kilobytes of
// brackets.
const (
	maxDepth   = 4      // of lists in lists
	maxInLine  = 16     // keys and dashes in a line, each of which opens a level
	maxEntries = 10_000 // of all lists together
)

// tokensOf returns the tokens of a text, or a LineError if the text exceeds the bounds or cannot
// be read.
func tokensOf(text []byte) (token.Tokens, error) {
	if len(text) > maxFile {
		return nil, &LineError{1, fmt.Errorf("%d bytes, expected at most %d", len(text), maxFile)}
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
