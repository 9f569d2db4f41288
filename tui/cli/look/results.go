package look

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	cells "drolab/tui/cell"
	"drolab/tui/cli/console"
)

// Results prints the results of runs: a screen for people, with definitions if Explain is set, or
// one JSON object.
func Results(con *console.Console, runs []*record.Run) error {
	if con.AsJSON {
		return printDetailed(con, runs)
	}
	if err := Outcome(con, runs); err != nil || !con.Explain {
		return err
	}
	printDefinitions(con, runs)
	return nil
}

// printDetailed prints summaries with the settings of each run, and with the average of its last
// evaluations, which is read from its log.
func printDetailed(con *console.Console, runs []*record.Run) error {
	list := console.Summaries(runs)
	for i, r := range runs {
		var err error
		if list.Runs[i].Average, err = r.Average(); err != nil {
			return err
		}
		list.Runs[i].Settings = &r.Meta.Spec
	}
	return con.JSON(list)
}

// printAll prints every figure in a row per measure and a column per run. If an algorithm has
// several runs, it prints a list of the runs and their comparison.
func printAll(con *console.Console, runs []*record.Run) {
	fmt.Fprintln(con.Stdout)
	methods := map[dro.Algorithm]bool{}
	for _, r := range runs {
		methods[r.Meta.Spec.Algorithm()] = true
	}
	if len(methods) < len(runs) {
		printList(con, runs)
		printComparison(con.Stdout, compare.Runs(runs, compare.Options{}))
		return
	}
	con.Blocks(runTable(runs, sharedParts(runs)))
}

// printDefinitions prints the definitions of the figures in the tables, if at least one of the runs
// has them.
func printDefinitions(con *console.Console, runs []*record.Run) {
	fmt.Fprintln(con.Stdout)
	con.Blocks(page.Text("Definitions, at the last iterate unless another step is named:"))
	var list page.List
	for _, m := range measure.SummaryMeasures() {
		has := func(r *record.Run) bool {
			return m.IsList() && m.CanApply(&r.Meta) || r.Summary().Named(m.Name).Applies()
		}
		if m.Main && slices.ContainsFunc(runs, has) {
			list = append(list, m.Definition())
		}
	}
	own := lists.Map(record.UserMeasures(runs...), func(m measure.Measure) string { return m.Name })
	if len(own) > 0 {
		list = append(list, strings.Join(own, ", ")+": the program's own, as it last gave them.")
	}
	con.Blocks(list)
	for _, text := range conventions(runs) {
		fmt.Fprintln(con.Stdout)
		con.Blocks(page.Text(text))
	}
}

// conventions returns the conventions that the definitions of measures build on, as far as the runs
// need them.
func conventions(runs []*record.Run) (list []string) {
	list = append(list, "Losses are mean cross-entropies in nats, or what the setting loss says.")
	some := func(has func(*record.Run) bool) bool { return slices.ContainsFunc(runs, has) }
	if some(func(r *record.Run) bool { return r.Meta.Spec.Uncertainty == "cressie-read" }) {
		list = append(list, "Cressie-Read has φ(t) = (t^k − kt + k − 1)/(k(k − 1)), so χ² is "+
			"(t − 1)²/2. Double ρ for packages that leave out the ½.")
	}
	if some(func(r *record.Run) bool { return r.Summary().Stationary().Applies() }) {
		list = append(list, "The paper calls (x, λ, η) ε-stationary if dual gap and ‖∇F‖ are "+
			"both at most ε. The ε shown is the least one. For a method with a fixed λ, the "+
			"gap is that of its own, penalised problem.")
	}
	if some(func(r *record.Run) bool { return r.Summary().PaperIterate != nil }) {
		list = append(list, "Paper's x is the output of Algorithm 1: the step t' with the "+
			"least ‖∇f‖² + gap² on a batch. sfk-auto, a method of drolab's own, uses the same "+
			"rule. Its mean and worst accuracy are shown, and the least ε at which it is "+
			"ε-stationary with its own λ and η.")
	}
	if some(func(r *record.Run) bool { return r.Meta.Spec.Adam() != nil }) {
		list = append(list, "With the optimizer adamw, only the choice of paper's x follows "+
			"Algorithm 1, whose steps are SGD steps.")
	}
	for _, uses := range []string{"groups", "classes", "labels"} {
		if some(func(r *record.Run) bool { return compare.Uses(&r.Meta) == uses }) {
			list = append(list, compare.Explain(uses)+".")
		}
	}
	return list
}

