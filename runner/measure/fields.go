package measure

import (
	"bytes"
	"fmt"
	"sync"
)

// EachField calls f with every field of a JSON object, in order. The text must be valid JSON, as
// the argument of an UnmarshalJSON is. A key with escapes is passed unchanged, so that it matches
// no name.
func EachField(b []byte, f func(key, value []byte) error) error {
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != '{' {
		return fmt.Errorf("%.40q: want an object", b)
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
	if _, known := names()[string(key)]; !known {
		return nil
	}
	return err
}

// names returns the measures' names, so that a decoded line shares their strings.
var names = sync.OnceValue(func() map[string]string {
	known := map[string]string{}
	for _, m := range append(StepMeasures(), EvalMeasures()...) {
		known[m.Name] = m.Name
	}
	return known
})

// knownName returns the name for a key of JSON, without an allocation if it is a measure of the
// table.
func knownName(key []byte) string {
	if name, ok := names()[string(key)]; ok {
		return name
	}
	return string(key)
}
