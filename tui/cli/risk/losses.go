package risk

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

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
		if err != nil {
			return nil, csvError(err)
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
		line, _ := r.FieldPos(at)
		loss, err := parseLoss(record[at])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		losses = append(losses, loss)
	}
	if len(losses) == 0 {
		return nil, errors.New("holds no losses: want one number per line, or a CSV column of " +
			"them")
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
	if n, err := strconv.Atoi(want); err == nil && n >= 1 && n <= len(names) {
		return n - 1, named, nil
	}
	return 0, false, fmt.Errorf("line 1: no column %q: "+
		"choose one with --column, by name or counted from 1", want)
}

func parseLoss(cell string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	switch {
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		return 0, fmt.Errorf("%.40s: want a finite number", strconv.QuoteToGraphic(cell))
	}
	return x, nil
}

func csvError(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("line %d: %w", p.Line, p.Err)
	}
	return err
}