// runTable returns a table with a column for each run. The rows of the runs' classes or groups have
// the titles parts.
func runTable(runs []*record.Run, parts []string) *page.Table {
	t := page.New("")
	for _, r := range runs {
		m := &r.Meta
		t.Head(fmt.Sprintf("%s s%d%s", m.Spec.Algorithm(), m.Spec.Seed,
			compare.Mark(compare.Uses(m))))
	}
	row := func(title string, cell func(*record.Run) string) {
		t.Add(append([]string{title}, lists.Map(runs, cell)...)...)
	}
	summary := func(title string, cell func(*runner.Summary) string) {
		row(title, func(r *record.Run) string { return cell(r.Summary()) })
	}
	anyHas := func(has func(*runner.Summary) bool) bool {
		return slices.ContainsFunc(runs, func(r *record.Run) bool { return has(r.Summary()) })
	}
	row("preset", func(r *record.Run) string { return cells.Clean(r.Meta.Preset) })
	row("status", func(r *record.Run) string { return string(r.Status()) })
	row("set, ρ", func(r *record.Run) string { return cells.Clean(r.Meta.Spec.Radius()) })
	row("epochs", epochs)
	for _, m := range record.Measures(runs...) {
		switch {
		case !m.Main:
		case m.IsList() && m.Axis == runs[0].Meta.Main():
			for i, name := range parts {
				summary(name, func(s *runner.Summary) string {
					return console.Figure(&m, valueAt(s.ByGroup.Named(m.Name), i))
				})
				t.RankLast(-valueAt(runs[0].Summary().ByGroup.Named(m.Name), i).Float())
			}
		case anyHas(func(s *runner.Summary) bool { return s.Named(m.Name).Applies() }):
			summary(m.Head(), func(s *runner.Summary) string {
				return console.Figure(&m, s.Named(m.Name))
			})
		}
	}
	if anyHas(func(s *runner.Summary) bool { return s.Selected != nil }) {
		row("selected", selectedCell)
	}
	summary("ε-stationary", func(s *runner.Summary) string { return console.Short(s.Stationary()) })
	summary("paper's x: ε", func(s *runner.Summary) string {
		return console.Short(s.OutputStationary())
	})
	summary("paper's x", paperIterate)
	summary("mean samples/s", func(s *runner.Summary) string {
		return console.Whole(s.ImagesPerSecond)
	})
	return t
}

// epochs returns the number of epochs done and of epochs planned, as in 3.5/10.
func epochs(r *record.Run) string {
	if r.Meta.Imported != nil && r.Meta.Spec.Epochs == 0 { // not known
		return fmt.Sprintf("%.3g", r.Summary().Epochs)
	}
	return fmt.Sprintf("%.3g/%d", r.Summary().Epochs, r.Meta.Spec.Epochs)
}

// valueAt returns the value of a class or a group, which a run of other data may lack.
func valueAt[T any](values []T, class int) (v T) {
	if class < len(values) {
		v = values[class]
	}
	return v
}

// selectedCell returns the mean and the worst accuracy at the step that a run has selected.
func selectedCell(r *record.Run) string {
	s := r.Summary().Selected
	if s == nil {
		return "–"
	}
	return fmt.Sprintf("%s, %s", console.Percent(s.Named("test_accuracy")),
		console.Percent(s.Named(r.Meta.MeasureFor("worst_class_accuracy"))))
}

// paperIterate returns the mean and the worst accuracy of the paper's own output.
func paperIterate(s *runner.Summary) string {
	p := s.PaperIterate
	if p == nil {
		return "–"
	}
	return fmt.Sprintf("%s, %s", console.Percent(p.TestAccuracy), console.Percent(p.Worst()))
}

