package publish

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
)

// writeCSV writes a folder of three tables: a line for each step event, a line for each figure of
// each evaluation, and the figures of the summary.
func writeCSV(r *Run, folder string) error {
	steps, evals, err := r.events()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	table := func(name string, head []string, rows [][]string) error {
		return newFile(filepath.Join(folder, name), func(w io.Writer) error {
			return page.CSV(w, head, slices.Values(rows))
		})
	}
	var names []string
	if len(steps) > 0 {
		names = steps[len(steps)-1].Names() // a program's own measures begin one by one
	}
	head := append([]string{"step", "epoch"}, append(names, "images_per_second")...)
	return errors.Join(
		table("curves.csv", head, stepRows(steps, names)),
		table("evaluations.csv", []string{"step", "epoch", "measure", "place", "value"},
			evalRows(&r.Meta, evals)),
		table("summary.csv", []string{"measure", "place", "value"},
			figureRows(&r.Meta, r.Summary().Measures, r.Summary().ByGroup)))
}

func stepRows(steps []*runner.StepEvent, names []string) [][]string {
	return page.Rows(steps, func(s *runner.StepEvent) []string {
		row := []string{strconv.FormatInt(s.Step, 10), page.Exact(s.Epoch)}
		for _, name := range names {
			row = append(row, page.ExactOf(s.Of(name)))
		}
		return append(row, page.ExactOf(s.ImagesPerSecond))
	})
}

func evalRows(m *runner.Meta, evals []*runner.EvalEvent) (rows [][]string) {
	for _, e := range evals {
		at := []string{strconv.FormatInt(e.Step, 10), page.Exact(e.Epoch)}
		for _, row := range figureRows(m, e.Values, e.ByGroup) {
			rows = append(rows, slices.Concat(at, row))
		}
	}
	return rows
}

// figureRows returns a row for each figure that applies: its place is a class, a group, a radius,
// or empty.
func figureRows(m *runner.Meta, values measure.Values, lists measure.Lists) (rows [][]string) {
	add := func(name, place string, n measure.Number) {
		if n.Applies() {
			rows = append(rows, []string{name, place, page.ExactOf(n)})
		}
	}
	for _, v := range values {
		add(v.Name, "", v.Number)
	}
	for _, l := range lists {
		row, ok := measure.FindMeasure(l.Name)
		if !ok {
			continue
		}
		places := m.Places(row.Axis)
		for i, v := range l.Numbers[:min(len(l.Numbers), len(places))] {
			add(l.Name, places[i], v)
		}
	}
	return rows
}
