package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// Tradeoff sets what the methods are made for (Y) against what that costs (X), with a point for
// each row of the table that has finite figures of both. Its figures are those of the table, at the
// table's step. Its points answer one question: of others none is better.
type Tradeoff struct {
	X      Side    `json:"x"`
	Y      Side    `json:"y"`
	Points []Point `json:"points"` // in the order of the rows
	// Without are the rows without a finite figure of both, and Other those that answer another
	// question than most.
	Without []int `json:"without,omitempty"`
	Other   []int `json:"other,omitempty"`
	// Loss is the loss of the points' runs, unless that is the cross-entropy.
	Loss string `json:"loss,omitempty"`
}

// Side is a measure of a tradeoff.
type Side struct {
	Name   string `json:"name"`            // as in Column
	Class  string `json:"class,omitempty"` // the radius of a risk at a radius
	Higher bool   `json:"higher"`          // more is better
}

// Point is a row of the table as a point: means over its seeds, and half of their t intervals.
type Point struct {
	Row   int            `json:"row"` // an index of Table.Rows
	X     measure.Number `json:"x"`
	Y     measure.Number `json:"y"`
	HalfX measure.Number `json:"x_half"` // does not apply below two values
	HalfY measure.Number `json:"y_half"`
	// Front says that no other point is better in one measure and at least as good in the other, by
	// the means.
	Front bool `json:"front"`
}

// side is a Side with the cells of all rows.
type side struct {
	Side
	asks  dro.Question
	cells []Cell
}

// addTradeoffs adds the tradeoffs of the table. Pairs of measures in one unit come first: the worst
// class or group against the mean accuracy, the risk and its sensitivity against the mean loss.
func (t *Table) addTradeoffs(groups []*group) {
	costs, aims := t.sides(groups)
	inPercent := func(s side) bool { return s.Percent() }
	for _, sameUnit := range [...]bool{true, false} {
		for _, x := range costs {
			for _, y := range aims {
				if (inPercent(x) == inPercent(y)) != sameUnit {
					continue
				}
				if o := newTradeoff(x, y, groups); o != nil {
					t.Tradeoffs = append(t.Tradeoffs, *o)
				}
			}
		}
	}
}

// sides returns the measures that robustness costs, and those that it is for. Where the rows differ
// in their radius, the risk at each of these radii takes the place of the risk at their own.
func (t *Table) sides(groups []*group) (costs, aims []side) {
	first := groups[0].members[0].meta
	own := func(radius string) bool {
		return slices.ContainsFunc(groups, func(g *group) bool {
			return strconv.FormatFloat(g.members[0].meta.Spec.Rho, 'g', -1, 64) == radius
		})
	}
	for c, column := range t.Columns {
		m, _ := measure.FindMeasure(column.Name)
		s := side{Side{column.Name, column.Class, column.Higher}, m.Asks,
			lists.Map(t.Rows, func(r Row) Cell { return r.Cells[c] })}
		switch {
		case column.Name == "test_accuracy" || column.Name == "test_loss":
			costs = append(costs, s)
		case column.Name == "robust_risk" && !t.hasSeveralProblems(),
			m.Axis == measure.PerRadius && own(column.Class), isWorst(column.Name, first):
			aims = append(aims, s)
		}
	}
	m, _ := measure.FindMeasure(sensitivity)
	of := func(m member) measure.Number { return m.results().Named(sensitivity) }
	return costs, append(aims, side{Side{sensitivity, "", m.Better == dro.Higher}, m.Asks,
		lists.Map(groups, func(g *group) Cell { return newCell(g, of, t.Level) })})
}

// newTradeoff returns the tradeoff of two measures among the rows that answer the question that
// most answer, the first of several; nil if no row has both measures.
func newTradeoff(x, y side, groups []*group) *Tradeoff {
	o := &Tradeoff{X: x.Side, Y: y.Side}
	questions, answers := make([]string, len(groups)), map[string]int{}
	for i, g := range groups {
		if x.cells[i].Mean.Finite() && y.cells[i].Mean.Finite() {
			meta := g.members[0].meta
			questions[i] = Question(x.asks, meta) + "\n" + Question(y.asks, meta)
			answers[questions[i]]++
		}
	}
	asked := ""
	for _, q := range questions {
		if answers[q] > answers[asked] {
			asked = q
		}
	}
	if asked == "" {
		return nil
	}
	for i, q := range questions {
		switch a, b := &x.cells[i], &y.cells[i]; q {
		case "":
			o.Without = append(o.Without, i)
		case asked:
			o.Points = append(o.Points, Point{Row: i, X: a.Mean, Y: b.Mean, HalfX: a.Half,
				HalfY: b.Half})
			if loss := groups[i].members[0].meta.Spec.Loss; loss != spec.Defaults().Loss {
				o.Loss = loss
			}
		default:
			o.Other = append(o.Other, i)
		}
	}
	o.markFront()
	return o
}