// sharedParts returns the titles of the rows per class or group, with the number of training
// samples if it is the same in all runs; nil if the classes or groups of the runs differ.
func sharedParts(runs []*record.Run) []string {
	first := &runs[0].Meta
	main, same := first.Main(), true
	counts := first.Counts(main).Train
	for _, r := range runs {
		if r.Meta.Main() != main || !slices.Equal(r.Meta.Names(main), first.Names(main)) {
			return nil
		}
		same = same && slices.Equal(r.Meta.Counts(main).Train, counts)
	}
	var titles []string
	for i, name := range first.Names(main) {
		title := cells.Clean(name)
		if same && i < len(counts) {
			title = fmt.Sprintf("%s (%d)", title, counts[i])
		}
		titles = append(titles, title)
	}
	return titles
}

// partFields returns the columns for which the run has values, of a table of its classes or groups.
func partFields(r *record.Run) (list page.Fields[int]) {
	m, s := &r.Meta, r.Summary()
	counts, names := m.Counts(m.Main()), m.Names(m.Main())
	list.Words(m.Part(), func(i int) string { return cells.Clean(names[i]) })
	number := func(head string, of []int) {
		if of != nil {
			list.Add(head, func(i int) string { return fmt.Sprint(valueAt(of, i)) })
		}
	}
	number("n train", counts.Train)
	number("n val", counts.Val)
	number("n test", counts.Test)
	interval := measure.OfMain(&m.Parts, s.ClassInterval, s.GroupInterval)
	measured := func(head string, lists measure.Lists, name string, extra func(i int) string) {
		values := lists.Named(name)
		if row, ok := measure.FindMeasure(name); ok && values != nil {
			list.Add(head, func(i int) string {
				return console.Figure(&row, valueAt(values, i)) + extra(i)
			})
		}
	}
	plain := func(int) string { return "" }
	measured("accuracy", s.ByGroup, m.MeasureFor("class_accuracy"),
		func(i int) string { return console.Between(valueAt(interval, i)) })
	if s.Selected != nil {
		measured("at selected", s.Selected.ByGroup, m.MeasureFor("class_accuracy"), plain)
	}
	measured("val", s.ByGroup, m.MeasureFor("val_class_accuracy"), plain)
	if m.Main() == measure.PerGroup {
		measured("recall", s.ByGroup, "group_recall", plain)
		for _, row := range measure.Decisions() {
			if row.IsList() {
				measured(row.Head(), s.ByGroup, row.Name, plain)
			}
		}
	}
	measured("loss", s.ByGroup, m.MeasureFor("class_loss"), plain)
	measured("ratio", s.ByGroup, m.MeasureFor("class_weight"), plain)
	return list
}

// showParts prints a row for each of a run's classes or groups.
func showParts(w io.Writer, r *record.Run) {
	m := &r.Meta
	names := m.Names(m.Main())
	if len(names) == 0 {
		return
	}
	accuracy := r.Summary().ByGroup.Named(m.MeasureFor("class_accuracy"))
	console.Blocks(w, partFields(r).Table(page.Indices(len(names)),
		func(i int) float64 { return -valueAt(accuracy, i).Float() }))
	notes := []string{"accuracy on the test split, with its 95 % interval (Wilson)"}
	if small := smallParts(m); len(small) > 0 {
		notes = append(notes,
			fmt.Sprintf("never the worst, with fewer than min_group = %d test samples: %s",
				m.Spec.MinGroup, strings.Join(spec.FirstFew(small), ", ")))
		if len(small) > len(names)-2 {
			notes = append(notes, "fewer than two are left, so there is no worst "+m.Part())
		}
	}
	fmt.Fprintf(w, "%s\n\n", strings.Join(notes, "; "))
}

// smallParts names the classes or groups that have too few test samples.
func smallParts(m *runner.Meta) (names []string) {
	counts := m.Counts(m.Main()).Test
	for i, name := range m.Names(m.Main()) {
		if i < len(counts) && counts[i] < m.Spec.MinGroup {
			names = append(names, cells.Clean(name))
		}
	}
	return names
}
