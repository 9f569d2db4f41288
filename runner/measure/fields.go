package measure

import (
	"bytes"
	"fmt"
)

// EachField calls f with every field of a JSON object, in order. The text must be valid JSON, as
// the argument of an UnmarshalJSON is. A key with escapes is passed unchanged, so that it matches
// no name.
func EachField(b []byte, f func(key, value []byte) error) error {
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != '{' {
		return fmt.Errorf("%.40q: expected an object", b)
	}
	for b = trimSpace(b[1:]); b[0] != '}'; b = trimSpace(b) {
		if b[0] == ',' {
			b = trimSpace(b[1:])
		}
		end := valueEnd(b)
		key := b[1 : end-1]
		b = trimSpace(trimSpace(b[end:])[1:]) // the colon
		end = valueEnd(b)
		if err := f(key, b[:end]); err != nil {
			return err
		}
		b = b[end:]
	}
	return nil
}

func trimSpace(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }

// valueEnd returns the index at which the JSON value at the start of b ends. It relies on b being
// valid JSON, so it only has to count brackets outside of strings.
func valueEnd(b []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth == 0 { // after a number or a word
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case depth == 0 && (c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			return i
		}
	}
	return len(b)
}

// ReadField reads a measure, into l if it is a list, else into v. A field that is neither, under a
// name that this program does not know, is skipped.
func ReadField(key, value []byte, v *Values, l *Lists) (err error) {
	if value[0] == '[' && l != nil {
		err = l.read(key, value)
	} else {
		err = v.read(key, value)
	}
	if _, known := measures().byName[string(key)]; !known {
		return nil
	}
	return err
}

// knownName returns the name for a key of JSON. If it is a measure of the table, all decoded lines
// share its string, without an allocation.
func knownName(key []byte) string {
	if m, ok := measures().byName[string(key)]; ok {
		return m.Name
	}
	return string(key)
}
