package look

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// Outcome prints the results of runs on one screen. It has the story in a sentence, a table that
// compares the methods with the baseline in the measures that they are made for, and what to do
// next. A log or a pipe also gets the curves of the worst class and every figure.
func Outcome(con *console.Console, runs []*record.Run) error {
	told, err := compare.StoryOf(runs)
	if err != nil {
		return err
	}
	t, width := con.Theme(con.Stdout), con.Width()
	fmt.Fprintln(con.Stdout)
	lines := kit.Wrap(t.Greek(cell.OneLine(told.String())), width-1)
	fmt.Fprintln(con.Stdout, strings.Join(t.Title.PaintAll(lines), "\n"))
	o := newOutcome(runs)
	if len(o.Rows) > 0 {
		fmt.Fprintln(con.Stdout)
		if head := o.Head(); head != "" {
			lines := kit.Wrap(t.Greek(cell.OneLine(head)), width-1)
			fmt.Fprintln(con.Stdout, strings.Join(t.Dim.PaintAll(lines), "\n"))
		}
		for _, line := range o.table(t, width-1) {
			fmt.Fprintln(con.Stdout, strings.TrimRight(line, " "))
		}
	}
	o.notes(con)
	if _, _, terminal := con.Size(); !terminal { // a log has room for all
		if err := o.curves(con); err != nil {
			return err
		}
		printAll(con, runs)
	}
	for _, r := range runs {
		if r.Status() != runner.Done {
			con.Blocks(page.Text(r.Meta.ID + ": " + con.StatusLine(r)))
		}
	}
	fmt.Fprintln(con.Stdout)
	printNext(con, t, commonName(runs))
	return nil
}

// printNext names the commands that show more, each with what it shows.
func printNext(con *console.Console, t *kit.Theme, name string) {
	lines := [][2]string{{con.Command("drolab attach"), "curves, classes, samples"},
		{con.Command("drolab compare " + name + " --explain"), "every measure with its definition"},
		{con.Command("drolab report " + name), "a report on one page"}}
	lead := "Next:  "
	width := slices.Max(lists.Map(lines, func(line [2]string) int { return cell.Width(line[0]) }))
	for _, line := range lines {
		fmt.Fprintln(con.Stdout,
			t.Dim.Paint(lead)+t.Key.Paint(kit.Left(line[0], width))+"  "+line[1])
		lead = kit.Blanks(len(lead))
	}
}

// notes prints what makes the comparison unfair. The screen already says elsewhere that one seed
// shows no spread, that some runs are not done, and what the methods use.
func (o *outcome) notes(con *console.Console) {
	told := []compare.NoteKind{compare.Seeds, compare.Unfinished, compare.Seen}
	for _, n := range o.Notes {
		if !slices.Contains(told, n.Kind) {
			con.Blocks(page.Text("Note: " + n.Text))
		}
	}
}

// commonName returns the word that names the runs in a command: their preset, if they share one.
func commonName(runs []*record.Run) string {
	name := cell.Clean(runs[0].Meta.Preset)
	for _, r := range runs {
		if cell.Clean(r.Meta.Preset) != name {
			return "RUN..."
		}
	}
	return cmp.Or(name, "latest")
}

// outcome is a comparison of runs of which few measures are shown.
type outcome struct {
	*compare.Table
	runs []*record.Run
	base int    // row of the baseline; -1 without one
	star string // the mark of a significantly best figure
}

// newOutcome compares the runs that are done, at the step that drolab compare chooses.
func newOutcome(runs []*record.Run) *outcome {
	o := &outcome{compare.Runs(runs, compare.Options{}), runs, -1, ""}
	for _, r := range runs {
		if r.Meta.Spec.Algorithm() == dro.Baseline() && r.Status() == runner.Done && o.base < 0 {
			o.base = slices.IndexFunc(o.Rows,
				func(row compare.Row) bool { return slices.Contains(row.Runs, r.Meta.ID) })
		}
	}
	return o
}

// figure is a measure of the table.
type figure struct {
	head, name      string
	value, distance page.Style // of a value, and of its change from the baseline
	like            bool       // comparable only between rows with the same set and radius
	column          int
}

