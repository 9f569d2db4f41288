package foreign

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A table is CSV: a line of names, then a line for each row. Cells may be empty.

// columnsOf returns the names in a table's first line; nil if it has none.
func columnsOf(head []byte) []string {
	text, _, whole := bytes.Cut(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\n"))
	if !whole {
		return nil
	}
	cells, err := cellsOf(text)
	if err != nil {
		return nil
	}
	return cells
}

// cellsOf returns the cells of a line.
func cellsOf(text []byte) ([]string, error) {
	if !bytes.Contains(text, []byte(`"`)) {
		return strings.Split(strings.TrimSuffix(string(text), "\r"), ","), nil
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	return r.Read()
}

// isTable recognises a table with a step or an epoch, and another column.
func isTable(head []byte) bool {
	c := columnsOf(head)
	return len(c) > 1 && (slices.Contains(c, "step") || slices.Contains(c, "epoch"))
}

// isLightning recognises metrics.csv of Lightning: it has both.
func isLightning(head []byte) bool {
	c := columnsOf(head)
	return len(c) > 2 && slices.Contains(c, "step") && slices.Contains(c, "epoch")
}

// table reads rows.
type table struct {
	f       *file
	l       *Log
	columns []string
	rows    int
	cells   []string // of the last row
}

// openTable opens a table and reads its columns. The error is io.EOF if it has none yet.
func openTable(in *Source, l *Log, name string, dodges bool) (*table, error) {
	f, err := in.open(name)
	if err != nil {
		return nil, err
	}
	f.dodges = dodges
	t := &table{f: f, l: l}
	return t, t.begin()
}

// begin reads the columns.
func (t *table) begin() error {
	text, err := t.f.next(line)
	if err != nil {
		return err
	}
	t.columns, err = cellsOf(bytes.TrimPrefix(text, []byte("\ufeff")))
	if err != nil {
		return fmt.Errorf("%s: its first line: %w", clean(t.f.name, mostName), err)
	}
	if len(t.columns) > mostNames {
		return fmt.Errorf("%s has %d columns: expected at most %d", clean(t.f.name, mostName),
			len(t.columns), mostNames)
	}
	return nil
}

// next returns the numbers of the next row, NaN where a cell has none, and which cells have one.
func (t *table) next() (row []float64, has []bool, err error) {
	for {
		text, err := t.f.next(line)
		if errors.Is(err, io.EOF) && t.f.rest() > 0 && (t.f.src.wait == nil || t.f.dodges) {
			t.l.note("the last line of %s has no end and is left out: it may be half a row",
				t.f.name)
		}
		if err != nil {
			return nil, nil, err
		}
		t.rows++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		cells, err := cellsOf(text)
		if err != nil || len(cells) != len(t.columns) {
			t.l.note("rows of %s without its %d cells are left out, such as line %d", t.f.name,
				len(t.columns), t.rows+1)
			continue
		}
		t.cells = cells
		row, has = make([]float64, len(cells)), make([]bool, len(cells))
		for i, text := range cells {
			row[i], has[i] = number(text)
		}
		return row, has, nil
	}
}

// number reads a cell. PyTorch Lightning writes a tensor as its text.
func number(text string) (x float64, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return math.NaN(), false
	}
	x, err := strconv.ParseFloat(text, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return x, true
	}
	switch text {
	case "True", "true":
		return 1, true
	case "False", "false":
		return 0, true
	}
	return math.NaN(), false
}

// readTable reads a table with a step or an epoch.
func readTable(in *Source, l *Log) error {
	if in.has(hparamsName) {
		readHparams(in, l)
	}
	return in.each(func(name string, ended bool) error { return readRows(in, l, name, ended) })
}

// readRows reads the rows of one file.
func readRows(in *Source, l *Log, name string, ended bool) error {
	t, err := openTable(in, l, name, ended)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	step, epoch := slices.Index(t.columns, "step"), slices.Index(t.columns, "epoch")
	if step < 0 && epoch < 0 {
		return fmt.Errorf("%s has neither a column step nor a column epoch",
			clean(name, mostName))
	}
	key := timeKey(t.columns)
	timed := slices.Index(t.columns, key)
	for {
		row, has, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		p := Point{Group: -1}
		if epoch >= 0 && has[epoch] {
			p.Epoch = row[epoch]
		}
		at := step
		if at < 0 {
			at = epoch
		}
		if !has[at] || row[at] != math.Trunc(row[at]) {
			l.note("rows without a whole step or epoch are left out, such as line %d", t.rows+1)
			continue
		}
		p.Step = toStep(row[at])
		if timed >= 0 {
			if x, ok := timeOf(t.cells[timed]); ok {
				p.Elapsed = l.inOrder(key, x)
			}
		}
		for i, name := range t.columns {
			if i == step || i == epoch || !has[i] || i == timed && key != unsureTime {
				continue
			}
			p.Name, p.Value = name, row[i]
			if err := l.point(p); err != nil {
				return err
			}
		}
	}
}
