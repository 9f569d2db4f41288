package runs

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Measures are shown with their last value, their best value, or their value at an epoch. For the
// best value and the value at an epoch, the evaluations of the listed runs are read from their
// logs, once.

// valueOf returns the value of a measure of a run.
type valueOf func(r *record.Run, name string) measure.Number

// last returns the last value of a measure.
func last(r *record.Run, name string) measure.Number { return r.Of(name) }

// moment says which evaluation the values of measures come from.
type moment struct {
	best  bool
	epoch float64 // 0 with best false stands for the last evaluation
}

func (m moment) String() string {
	switch {
	case m.best:
		return "best values"
	case m.epoch > 0:
		return fmt.Sprintf("values at epoch %.4g", m.epoch)
	}
	return "last values"
}

// parseMoment parses "last", "best" or an epoch.
func parseMoment(text string) (m moment, err error) {
	switch text = strings.TrimSpace(text); text {
	case "", "last":
		return m, nil
	case "best":
		return moment{best: true}, nil
	}
	m.epoch, err = strconv.ParseFloat(text, 64)
	if err != nil || !(m.epoch > 0) || math.IsInf(m.epoch, 0) {
		return moment{}, fmt.Errorf("%s: want last, best or an epoch, such as 12", text)
	}
	return m, nil
}

// of returns the valueOf that gives the values at the moment.
func (m moment) of(p *Page) valueOf {
	if m == (moment{}) {
		return last
	}
	return func(r *record.Run, name string) (v measure.Number) {
		if of, known := measure.FindMeasure(name); !known || of.OfStep() || name != of.Name {
			return last(r, name)
		}
		for _, e := range p.evals[r.Meta.ID].list {
			u := e.Of(name)
			switch {
			case !u.Applies() || !m.best && e.Epoch > m.epoch+1e-9:
			case !m.best || !v.Applies() || better(name, u, v):
				v = u
			}
		}
		return v
	}
}

// better reports whether a is a better value than b of a measure of evaluations.
func better(name string, a, b measure.Number) bool {
	if m, _ := measure.FindMeasure(name); m.Better == dro.Higher {
		return a.Float() > b.Float()
	}
	return a.Float() < b.Float()
}

// evals holds the evaluations of a run as of a step.
type evals struct {
	step int64
	list []*runner.EvalEvent
}

// evalsMsg brings the evaluations of runs, by run, that were not read yet.
type evalsMsg struct {
	of  map[string]evals
	err error
}

// readEvals reads the evaluations of the runs that have trained on since they were last read.
func (p *Page) readEvals() tea.Cmd {
	if p.value == (moment{}) {
		return nil
	}
	var runs []*record.Run
	for _, r := range p.all {
		if known, ok := p.evals[r.Meta.ID]; !ok || known.step != r.Steps() {
			runs = append(runs, r)
		}
	}
	return p.readEvalsOf(runs)
}

// readEvalsOf reads the evaluations of some runs.
func (p *Page) readEvalsOf(runs []*record.Run) tea.Cmd {
	if len(runs) == 0 {
		return nil
	}
	source := p.Source
	return func() tea.Msg {
		m := evalsMsg{of: map[string]evals{}}
		for _, r := range runs {
			list, err := evalsOf(lab.Evaluations(source, r))
			m.of[r.Meta.ID] = evals{r.Steps(), list}
			if err != nil {
				m.err = err
			}
		}
		return m
	}
}

// evalsOf returns the evaluations in a log that stand.
func evalsOf(log lab.Log) ([]*runner.EvalEvent, error) {
	h, err := record.ReadHistory(log, func(e runner.Event) {
		if eval, ok := e.(*runner.EvalEvent); ok {
			eval.ByGroup = nil // columns have one number
		}
	})
	return h.Evals, err
}

// momentMsg brings the moment that the user chose.
type momentMsg struct{ moment }

func (p *Page) chooseMoment() tea.Cmd {
	check := func(text string) error {
		_, err := parseMoment(text)
		return err
	}
	take := func(text string) tea.Cmd {
		m, _ := parseMoment(text) // check has accepted it
		return kit.Send(momentMsg{m})
	}
	return kit.Show(&kit.Overlay{Title: "Values of which evaluation", Form: &kit.Line{
		Input: kit.NewInput(""), Check: check, Take: take,
		About: aboutValues}})
}

// The trend of a line is the worst class accuracy of its newest run over the evaluations, drawn in
// a few cells on a scale from 0 to 100 %. Only the logs of lines in view are read for it.

// trendCells is the greatest width of a trend.
const trendCells = 8

// trendHead is the head of the column of trends.
const trendHead = "worst 0–100"

// trendColumn returns the column of trends.
func (p *Page) trendColumn() runColumn {
	return figures(trendHead, len("worst 0-100")+2, 140,
		func(l line) string { return trend(l[0], p.evals[l[0].Meta.ID].list) },
		func(l line) page.Key { return byNumber(l.mean(fitted("worst_class_accuracy")), true) })
}

// fitted returns a function that gives a run's last value of a measure, over groups if the run has
// them.
func fitted(name string) func(*record.Run) measure.Number {
	return func(r *record.Run) measure.Number { return last(r, r.Meta.Fit(name)) }
}

// trend draws the worst accuracy of a run at its evaluations.
func trend(r *record.Run, list []*runner.EvalEvent) string {
	steps := []rune("▁▂▃▄▅▆▇█")
	text := make([]rune, 0, trendCells)
	name := r.Meta.Fit("worst_class_accuracy")
	for i := range trendCells {
		at := (i+1)*len(list)/trendCells - 1
		if len(list) < trendCells { // one cell for each evaluation
			at = i
		}
		if at < 0 || at >= len(list) || !list[at].Of(name).Applies() {
			continue
		}
		part := math.Max(0, math.Min(1, list[at].Of(name).Float()))
		text = append(text, steps[min(int(part*float64(len(steps))), len(steps)-1)])
	}
	return cmp.Or(string(text), "–")
}

// readTrends reads the evaluations of the lines in view, if their trends are shown. It reads a live
// run again when the run has trained for another tenth of its steps.
func (p *Page) readTrends() tea.Cmd {
	c := p.trendColumn()
	if p.reading || !p.shows(&c, p.inner()) {
		return nil
	}
	var runs []*record.Run
	for _, r := range p.viewed() {
		known, ok := p.evals[r.Meta.ID]
		news := r.Steps() - known.step
		if !ok || news != 0 && (r.Status().Ended() || 10*news >= r.Meta.Steps) {
			runs = append(runs, r)
		}
	}
	p.reading = len(runs) > 0
	return p.readEvalsOf(runs)
}