// figures returns the figures that the runs have: what the methods are made for, and its price.
func (o *outcome) figures() (list []figure) {
	m, percent, points, nats := &o.runs[0].Meta, page.Percent(), page.Points(), page.Fixed(3)
	for _, f := range []figure{
		{"worst " + m.Part(), m.MeasureFor("worst_class_accuracy"), percent, points, false, 0},
		{"mean", "test_accuracy", percent, points, false, 0},
		{"robust risk", "robust_risk", nats, nats, true, 0},
	} {
		f.column = slices.IndexFunc(o.Columns, func(c compare.Column) bool {
			return c.Class == "" && c.Name == f.name
		})
		if f.column >= 0 {
			list = append(list, f)
		}
	}
	return list
}

// number writes v; a dash if v is NaN.
func number(style page.Style, v float64) string { return style.Text(measure.NumUnlessNaN(v)) }

// best returns the row that leads in a figure, even if the lead is not significant, or -1 (see
// measure.LeaderIndex). It is -1, too, if the figure is not comparable because the sets or radii
// differ.
func (o *outcome) best(f *figure) int {
	var values []measure.Number
	for _, r := range o.Rows {
		if f.like && r.Problem != o.Rows[0].Problem {
			return -1
		}
		values = append(values, r.Cells[f.column].Mean)
	}
	return measure.LeaderIndex(values, o.Columns[f.column].Higher,
		func(n measure.Number) string { return number(f.value, n.Float()) })
}

// Widths of the table, in cells.
const (
	valueWidth  = 8
	changeWidth = 8
)

// width returns the width of a figure's column in cells, with the marks of the
// best.
func (f *figure) width() int { return max(valueWidth, len(f.head)+2) + 2 }

// table lays out the rows in width cells, each figure with its change from the baseline. Without
// enough room it leaves out the last figures.
func (o *outcome) table(t *kit.Theme, width int) (lines []string) {
	numbers := o.numbers()
	marks, first := t.MarkCells(numbers...), "method"
	if n := len(o.Rows[0].Seeds); n > 1 && o.sameSeedCounts() {
		first = fmt.Sprintf("mean of %d seeds", n)
	}
	o.star = t.Best
	list, figures := page.Fields[int]{}, o.figures()
	list.Words(first, o.name)
	fit := func() (room int) { // for the names
		room = width - marks - 2
		for _, f := range figures {
			if room -= f.width(); o.base >= 0 {
				room -= changeWidth
			}
		}
		return room
	}
	const least = 11
	for len(figures) > 1 && fit() < least {
		figures = figures[:len(figures)-1]
	}
	list[0].Most = fit()
	for _, f := range figures {
		list = append(list, page.Field[int]{
			Column: page.Column{Head: f.head + "  ", Width: f.width(), Tone: o.figureTone},
			Cell:   func(i int) string { return o.figureText(i, &f) }})
		if o.base >= 0 {
			list = append(list, page.Field[int]{
				Column: page.Column{Head: "vs " + cell.Cut(o.Rows[o.base].Label, changeWidth-4),
					Width: changeWidth},
				Cell: func(i int) string { return o.change(i, &f) }})
		}
	}
	grid := t.Grid(list.Table(page.Indices(len(o.Rows)), nil), width, 0)
	lines = append(lines, t.Dim.Paint(kit.Blanks(marks+1)+grid.Head(nil)))
	for i, number := range numbers {
		mark := t.Line(number).Paint(kit.Left(t.Mark(number), marks))
		lines = append(lines, mark+" "+grid.Line(i, nil))
	}
	return append(lines, t.Dim.PaintAll(kit.Wrap(t.Greek(o.foot(figures)), width))...)
}

// figureText returns a figure of row i with its marks, or blanks.
func (o *outcome) figureText(i int, f *figure) string {
	c, mark := &o.Rows[i].Cells[f.column], "  "
	switch {
	case o.HasStar(&o.Rows[i], f.column):
		mark = o.star + cell.Significant
	case o.best(f) == i:
		mark = o.star + " "
	}
	return number(f.value, c.Mean.Float()) + mark
}

// figureTone returns the tone of a figure: of those that lead, only a significant one has a colour.
func (o *outcome) figureTone(text string) page.Tone {
	if strings.HasSuffix(text, cell.Significant) {
		return page.Good
	}
	return ""
}

// change returns the change of row i from the baseline, or "" where there is none.
func (o *outcome) change(i int, f *figure) string {
	base, r := &o.Rows[o.base], &o.Rows[i]
	if i == o.base || f.like && base.Problem != r.Problem {
		return ""
	}
	d := r.Cells[f.column].Mean.Float() - base.Cells[f.column].Mean.Float()
	if d > 0 {
		return "+" + number(f.distance, d)
	}
	return number(f.distance, d)
}

