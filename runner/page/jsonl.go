package page

import (
	"encoding/json"
	"io"
	"strconv"
)

// writeJSONLines writes a cell that is a finite number as a number, an empty cell as null, and
// other cells as text.
func writeJSONLines(w io.Writer, t *Table) error {
	heads := t.Heads()
	for row := range t.All() {
		line := []byte{'{'}
		for i, cell := range row {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(append(line, jsonText(heads[i])...), ':')
			line = append(line, jsonValue(cell)...)
		}
		if _, err := w.Write(append(line, '}', '\n')); err != nil {
			return err
		}
	}
	return nil
}

func jsonValue(cell string) []byte {
	if cell == "" {
		return []byte("null")
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil && json.Valid([]byte(cell)) {
		return []byte(cell)
	}
	return jsonText(cell)
}

func jsonText(s string) []byte {
	text, _ := json.Marshal(s) // a string has no error
	return text
}
