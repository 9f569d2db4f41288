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
			key, err := json.Marshal(heads[i])
			if err != nil {
				return err
			}
			value, err := jsonValue(cell)
			if err != nil {
				return err
			}
			line = append(append(append(line, key...), ':'), value...)
		}
		if _, err := w.Write(append(line, '}', '\n')); err != nil {
			return err
		}
	}
	return nil
}

func jsonValue(cell string) ([]byte, error) {
	if cell == "" {
		return []byte("null"), nil
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil && json.Valid([]byte(cell)) {
		return []byte(cell), nil
	}
	return json.Marshal(cell)
}
