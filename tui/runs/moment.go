package runs

import (
	"fmt"
	"strings"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/runner/numeral"
	"drolab/runner/record"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// Measures are shown with their last value, their best value, or their value at an epoch. For the
// best value and the value at an epoch, the evaluations of the listed runs are read from their
// logs, once.

// valueOf returns the value of a measure of a run.
type valueOf func(r *record.Run, name string) measure.Number

// lastValue returns the last value of a measure.
func lastValue(r *record.Run, name string) measure.Number { return r.Of(name) }

// moment says which evaluation the values of measures come from.
type moment struct {
	best  bool
	epoch float64 // 0 with best false stands for the last evaluation
}

func (m moment) String() string {
	switch {
	case m.best:
		return "best epoch of each run and measure"
	case m.epoch > 0:
		return fmt.Sprintf("epoch %.4g", m.epoch)
	}
	return "last epoch"
}

// parseMoment parses "last", "best" or an epoch.
func parseMoment(text string) (m moment, err error) {
	text = strings.TrimSpace(text)
	switch text {
	case "", "last":
		return m, nil
	case "best":
		return moment{best: true}, nil
	}
	epoch, ok := numeral.Float(text)
	if !ok || epoch <= 0 {
		return m, fmt.Errorf("%s: expected last, best or an epoch, such as 12%s", text,
			numeral.Remedy(text))
	}
	return moment{epoch: epoch}, nil
}

// values returns the valueOf that gives the values at the moment.
func (m moment) values(p *Page) valueOf {
	if m == (moment{}) {
		return lastValue
	}
	return func(r *record.Run, name string) (v measure.Number) {
		if of, known := measure.FindMeasure(name); !known || of.OfStep() || name != of.Name {
			return lastValue(r, name)
		}
		for _, e := range p.evals[r.Meta.ID].list {
			u := e.Named(name)
			switch {
			case !u.Applies() || !m.best && e.Epoch > m.epoch+1e-9:
			case !m.best || !v.Applies() || isBetter(name, u, v):
				v = u
			}
		}
		return v
	}
}

// isBetter reports whether a is a better value than b of a measure of evaluations.
func isBetter(name string, a, b measure.Number) bool {
	if m, _ := measure.FindMeasure(name); m.Better == dro.Higher {
		return a.Float() > b.Float()
	}
	return a.Float() < b.Float()
}

func (p *Page) chooseMoment() tea.Cmd {
	check := func(text string) error {
		_, err := parseMoment(text)
		return err
	}
	take := func(text string) tea.Cmd {
		m, _ := parseMoment(text) // check has accepted it
		return kit.Send(momentMsg{m})
	}
	return p.Show(&kit.Overlay{Title: "Values of which evaluation", Form: &kit.LineForm{
		Input: kit.NewInput(""), Check: check, Accept: take,
		About: "last, best (each measure at its own best) or an epoch, such as 12:"}})
}
