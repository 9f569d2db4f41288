package paper

import (
	"fmt"
	"slices"

	"drolab/runner/page"
	"drolab/runner/report"
)

// experiment is the published experiment that a study repeats.
type experiment struct {
	study *report.Study
	table *report.Published // of the study
}

// Of returns the published experiment of a study, for report.Options; nil without a study or
// without a published table.
func Of(s *report.Study) report.Publication {
	if s == nil || s.Published == nil {
		return nil
	}
	return &experiment{s, s.Published}
}

// Printed implements report.Publication.
func (e *experiment) Printed(arm, measured string, class int) (text string, ok bool) {
	row := e.table.Rows[arm]
	if row == nil {
		return "", false
	}
	switch {
	case measured == "class_accuracy" && class >= 0 && class < len(row):
		return fmt.Sprintf("%.2f", row[class]), true
	case measured == "class_accuracy":
		sum := 0.0
		for _, i := range e.table.Low {
			sum += row[i] / float64(len(e.table.Low))
		}
		return fmt.Sprintf("%.2f", sum), true
	case measured == "worst_class_accuracy":
		return fmt.Sprintf("%.2f", slices.Min(row)), true
	case measured == "test_accuracy":
		return fmt.Sprintf("%.2f", e.table.Mean(arm)), true
	}
	return page.None, true
}

// ColumnsNote implements report.Publication.
func (e *experiment) ColumnsNote() string {
	return "Columns named paper are its " + e.table.Name + ", the mean of four repeats; it gives " +
		"no spread, and does not say whether its figures are of the last iterate."
}
