package export

import (
	"encoding/json"
	"io"
	"strconv"
)

func jsonLines() Format {
	return Format{Name: "jsonl", Doc: "one JSON object per line, as " +
		"pandas.read_json(lines=True) reads",
		Write: writeJSONLines}
}

// writeJSONLines writes a cell that is a finite number as a number, an empty cell as null, and
// other cells as text.
func writeJSONLines(w io.Writer, s *Sheet) error {
	for row := range s.Rows {
		line := []byte{'{'}
		for i, cell := range row {
			if i > 0 {
				line = append(line, ',')
			}
			key, err := json.Marshal(s.Head[i])
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
