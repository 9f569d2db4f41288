package look

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"drolab/runner/numeral"
	"drolab/runner/spec"
	"drolab/tui/cli/console"
)

// readLosses reads a column of losses from a CSV file; the simplest such file has one loss per
// line. Path "-" is stdin. A first line of names is recognised by its content. Column "" stands for
// the only column, or else for the column named "loss". Errors name the line.
func readLosses(con *console.Console, path, column string) ([]float64, error) {
	in, name := con.Stdin, "stdin"
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in, name = f, path
	}
	losses, err := parseLosses(in, column)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return losses, nil
}

func parseLosses(in io.Reader, column string) ([]float64, error) {
	r := csv.NewReader(in)
	r.TrimLeadingSpace, r.ReuseRecord, r.Comment = true, true, '#'
	var losses []float64
	at := -1
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if p, ok := errors.AsType[*csv.ParseError](err); ok {
			err = fmt.Errorf("line %d: %w", p.Line, p.Err)
		}
		if err != nil {
			return nil, err
		}
		if at < 0 {
			var named bool
			if at, named, err = lossColumn(record, column); err != nil {
				return nil, err
			}
			if named {
				continue
			}
		}
		loss, err := strconv.ParseFloat(strings.TrimSpace(record[at]), 64)
		if err != nil || !spec.AllFinite(loss) {
			line, _ := r.FieldPos(at)
			return nil, fmt.Errorf("line %d: %.40s: expected a finite number", line,
				strconv.QuoteToGraphic(record[at]))
		}
		losses = append(losses, loss)
	}
	if len(losses) == 0 {
		return nil, errors.New("holds no losses: expected one number per line, or a CSV column " +
			"of them")
	}
	return losses, nil
}

// lossColumn finds the column in the first line, and reports whether that line holds names.
func lossColumn(first []string, column string) (at int, named bool, err error) {
	var names []string
	for _, cell := range first {
		names = append(names, strings.TrimSpace(cell))
		if _, err := strconv.ParseFloat(strings.TrimSpace(cell), 64); err != nil {
			named = true
		}
	}
	want := column
	if want == "" && len(names) > 1 {
		want = "loss"
	}
	if want == "" {
		// One column: a first line that is not a number counts as a name only if it has no digit.
		// Otherwise it is a mistyped number, an error.
		return 0, named && !strings.ContainsAny(names[0], "0123456789"), nil
	}
	if named {
		if at = slices.Index(names, want); at >= 0 {
			return at, true, nil
		}
	}
	if n, ok := numeral.Int(want); ok && n >= 1 && n <= len(names) {
		return n - 1, named, nil
	}
	return 0, false, fmt.Errorf("line 1: no column %q: "+
		"choose one with --column, by name or counted from 1", want)
}
