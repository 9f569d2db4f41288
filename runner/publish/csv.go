package publish

import (
	"errors"
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
	figures := page.New("step", "epoch", "measure", "place", "value")
	for _, e := range evals {
		at := []string{strconv.FormatInt(e.Step, 10), page.Exact(e.Epoch)}
		for _, row := range figureRows(&r.Meta, e.Values, e.ByGroup) {
			figures.Add(slices.Concat(at, row)...)
		}
	}
	summary := page.New("measure", "place", "value")
	summary.Rows = figureRows(&r.Meta, r.Summary().Measures, r.Summary().ByGroup)
	return errors.Join(
		page.NewFile(filepath.Join(folder, "curves.csv"), stepTable(steps).CSV),
		page.NewFile(filepath.Join(folder, "evaluations.csv"), figures.CSV),
		page.NewFile(filepath.Join(folder, "summary.csv"), summary.CSV))
}

// stepTable returns a table with a row for each step event.
func stepTable(steps []*runner.StepEvent) *page.Table {
	t := page.New("step", "epoch")
	var names []string
	if len(steps) > 0 {
		names = steps[len(steps)-1].Names() // a program's own measures begin one by one
	}
	t.Head(append(names, "images_per_second")...)
	for _, s := range steps {
		row := []string{strconv.FormatInt(s.Step, 10), page.Exact(s.Epoch)}
		for _, name := range names {
			row = append(row, page.ExactOf(s.Named(name)))
		}
		t.Add(append(row, page.ExactOf(s.ImagesPerSecond))...)
	}
	return t
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
	eachPlace(m, lists, add)
	return rows
}

// eachPlace calls f with every number of the lists, its measure and its class, group or radius.
func eachPlace(
	m *runner.Meta, lists measure.Lists, f func(name, place string, n measure.Number),
) {
	for _, l := range lists {
		row, ok := measure.FindMeasure(l.Name)
		if !ok {
			continue
		}
		places := m.Places(row.Axis)
		for i, n := range l.Numbers[:min(len(l.Numbers), len(places))] {
			f(l.Name, places[i], n)
		}
	}
}
