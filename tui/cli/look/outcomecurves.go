package look

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"drolab/runner/compare"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cli/console"
)

// drawn returns the rows that get a curve: the baseline and the best three of the other rows. More
// lines would hide each other.
func (o *outcome) drawn() (rows []int) {
	const most = 3
	figures := o.figures()
	if len(figures) == 0 {
		return nil
	}
	f := figures[0]
	for i := range o.Rows {
		if i != o.base {
			rows = append(rows, i)
		}
	}
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
func (o *outcome) curves(con *console.Console, runs []*record.Run) error {
	f := &page.Figure{Caption: "Worst " + o.meta.Part() + " over epochs, %:"}
	numbers := o.numbers()
	for _, i := range o.drawn() {
		sums := map[float64][]float64{}
		for _, r := range runs {
			if !slices.Contains(o.Rows[i].Runs, r.Meta.ID) {
				continue
			}
			h, err := record.ReadHistory(r.Tail(), nil)
			if err != nil {
				return fmt.Errorf("run %s: %w", r.Meta.ID, err)
			}
			for _, e := range h.Evals {
				if v := e.Of(r.Meta.Fit("worst_class_accuracy")); v.Applies() {
					sums[e.Epoch] = append(sums[e.Epoch], 100*v.Float())
				}
			}
		}
		c := page.Curve{Name: o.name(i), Mark: 1 + int(numbers[i])}
		for epoch, values := range sums {
			if len(values) == len(o.Rows[i].Runs) {
				mean, _ := compare.MeanStd(values)
				c.Points = append(c.Points, page.Point{X: epoch, Y: mean, Half: math.NaN()})
			}
		}
		slices.SortFunc(c.Points, func(a, b page.Point) int { return cmp.Compare(a.X, b.X) })
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
