package publish

import (
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"drolab/runner"
)

// writeCSV writes a folder of three tables: every step event a line, every evaluation a line for each of its
// figures, and what the run came to.
func writeCSV(r *Run, folder string) error {
	steps, evals, err := r.events()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return errors.Join(
		table(folder, "curves.csv", func(out *csv.Writer) { writeSteps(out, steps) }),
		table(folder, "evaluations.csv", func(out *csv.Writer) { writeEvals(out, &r.Meta, evals) }),
		table(folder, "summary.csv", func(out *csv.Writer) { writeSummary(out, r) }))
}

// table writes a new file.
func table(folder, name string, write func(*csv.Writer)) error {
	return toFile(func(w io.Writer, _ *Run) error {
		out := csv.NewWriter(w)
		write(out)
		out.Flush()
		return out.Error()
	})(nil, filepath.Join(folder, name))
}

// exact is a number that reads back as it was; empty where it does not apply.
func exact(n runner.Number) string {
	if !n.Applies() {
		return ""
	}
	return strconv.FormatFloat(n.Float(), 'g', -1, 64)
}

func writeSteps(out *csv.Writer, steps []*runner.StepEvent) {
	if len(steps) == 0 {
		return
	}
	names := steps[0].Names()
	out.Write(append([]string{"step", "epoch"}, append(names, "images_per_second")...))
	for _, s := range steps {
		row := []string{strconv.FormatInt(s.Step, 10), exact(runner.Num(s.Epoch))}
		for _, name := range names {
			row = append(row, exact(s.Of(name)))
		}
		out.Write(append(row, exact(s.ImagesPerSecond)))
	}
}

func writeEvals(out *csv.Writer, m *runner.Meta, evals []*runner.EvalEvent) {
	out.Write([]string{"step", "epoch", "measure", "place", "value"})
	for _, e := range evals {
		head := []string{strconv.FormatInt(e.Step, 10), exact(runner.Num(e.Epoch))}
		figures(m, e.Values, e.ByGroup, func(name, place string, v runner.Number) {
			out.Write(append(head[:2:2], name, place, exact(v)))
		})
	}
}

func writeSummary(out *csv.Writer, r *Run) {
	out.Write([]string{"measure", "place", "value"})
	s := r.Summary()
	figures(&r.Meta, s.Measures, s.ByGroup, func(name, place string, v runner.Number) {
		out.Write([]string{name, place, exact(v)})
	})
}

// figures goes through all that apply: the place is a class, a group, a radius, or empty.
func figures(
	m *runner.Meta, values runner.Values, lists runner.Lists, do func(name, place string, v runner.Number),
) {
	for _, v := range values {
		if v.Applies() {
			do(v.Name, "", v.Number)
		}
	}
	for _, l := range lists {
		row, ok := runner.FindMeasure(l.Name)
		if !ok {
			continue
		}
		places := m.Places(row.Axis)
		for i, v := range l.Numbers {
			if i < len(places) && v.Applies() {
				do(l.Name, places[i], v)
			}
		}
	}
}