// markFront decides which points are on the front.
func (o *Tradeoff) markFront() {
	for i := range o.Points {
		p := &o.Points[i]
		p.Front = !slices.ContainsFunc(o.Points, func(q Point) bool {
			x, y := o.gains(q, *p)
			return min(x, y) >= 0 && max(x, y) > 0
		})
	}
}

// gains returns by how much a point is better than another in either measure.
func (o *Tradeoff) gains(a, b Point) (x, y float64) {
	return o.X.gain(a.X, b.X), o.Y.gain(a.Y, b.Y)
}

func (s Side) gain(a, b measure.Number) float64 {
	if s.Higher {
		return a.Float() - b.Float()
	}
	return b.Float() - a.Float()
}

// sensitivity is a measure of tradeoffs alone: tables have no column for it.
const sensitivity = "risk_sensitivity"

// Title names the measure as tables do, and spells out what is in none.
func (s Side) Title() string {
	if s.Name == sensitivity {
		return "sensitivity S"
	}
	return (&Column{Name: s.Name, Class: s.Class}).Title()
}

// Percent tells whether the figures are shares, which are written in percent.
func (s Side) Percent() bool { return (&Column{Name: s.Name}).Percent() }

// text writes a figure of the measure in a sentence.
func (s Side) text(n measure.Number) string {
	m, _ := measure.FindMeasure(s.Name)
	return page.SentenceStyle(m.Scale).Text(n)
}

// front returns the points on the front, from the best in Y to the best in X.
func (o *Tradeoff) front() []Point {
	front := slices.DeleteFunc(slices.Clone(o.Points), func(p Point) bool { return !p.Front })
	slices.SortStableFunc(front, func(a, b Point) int {
		x, _ := o.gains(a, b)
		return cmp.Compare(x, 0)
	})
	return front
}

// FrontNames names the rows on the front, in a few words.
func (t *Table) FrontNames(o *Tradeoff) string {
	names := t.titles(o.front())
	if len(names) > mostNamed {
		return "On the front: " + joinNames(names) + "."
	}
	return "On the front: " + strings.Join(names, ", ") + "."
}

// mostNamed is the number of rows on a front up to which each of them is named.
const mostNamed = 8

func (t *Table) titles(points []Point) []string {
	return lists.Map(points, func(p Point) string { return t.Rows[p.Row].Title() })
}

