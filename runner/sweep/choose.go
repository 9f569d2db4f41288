package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/data"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/spec"
)

// Table is the result of a sweep: for each method, the setting that is best on the validation
// split, and the figures of that setting on both splits. The test figures of other settings are not
// in it and have no part in it.
type Table struct {
	Select string   `json:"select"`
	Level  float64  `json:"level"` // confidence level of the intervals
	Rows   []Row    `json:"methods"`
	Notes  []string `json:"notes"`
}

// Row is the result of one method.
type Row struct {
	Algorithm dro.Algorithm              `json:"algorithm"`
	Label     string                     `json:"setting"` // without the method
	Values    map[string]json.RawMessage `json:"values"`
	IDs       []string                   `json:"runs"` // of the chosen setting, by seed
	// Validation is the mean over seeds of the measure of the choice, at the step that each run has
	// chosen by that measure. As the best of many it is better than it will be again.
	Validation Cell   `json:"validation"`
	Test       []Cell `json:"test"` // at the same step
	Cost       Cost   `json:"cost"` // of all settings of the method, including this one
	Own        Cost   `json:"own_cost"`
	Settings   int    `json:"settings"`
	// Unfinished is the number of settings with a run that failed or is not done. They had no part
	// in the choice, except that a setting that a rung has dropped had its part there.
	Unfinished int `json:"unfinished"`
	// Tied is the number of settings that had a part in the choice, if there are several and all of
	// them have the same mean by validation. It tells none of them apart then.
	Tied int `json:"tied,omitempty"`
}

// Cell is a measure over seeds.
type Cell struct {
	Name   string           `json:"name"` // as in a run's --json
	Title  string           `json:"title"`
	Values []measure.Number `json:"values"`
	Mean   measure.Number   `json:"mean"`
	Half   measure.Number   `json:"half"` // half width of the t interval; none for one seed
	scale  dro.Scale
}

// Cost is the work and the time of runs.
type Cost struct {
	Runs    int            `json:"runs"`
	Epochs  float64        `json:"epochs"`
	Seconds measure.Number `json:"seconds"` // in training steps
}

func (c *Cost) add(s State) {
	if s.Result == nil {
		return
	}
	c.Runs++
	c.Epochs += s.Result.Epochs
	if s.Result.seconds.Applies() {
		before := cmp.Or(c.Seconds, measure.Num(0))
		c.Seconds = measure.Num(s.Result.seconds.Float() + before.Float())
	}
}

// Table chooses the setting of each method. Settings with a run that is not done are left out.
func (l *Progress) Table() *Table {
	const level = .95
	t := &Table{Select: l.List.Select, Level: level, Rows: []Row{}, Notes: []string{}}
	for _, settings := range l.List.byMethod() {
		ranked := l.rank(settings, func(_ int, s *State) bool { return s.Status == runner.Done })
		row := Row{Algorithm: settings[0].Algorithm, Settings: len(settings)}
		for _, s := range settings {
			open := false
			for _, i := range s.runs {
				state := l.State(i)
				row.Cost.add(state)
				open = open || state.Status != runner.Done
			}
			if open {
				row.Unfinished++
			}
		}
		if len(ranked) > 0 {
			l.fillRow(&row, &ranked[0], level)
		}
		if n := len(ranked); n > 1 && ranked[0].value == ranked[n-1].value {
			row.Tied = n
		}
		t.Rows = append(t.Rows, row)
	}
	t.addNotes(l)
	return t
}

// fillRow puts the chosen setting's figures into a row.
func (l *Progress) fillRow(row *Row, s *settingRuns, level float64) {
	r := &l.List.Runs[s.runs[0]]
	row.Values, row.Label = r.Values, l.List.label(r, "")
	var cells []Cell
	for c, name := range l.State(s.runs[0]).Result.names {
		m, _ := measure.FindMeasure(name)
		seeds := lists.Map(s.runs,
			func(i int) measure.Number { return l.State(i).Result.values[c] })
		_, mean, _, half := compare.Describe(seeds, level)
		cells = append(cells, Cell{name, m.Head(), seeds, mean, half, m.Scale})
	}
	for _, i := range s.runs {
		row.IDs = append(row.IDs, l.List.Runs[i].ID)
		row.Own.add(l.State(i))
	}
	row.Validation, row.Test = cells[0], cells[1:]
}

