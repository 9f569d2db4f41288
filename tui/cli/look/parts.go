package look

import (
	"fmt"
	"io"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cli/console"
)

// partColumn is a column of the table of a run's classes or groups.
type partColumn struct {
	head string
	cell func(i int) string
}

// partColumns are those that the run has.
func partColumns(r *record.Run) []partColumn {
	m, s := &r.Meta, r.Summary()
	counts, names := m.Counts(m.Main()), m.Names(m.Main())
	list := []partColumn{{m.Part(), func(i int) string { return console.Clean(names[i]) }}}
	number := func(head string, of []int) {
		if of != nil {
			count := func(i int) string { return fmt.Sprint(countAt(of, i)) }
			list = append(list, partColumn{head, count})
		}
	}
	number("n train", counts.Train)
	number("n val", counts.Val)
	number("n test", counts.Test)
	interval := s.ClassInterval
	if m.Main() == measure.PerGroup {
		interval = s.GroupInterval
	}
	measured := func(head string, lists measure.Lists, name string, extra func(i int) string) {
		values := lists.Of(name)
		if row, ok := measure.FindMeasure(name); ok && values != nil {
			list = append(list, partColumn{head, func(i int) string {
				return console.Figure(&row, at(values, i)) + extra(i)
			}})
		}
	}
	plain := func(int) string { return "" }
	measured("accuracy", s.ByGroup, m.Fit("class_accuracy"),
		func(i int) string { return console.Between(interval, i) })
	if s.Selected != nil {
		measured("at selected", s.Selected.ByGroup, m.Fit("class_accuracy"), plain)
	}
	measured("val", s.ByGroup, m.Fit("val_class_accuracy"), plain)
	if m.Main() == measure.PerGroup {
		measured("recall", s.ByGroup, "group_recall", plain)
	}
	measured("loss", s.ByGroup, m.Fit("class_loss"), plain)
	measured("ratio", s.ByGroup, m.Fit("class_weight"), plain)
	return list
}

// showParts prints a row for each of a run's classes or groups.
func showParts(w io.Writer, r *record.Run) {
	m := &r.Meta
	columns, names := partColumns(r), m.Names(m.Main())
	if len(names) == 0 {
		return
	}
	t := &page.Table{Rows: make([][]string, len(names))}
	for _, column := range columns {
		t.Head = append(t.Head, column.head)
		for i := range names {
			t.Rows[i] = append(t.Rows[i], column.cell(i))
		}
	}
	console.Blocks(w, t)
	notes := []string{"accuracy on the test split, with its 95 % interval (Wilson)"}
	if small := tooSmall(m); len(small) > 0 {
		notes = append(notes,
			fmt.Sprintf("not called the worst, with fewer than min_group = %d test samples: %s",
				m.Spec.MinGroup, strings.Join(small, ", ")))
		if len(small) > len(names)-2 {
			notes = append(notes, "fewer than two others: there is no worst "+m.Part())
		}
	}
	fmt.Fprintf(w, "%s\n\n", strings.Join(notes, "; "))
}

// tooSmall names the classes or groups that have too few test samples.
func tooSmall(m *runner.Meta) (names []string) {
	counts := m.Counts(m.Main()).Test
	for i, name := range m.Names(m.Main()) {
		if i < len(counts) && counts[i] < m.Spec.MinGroup {
			names = append(names, console.Clean(name))
		}
	}
	return names
}

func countAt(counts []int, i int) int {
	if i < len(counts) {
		return counts[i]
	}
	return 0
}

// selected is the step that the validation split finds best.
func selected(r *record.Run) string {
	s := r.Summary().Selected
	if s == nil {
		return ""
	}
	return fmt.Sprintf("step %d, epoch %.4g (best by %s): test loss %s, mean %s, worst %s %s",
		s.Step, s.Epoch, s.By, console.Short(s.Of("test_loss")),
		console.Percent(s.Of("test_accuracy")), r.Meta.Part(),
		console.Percent(s.Of(r.Meta.Fit("worst_class_accuracy"))))
}