// FrontText says in sentences which rows are on the front, what that says of the others, and which
// rows have no point or no cross.
func (t *Table) FrontText(o *Tradeoff) string {
	sentences := append([]string{t.frontSentence(o)}, t.lackSentences(o)...)
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

func (t *Table) frontSentence(o *Tradeoff) string {
	front := o.front()
	names, last := t.titles(front), len(front)-1
	y, x := o.Y.text(front[0].Y), o.X.text(front[last].X)
	const bests = "the best %s (%s) %s the best %s (%s)"
	switch {
	case len(o.Points) == 1:
		return fmt.Sprintf("%s is alone, so there is nothing to choose.", names[0])
	case last == 0:
		return fmt.Sprintf("%s is alone on the front: it has "+bests+". %s.", names[0],
			o.Y.Title(), y, "and", o.X.Title(), x, o.behindText(""))
	}
	all := strings.Join(names[:last], ", ") + " and " + names[last]
	if len(names) > mostNamed {
		all = fmt.Sprintf("%d methods", len(names))
	}
	span := fmt.Sprintf("from "+bests, o.Y.Title(), names[0]+", "+y, "to", o.X.Title(),
		names[last]+", "+x)
	if len(front) == len(o.Points) {
		return fmt.Sprintf("%s are all on the front, %s: none is better in both than another.",
			all, span)
	}
	return fmt.Sprintf("%s are on the front, %s. %s.", all, span,
		o.behindText(" than one of these"))
}

// behindText says of the points behind the front that they are worse, followed by than what.
func (o *Tradeoff) behindText(than string) string {
	strictly := func(p Point) bool {
		return p.Front || slices.ContainsFunc(o.Points, func(q Point) bool {
			x, y := o.gains(q, p)
			return min(x, y) > 0
		})
	}
	for _, p := range o.Points {
		if !strictly(p) {
			return "Every other method is worse in one of the two" + than +
				", and better in neither"
		}
	}
	return "Every other method is worse in both" + than
}

// lackSentences names the rows that have no point, and those whose point has no cross.
func (t *Table) lackSentences(o *Tradeoff) (sentences []string) {
	title := func(row int) string { return t.Rows[row].Title() }
	if len(o.Without) > 0 {
		without := lists.Map(o.Without, title)
		sentences = append(sentences, about(without, "has no finite figure of both")+".")
	}
	if len(o.Other) > 0 {
		other := lists.Map(o.Other, title)
		sentences = append(sentences, about(other, "is left out for other data, losses or sets")+
			".")
	}
	plain := slices.DeleteFunc(slices.Clone(o.Points), func(p Point) bool {
		return p.HalfX.Applies() || p.HalfY.Applies()
	})
	switch {
	case len(plain) == len(o.Points):
		sentences = append(sentences, "One seed has no interval, so there are no crosses.")
	case len(plain) > 0:
		sentences = append(sentences, about(t.titles(plain), "has one seed and no cross")+".")
	}
	return sentences
}

// FrontDefinition says what the points, crosses and the front are.
func (t *Table) FrontDefinition() string {
	return fmt.Sprintf("A point of What it costs is the mean over a method's seeds, of %s on the "+
		"test split, as in the table; its cross is the %g %% t interval of either mean. The front "+
		"has the methods than which no other is better in one measure and at least as good in "+
		"the other, by the means alone: where crosses overlap, the seeds do not decide.",
		t.stepText(), 100*t.Level)
}

// FrontNote is the FrontDefinition in few words, for the head of a file.
func (t *Table) FrontNote() string {
	return fmt.Sprintf("Test split, %s. Means over seeds, %g %% t intervals; the front is dotted.",
		t.stepText(), 100*t.Level)
}

// stepText says of which step the figures of a tradeoff are.
func (t *Table) stepText() string {
	switch {
	case t.At == Mean:
		return "the last evaluations, averaged"
	case t.At == Selected && t.hasRefits():
		return "the selected step, (last) the last one"
	case t.At == Selected:
		return "the selected step"
	case len(t.Epochs) == 1:
		return fmt.Sprintf("the last epoch (%.4g)", t.Epochs[0])
	}
	return "each run's last epoch"
}

// Scatters returns the tradeoffs of measures in one unit as pictures.
func (t *Table) Scatters() (list []*page.Scatter) {
	for i := range t.Tradeoffs {
		if o := &t.Tradeoffs[i]; o.X.Percent() == o.Y.Percent() {
			list = append(list, t.Scatter(o, nil))
		}
	}
	return list
}

// Scatter returns the tradeoff as a picture. marks are the looks of the rows, counted from 1; nil
// stands for their places.
func (t *Table) Scatter(o *Tradeoff, marks []int) *page.Scatter {
	axis := func(s Side) page.ScatterAxis {
		m, _ := measure.FindMeasure(s.Name)
		unit := spec.UnitUnder(cmp.Or(o.Loss, spec.Defaults().Loss), m.Unit)
		return page.ScatterAxis{Name: s.Title(), Unit: unit, Percent: s.Percent(),
			Higher: s.Higher}
	}
	figure := &page.Scatter{X: axis(o.X), Y: axis(o.Y)}
	figure.Title = figure.Y.Name + " against " + figure.X.Name
	figure.Caption = figure.Title + ": " + t.FrontText(o)
	for _, p := range o.Points {
		mark := p.Row + 1
		if marks != nil {
			mark = marks[p.Row]
		}
		half := func(n measure.Number) float64 {
			if !n.Finite() {
				return math.NaN()
			}
			return n.Float()
		}
		figure.Points = append(figure.Points, page.ScatterPoint{Name: t.Rows[p.Row].Title(),
			Mark: mark, X: p.X.Float(), Y: p.Y.Float(), HalfX: half(p.HalfX), HalfY: half(p.HalfY),
			Front: p.Front})
	}
	return figure
}