// sameSeedCounts reports whether all rows have the same number of seeds.
func (o *outcome) sameSeedCounts() bool {
	return !slices.ContainsFunc(o.Rows, func(r compare.Row) bool {
		return len(r.Seeds) != len(o.Rows[0].Seeds)
	})
}

// name returns the title of row i, with its number of seeds if the head does not give it.
func (o *outcome) name(i int) string {
	r := &o.Rows[i]
	if n := len(r.Seeds); n > 1 && !o.sameSeedCounts() {
		return r.Title() + " " + page.N(n)
	}
	return r.Title()
}

// numbers returns the numbers of the rows' colours and marks: those of the methods, as everywhere.
func (o *outcome) numbers() []uint8 {
	first := lists.Map(o.Rows, func(row compare.Row) *runner.Meta {
		own := func(r *record.Run) bool { return r.Meta.ID == row.Runs[0] }
		return &o.runs[slices.IndexFunc(o.runs, own)].Meta
	})
	return lab.ColorsOf(o.runs).ForRuns(first)
}

// foot returns the line that explains the marks and the changes.
func (o *outcome) foot(figures []figure) string {
	var words []string
	leads := func(f figure) bool { return o.best(&f) >= 0 }
	proved := func(f figure) bool {
		best := func(r compare.Row) bool { return o.HasStar(&r, f.column) }
		return slices.ContainsFunc(o.Rows, best)
	}
	if slices.ContainsFunc(figures, leads) {
		where := "these seeds"
		if o.sameSeedCounts() && len(o.Rows[0].Seeds) == 1 {
			where = "this seed"
		}
		words = append(words, o.star+" best in "+where)
	}
	if slices.ContainsFunc(figures, proved) {
		words = append(words, cell.Significant+" significantly better than all others")
	}
	if o.base >= 0 {
		words = append(words, "differences in points, for the risk in nats")
	}
	if slices.ContainsFunc(o.Rows, func(r compare.Row) bool { return r.Uses != "" }) {
		words = append(words, "(g), (c), (l): uses groups, classes, labels")
	}
	return strings.Join(words, "; ")
}

// curveRows returns the rows that get a curve: the baseline and the best three of the other rows.
// More lines would hide each other.
func (o *outcome) curveRows() (rows []int) {
	const most = 3
	figures := o.figures()
	if len(figures) == 0 {
		return nil
	}
	f, base := figures[0], func(i int) bool { return i == o.base }
	rows = slices.DeleteFunc(page.Indices(len(o.Rows)), base)
	slices.SortStableFunc(rows, func(a, b int) int {
		order := cmp.Compare(o.Rows[a].Cells[f.column].Mean.Float(),
			o.Rows[b].Cells[f.column].Mean.Float())
		if o.Columns[f.column].Higher {
			return -order
		}
		return order
	})
	rows = rows[:min(most, len(rows))]
	if o.base >= 0 {
		rows = append(rows, o.base)
	}
	slices.Sort(rows)
	return rows
}

// curves draws the accuracy of the worst class or group over the epochs, averaged over the seeds.
func (o *outcome) curves(con *console.Console) error {
	f := &page.Figure{Caption: "Worst " + o.runs[0].Meta.Part() + " over epochs, %:"}
	numbers := o.numbers()
	for _, i := range o.curveRows() {
		var evals [][]*runner.EvalEvent
		var worst string // of the runs of a row, which have the same data
		for _, r := range o.runs {
			if !slices.Contains(o.Rows[i].Runs, r.Meta.ID) {
				continue
			}
			list, err := r.Evaluations()
			if err != nil {
				return err
			}
			evals, worst = append(evals, list), r.Meta.MeasureFor("worst_class_accuracy")
		}
		c := page.Curve{Name: o.name(i), Mark: 1 + int(numbers[i]),
			Points: compare.MeanCurve(evals, worst, o.Level)}
		for k := range c.Points {
			c.Points[k].Y, c.Points[k].Half = 100*c.Points[k].Y, math.NaN()
		}
		if len(c.Points) > 1 {
			f.Curves = append(f.Curves, c)
		}
	}
	if len(f.Curves) == 0 {
		return nil
	}
	fmt.Fprintln(con.Stdout)
	con.Blocks(f)
	return nil
}
