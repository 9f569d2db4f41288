package publish

import (
	"fmt"
	"io"
	"strconv"

	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
)

// writeLaTeX writes the run's figures and, by class or group, counts and accuracies with their
// intervals.
func writeLaTeX(w io.Writer, r *Run) error {
	m, s := &r.Meta, r.Summary()
	figures := page.New("measure", "value")
	for _, row := range record.Measures(r.Run) {
		if row.Main && !row.IsList() && s.Named(row.Name).Applies() {
			figures.Add(row.Title, page.SentenceStyle(row.Scale).Text(s.Named(row.Name)))
		}
	}
	counts, accuracy := m.Counts(m.Main()), s.ByGroup.Named(m.MeasureFor("class_accuracy"))
	interval := measure.OfMain(&m.Parts, s.ClassInterval, s.GroupInterval)
	parts := page.New(m.Part(), "n train", "n test", "accuracy, %", "95 % interval")
	for i, name := range m.Names(m.Main()) {
		row := []string{name, "", strconv.Itoa(counts.Test[i]), "", ""}
		if i < len(counts.Train) { // of imported runs they are not known
			row[1] = strconv.Itoa(counts.Train[i])
		}
		if i < len(accuracy) && accuracy[i].Applies() {
			row[3] = page.Points().Text(accuracy[i])
		}
		if i < len(interval) && interval[i][0].Applies() {
			row[4] = page.Points().Text(interval[i][0]) + "–" + page.Points().Text(interval[i][1])
		}
		parts.Add(row...)
	}
	title := fmt.Sprintf("%s, %s on %s; \\usepackage{booktabs}",
		m.ID, m.Spec.Algorithm(), m.Spec.Dataset)
	_, err := io.WriteString(w, page.LaTeX(page.Text(title), figures)+"\n"+page.LaTeX(parts))
	return err
}