// addNotes adds the notes that a reader has to know.
func (t *Table) addNotes(l *Progress) {
	t.Notes = append(t.Notes, fmt.Sprintf("Each method's setting is the best of its own by %s on "+
		"the validation split, the mean over seeds; the test split had no part in it. Figures "+
		"are at the step that each run has chosen by the same rule, ± is the half width of the "+
		"%g %% t interval.", t.Select, 100*t.Level))
	unfinished := data.Sum(lists.Map(t.Rows, func(r Row) int { return r.Unfinished }))
	switch {
	case len(l.List.Halving.Epochs) > 0:
		t.Notes = append(t.Notes, "Ended early by validation, failed or not done: "+
			spec.Plural(unfinished, "setting")+".")
	case unfinished > 0:
		t.Notes = append(t.Notes, "Not done or failed, and without a part in the choice: "+
			spec.Plural(unfinished, "setting")+"; see drolab sweep status.")
	}
	for _, r := range t.Rows {
		if r.Tied > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("All %d settings of %s tie by %s: the chosen "+
				"one %s. Another measure in select may tell them apart.", r.Tied, r.Algorithm,
				t.Select, l.List.Ties.Reason()))
		}
	}
	for i := range l.List.Runs {
		if damage := l.State(i).Damage; damage != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("Run %d: %v.", i, damage))
		}
	}
}

// Blocks returns the table as text, and its notes.
func (t *Table) Blocks() []page.Block {
	blocks := []page.Block{t.Cells()}
	for _, n := range t.Notes {
		blocks = append(blocks, page.Text(n))
	}
	return blocks
}

// Cells returns the table as text.
func (t *Table) Cells() *page.Table {
	list := page.New("method", "setting", "validation").Words(1)
	list.Head(t.titles()...)
	list.Head("settings", "runs", "epochs", "training", "of it chosen")
	for i := range list.Columns {
		list.Columns[i].Spare = i
	}
	for _, r := range t.Rows {
		row := []string{string(r.Algorithm), strings.TrimSpace(r.Label), page.None}
		switch {
		case r.IDs != nil:
			row[2] = r.Validation.text()
		case r.Unfinished < r.Settings: // the last layer is fitted to the validation split
			row[1] = "none has " + t.Select
		default:
			row[1] = "none is done"
		}
		for i := range t.titles() {
			text := page.None
			if i < len(r.Test) {
				text = r.Test[i].text()
			}
			row = append(row, text)
		}
		list.Add(append(row, fmt.Sprint(r.Settings), fmt.Sprint(r.Cost.Runs),
			fmt.Sprintf("%.4g", r.Cost.Epochs), durationText(r.Cost.Seconds),
			durationText(r.Own.Seconds))...)
	}
	return list
}

func (t *Table) titles() []string {
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Test != nil })
	if i < 0 {
		return nil
	}
	return lists.Map(t.Rows[i].Test, func(c Cell) string { return c.Title })
}

func durationText(seconds measure.Number) string {
	if !seconds.Applies() {
		return page.None
	}
	return time.Duration(seconds.Float() * float64(time.Second)).Round(time.Second / 10).String()
}

func (c *Cell) text() string { return page.TableStyle(c.scale).Half(3).With(c.Mean, c.Half) }

// Exact returns the table for other programs, with a column for each mean and each half width.
func (t *Table) Exact() *page.Table {
	list := page.New("method", "setting", "seeds", "settings", "runs", "epochs", "seconds")
	fixed := len(list.Columns)
	for _, r := range t.Rows {
		line := []string{string(r.Algorithm), strings.TrimSpace(r.Label), fmt.Sprint(len(r.IDs)),
			fmt.Sprint(r.Settings), fmt.Sprint(r.Cost.Runs), page.Exact(r.Cost.Epochs),
			page.ExactOf(r.Cost.Seconds)}
		titled := len(list.Columns) > fixed
		for _, c := range append([]Cell{r.Validation}, r.Test...) {
			if r.IDs == nil {
				break // none of its settings is done
			}
			if !titled {
				list.Head(c.Name, c.Name+"_half")
			}
			line = append(line, page.ExactOf(c.Mean), page.ExactOf(c.Half))
		}
		list.Add(line...)
	}
	for i, line := range list.Rows { // a record has as many fields as the first
		list.Rows[i] = append(line, make([]string, len(list.Columns)-len(line))...)
	}
	return list
}
